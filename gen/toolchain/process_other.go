//go:build !linux

package toolchain

import "os/exec"

// dieWithParent leaves cmd as it is: it is killed when its context is done, and when
// this process is killed it fails once the next installation has removed its folder.
func dieWithParent(*exec.Cmd) {}
