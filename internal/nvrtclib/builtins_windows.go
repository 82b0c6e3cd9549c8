//go:build !cudagen_nodriver && (amd64 || arm64)

package nvrtclib

import "fmt"

func builtinsName(major, minor int) string {
	return fmt.Sprintf("nvrtc-builtins64_%d%d.dll", major, minor)
}
