//go:build linux && !cudagen_nodriver && cudagen_portable && (amd64 || arm64)

package ccall_test

// onStack says that a call and what it points to may stay on the goroutine's stack.
const onStack = false
