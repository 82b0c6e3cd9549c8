#!/bin/sh
# Builds the peer in Go into a folder. It needs Go, a C compiler and the folder of a cuda.h of CUDA 11
# or 12: gorgonia.org/cu 0.9.6 does not compile with CUDA 13's. No driver is needed: it links
# a libcuda.so.1 of empty functions, and finds the driver's when they are called.
#
#   sh build.sh DIR INCLUDE
set -eu
out=$(cd "$1" && pwd)
include=$(cd "$2" && pwd)
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
grep -oE '\bcu[A-Z][A-Za-z0-9_]*' "$include/cuda.h" | sort -u | sed 's/.*/void &(void) {}/' |
	cc -shared -Wl,-soname,libcuda.so.1 -o "$work/libcuda.so" -x c -
CGO_ENABLED=1 CGO_CFLAGS="-I$include" CGO_LDFLAGS="-L$work -Wl,-z,lazy" go build -o "$out/peer-gorgonia" .
