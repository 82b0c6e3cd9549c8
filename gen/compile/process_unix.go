//go:build unix

package compile

import (
	"os/exec"
	"syscall"
)

// killGroup makes cmd lead a process group, all of which is killed when cmd's
// context is done: nvcc starts the programs that do the work.
func killGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
