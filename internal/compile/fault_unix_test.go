//go:build unix

package compile

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/diag"
)

const goodPTX = `.version 9.0
.target sm_75
.address_size 64
.visible .entry k()
{
	.loc 1 1 0
	ret;
}
	.file	1 "k.cu"
`

// fakeNVCC is a shell script that answers --version and otherwise runs body, with
// the output file in $out.
func fakeNVCC(t *testing.T, body string) Compiler {
	t.Helper()
	path := filepath.Join(t.TempDir(), "nvcc")
	script := `#!/bin/sh
case "$1" in --version) echo 'Cuda compilation tools, release 13.0, V13.0.88'; exit;; esac
while [ $# -gt 0 ]; do case "$1" in -o) out=$2;; esac; shift; done
` + body
	require.NoError(t, os.WriteFile(path, []byte(script), 0o755))
	c, err := FindNVCC(func(name string) string {
		switch name {
		case "NVCC":
			return path
		case "PATH":
			return os.Getenv("PATH")
		}
		return ""
	})
	require.NoError(t, err)
	return c
}

// fakeClang is to clang what fakeNVCC is to nvcc.
func fakeClang(t *testing.T, body string) Compiler {
	t.Helper()
	path := filepath.Join(t.TempDir(), "clang++")
	script := `#!/bin/sh
case "$1" in --version) echo 'Some clang version 19.1.7'; exit;; esac
while [ $# -gt 0 ]; do case "$1" in -o) out=$2;; esac; shift; done
` + body
	require.NoError(t, os.WriteFile(path, []byte(script), 0o755))
	c, err := FindClang(func(name string) string {
		return map[string]string{"CUDAGEN_CLANG": path, "PATH": os.Getenv("PATH")}[name]
	})
	require.NoError(t, err)
	return c
}

func writes(ptx string) string { return "cat > \"$out\" <<'END'\n" + ptx + "END\n" }

func compileWith(t *testing.T, ctx context.Context, c Compiler) (*Output, error) {
	t.Helper()
	emptyTemp(t)
	root := write(t, "m", map[string]string{"k.cu": ""})
	return c.Compile(ctx, Request{Source: filepath.Join(root, "k.cu"), Arch: "compute_75"})
}

func TestFakeCompilerWorks(t *testing.T) {
	out, err := compileWith(t, t.Context(), fakeNVCC(t, "echo to stdout; echo to stderr >&2\n"+writes(goodPTX)))
	require.NoError(t, err)
	assert.Equal(t, goodPTX, string(out.Code))
	assert.Equal(t, "to stdout\nto stderr\n", out.Log)
	assert.Equal(t, "nvcc 13.0.88", out.Compiler)
}

func TestFailingCompilers(t *testing.T) {
	for _, tt := range []struct{ name, body, want string }{
		{"no output", "exit 0", "reported success and wrote no output"},
		{"empty output", `: > "$out"`, "empty file"},
		{"not PTX", `echo hello > "$out"`, "wrote no PTX"},
		{"cut off in a line", `printf '.version 9.0\n.target sm_75\nret' > "$out"`, "last line has no end"},
		{"cut off in a kernel", writes(goodPTX[:strings.Index(goodPTX, "\tret")]), "braces do not match"},
		{"cut off before the files", writes(goodPTX[:strings.Index(goodPTX, "\t.file")]), "file 1, which no .file names"},
		{"exit status", "echo out of luck; exit 3", "exit status 3\nout of luck"},
		{"killed half-way", writes(goodPTX) + "kill -9 $$", "signal: killed"},
		{"crash", "kill -SEGV $$", "signal: segmentation fault"},
	} {
		for name, fake := range map[string]func(*testing.T, string) Compiler{"nvcc": fakeNVCC, "clang": fakeClang} {
			t.Run(tt.name+" "+name, func(t *testing.T) {
				_, err := compileWith(t, t.Context(), fake(t, tt.body))
				var failed *FailedError
				require.True(t, errors.As(err, &failed), "%v", err)
				assert.ErrorContains(t, err, tt.want)
				assert.ErrorContains(t, err, "k.cu")
			})
		}
	}
}

