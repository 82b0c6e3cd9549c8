// Package toolchain installs NVIDIA's compilers, nvcc and NVRTC, for cudagen: as Python wheels
// of pinned versions, with the user's pip or uv, or the pip of a temporary virtual environment,
// into the user's cache folder.
//
// Libraries such as cuRAND are added on request. It knows which wheels work together. A failed installation leaves nothing behind. It
// knows no package index: pip and uv have their own configuration. Start with Install.
package toolchain

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/lockedfile"

	"github.com/cudagen/cudagen/gen/compile"
	"github.com/cudagen/cudagen/internal/cudalibs"
	"github.com/cudagen/cudagen/internal/toolchaindir"
)

// Options say what to install.
type Options struct {
	Version string // one of Versions; empty means DefaultVersion
	Dir     string // contains a folder for each version; empty means that of internal/toolchaindir
	Env     func(string) string
	// With names libraries whose headers and libraries are added to the toolkit, such as curand;
	// cuRAND, nvidia-curand-cu13 and curand_kernel.h mean the same.
	With []string
	// Progress, unless nil, is often called with a line about the current step.
	Progress func(line string)
}

// A Result is an installed toolkit.
type Result struct {
	Version string
	Root    string // absolute path for CUDA_HOME
	Present bool   // it was already installed, with all libraries
	Used    string // the command that installed it: /usr/bin/python3 -m pip; empty if it was present
	// With holds the names of the libraries, those included that their headers include.
	With []string
	// Untried means that nvcc was not tested, because it finds no host compiler.
	Untried bool
}

// Install installs a toolkit and tests it: nvcc must print its version and, if there is a
// host compiler, compile a kernel. Install installs into a temporary folder and renames it,
// so that a toolkit is complete or absent. A library that is added to a toolkit counts as
// installed when all of its files are there.
//
// If ctx is done, Install kills the processes that it started, leaves nothing behind, and
// returns an error that wraps the context's cause. The next installation removes the files
// of a killed process. If several processes install at once, one installs and the others
// wait.
func Install(ctx context.Context, o Options) (*Result, error) {
	if o.Version == "" {
		o.Version = DefaultVersion
	}
	if o.Progress == nil {
		o.Progress = func(string) {}
	}
	wanted, err := find(o.Version)
	if err != nil {
		return nil, err
	}
	with, err := libraries(o.With)
	if err != nil {
		return nil, err
	}
	in := &installation{Options: o, release: wanted, with: with}
	result, err := in.install(ctx)
	if err != nil {
		return nil, fmt.Errorf("toolchain %s: %w", o.Version, err)
	}
	for _, l := range with {
		result.With = append(result.With, l.Name)
	}
	return result, nil
}

// An installation is one call of Install.
type installation struct {
	Options
	release release
	with    []cudalibs.Library
	used    string // the installer
}

