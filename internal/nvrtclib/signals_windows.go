//go:build !cudagen_nodriver && (amd64 || arm64)

package nvrtclib

// guardSignals does nothing: Go's handlers of Windows' console events are not those of C's signal.
func guardSignals() (end func()) { return func() {} }
