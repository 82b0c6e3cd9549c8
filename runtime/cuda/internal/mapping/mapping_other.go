//go:build !linux && !windows

package mapping

// NotFile says that it is not known whose memory is where: there are no GPUs for CUDA here.
func NotFile(uintptr, uintptr) string {
	return "it is not known on this system whether a file is mapped there"
}
