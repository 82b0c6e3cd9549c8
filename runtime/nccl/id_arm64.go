//go:build linux && !cudagen_nodriver

package nccl

// idByValue returns the arguments of ncclCommInitRankConfig(comm, size, id, rank, config). The
// AAPCS64 passes the address of a copy of the id, which is larger than 16 bytes.
func idByValue(comm, size, rank uintptr, made *id, config uintptr) []uintptr {
	return []uintptr{comm, size, address(made), rank, config}
}
