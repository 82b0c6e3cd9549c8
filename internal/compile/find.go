package compile

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/cudagen/cudagen/internal/diag"
	"github.com/cudagen/cudagen/internal/leftover"
	"github.com/cudagen/cudagen/internal/toolchaindir"
)

// InstallHint tells in one line how to install nvcc.
var InstallHint = diag.Do("run %s, or install a CUDA toolkit 12.0 or newer; nvcc needs a host compiler (g++), too", diag.Call("toolchain install"))

// A NotFoundError reports that a CUDA compiler was not found, and how to install it.
type NotFoundError struct {
	Wanted   string      // nvcc, or the value of $NVCC
	Searched []string    // where, in order
	Named    bool        // the user has named it, in a variable such as $NVCC
	Unfit    []string    // what was found, and why it will not do
	Hint     diag.Remedy // how to get one; the zero Remedy for InstallHint
}

func (e *NotFoundError) Error() string {
	return e.places() + ": " + strings.Join(append(slices.Clone(e.Unfit), e.Unwrap().Error()), "; ")
}

// DiagnosticCode returns diag.NoCompiler.
func (e *NotFoundError) DiagnosticCode() diag.Code { return diag.NoCompiler }

// Unwrap returns how to get one.
func (e *NotFoundError) Unwrap() error { return cmp.Or(e.Hint, InstallHint) }

// places returns what was looked for, and where.
func (e *NotFoundError) places() string {
	return fmt.Sprintf("no %s in %s", e.Wanted, strings.Join(e.Searched, ", "))
}

// FindNVCC finds nvcc: in $NVCC (which may hold several words, as in "ccache
// nvcc"), $CUDA_HOME, $CUDA_PATH, $PATH, the Python environment $VIRTUAL_ENV with
// NVIDIA's wheels, among the toolkits that cudagen toolchain install has put into the
// user's cache, the wheels among the packages of python3, and in the usual folders of
// the system, in this order.
//
// What the user has chosen for this shell comes first. What was installed for cudagen
// comes before what happens to be on the machine: the wheels of python3 are often of
// versions that do not work together, and installing a toolchain mends that.
//
// An $NVCC that cannot be run is an error: what the user has named is never
// replaced by something else. $CUDA_HOME and $CUDA_PATH are passed over when they
// hold no nvcc; when both do and differ, $CUDA_HOME wins and the Compiler's String
// says so.
//
// env is os.Getenv or, in tests, a replacement. The compiler inherits this
// process's environment, but reads PATH and nvcc's own variables through env.
// The error is a *NotFoundError.
func FindNVCC(env func(string) string) (Compiler, error) {
	s := search{env: env}
	if named := env("NVCC"); strings.TrimSpace(named) != "" {
		if words, ok := s.words(named); ok {
			return newNVCC(words, "$NVCC", env), nil
		}
		return nil, &NotFoundError{Wanted: fmt.Sprintf("program %q", named), Searched: []string{"$NVCC"}, Named: true}
	}
	for _, place := range []func() (path, origin string){s.toolkitVariables, s.path, s.virtualEnv, s.toolchain, s.python, s.system} {
		if path, origin := place(); path != "" {
			return newNVCC([]string{path}, origin, env), nil
		}
	}
	return nil, &NotFoundError{Wanted: "nvcc", Searched: s.searched}
}

// LookPath returns the path of a program: name itself if it contains a separator,
// otherwise the first match in env's $PATH.
func LookPath(env func(string) string, name string) (path string, ok bool) {
	return (&search{env: env}).program(name)
}

// A search looks for nvcc and notes where.
type search struct {
	env      func(string) string
	searched []string
}

// words splits the value of $NVCC into words that begin with a program. A value
// that is the path of a program is one word, whatever spaces are in it.
func (s *search) words(value string) ([]string, bool) {
	if path, ok := s.program(strings.TrimSpace(value)); ok {
		return []string{path}, true
	}
	words := strings.Fields(value)
	path, ok := s.program(words[0])
	if !ok {
		return nil, false
	}
	words[0] = path
	return words, true
}

// program returns the path of a program: name itself when it holds a separator,
// otherwise the first one of that name in $PATH.
func (s *search) program(name string) (string, bool) {
	if strings.ContainsRune(filepath.ToSlash(name), '/') {
		return executable(name)
	}
	for _, dir := range filepath.SplitList(s.env("PATH")) {
		if dir == "" {
			continue // the working folder: not a place to run programs from
		}
		if path, ok := executable(filepath.Join(dir, name)); ok {
			return path, true
		}
	}
	return "", false
}

func (s *search) toolkitVariables() (path, origin string) {
	for _, variable := range []string{"CUDA_HOME", "CUDA_PATH"} {
		dir := s.env(variable)
		if dir == "" {
			continue
		}
		s.searched = append(s.searched, fmt.Sprintf("$%s (%s)", variable, dir))
		found, ok := executable(filepath.Join(dir, "bin", "nvcc"))
		if !ok {
			continue
		}
		if path == "" {
			path, origin = found, "$"+variable
		} else if !sameFile(path, found) {
			origin += fmt.Sprintf("; $%s names another, %s, which is not used", variable, found)
		}
	}
	return path, origin
}

