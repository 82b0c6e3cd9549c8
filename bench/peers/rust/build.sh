#!/bin/sh
# Builds the peers in Rust into a folder. It needs cargo and a C compiler, and no CUDA: cust links
# libcuda.so.1, for which there is an empty one here, and finds its functions when they are called.
#
#   sh build.sh DIR
set -eu
out=$(cd "$1" && pwd)
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/cuda/lib64"
: | cc -shared -Wl,-soname,libcuda.so.1 -o "$work/cuda/lib64/libcuda.so" -x c -
export CUDA_LIBRARY_PATH="$work/cuda" CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$work/target}"
cargo rustc --release --quiet --bin peer-cudarc
cargo rustc --release --quiet --bin peer-cust -- -C relro-level=partial \
	-C link-arg=-Wl,--no-as-needed,-z,lazy,--unresolved-symbols=ignore-all -C link-arg="$work/cuda/lib64/libcuda.so"
cp "$CARGO_TARGET_DIR/release/peer-cudarc" "$CARGO_TARGET_DIR/release/peer-cust" "$out/"
