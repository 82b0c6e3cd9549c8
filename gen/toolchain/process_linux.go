package toolchain

import (
	"os/exec"
	"syscall"
)

// dieWithParent makes cmd lead a process group, all of which is killed when cmd's
// context is done, and has cmd killed when this process is.
func dieWithParent(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
