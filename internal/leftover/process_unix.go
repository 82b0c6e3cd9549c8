//go:build unix

package leftover

import (
	"os/exec"
	"syscall"
)

// group makes cmd lead a process group, all of which is killed when cmd's context is done: nvcc starts the
// programs that do the work.
func group(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = new(syscall.SysProcAttr)
	}
	cmd.SysProcAttr.Setpgid = true
	if cmd.Cancel != nil { // made with a context
		cmd.Cancel = func() error { return kill(cmd) }
	}
}

func kill(cmd *exec.Cmd) error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
