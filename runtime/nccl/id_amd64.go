//go:build linux && !cudagen_nodriver

package nccl

import "unsafe"

// idByValue returns the arguments of ncclCommInitRankConfig(comm, size, id, rank, config). The
// System V ABI passes the id, which is larger than 16 bytes, on the stack, behind what is in
// registers, whatever its place among the parameters. The sixth register is not used.
func idByValue(comm, size, rank uintptr, made *id, config uintptr) []uintptr {
	return append([]uintptr{comm, size, rank, config, 0, 0}, unsafe.Slice((*uintptr)(unsafe.Pointer(made)), 16)...)
}
