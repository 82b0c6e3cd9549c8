//go:build !cudagen_nodriver && (amd64 || arm64)

package nvrtclib

import "fmt"

func builtinsName(major, minor int) string {
	return fmt.Sprintf("libnvrtc-builtins.so.%d.%d", major, minor)
}
