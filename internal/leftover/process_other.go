//go:build !unix

package leftover

import "os/exec"

// group leaves cmd as it is: without process groups, only cmd itself is killed when its context is done, and
// its children end when they next write to it.
func group(*exec.Cmd) {}

func kill(cmd *exec.Cmd) error { return cmd.Process.Kill() }
