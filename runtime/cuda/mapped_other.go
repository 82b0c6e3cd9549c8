//go:build !linux && !windows

package cuda

// notMapped says that it is not known whose memory is where: there are no GPUs for CUDA here.
func notMapped(uintptr, uintptr) string {
	return "it is not known on this system whether a file is mapped there"
}
