package nvrtclib

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cudagen/cudagen/internal/leftover"
	"github.com/cudagen/cudagen/internal/toolchaindir"
)

// A Location is the location of an NVRTC library.
type Location struct {
	Path   string // of the library, absolute, with symbolic links resolved
	Origin string // where it was found: $CUDA_HOME
}

// String returns the library's path and where it was found.
func (l Location) String() string { return fmt.Sprintf("%s (from %s)", l.Path, l.Origin) }

// Find looks for NVRTC's library, in this order: the file $NVRTC_LIB; $CUDA_HOME and
// $CUDA_PATH; the Python environment $VIRTUAL_ENV with NVIDIA's wheels; the toolkits
// that cudagen has installed (package toolchaindir); $LD_LIBRARY_PATH ($PATH on Windows);
// the system's folders; the packages of python3, last because that starts a process. Of
// several versions in one of these places it takes the newest.
//
// If $NVRTC_LIB is not a file, that is an error: Find never replaces what the user has
// named.
//
// env is os.Getenv or, in tests, a replacement. The error is a *NotFoundError.
func Find(env func(string) string) (Location, error) {
	location, searched, ok := FindSibling(env, Sibling{Variable: "NVRTC_LIB", Linux: "libnvrtc.so*", Windows: "nvrtc64_*_0.dll", Wheel: "cuda_nvrtc"})
	if !ok {
		return Location{}, &NotFoundError{Searched: searched}
	}
	return location, nil
}

// A Sibling is a library that lies where NVRTC does, in a CUDA toolkit or a Python wheel.
type Sibling struct {
	Variable       string // of the environment, that names the library
	Linux, Windows string // patterns of its file name: of NVRTC neither builtins nor the .alt libraries beside it
	Wheel          string // folder of its wheels for CUDA 12, below the Python package nvidia
}

// FindSibling finds a library in the places and the order of Find. Without one, it returns the
// places that were searched.
func FindSibling(env func(string) string, library Sibling) (location Location, searched []string, ok bool) {
	if named := env(library.Variable); named != "" {
		location, ok = resolve([]string{named}, "$"+library.Variable)
		return location, []string{fmt.Sprintf("$%s (%s)", library.Variable, named)}, ok
	}
	s := &search{env: env, library: library}
	for _, place := range []func() (Location, bool){s.toolkitVariables, s.virtualEnv, s.toolchain, s.loaderPath, s.system, s.python} {
		if location, ok := place(); ok {
			return location, nil, true
		}
	}
	return Location{}, s.searched, false
}

// IncludeDirs returns the folders with the headers of the toolkit to which the library
// belongs, absolute; none when there are none.
func (l Location) IncludeDirs() []string {
	var dirs []string
	// lib/…, lib64/…, bin/x64/… and, in wheels for CUDA 12, cuda_nvrtc/lib beside cuda_runtime/include.
	for root, levels := filepath.Dir(filepath.Dir(l.Path)), 0; levels < 3; root, levels = filepath.Dir(root), levels+1 {
		for _, below := range []string{"include", filepath.Join("cuda_runtime", "include")} {
			dir := filepath.Join(root, below)
			if !isFile(filepath.Join(dir, "cuda_runtime.h")) {
				continue
			}
			dirs = append(dirs, dir)
			// CUDA 13 has CCCL in a folder of its own; wheels for CUDA 12, in a package of its own.
			for _, cccl := range []string{filepath.Join(dir, "cccl"), filepath.Join(root, "cuda_cccl", "include")} {
				if info, err := os.Stat(cccl); err == nil && info.IsDir() {
					dirs = append(dirs, cccl)
				}
			}
			return dirs
		}
	}
	return nil
}

// Identity returns a text that differs for different libraries, without opening or
// reading any: the paths, sizes and times of the library and of the builtins beside it.
func (l Location) Identity() (string, error) {
	builtins, err := filepath.Glob(filepath.Join(escapeGlob(filepath.Dir(l.Path)), onSystem("libnvrtc-builtins.so*", "nvrtc-builtins64_*.dll")))
	if err != nil {
		return "", fmt.Errorf("NVRTC %s: %w", l.Path, err)
	}
	slices.Sort(builtins)
	var identity strings.Builder
	for _, path := range append([]string{l.Path}, builtins...) {
		info, err := os.Stat(path)
		if err != nil {
			return "", fmt.Errorf("NVRTC: %w", err)
		}
		fmt.Fprintf(&identity, "%s\n%d\n%d\n", path, info.Size(), info.ModTime().UnixNano())
	}
	return identity.String(), nil
}

// A search looks for the library and notes where.
type search struct {
	env      func(string) string
	library  Sibling
	searched []string
}

// look returns the newest library in the first of folders that has one. Folders may
// be patterns.
func (s *search) look(origin string, folders ...string) (Location, bool) {
	for _, folder := range folders {
		found, err := filepath.Glob(filepath.Join(folder, onSystem(s.library.Linux, s.library.Windows)))
		if err != nil {
			continue // a folder with pattern characters in its name
		}
		if location, ok := resolve(found, origin); ok {
			return location, true
		}
	}
	return Location{}, false
}

func (s *search) toolkitVariables() (Location, bool) {
	for _, variable := range []string{"CUDA_HOME", "CUDA_PATH"} {
		root := s.env(variable)
		if root == "" {
			continue
		}
		s.searched = append(s.searched, fmt.Sprintf("$%s (%s)", variable, root))
		if location, ok := s.look("$"+variable, libraryFolders(escapeGlob(root))...); ok {
			return location, true
		}
	}
	return Location{}, false
}

