//go:build unix

package toolchain

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/gen/compile"
	"github.com/cudagen/cudagen/internal/testenv"
	"github.com/cudagen/cudagen/internal/toolchaindir"
)

// TestMain is also a process that installs, to be killed: "installer" and a folder.
func TestMain(m *testing.M) {
	if dir := os.Getenv("CUDAGEN_TEST_INSTALL"); dir != "" {
		_, err := Install(context.Background(), Options{Dir: dir, Env: os.Getenv})
		fmt.Println(err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// workingNVCC is a shell script that answers --version, and writes PTX or an empty ELF file.
const workingNVCC = `#!/bin/sh
case "$*" in
*--version*) echo 'Cuda compilation tools, release 13.0, V13.0.88'; exit;;
*-ptx*) text='.version 9.0\n.target sm_75\n.visible .entry k()\n{\nret;\n}\n';;
*) text='\177ELF\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0';;
esac
while [ $# -gt 0 ]; do case "$1" in -o) out=$2;; esac; shift; done
printf "$text" > "$out"
`

// A machine has a python3 whose pip is a shell script, and a folder for toolchains.
type machine struct {
	t    *testing.T
	bin  string            // $PATH begins here
	dir  string            // of the toolchains
	runs string            // a file with a line for each run of pip install
	env  map[string]string // more variables
}

// newMachine returns a machine whose pip install runs body, with the folder of
// --target in $target. A tree is there to be copied in $tree, and the file of runs in $runs.
func newMachine(t *testing.T, body string) *machine {
	t.Helper()
	root := t.TempDir()
	m := &machine{t: t, bin: filepath.Join(root, "bin"), dir: filepath.Join(root, "tool chains"), runs: filepath.Join(root, "runs")}
	// As with version managers, python3 in $PATH starts the interpreter as a child.
	m.write("bin/python3", `#!/bin/sh
'`+root+`/bin/python3.12' "$@"
exit $?
`)
	m.write("bin/python3.12", `#!/bin/sh
case "$*" in "-c import sys; print(sys.executable)") echo '`+root+`/bin/python3.12'; exit;; "-m pip --version") echo "pip 24.2 from /usr/lib/python3/pip (python 3.12)"; exit;; esac
echo "$@" >> '`+m.runs+`'
while [ $# -gt 0 ]; do case "$1" in --target) target=$2;; esac; shift; done
tree='`+root+`/tree'
runs='`+m.runs+`'
`+body)
	m.write("tree/nvidia/cu13/bin/nvcc", workingNVCC)
	m.write("tree/nvidia/cu13/lib/libnvrtc.so.13", "")
	return m
}

// write writes an executable below the machine's root.
func (m *machine) write(name, text string) {
	m.t.Helper()
	path := filepath.Join(filepath.Dir(m.bin), filepath.FromSlash(name))
	require.NoError(m.t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(m.t, os.WriteFile(path, []byte(text), 0o755))
}

func (m *machine) getenv(name string) string {
	if value, ok := m.env[name]; ok {
		return value
	}
	if name == "PATH" {
		return m.bin + string(filepath.ListSeparator) + "/usr/bin" + string(filepath.ListSeparator) + "/bin"
	}
	return ""
}

func (m *machine) options() Options { return Options{Dir: m.dir, Env: m.getenv} }

// left returns the names in the folder of the toolchains, but for the lock.
func (m *machine) left() []string {
	entries, err := os.ReadDir(m.dir)
	if os.IsNotExist(err) {
		return nil
	}
	require.NoError(m.t, err)
	var names []string
	for _, entry := range entries {
		if entry.Name() != ".lock" {
			names = append(names, entry.Name())
		}
	}
	return names
}

func (m *machine) installs() int {
	content, err := os.ReadFile(m.runs)
	if os.IsNotExist(err) {
		return 0
	}
	require.NoError(m.t, err)
	return strings.Count(string(content), "\n")
}

const copyTree = `mkdir -p "$target" && cp -R "$tree/." "$target"` + "\n"

func TestInstall(t *testing.T) {
	m := newMachine(t, `echo "Collecting nvidia-cuda-nvcc==13.0.88"
echo "  Downloading nvidia_cuda_nvcc-13.0.88-py3-none-manylinux2014_x86_64.whl (37.4 MB)"
echo "Progress 12345678 of 37400000"
echo "$TMPDIR $PIP_REQUIRE_VIRTUALENV" >> '`+filepath.Join(t.TempDir(), "env")+`'
`+copyTree)
	var lines []string
	o := m.options()
	o.Progress = func(line string) { lines = append(lines, line) }
	result, err := Install(t.Context(), o)
	require.NoError(t, err)
	root := filepath.Join(m.dir, "13.0.88", "nvidia", "cu13")
	pip := filepath.Join(m.bin, "python3.12") + " -m pip"
	assert.Equal(t, &Result{Version: "13.0.88", Root: root, Used: pip}, result)
	assert.Equal(t, []string{"looking for pip", "installing with " + pip, "Collecting nvidia-cuda-nvcc==13.0.88", "downloading nvidia_cuda_nvcc-13.0.88",
		"downloading nvidia_cuda_nvcc-13.0.88: 12.3 of 37.4 MB", "testing the compiler"}, lines)
	assert.Equal(t, []string{"13.0.88"}, m.left())

	arguments, err := os.ReadFile(m.runs)
	require.NoError(t, err)
	assert.Contains(t, string(arguments), "-m pip install --target "+m.dir+"/.install-")
	assert.Contains(t, string(arguments), "--no-deps --only-binary :all: --progress-bar raw ")
	assert.Contains(t, string(arguments), "nvidia-cuda-cccl==13.0.85 nvidia-cuda-crt==13.0.88 nvidia-cuda-nvcc==13.0.88"+
		" nvidia-cuda-nvrtc==13.0.88 nvidia-cuda-runtime==13.0.96 nvidia-nvvm==13.0.88\n")

	again, err := Install(t.Context(), m.options())
	require.NoError(t, err)
	assert.Equal(t, &Result{Version: "13.0.88", Root: root, Present: true}, again)
	assert.Equal(t, 1, m.installs(), "the second run installs nothing")

	m.env = map[string]string{toolchaindir.Variable: m.dir, "PATH": "/usr/bin:/bin"}
	nvcc, err := compile.FindNVCC(m.getenv)
	require.NoError(t, err)
	assert.Equal(t, filepath.Join(root, "bin", "nvcc")+" (from cudagen toolchain install)", nvcc.String())
}

func TestInstallIntoTheDefaultFolder(t *testing.T) {
	m := newMachine(t, copyTree)
	m.env = map[string]string{toolchaindir.Variable: m.dir}
	result, err := Install(t.Context(), Options{Env: m.getenv})
	require.NoError(t, err)
	assert.Equal(t, []string{result.Root}, toolchaindir.Toolkits(m.getenv))
}

// Whatever goes wrong is said, and nothing is left.
func TestFailures(t *testing.T) {
	for _, tt := range []struct {
		name, body string
		change     func(m *machine)
		want       []string
	}{
		{"pip fails", "echo out of luck; exit 3", nil, []string{"bin/python3.12 -m pip: exit status 3", "out of luck"}},
		{"no network", `echo "WARNING: Retrying after connection broken by NewConnectionError('Failed to establish a new connection: [Errno -3] Temporary failure in name resolution')"
echo "ERROR: No matching distribution found for nvidia-nvvm==13.0.88"; exit 1`, nil, []string{"the package index cannot be reached", "PIP_INDEX_URL"}},
		{"no such wheels", `echo "ERROR: No matching distribution found for nvidia-nvvm==13.0.88"; exit 1`, nil, []string{"no such wheels for this system"}},
		{"disk full, half written", copyTree + `echo "OSError: [Errno 28] No space left on device"; exit 1`, nil, []string{"the disk is full", "-dir"}},
		{"pip crashes, half written", `mkdir -p "$target/nvidia/cu13/bin"; kill -SEGV $$`, nil, []string{"signal: segmentation fault"}},
		{"nothing written", "exit 0", nil, []string{"contain no CUDA toolkit", "nothing was installed"}},
		{"no NVRTC", `mkdir -p "$target"; cp -R "$tree/." "$target"; rm -r "$target/nvidia/cu13/lib"`, nil, []string{"contain no NVRTC"}},
		{"no nvcc", copyTree + `rm "$target/nvidia/cu13/bin/nvcc"`, nil, []string{"contain no executable nvcc"}},
		{"nvcc is cut off", copyTree + `printf '#!/bin/sh\nexit 9' > "$target/nvidia/cu13/bin/nvcc"`, nil, []string{"nothing was installed", "exit status 9"}},
		{"another nvcc", copyTree + `sed -i.bak s/13.0.88/13.0.48/ "$target/nvidia/cu13/bin/nvcc"`, nil, []string{"contain nvcc 13.0.48"}},
		{"parts that do not fit", copyTree, func(m *machine) {
			m.write("tree/nvidia/cu13/bin/nvcc", strings.Replace(workingNVCC, "\n*) text", "\n*-cubin*) echo \"Unsupported .version 9.5; current version is '9.0'\"; exit 1;;\n*) text", 1))
		}, []string{"nvcc does not work", "Unsupported .version 9.5"}},
		{"no Python", copyTree, func(m *machine) { m.env = map[string]string{"PATH": m.bin + "/none"} }, []string{"there is no python3 in $PATH, and there is no uv", "python3-pip"}},
		{"no pip", "", func(m *machine) {
			m.write("bin/python3.12", "#!/bin/sh\n[ \"$1\" = -c ] || { echo No module named pip; exit 1; }")
			m.onlyBin()
		}, []string{"python3 has no pip (No module named pip)"}},
		{"broken Python", "", func(m *machine) { m.write("bin/python3", "#!/bin/sh\necho out of luck; exit 1"); m.onlyBin() }, []string{"python3 does not work (out of luck)"}},
		{"old pip", "", func(m *machine) {
			m.write("bin/python3", "#!/bin/sh\necho 'pip 19.0 from /x (python 3.7)'")
			m.onlyBin()
		}, []string{"pip 19.0, which is too old", "20.3 or newer"}},
		{"Python 2", "", func(m *machine) {
			m.write("bin/python3", "#!/bin/sh\necho 'pip 20.3 from /x (python 2.7)'")
			m.onlyBin()
		}, []string{"no pip for Python 3 (pip 20.3 from /x (python 2.7))"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := newMachine(t, tt.body)
			if tt.change != nil {
				tt.change(m)
			}
			_, err := Install(t.Context(), m.options())
			require.Error(t, err)
			for _, want := range tt.want {
				assert.ErrorContains(t, err, want)
			}
			assert.True(t, strings.HasPrefix(err.Error(), "toolchain 13.0.88: "), "%v", err)
			assert.Empty(t, m.left())
		})
	}
}

// onlyBin leaves the machine's own programs in $PATH, and none of the system's.
func (m *machine) onlyBin() { m.env = map[string]string{"PATH": m.bin} }

func TestUnknownVersion(t *testing.T) {
	m := newMachine(t, copyTree)
	o := m.options()
	o.Version = "13.0.89"
	_, err := Install(t.Context(), o)
	assert.EqualError(t, err, `unknown toolchain "13.0.89": choose one of `+strings.Join(Versions(), ", "))
	assert.Contains(t, Versions(), DefaultVersion)
	assert.Zero(t, m.installs())
}

func TestFolderThatCannotBeUsed(t *testing.T) {
	t.Run("a file", func(t *testing.T) {
		m := newMachine(t, copyTree)
		require.NoError(t, os.WriteFile(m.dir, nil, 0o644))
		_, err := Install(t.Context(), m.options())
		assert.ErrorContains(t, err, "tool chains")
	})
	t.Run("read-only", func(t *testing.T) {
		m := newMachine(t, copyTree)
		m.dir = "/proc/cudagen" // not writable for root, either
		if runtime.GOOS != "linux" {
			m.dir = filepath.Join(t.TempDir(), "locked")
			require.NoError(t, os.Mkdir(m.dir, 0o500))
		}
		_, err := Install(t.Context(), m.options())
		assert.ErrorContains(t, err, "cannot write to "+m.dir)
		assert.ErrorContains(t, err, "-dir")
	})
	t.Run("no toolkit", func(t *testing.T) {
		m := newMachine(t, copyTree)
		require.NoError(t, os.MkdirAll(filepath.Join(m.dir, "13.0.88", "mine"), 0o755))
		_, err := Install(t.Context(), m.options())
		assert.ErrorContains(t, err, filepath.Join(m.dir, "13.0.88")+" exists but contains no nvcc: remove it")
		assert.DirExists(t, filepath.Join(m.dir, "13.0.88", "mine"), "what is not ours stays")
	})
}

// Without a host compiler nvcc compiles nothing, but is installed: NVRTC needs none.
func TestWithoutHostCompiler(t *testing.T) {
	m := newMachine(t, copyTree)
	m.write("tree/nvidia/cu13/bin/nvcc", strings.Replace(workingNVCC, "*-ptx*)", "*-ptx*) echo 'nvcc fatal   : Failed to preprocess host compiler properties.'; exit 1;;\n*)", 1))
	result, err := Install(t.Context(), m.options())
	require.NoError(t, err)
	assert.True(t, result.Untried)
}

func TestUV(t *testing.T) {
	m := newMachine(t, "")
	m.write("bin/uv", "#!/bin/sh\necho \"$@\" >> '"+m.runs+"'\nwhile [ $# -gt 0 ]; do case \"$1\" in --target) target=$2;; esac; shift; done\ntree='"+filepath.Dir(m.bin)+"/tree'\n"+copyTree)
	m.write("bin/python3", "#!/bin/sh\nexit 1")
	_, err := Install(t.Context(), m.options())
	require.NoError(t, err)
	arguments, err := os.ReadFile(m.runs)
	require.NoError(t, err)
	assert.True(t, strings.HasPrefix(string(arguments), "pip install --target "), "%s", arguments)
	assert.NotContains(t, string(arguments), "--progress-bar")
}

// A python3 without pip makes a virtual environment, whose pip installs, and which goes away.
func TestPythonWithoutPip(t *testing.T) {
	m := newMachine(t, "")
	root := filepath.Dir(m.bin)
	const answers = `case "$*" in "-c import sys; print(sys.executable)") echo "$0"; exit;; esac` + "\n"
	m.write("bin/python3", "#!/bin/sh\n"+answers+`case "$*" in "-m pip --version") echo "$0: No module named pip"; exit 1;; "-m venv "*) ;; *) exit 2;; esac
mkdir -p "$3/bin" && cp '`+root+`/inner' "$3/bin/python3"
`)
	m.write("inner", "#!/bin/sh\n"+`case "$*" in "-m pip --version") echo "pip 24.2 from /usr/lib/python3/pip (python 3.12)"; exit;; esac
echo "$@" >> '`+m.runs+`'
while [ $# -gt 0 ]; do case "$1" in --target) target=$2;; esac; shift; done
tree='`+root+`/tree'
`+copyTree)
	result, err := Install(t.Context(), m.options())
	require.NoError(t, err)
	assert.Equal(t, "pip in a virtual environment of "+m.bin+"/python3", result.Used)
	assert.Equal(t, []string{"13.0.88"}, m.left())

	// Without ensurepip there is nothing to install with, and nothing is left.
	m = newMachine(t, "")
	m.write("bin/python3", "#!/bin/sh\n"+answers+`case "$*" in "-m venv "*) mkdir -p "$3/bin"; echo "ensurepip is not available"; exit 1;; esac
echo "$0: No module named pip"; exit 1
`)
	m.env = map[string]string{"PATH": m.bin + ":" + root + "/none"}
	_, err = Install(t.Context(), m.options())
	assert.ErrorContains(t, err, "has no pip")
	assert.ErrorContains(t, err, "there is no uv in $PATH, and "+m.bin+"/python3 makes no virtual environment (ensurepip is not available): install uv, or Python 3 with pip 20.3 or newer")
	assert.Empty(t, m.left())
}

// On a machine without Python uv fetches one for the installation, and it goes away with it.
func TestUVWithoutPython(t *testing.T) {
	const refuses = "[ $UV_PYTHON_DOWNLOADS = automatic ] || { echo 'error: No interpreter found in virtual environments, managed installations, or search path'; exit 2; }\n"
	m := newMachine(t, "")
	m.write("bin/python3", "#!/bin/sh\nexit 1")
	m.write("bin/uv", "#!/bin/sh\n"+refuses+"echo \"$@\" >> '"+m.runs+"'\nmkdir -p \"$UV_PYTHON_INSTALL_DIR\"\nwhile [ $# -gt 0 ]; do case \"$1\" in --target) target=$2;; esac; shift; done\ntree='"+filepath.Dir(m.bin)+"/tree'\n"+copyTree)
	result, err := Install(t.Context(), m.options())
	require.NoError(t, err)
	assert.Equal(t, m.bin+"/uv pip with a Python of its own", result.Used)
	assert.Equal(t, []string{"13.0.88"}, m.left())

	// It does not, if the user forbids it, nor where it cannot.
	for _, setting := range []string{"never", ""} {
		m := newMachine(t, "")
		m.env = map[string]string{"UV_PYTHON_DOWNLOADS": setting}
		m.write("bin/python3", "#!/bin/sh\nexit 1")
		m.write("bin/uv", "#!/bin/sh\nif [ $UV_PYTHON_DOWNLOADS = automatic ]; then echo 'error: error sending request for url'; exit 2; fi\n"+refuses)
		t.Setenv("UV_PYTHON_DOWNLOADS", setting)
		_, err := Install(t.Context(), m.options())
		if setting == "never" {
			assert.ErrorContains(t, err, "uv pip: exit status 2: it finds no Python: install python3")
		} else {
			assert.ErrorContains(t, err, "the package index cannot be reached")
		}
		assert.Empty(t, m.left())
	}
}

// recordWheels copies the tree, and writes the records of the wheels that are asked for and a header for curand's.
const recordWheels = copyTree + `for word in $(tail -n 1 "$runs"); do case $word in
nvidia-*==*) name=$(echo "${word%==*}" | tr - _)-${word#*==}.dist-info
	mkdir -p "$target/$name" && echo "$word" > "$target/$name/RECORD";;
esac; case $word in nvidia-curand==*) mkdir -p "$target/nvidia/cu13/include" && echo "$word" > "$target/nvidia/cu13/include/curand_kernel.h";; esac; done
`

// Libraries come with the compilers, or are added to them, whatever people call them.
func TestWith(t *testing.T) {
	m := newMachine(t, recordWheels)
	o := m.options()
	o.With = []string{"cuRAND", "thrust"}
	result, err := Install(t.Context(), o)
	require.NoError(t, err)
	assert.Equal(t, []string{"curand"}, result.With)
	assert.FileExists(t, filepath.Join(result.Root, "include", "curand_kernel.h"))
	assert.Equal(t, 1, m.installs())

	again, err := Install(t.Context(), o)
	require.NoError(t, err)
	assert.True(t, again.Present)
	assert.Equal(t, 1, m.installs())

	// A library brings those whose headers its headers include, and only what is missing is installed.
	o.With = []string{"curand_kernel.h", "nvidia-cusolver-cu12"}
	more, err := Install(t.Context(), o)
	require.NoError(t, err)
	assert.False(t, more.Present)
	assert.Equal(t, []string{"cublas", "curand", "cusolver", "cusparse"}, more.With)
	assert.Equal(t, result.Root, more.Root)
	assert.Equal(t, 2, m.installs())
	arguments, err := os.ReadFile(m.runs)
	require.NoError(t, err)
	assert.True(t, strings.HasSuffix(string(arguments), " --disable-pip-version-check nvidia-cublas==13.1.0.3 nvidia-cusolver==12.0.4.66 nvidia-cusparse==12.6.3.3\n"), "%s", arguments)
	assert.Equal(t, []string{"13.0.88"}, m.left())
}

// What fails leaves the toolkit as it was.
func TestWithFails(t *testing.T) {
	m := newMachine(t, recordWheels)
	result, err := Install(t.Context(), m.options())
	require.NoError(t, err)
	o := m.options()
	o.With = []string{"curand"}
	text, err := os.ReadFile(filepath.Join(m.bin, "python3.12"))
	require.NoError(t, err)
	for _, tt := range []struct{ name, body, want string }{
		{"pip fails", "echo no space left on device; exit 1", "the disk is full"},
		{"no record", "rm -r \"$target\"/*.dist-info", "nothing was installed: nvidia-curand==10.4.0.35 was not installed"},
	} {
		m.write("bin/python3.12", string(text)+tt.body+"\n")
		_, err = Install(t.Context(), o)
		assert.ErrorContains(t, err, tt.want, tt.name)
		assert.NoFileExists(t, filepath.Join(result.Root, "include", "curand_kernel.h"), tt.name)
		assert.Equal(t, []string{"13.0.88"}, m.left(), tt.name)
	}
	m.write("bin/python3.12", string(text))
	_, err = Install(t.Context(), o)
	require.NoError(t, err)
	assert.FileExists(t, filepath.Join(result.Root, "include", "curand_kernel.h"))
}

// A merge that fails removes what it added, and one that was killed is completed.
func TestMerge(t *testing.T) {
	from, into := t.TempDir(), t.TempDir()
	write := func(path, text string) {
		t.Helper()
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	write(filepath.Join(from, "a", "new.h"), "new")
	write(filepath.Join(from, "a", "old.h"), "old")
	write(filepath.Join(from, "x-1.dist-info", "RECORD"), "")
	write(filepath.Join(into, "a", "old.h"), "half")
	write(filepath.Join(into, "x-1.dist-info"), "a file where a folder should be")
	assert.Error(t, merge(from, into))
	assert.NoFileExists(t, filepath.Join(into, "a", "new.h"))
	assert.FileExists(t, filepath.Join(into, "a", "old.h"))

	require.NoError(t, os.Remove(filepath.Join(into, "x-1.dist-info")))
	write(filepath.Join(from, "a", "new.h"), "new")
	write(filepath.Join(from, "a", "old.h"), "old")
	require.NoError(t, merge(from, into))
	assert.FileExists(t, filepath.Join(into, "x-1.dist-info", "RECORD"))
	text, err := os.ReadFile(filepath.Join(into, "a", "old.h"))
	require.NoError(t, err)
	assert.Equal(t, "old", string(text))
}

func TestUnknownLibraries(t *testing.T) {
	for name, want := range map[string]string{
		"curnad":    `unknown library "curnad" (did you mean curand?)`,
		"something": `unknown library "something": choose from cublas, cufft, `,
		"cudnn":     "cudnn does not belong to the CUDA toolkit: install its wheel, nvidia-cudnn-cu13, and name its folder of headers with -I",
		"":          `unknown library ""`,
	} {
		_, err := Install(t.Context(), Options{Dir: t.TempDir(), Env: func(string) string { return "" }, With: []string{name}})
		assert.ErrorContains(t, err, want, name)
	}
}

// hangs says its process id and waits, with a half-written tree.
const hangs = `mkdir -p "$target/nvidia/cu13/bin"; : > "$target/nvidia/cu13/bin/nvcc"; echo $$ > '%s'; exec sleep 60`

// pid waits until the process id is in path.
func pid(t *testing.T, path string) int {
	t.Helper()
	var id int
	require.Eventually(t, func() bool {
		content, err := os.ReadFile(path)
		if err != nil || !strings.HasSuffix(string(content), "\n") {
			return false
		}
		id, err = strconv.Atoi(strings.TrimSpace(string(content)))
		return err == nil
	}, 20*time.Second, 10*time.Millisecond, "pip was never started")
	return id
}

// ended waits until the process is gone.
func ended(t *testing.T, pid int) {
	t.Helper()
	assert.Eventually(t, func() bool { return syscall.Kill(pid, 0) != nil || zombie(pid) }, 10*time.Second, 10*time.Millisecond, "pip still runs")
}

// zombie reports whether a process has ended and its parent has not asked how.
func zombie(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && strings.Contains(string(stat), ") Z ")
}

func TestInterrupted(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pid")
	m := newMachine(t, fmt.Sprintf(hangs, file))
	ctx, cancel := context.WithCancel(t.Context())
	failed := make(chan error)
	go func() {
		_, err := Install(ctx, m.options())
		failed <- err
	}()
	child := pid(t, file)
	cancel()
	assert.ErrorIs(t, <-failed, context.Canceled)
	ended(t, child)
	assert.Empty(t, m.left())
}

// A process that is killed cannot clean up. pip ends with it, and the next
// installation removes what it left.
func TestKilled(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pid")
	m := newMachine(t, fmt.Sprintf(hangs, file))
	self, err := os.Executable()
	require.NoError(t, err)
	victim := exec.Command(self)
	victim.Env = append(os.Environ(), "CUDAGEN_TEST_INSTALL="+m.dir, "PATH="+m.getenv("PATH"))
	require.NoError(t, victim.Start())
	child := pid(t, file)
	require.NoError(t, victim.Process.Kill())
	assert.Error(t, victim.Wait())
	if runtime.GOOS != "linux" { // elsewhere a child does not learn of it
		require.NoError(t, syscall.Kill(child, syscall.SIGKILL))
	}
	ended(t, child)
	left := m.left()
	require.Len(t, left, 1)
	assert.True(t, strings.HasPrefix(left[0], temporary), "%s", left)

	working := newMachine(t, copyTree)
	working.dir = m.dir
	_, err = Install(t.Context(), working.options())
	require.NoError(t, err)
	assert.Equal(t, []string{"13.0.88"}, m.left())
}

func TestManyAtOnce(t *testing.T) {
	m := newMachine(t, "sleep 1\n"+copyTree)
	var waiting atomic.Int32
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			o := m.options()
			o.Progress = func(line string) {
				if strings.HasPrefix(line, "waiting for another") {
					waiting.Add(1)
				}
			}
			result, err := Install(t.Context(), o)
			assert.NoError(t, err)
			assert.NotNil(t, result)
		})
	}
	wg.Wait()
	assert.Equal(t, 1, m.installs())
	assert.Equal(t, int32(3), waiting.Load(), "who waits says so")
	assert.Equal(t, []string{"13.0.88"}, m.left())
}

func TestWaitingIsInterrupted(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pid")
	m := newMachine(t, fmt.Sprintf(hangs, file))
	holder, stop := context.WithCancel(t.Context())
	failed := make(chan error)
	go func() {
		_, err := Install(holder, m.options())
		failed <- err
	}()
	pid(t, file)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := Install(ctx, m.options())
	assert.ErrorIs(t, err, context.DeadlineExceeded)
	stop()
	assert.ErrorIs(t, <-failed, context.Canceled)
}

func TestWheelsArePinned(t *testing.T) {
	for _, r := range releases {
		assert.Len(t, r.wheels(), 6)
		for _, wheel := range r.wheels() {
			assert.Regexp(t, `^nvidia-[a-z-]+==\d+(\.\d+){2,4}$`, wheel.String())
		}
		assert.Equal(t, Libraries(), slices.Sorted(maps.Keys(r.libraries)))
		for name, version := range r.libraries {
			assert.Regexp(t, `^\d+(\.\d+){2,3}$`, version, name)
		}
	}
	assert.True(t, slices.Contains(releases[0].wheels(), wheel{"nvidia-nvvm", "13.0.88"}))
}

// TestPackageIndex installs for real.
func TestPackageIndex(t *testing.T) {
	testenv.Need(t, testenv.Network)
	dir := t.TempDir()
	result, err := Install(t.Context(), Options{Dir: dir, Env: os.Getenv, Progress: func(line string) { t.Log(line) }})
	require.NoError(t, err)
	assert.False(t, result.Untried)
	nvcc, err := compile.FindNVCC(func(name string) string {
		return map[string]string{toolchaindir.Variable: dir, "PATH": "/usr/bin:/bin"}[name]
	})
	require.NoError(t, err)
	out, err := compile.Try(t.Context(), nvcc, "sm_90")
	require.NoError(t, err)
	assert.Equal(t, "nvcc 13.0.88", out.Compiler)
}