func TestErrorsOnBothStreams(t *testing.T) {
	_, err := compileWith(t, t.Context(), fakeNVCC(t, "echo 'k.cu(7): error: seven'\necho 'k.cu:3:9: error: three' >&2\nexit 1"))
	var list diag.List
	require.True(t, errors.As(err, &list), "%v", err)
	require.Len(t, list, 2)
	assert.Equal(t, diag.OfCompiler, diag.CodeOf(list[0]))
	assert.Equal(t, "three", list[0].Message.Error())
	assert.Equal(t, "seven", list[1].Message.Error())
}

func TestEndlessMessagesAreCut(t *testing.T) {
	_, err := compileWith(t, t.Context(), fakeNVCC(t, "head -c 3000000 /dev/zero | tr '\\0' x; exit 1"))
	var failed *FailedError
	require.True(t, errors.As(err, &failed), "%v", err)
	assert.Less(t, len(failed.Log), logLimit+100)
	assert.Contains(t, failed.Log, "more bytes")
}

// Cancelling must also end the programs that nvcc has started.
func TestCancelKillsChildren(t *testing.T) {
	pidFile := filepath.Join(t.TempDir(), "pid")
	c := fakeNVCC(t, "sleep 600 & echo $! > '"+pidFile+".new'; mv '"+pidFile+".new' '"+pidFile+"'; wait")
	_, err := c.Version(t.Context())
	require.NoError(t, err)
	ctx, cancel := context.WithCancelCause(t.Context())
	stop := errors.New("stopped by the test")
	var child int
	go func() {
		defer cancel(stop)
		for range 1000 {
			if text, err := os.ReadFile(pidFile); err == nil {
				child, _ = strconv.Atoi(strings.TrimSpace(string(text)))
				return
			}
			time.Sleep(5 * time.Millisecond)
		}
	}()
	_, err = compileWith(t, ctx, c)
	assert.ErrorIs(t, err, stop)
	require.Positive(t, child)
	assert.Eventually(t, func() bool { return !running(child) }, 5*time.Second, 5*time.Millisecond, "the child still runs")
}

// running reports whether a process runs; one that has ended and waits for its
// parent to notice does not.
func running(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	return err != nil || !strings.Contains(string(stat), ") Z ")
}

func TestVersionOfOtherPrograms(t *testing.T) {
	for _, tt := range []struct{ name, body, want string }{
		{"too old", "echo 'release 11.8, V11.8.89'", "CUDA 11.8.89 is too old: run cudagen toolchain install, or install a CUDA toolkit 12.0"},
		{"not nvcc", "echo hello", "does not name a release"},
		{"fails", "echo broken; exit 9", "exit status 9\nbroken"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "nvcc")
			require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\n"+tt.body+"\n"), 0o755))
			_, err := newNVCC([]string{path}, "the test", os.Getenv).Version(t.Context())
			assert.ErrorContains(t, err, tt.want)
			assert.ErrorContains(t, err, path)
		})
	}
}