func (s *search) virtualEnv() (Location, bool) {
	root := s.env("VIRTUAL_ENV")
	if root == "" {
		return Location{}, false
	}
	s.searched = append(s.searched, fmt.Sprintf("$VIRTUAL_ENV (%s)", root))
	return s.look("$VIRTUAL_ENV", s.library.wheelFolders(filepath.Join(escapeGlob(root), onSystem(filepath.Join("lib", "python3.*"), "Lib"), "site-packages", "nvidia"))...)
}

func (s *search) toolchain() (Location, bool) {
	s.searched = append(s.searched, "cudagen's own toolkits")
	for _, root := range toolchaindir.Toolkits(s.env) {
		if location, ok := s.look("cudagen toolchain install", libraryFolders(escapeGlob(root))...); ok {
			return location, true
		}
	}
	return Location{}, false
}

func (s *search) loaderPath() (Location, bool) {
	variable := onSystem("LD_LIBRARY_PATH", "PATH")
	for _, dir := range filepath.SplitList(s.env(variable)) {
		if !filepath.IsAbs(dir) {
			continue // below the working folder: not a place to load code from
		}
		if location, ok := s.look("$"+variable, escapeGlob(dir)); ok {
			return location, true
		}
	}
	s.searched = append(s.searched, "$"+variable)
	return Location{}, false
}

func (s *search) system() (Location, bool) {
	var folders []string
	if runtime.GOOS == "windows" {
		folders = libraryFolders(filepath.Join(escapeGlob(s.env("ProgramFiles")), "NVIDIA GPU Computing Toolkit", "CUDA", "v*"))
	} else {
		for _, root := range []string{"/usr/local/cuda", "/usr/local/cuda-*", "/opt/cuda"} {
			folders = append(folders, libraryFolders(root)...)
		}
		folders = append(folders, "/usr/lib/*-linux-gnu", "/usr/lib64", "/usr/lib")
	}
	s.searched = append(s.searched, "the system's folders")
	return s.look("the system's folders", folders...)
}

// pythonTimeout bounds the start of python3, which may lie on a slow network disk.
const pythonTimeout = 10 * time.Second

func (s *search) python() (Location, bool) {
	// Not exec.LookPath: it reads this process's PATH, and tests replace env.
	for _, dir := range filepath.SplitList(s.env("PATH")) {
		python := filepath.Join(dir, "python3")
		if !filepath.IsAbs(dir) || !isFile(python) {
			continue
		}
		origin := "the packages of " + python
		s.searched = append(s.searched, origin)
		ctx, cancel := context.WithTimeout(context.Background(), pythonTimeout)
		defer cancel()
		out, err := leftover.Output(exec.CommandContext(ctx, python, "-c", `import nvidia; print(*nvidia.__path__, sep="\n")`))
		if err != nil {
			return Location{}, false // no such package
		}
		for packages := range strings.Lines(string(out)) {
			if location, ok := s.look(origin, s.library.wheelFolders(escapeGlob(strings.TrimRight(packages, "\r\n")))...); ok {
				return location, true
			}
		}
		return Location{}, false
	}
	return Location{}, false
}

// libraryFolders returns where a toolkit with this root has its libraries.
func libraryFolders(root string) []string {
	if runtime.GOOS == "windows" {
		return []string{filepath.Join(root, "bin", "x64"), filepath.Join(root, "bin")}
	}
	return []string{filepath.Join(root, "lib64"), filepath.Join(root, "lib"), filepath.Join(root, "targets", "*-linux", "lib")}
}

// onSystem returns the one of two texts that is for this system.
func onSystem(linux, windows string) string {
	if runtime.GOOS == "windows" {
		return windows
	}
	return linux
}

// wheelFolders returns where NVIDIA's wheels put the library below the Python package
// folder nvidia: cu13 for CUDA 13 and newer, a folder of the wheel's own before.
func (l Sibling) wheelFolders(nvidia string) []string {
	return append(libraryFolders(filepath.Join(nvidia, "cu[0-9]*")), libraryFolders(filepath.Join(nvidia, l.Wheel))...)
}

// resolve returns the newest library among paths that are files.
func resolve(paths []string, origin string) (Location, bool) {
	slices.SortStableFunc(paths, func(a, b string) int { return slices.Compare(numbers(b), numbers(a)) })
	for _, path := range paths {
		if !isFile(path) {
			continue
		}
		path, err := filepath.EvalSymlinks(path)
		if err != nil {
			continue
		}
		if path, err = filepath.Abs(path); err == nil {
			return Location{Path: path, Origin: origin}, true
		}
	}
	return Location{}, false
}

var digits = regexp.MustCompile(`[0-9]+`)

// numbers returns the numbers in a path, in order: its versions.
func numbers(path string) []int {
	var list []int
	for _, text := range digits.FindAllString(path, -1) {
		n, _ := strconv.Atoi(text) // a number that is too large for an int becomes the largest
		list = append(list, n)
	}
	return list
}

// escapeGlob returns a pattern for filepath.Glob that matches path alone.
func escapeGlob(path string) string {
	if runtime.GOOS == "windows" {
		return path // has no escape character
	}
	return globMeta.ReplaceAllString(path, `\$0`)
}

var globMeta = regexp.MustCompile(`[*?\[\\]`)

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}