func (in *installation) install(ctx context.Context) (*Result, error) {
	dir, err := in.folder()
	if err != nil {
		return nil, err
	}
	final := filepath.Join(dir, in.Version)
	if result, err := in.present(final); err != nil || result != nil && len(in.lacking(final)) == 0 {
		return result, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, unwritable(dir, err)
	}
	unlock, err := in.lock(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer unlock()
	there, err := in.present(final)
	lacking := in.lacking(final)
	if err != nil || there != nil && len(lacking) == 0 {
		return there, err // another process has installed it
	}
	if err := removeLeftovers(dir); err != nil {
		return nil, err
	}
	temp, err := os.MkdirTemp(dir, temporary+"*")
	if err != nil {
		return nil, unwritable(dir, err)
	}
	defer os.RemoveAll(temp)
	tree := filepath.Join(temp, "tree")
	if there != nil {
		return in.add(ctx, lacking, tree, temp, final)
	}
	if err := in.fill(ctx, slices.Concat(in.release.wheels(), lacking), tree, temp); err != nil {
		return nil, err
	}
	in.Progress("testing the compiler")
	untried, err := in.verify(ctx, tree)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err == nil {
		err = recorded(tree, lacking)
	}
	if err != nil {
		return nil, fmt.Errorf("nothing was installed: %w", err)
	}
	if err := os.Rename(tree, final); err != nil {
		return nil, unwritable(dir, err)
	}
	return &Result{Version: in.Version, Root: toolchaindir.Root(final), Used: in.used, Untried: untried}, nil
}

// add adds the wheels of libraries to the toolkit in final.
func (in *installation) add(ctx context.Context, wheels []wheel, tree, temp, final string) (*Result, error) {
	if err := in.fill(ctx, wheels, tree, temp); err != nil {
		return nil, err
	}
	if err := recorded(tree, wheels); err != nil {
		return nil, fmt.Errorf("nothing was installed: %w", err)
	}
	if err := merge(tree, final); err != nil {
		return nil, unwritable(final, err)
	}
	return &Result{Version: in.Version, Root: toolchaindir.Root(final), Used: in.used}, nil
}

func (in *installation) folder() (string, error) {
	if in.Dir != "" {
		return filepath.Abs(in.Dir)
	}
	return toolchaindir.Dir(in.Env)
}

// present returns the toolkit in final, or nil when there is no such folder.
func (in *installation) present(final string) (*Result, error) {
	if _, err := os.Lstat(final); errors.Is(err, os.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	root := toolchaindir.Root(final)
	if root == "" || !holds(filepath.Join(root, "bin"), "nvcc") {
		return nil, fmt.Errorf("%s exists but contains no nvcc: remove it and run this again", final)
	}
	return &Result{Version: in.Version, Root: root, Present: true}, nil
}

// temporary begins the names of the folders of installations that are under way.
const temporary = ".install-"

// removeLeftovers removes the temporary folders in dir. The holder of the lock knows
// that the processes which made them have ended.
func removeLeftovers(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if !strings.HasPrefix(entry.Name(), temporary) {
			continue
		}
		if err := os.RemoveAll(filepath.Join(dir, entry.Name())); err != nil {
			return err
		}
	}
	return nil
}

// patience is how long a lock is waited for before that is said.
const patience = 500 * time.Millisecond

// lock takes the lock of the folder dir, which ends with the process.
func (in *installation) lock(ctx context.Context, dir string) (unlock func(), err error) {
	type outcome struct {
		unlock func()
		err    error
	}
	taken := make(chan outcome, 1)
	go func() {
		unlock, err := lockedfile.MutexAt(filepath.Join(dir, ".lock")).Lock()
		taken <- outcome{unlock, err}
	}()
	slow := time.NewTimer(patience)
	defer slow.Stop()
	for {
		select {
		case o := <-taken:
			if o.err != nil {
				return nil, unwritable(dir, o.err)
			}
			return o.unlock, nil
		case <-slow.C:
			in.Progress("waiting for another installation into " + dir)
		case <-ctx.Done():
			go func() {
				if o := <-taken; o.err == nil {
					o.unlock()
				}
			}()
			return nil, context.Cause(ctx)
		}
	}
}

// verify reports what is wrong with the toolkit in tree.
func (in *installation) verify(ctx context.Context, tree string) (untried bool, err error) {
	root := toolchaindir.Root(tree)
	if root == "" {
		return false, errors.New("the wheels contain no CUDA toolkit (such as the folder nvidia/cu13)")
	}
	if !holds(filepath.Join(root, "lib"), "libnvrtc.") && !holds(filepath.Join(root, "bin", "x64"), "nvrtc64_") {
		return false, errors.New("the wheels contain no NVRTC")
	}
	nvcc, err := compile.FindNVCC(func(name string) string {
		if name == "NVCC" {
			return filepath.Join(root, "bin", "nvcc")
		}
		return in.Env(name)
	})
	if err != nil {
		return false, errors.New("the wheels contain no executable nvcc")
	}
	version, err := nvcc.Version(ctx)
	if err != nil {
		return false, err
	}
	if version != in.Version {
		return false, fmt.Errorf("the wheels contain nvcc %s", version)
	}
	_, err = compile.Try(ctx, nvcc, "sm_75")
	var noHost *compile.HostCompilerError
	if errors.As(err, &noHost) {
		return true, nil
	}
	if err != nil {
		return false, fmt.Errorf("nvcc does not work: %w", err)
	}
	return false, nil
}

// holds reports whether the folder dir has a file whose name begins with prefix.
func holds(dir, prefix string) bool {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return false
	}
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), prefix) && !entry.IsDir() {
			return true
		}
	}
	return false
}

func unwritable(dir string, err error) error {
	return fmt.Errorf("cannot write to %s: %w (choose another folder with -dir or %s)", dir, err, toolchaindir.Variable)
}
