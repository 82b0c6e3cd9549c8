#!/bin/sh
# Builds all that command all needs, for a machine with a GPU and without Go, C and Rust.
#
#   sh pack.sh DIR [COMMIT]
#
# DIR/new has the programs of the working tree, DIR/old those of COMMIT's runtime with the working
# tree's benchmarks. The peers in Rust are built where there is cargo, that in Go where CUDA_INCLUDE
# names a folder with the cuda.h of CUDA 11 or 12.
set -eu
cd "$(dirname "$0")"
mkdir -p "$1"
dir=$(cd "$1" && pwd)

build() {
	for program in launch operations graphs; do
		cc -O2 -shared -fPIC -pthread -o "$1/$program.so" "$program/c/$program.c" -ldl
	done
	CGO_ENABLED=0 go build -ldflags='-s -w' -o "$1/" ./launch ./operations ./graphs ./requests ./all
}

rm -rf "$dir/new" "$dir/old"
mkdir "$dir/new"
build "$dir/new"
for program in textures tensormaps; do # which older commits lack
	cc -O2 -shared -fPIC -pthread -o "$dir/new/$program.so" "$program/c/$program.c" -ldl
	CGO_ENABLED=0 go build -ldflags='-s -w' -o "$dir/new/" "./$program"
done
cc -O2 -o "$dir/new/nccl-c" nccl/c/nccl.c -ldl
CGO_ENABLED=0 go build -ldflags='-s -w' -o "$dir/new/nccl-go" ./nccl/rank
CGO_ENABLED=0 go build -ldflags='-s -w' -o "$dir/new/" ./nccl
if command -v cargo >/dev/null; then
	sh peers/rust/build.sh "$dir/new"
fi
if [ -n "${CUDA_INCLUDE:-}" ]; then
	sh peers/gorgonia/build.sh "$dir/new" "$CUDA_INCLUDE"
fi

if [ $# -gt 1 ]; then
	mkdir "$dir/old"
	tree=$(mktemp -d)
	trap 'rm -rf "$tree"' EXIT
	(cd "$(git rev-parse --show-toplevel)" && git archive "$2") | tar -x -C "$tree"
	rm -rf "$tree/bench"
	mkdir "$tree/bench"
	git ls-files -z --cached --others --exclude-standard . | xargs -0 cp --parents -t "$tree/bench"
	rm -rf "$tree/bench/kernels" # generated code goes with its runtime
	(cd "$(git rev-parse --show-toplevel)" && git archive "$2" bench/kernels) | tar -x -C "$tree"
	(cd "$tree/bench" && build "$dir/old")
fi
