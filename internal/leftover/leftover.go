// Package leftover keeps a process that a signal ends from leaving anything behind: temporary folders and
// files, half of a set of files, and processes that it started. It imports nothing of cudagen. Start with
// Clear.
package leftover

import (
	"bytes"
	"os"
	"os/exec"
	"sync"
)

// whole is held for reading by what must not be divided, and by Clear for good.
var whole sync.RWMutex

// held is what Clear removes and ends. Clear keeps its lock, so that nothing is added behind it.
var held struct {
	sync.Mutex
	paths     map[string]bool
	processes map[*exec.Cmd]bool
}

// Clear kills the processes that run, and removes the temporary folders and files that are there. It waits
// for what is begun with Whole. What begins later does not return: the process must end behind Clear.
func Clear() {
	whole.Lock()
	held.Lock()
	for cmd := range held.processes {
		kill(cmd)
	}
	for path := range held.paths {
		os.RemoveAll(path)
	}
}

// Whole begins an operation that must not be interrupted, such as writing a set of files. It takes
// milliseconds and does not nest.
func Whole() (done func()) {
	whole.RLock()
	return whole.RUnlock
}

// Dir makes a temporary folder, as os.MkdirTemp does. The caller removes it with Remove.
func Dir(dir, pattern string) (path string, err error) {
	held.Lock()
	defer held.Unlock()
	if path, err = os.MkdirTemp(dir, pattern); err == nil {
		note(path)
	}
	return path, err
}

// File makes a temporary file, as os.CreateTemp does. The caller removes it with Remove, or renames it and
// calls Keep with its old name.
func File(dir, pattern string) (f *os.File, err error) {
	held.Lock()
	defer held.Unlock()
	if f, err = os.CreateTemp(dir, pattern); err == nil {
		note(f.Name())
	}
	return f, err
}

func note(path string) {
	if held.paths == nil {
		held.paths = make(map[string]bool)
	}
	held.paths[path] = true
}

// Remove removes a folder or file that Dir or File has made.
func Remove(path string) error {
	err := os.RemoveAll(path)
	Keep(path)
	return err
}

// Keep forgets a folder or file that Dir or File has made.
func Keep(path string) {
	held.Lock()
	defer held.Unlock()
	delete(held.paths, path)
}

// Run runs cmd. When its context is done, or Clear is called, it is killed with all processes that it
// started, where the system can do so.
func Run(cmd *exec.Cmd) error {
	group(cmd)
	if err := start(cmd); err != nil {
		return err
	}
	err := cmd.Wait()
	held.Lock()
	defer held.Unlock()
	delete(held.processes, cmd)
	return err
}

// Output runs cmd as Run does, and returns what it prints to its standard output.
func Output(cmd *exec.Cmd) ([]byte, error) {
	var out bytes.Buffer
	cmd.Stdout = &out
	err := Run(cmd)
	return out.Bytes(), err
}

func start(cmd *exec.Cmd) error {
	held.Lock()
	defer held.Unlock()
	if err := cmd.Start(); err != nil {
		return err
	}
	if held.processes == nil {
		held.processes = make(map[*exec.Cmd]bool)
	}
	held.processes[cmd] = true
	return nil
}