func TestFindNVCC(t *testing.T) {
	root := t.TempDir()
	program := func(name, text string) string {
		path := filepath.Join(root, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\n"+text+"\n"), 0o755))
		return path
	}
	home := program("home/bin/nvcc", "")
	other := program("other/bin/nvcc", "")
	onPath := program("path/nvcc", "")
	ccache := program("path/ccache", "")
	spaced := program("with space/nvcc", "")
	old := program("venv/lib/python3.11/site-packages/nvidia/cu9/bin/nvcc", "")
	wheel := program("venv/lib/python3.11/site-packages/nvidia/cu13/bin/nvcc", "")
	packaged := program("packages/nvidia/cu13/bin/nvcc", "")
	program("toolchain/13.0.88/nvidia/cu13/bin/nvcc", "")
	program("toolchain/.install-1/tree/nvidia/cu13/bin/nvcc", "") // under way
	installed := program("toolchain/13.0.100/nvidia/cu13/bin/nvcc", "")
	program("python/python3", "echo "+filepath.Join(root, "packages", "nvidia"))
	require.NotEqual(t, old, wheel)
	require.NoError(t, os.WriteFile(filepath.Join(root, "data"), nil, 0o644))
	require.NoError(t, os.MkdirAll(filepath.Join(root, "bare", "bin"), 0o755))
	dir := func(name string) string { return filepath.Join(root, name) }

	for _, tt := range []struct {
		name string
		env  map[string]string
		want string // of String
	}{
		{"NVCC", map[string]string{"NVCC": spaced, "CUDA_HOME": dir("home")}, spaced + " (from $NVCC)"},
		{"NVCC with a launcher", map[string]string{"NVCC": "ccache " + other, "PATH": dir("path")}, ccache + " " + other + " (from $NVCC)"},
		{"CUDA_HOME", map[string]string{"CUDA_HOME": dir("home"), "PATH": dir("path")}, home + " (from $CUDA_HOME)"},
		{"CUDA_PATH", map[string]string{"CUDA_PATH": dir("other"), "PATH": dir("path")}, other + " (from $CUDA_PATH)"},
		{"both differ", map[string]string{"CUDA_HOME": dir("home"), "CUDA_PATH": dir("other")},
			home + " (from $CUDA_HOME; $CUDA_PATH names another, " + other + ", which is not used)"},
		{"both the same", map[string]string{"CUDA_HOME": dir("home"), "CUDA_PATH": dir("home")}, home + " (from $CUDA_HOME)"},
		{"CUDA_HOME without nvcc", map[string]string{"CUDA_HOME": dir("bare"), "CUDA_PATH": dir("other")}, other + " (from $CUDA_PATH)"},
		{"PATH", map[string]string{"PATH": dir("none") + string(filepath.ListSeparator) + dir("path"), "VIRTUAL_ENV": dir("venv")}, onPath + " (from $PATH)"},
		{"virtual environment", map[string]string{"VIRTUAL_ENV": dir("venv"), "PATH": dir("python")}, wheel + " (from $VIRTUAL_ENV)"},
		{"environment before toolchain", map[string]string{"VIRTUAL_ENV": dir("venv"), "CUDAGEN_TOOLCHAIN_DIR": dir("toolchain")}, wheel + " (from $VIRTUAL_ENV)"},
		{"toolchain, before the packages of python3", map[string]string{"PATH": dir("python"), "CUDAGEN_TOOLCHAIN_DIR": dir("toolchain")},
			installed + " (from cudagen toolchain install)"},
		{"packages of python3", map[string]string{"PATH": dir("python")}, packaged + " (from the packages of " + dir("python/python3") + ")"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, err := FindNVCC(func(name string) string { return tt.env[name] })
			require.NoError(t, err)
			assert.Equal(t, tt.want, c.String())
		})
	}
	for _, named := range []string{dir("none"), dir("data"), dir("home"), "ccache nvcc"} {
		t.Run("NVCC="+filepath.Base(named), func(t *testing.T) {
			_, err := FindNVCC(func(name string) string {
				return map[string]string{"NVCC": named, "CUDA_HOME": dir("home")}[name]
			})
			var missing *NotFoundError
			require.True(t, errors.As(err, &missing), "%v", err)
			assert.ErrorContains(t, err, "$NVCC")
		})
	}
	t.Run("nowhere", func(t *testing.T) {
		s := search{env: func(name string) string {
			return map[string]string{"CUDA_HOME": dir("bare"), "VIRTUAL_ENV": dir("bare")}[name]
		}}
		for _, place := range []func() (string, string){s.toolkitVariables, s.path, s.virtualEnv, s.toolchain, s.python} {
			path, _ := place()
			assert.Empty(t, path)
		}
		err := &NotFoundError{Wanted: "nvcc", Searched: s.searched}
		assert.ErrorContains(t, err, "no nvcc in $CUDA_HOME ("+dir("bare")+"), $PATH, $VIRTUAL_ENV")
		assert.ErrorContains(t, err, "run cudagen toolchain install")
		assert.NotContains(t, err.Error(), "\n")
	})
}

