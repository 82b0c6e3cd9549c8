// Package toolchain installs NVIDIA's compilers, NVRTC and nvcc, for cudagen: Python wheels of pinned
// versions and contents, from the package index that pip is configured to use, into the user's cache
// folder. It needs no Python.
//
// Libraries such as cuRAND are added on request. It knows which wheels work together; package wheels
// downloads them. Start with Install.
package toolchain

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/lockedfile"

	"github.com/cudagen/cudagen/internal/compile"
	"github.com/cudagen/cudagen/internal/diag"
	"github.com/cudagen/cudagen/internal/toolchaindir"
	"github.com/cudagen/cudagen/internal/wheels"
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
	// Installed, unless nil, is called when a part is installed and can be used, with a line about it.
	Installed func(line string)
}

// A Result is an installed toolkit.
type Result struct {
	Version string
	Root    string // absolute path for CUDA_HOME
	Present bool   // it was already installed, with all libraries
	// With holds the names of the libraries, those included that their headers include.
	With []string
}

// Install installs a toolkit and tests it: first NVRTC, which compiles kernels by itself, then nvcc,
// which needs a host compiler, then the libraries. Each must compile a kernel, or else it is removed
// again. A part counts as installed when all of its files are there, and only then compilers are found.
//
// If ctx is done, Install returns an error that wraps the context's cause. What was downloaded stays, and
// the next installation goes on from there; so it does after a killed process. If several processes
// install at once, one installs and the others wait.
func Install(ctx context.Context, o Options) (*Result, error) {
	if o.Version == "" {
		o.Version = DefaultVersion
	}
	if o.Progress == nil {
		o.Progress = func(string) {}
	}
	if o.Installed == nil {
		o.Installed = func(string) {}
	}
	wanted, err := findRelease(o.Version, thisPlatform)
	if err != nil {
		return nil, err
	}
	with, err := libraries(o.With)
	if err != nil {
		return nil, err
	}
	in := &installation{Options: o, release: wanted, parts: parts(with), try: compile.Try}
	result, err := in.install(ctx)
	if err != nil {
		return nil, diag.ToolchainInstall.Errorf("toolchain %s: %w", o.Version, err)
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
	parts   []part
	try     func(ctx context.Context, c compile.Compiler, arch string, flags ...string) (*compile.Output, error)
	dir     string // of all toolkits
	final   string // of this one
}

func (in *installation) install(ctx context.Context) (result *Result, err error) {
	if in.dir, err = filepath.Abs(in.Dir); in.Dir == "" {
		in.dir, err = toolchaindir.Dir(in.Env)
	}
	if err != nil {
		return nil, err
	}
	in.final = filepath.Join(in.dir, in.Version)
	if in.complete() {
		return &Result{Version: in.Version, Root: toolchaindir.Root(in.final), Present: true}, nil
	}
	if _, err := os.Lstat(in.final); err == nil && toolchaindir.Root(in.final) == "" {
		return nil, fmt.Errorf("%s exists but contains no toolkit: %w", in.final, diag.Do("remove it and run this again"))
	}
	if err := os.MkdirAll(in.dir, 0o755); err != nil {
		return nil, unwritable(in.dir, err)
	}
	unlock, err := in.lock(ctx, in.dir)
	if err != nil {
		return nil, err
	}
	defer unlock()
	present := in.complete() // another process may have installed it
	if err := in.removeLeftovers(); err != nil {
		return nil, err
	}
	client, err := wheels.New(in.Env, in.Progress)
	if err != nil {
		return nil, err
	}
	var installed []string
	for _, p := range in.parts {
		missing := in.lacking(p)
		if missing == nil {
			continue
		}
		err := in.part(ctx, client, p, missing)
		switch {
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case err != nil && installed != nil:
			return nil, fmt.Errorf("%s: %w (installed: %s; run this again to go on)", p.name, err, strings.Join(installed, ", "))
		case err != nil:
			return nil, fmt.Errorf("%s: %w", p.name, err)
		}
		installed = append(installed, p.name)
	}
	os.RemoveAll(in.downloads()) // what stays is used by the next installation
	return &Result{Version: in.Version, Root: toolchaindir.Root(in.final), Present: present}, nil
}

// complete reports whether all parts are installed.
func (in *installation) complete() bool {
	for _, p := range in.parts {
		if in.lacking(p) != nil {
			return false
		}
	}
	return true
}

// part installs the wheels that are missing of a part.
func (in *installation) part(ctx context.Context, client *wheels.Client, p part, missing []wheels.Wheel) error {
	if err := os.MkdirAll(in.downloads(), 0o700); err != nil {
		return unwritable(in.dir, err)
	}
	temp, err := os.MkdirTemp(in.dir, temporary+"*")
	if err != nil {
		return unwritable(in.dir, err)
	}
	defer os.RemoveAll(temp)
	for _, w := range missing {
		path, err := client.Download(ctx, w, in.downloads())
		if err != nil {
			return in.explain(err)
		}
		in.Progress("unpacking " + w.String())
		if err := wheels.Unpack(ctx, path, temp); err != nil {
			return in.explain(err)
		}
		if _, err := os.Stat(filepath.Join(temp, filepath.FromSlash(w.Record()))); err != nil {
			return diag.ToolchainInstall.Errorf("%s lacks its list of files, %s", w.File, w.Record())
		}
	}
	report := p.name + " " + missing[len(missing)-1].Version()
	err = merge(temp, in.final, func() error {
		in.Progress("testing " + p.name)
		hint, err := in.verify(ctx, p)
		report += hint
		return err
	})
	if err != nil {
		return in.explain(err)
	}
	in.Installed(report)
	return nil
}

// downloads returns the folder of the wheels that were downloaded, also in part, and not installed yet.
func (in *installation) downloads() string { return filepath.Join(in.dir, ".downloads") }

// temporary begins the names of the folders of installations that are under way.
const temporary = ".install-"

// removeLeftovers removes the temporary folders of killed processes: the holder of the lock knows that
// they have ended.
func (in *installation) removeLeftovers() error {
	entries, err := os.ReadDir(in.dir)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if !strings.HasPrefix(entry.Name(), temporary) {
			continue
		}
		if err := os.RemoveAll(filepath.Join(in.dir, entry.Name())); err != nil {
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

// The files by which compilers are found.
var entries = regexp.MustCompile(`^(?:nvcc(?:\.exe)?|libnvrtc\.so\.\d+|nvrtc64_\d+_0\.dll)$`)

// verify reports what is wrong with a part that was installed, and otherwise what to know of it.
func (in *installation) verify(ctx context.Context, p part) (hint string, err error) {
	var find func(env func(string) string) (compile.Compiler, error)
	var variable string
	switch p.name {
	case nvrtc.name:
		find, variable, hint = compile.FindNVRTC, "NVRTC_LIB", ", which compiles kernels and needs no host compiler"
	case nvcc.name:
		find, variable, hint = compile.FindNVCC, "NVCC", ", which compiles host code, too"
	default:
		return "", nil
	}
	path := in.entry(p)
	if path == "" {
		return "", diag.ToolchainInstall.New("the wheels do not contain it")
	}
	compiler, err := find(func(name string) string {
		if name == variable {
			return path
		}
		return in.Env(name)
	})
	if err != nil {
		return "", err
	}
	_, err = in.try(ctx, compiler, "sm_75")
	var noHost *compile.HostCompilerError
	switch {
	case errors.As(err, &noHost):
		return ", which finds no host compiler: until g++ is installed, or -ccbin names one, cudagen uses NVRTC", nil
	case errors.Is(err, errors.ErrUnsupported): // this binary cannot load libraries, but others can
		return "", nil
	case err != nil:
		return "", fmt.Errorf("it does not work on this machine, and was removed again: %w", err)
	}
	return hint, nil
}

// entry returns the path of the file by which the compiler of a part is found, or "".
func (in *installation) entry(p part) string {
	root := toolchaindir.Root(in.final)
	for _, folder := range []string{"bin", "lib", filepath.Join("bin", "x64"), filepath.Join("bin", "arm64")} {
		files, _ := os.ReadDir(filepath.Join(root, folder)) // one that is not there has none
		for _, file := range files {
			if entries.MatchString(file.Name()) && strings.HasPrefix(file.Name(), "nvcc") == (p.name == nvcc.name) {
				return filepath.Join(root, folder, file.Name())
			}
		}
	}
	return ""
}

// explain returns err with what to do about it, where it is about the disk.
func (in *installation) explain(err error) error {
	switch {
	case errors.Is(err, syscall.ENOSPC):
		return fmt.Errorf("%w: the disk is full: free about 1 GB, or choose another folder with -dir", err)
	case errors.Is(err, os.ErrPermission) || errors.Is(err, syscall.EROFS):
		return unwritable(in.dir, err)
	}
	return err
}

func unwritable(dir string, err error) error {
	return fmt.Errorf("cannot write to %s: %w (%w)", dir, err, diag.Do("choose another folder with -dir or %s", toolchaindir.Variable))
}