func (s *search) path() (path, origin string) {
	s.searched = append(s.searched, "$PATH")
	path, _ = s.program("nvcc")
	return path, "$PATH"
}

func (s *search) virtualEnv() (path, origin string) {
	root := s.env("VIRTUAL_ENV")
	if root == "" {
		return "", ""
	}
	s.searched = append(s.searched, fmt.Sprintf("$VIRTUAL_ENV (%s)", root))
	for _, lib := range []string{"lib/python3.*", "Lib"} {
		if path = wheel(filepath.Join(root, filepath.FromSlash(lib), "site-packages", "nvidia")); path != "" {
			return path, "$VIRTUAL_ENV"
		}
	}
	return "", ""
}

func (s *search) toolchain() (path, origin string) {
	dir, err := toolchaindir.Dir(s.env)
	if err != nil {
		return "", "" // no cache folder: nothing is installed there
	}
	s.searched = append(s.searched, dir)
	for _, root := range toolchaindir.Toolkits(s.env) {
		if path, ok := executable(filepath.Join(root, "bin", "nvcc")); ok {
			return path, "cudagen toolchain install"
		}
	}
	return "", ""
}

// pythonTimeout bounds the start of python3, which may lie on a slow network disk.
const pythonTimeout = 10 * time.Second

func (s *search) python() (path, origin string) {
	python, ok := s.program("python3")
	if !ok {
		return "", ""
	}
	s.searched = append(s.searched, "the packages of "+python)
	ctx, cancel := context.WithTimeout(context.Background(), pythonTimeout)
	defer cancel()
	out, err := leftover.Output(exec.CommandContext(ctx, python, "-c", `import nvidia; print(*nvidia.__path__, sep="\n")`))
	if err != nil {
		return "", "" // no such package
	}
	for dir := range strings.Lines(string(out)) {
		if path = wheel(strings.TrimRight(dir, "\r\n")); path != "" {
			return path, "the packages of " + python
		}
	}
	return "", ""
}

// wheel returns the newest nvcc that NVIDIA's wheels put below a Python package
// folder nvidia, which may be a pattern: nvidia/cu13/bin/nvcc.
func wheel(nvidia string) string {
	found, err := filepath.Glob(filepath.Join(nvidia, "cu[0-9]*", "bin", "nvcc"+exeSuffix()))
	if err != nil {
		return "" // a folder with pattern characters in its name
	}
	return newest(found)
}

func (s *search) system() (path, origin string) {
	patterns := []string{"/usr/local/cuda/bin/nvcc", "/usr/local/cuda-*/bin/nvcc", "/opt/cuda/bin/nvcc"}
	if runtime.GOOS == "windows" {
		patterns = []string{filepath.Join(s.env("ProgramFiles"), "NVIDIA GPU Computing Toolkit", "CUDA", "v*", "bin", "nvcc.exe")}
	}
	for _, pattern := range patterns {
		s.searched = append(s.searched, pattern)
		found, err := filepath.Glob(pattern)
		if err != nil {
			continue
		}
		if path = newest(found); path != "" {
			return path, "the system's folders"
		}
	}
	return "", ""
}

// newest returns the program among paths whose numbers are the highest, or "".
func newest(paths []string) string {
	slices.SortFunc(paths, func(a, b string) int { return compareNumbers(b, a) })
	for _, path := range paths {
		if path, ok := executable(path); ok {
			return path
		}
	}
	return ""
}

// compareNumbers orders strings as people order versions: cuda-9.2 before cuda-13.0.
func compareNumbers(a, b string) int {
	for a != "" && b != "" {
		na, nb := leadingDigits(a), leadingDigits(b)
		if na > 0 && nb > 0 {
			x, y := strings.TrimLeft(a[:na], "0"), strings.TrimLeft(b[:nb], "0")
			if len(x) != len(y) {
				return len(x) - len(y)
			}
			if c := strings.Compare(x, y); c != 0 {
				return c
			}
			a, b = a[na:], b[nb:]
			continue
		}
		if a[0] != b[0] {
			return int(a[0]) - int(b[0])
		}
		a, b = a[1:], b[1:]
	}
	return len(a) - len(b)
}

func leadingDigits(s string) int {
	n := 0
	for n < len(s) && '0' <= s[n] && s[n] <= '9' {
		n++
	}
	return n
}

// executable returns path, absolute and with the system's suffix for programs,
// when a program is there.
func executable(path string) (string, bool) {
	if suffix := exeSuffix(); suffix != "" && !strings.EqualFold(filepath.Ext(path), suffix) {
		path += suffix
	}
	info, err := os.Stat(path)
	if err != nil || info.IsDir() || runtime.GOOS != "windows" && info.Mode()&0o111 == 0 {
		return "", false
	}
	// The program is run in another working folder.
	path, err = filepath.Abs(path)
	return path, err == nil
}

func exeSuffix() string {
	if runtime.GOOS == "windows" {
		return ".exe"
	}
	return ""
}

func sameFile(a, b string) bool {
	var infos [2]fs.FileInfo
	for i, path := range []string{a, b} {
		info, err := os.Stat(path)
		if err != nil {
			return false
		}
		infos[i] = info
	}
	return os.SameFile(infos[0], infos[1])
}