func TestFindClang(t *testing.T) {
	root := t.TempDir()
	program := func(name, version string) string {
		path := filepath.Join(root, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\necho '"+version+"'\n"), 0o755))
		return path
	}
	named := program("with space/clang++", "clang version 19.1.0")
	program("several/clang++-19", "clang version 19.1.7")
	newest := program("several/clang++", "Debian clang version 21.0.1")
	program("several/clang++-20", "clang version 20.1.0")
	program("several/clang++-9000.txt", "clang version 9000.1.0")
	program("old/clang++-14", "clang version 14.0.6")
	apple := program("apple/clang++", "Apple clang version 21.0.0 (clang-2100.0.1)")
	other := program("other/clang++", "hello")
	dir := func(name string) string { return filepath.Join(root, name) }

	for _, tt := range []struct {
		name string
		env  map[string]string
		want string // of String
	}{
		{"CUDAGEN_CLANG", map[string]string{"CUDAGEN_CLANG": named, "PATH": dir("several")}, named + " (from $CUDAGEN_CLANG)"},
		{"the newest in PATH", map[string]string{"PATH": dir("old") + string(filepath.ListSeparator) + dir("several")}, newest + " (from $PATH)"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, err := FindClang(func(name string) string { return tt.env[name] })
			require.NoError(t, err)
			assert.Equal(t, tt.want, c.String())
		})
	}
	t.Run("named, and not there", func(t *testing.T) {
		_, err := FindClang(func(name string) string {
			return map[string]string{"CUDAGEN_CLANG": dir("none"), "PATH": dir("several")}[name]
		})
		var missing *NotFoundError
		require.ErrorAs(t, err, &missing)
		assert.True(t, missing.Named)
		assert.ErrorContains(t, err, "$CUDAGEN_CLANG: "+ClangInstallHint.Error())
	})
	for _, tt := range []struct{ name, path, want string }{
		{"too old", dir("old"), "clang 14.0.6 is too old: 19 is needed"},
		{"Apple's", dir("apple"), apple + " (from $PATH): Apple's clang cannot make PTX"},
		{"another program", dir("other"), other + " (from $PATH): --version does not name a version of clang:\nhello"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := search{env: func(name string) string { return map[string]string{"PATH": tt.path}[name] }}
			paths, origin := s.clangInPath()
			require.Len(t, paths, 1)
			_, err := newClang(paths, origin, s.env).Version(t.Context())
			assert.ErrorContains(t, err, tt.want)
			assert.Equal(t, diag.OldCompiler, diag.CodeOf(err))
			assert.ErrorContains(t, &NotFoundError{Wanted: "clang++", Searched: s.searched, Unfit: []string{err.Error()}, Hint: ClangInstallHint}, tt.want)
		})
	}
}

func TestNewerToolkitsFirst(t *testing.T) {
	for _, tt := range []struct{ older, newer string }{
		{"/usr/local/cuda-9.2/bin/nvcc", "/usr/local/cuda-13.0/bin/nvcc"},
		{"/usr/local/cuda-12.4/bin/nvcc", "/usr/local/cuda-12.10/bin/nvcc"},
		{"nvidia/cu12/bin/nvcc", "nvidia/cu13/bin/nvcc"},
		{"a", "b"}, {"a", "a1"}, {"a01", "a2"},
	} {
		assert.Negative(t, compareNumbers(tt.older, tt.newer), "%s, %s", tt.older, tt.newer)
		assert.Positive(t, compareNumbers(tt.newer, tt.older), "%s, %s", tt.newer, tt.older)
		assert.Zero(t, compareNumbers(tt.newer, tt.newer))
	}
}
