//go:build unix

package toolchain

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/compile"
	"github.com/cudagen/cudagen/internal/diag"
	"github.com/cudagen/cudagen/internal/testenv"
	"github.com/cudagen/cudagen/internal/toolchaindir"
	"github.com/cudagen/cudagen/internal/wheels"
)

// TestMain is also a process that installs, to be killed: from an index, by a list of wheels, into a folder.
func TestMain(m *testing.M) {
	if dir := os.Getenv("CUDAGEN_TEST_INSTALL"); dir != "" {
		text, _ := os.ReadFile(filepath.Join(dir, "list"))
		list, _ := wheels.Parse(string(text))
		in := newInstallation(list, Options{Dir: filepath.Join(dir, "tool chains"), Env: os.Getenv})
		_, err := in.install(context.Background())
		fmt.Println(err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// newInstallation returns an installation of wheels whose NVRTC is not tested: there is none.
func newInstallation(list []wheels.Wheel, o Options, with ...part) *installation {
	if o.Progress == nil {
		o.Progress = func(string) {}
	}
	if o.Installed == nil {
		o.Installed = func(string) {}
	}
	o.Version = DefaultVersion
	in := &installation{Options: o, release: make(release), parts: append([]part{nvrtc, nvcc}, with...)}
	for _, w := range list {
		in.release[w.Name()] = w
	}
	in.try = func(ctx context.Context, c compile.Compiler, arch string, flags ...string) (*compile.Output, error) {
		if c.Name() == "nvrtc" {
			return nil, nil
		}
		return compile.Try(ctx, c, arch, flags...)
	}
	return in
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

// A machine has an index with wheels, and a folder for toolchains.
type machine struct {
	t     *testing.T
	dir   string            // of the toolchains
	env   map[string]string // more variables
	files map[string]string // of the wheels: their packages, their paths below nvidia/cu13 and their contents
	index *httptest.Server
	serve func(w http.ResponseWriter, r *http.Request, wheel []byte) // unless nil, answers for wheels

	downloads atomic.Int32
}

// newMachine returns a machine whose index has small wheels of the compilers and of cuRAND.
func newMachine(t *testing.T) *machine {
	m := &machine{t: t, dir: filepath.Join(t.TempDir(), "tool chains"), files: map[string]string{
		"nvidia-cuda-nvcc bin/nvcc":               workingNVCC,
		"nvidia-nvvm nvvm/bin/cicc":               "cicc",
		"nvidia-cuda-nvrtc lib/libnvrtc.so.13":    "NVRTC",
		"nvidia-cuda-runtime include/cuda.h":      "",
		"nvidia-cuda-crt include/crt/host.h":      "",
		"nvidia-cuda-cccl include/cccl/version":   "",
		"nvidia-curand include/curand_kernel.h":   "cuRAND",
		"nvidia-cublas include/cublas.h":          "cuBLAS",
		"nvidia-cusparse include/cusparse.h":      "cuSPARSE",
		"nvidia-cusolver include/cusolver.h":      "cuSOLVER",
		"nvidia-cusolver lib/libcusolver.so.1.2.": "",
	}}
	m.index = httptest.NewServer(http.HandlerFunc(m.answer))
	t.Cleanup(m.index.Close)
	return m
}

// answer answers for the index.
func (m *machine) answer(w http.ResponseWriter, r *http.Request) {
	contents := m.wheels()
	if name := path.Base(r.URL.Path); strings.HasSuffix(name, ".whl") {
		m.downloads.Add(1)
		if m.serve != nil {
			m.serve(w, r, contents[name])
			return
		}
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(contents[name]))
		return
	}
	if strings.HasPrefix(r.URL.Path, "/none/") {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", "text/html")
	for name := range contents {
		fmt.Fprintf(w, "<a href=%q>", name)
	}
}

// wheels returns the contents of the wheels by their files.
func (m *machine) wheels() map[string][]byte {
	known, err := findRelease(DefaultVersion, "linux/amd64")
	require.NoError(m.t, err)
	contents := make(map[string][]byte)
	for name, w := range known {
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		any, list := false, ""
		for _, key := range slices.Sorted(maps.Keys(m.files)) {
			if of, file, _ := strings.Cut(key, " "); of == name {
				m.add(z, path.Join("nvidia/cu13", file), m.files[key])
				list += fmt.Sprintf("%s,sha256=%s,%d\n", path.Join("nvidia/cu13", file), w.SHA256, len(m.files[key]))
				any = true
			}
		}
		m.add(z, w.Record(), list+w.Record()+",,\n")
		require.NoError(m.t, z.Close())
		if any {
			contents[w.File] = b.Bytes()
		}
	}
	return contents
}

func (m *machine) add(z *zip.Writer, name, text string) {
	h := &zip.FileHeader{Name: name}
	h.SetMode(0o755)
	w, err := z.CreateHeader(h)
	require.NoError(m.t, err)
	_, err = w.Write([]byte(text))
	require.NoError(m.t, err)
}

// list returns the wheels with the sums of their contents.
func (m *machine) list() (list []wheels.Wheel) {
	for name, content := range m.wheels() {
		sum := sha256.Sum256(content)
		list = append(list, wheels.Wheel{File: name, Size: int64(len(content)), SHA256: hex.EncodeToString(sum[:])})
	}
	return list
}

func (m *machine) getenv(name string) string {
	if value, ok := m.env[name]; ok {
		return value
	}
	return map[string]string{"PATH": "/usr/bin:/bin", "PIP_CONFIG_FILE": os.DevNull, "PIP_INDEX_URL": m.index.URL, "PIP_RETRIES": "0"}[name]
}

// install installs with libraries.
func (m *machine) install(ctx context.Context, o Options, with ...string) (*Result, error) {
	m.t.Helper()
	o.Dir, o.Env = m.dir, m.getenv
	found, err := libraries(with)
	require.NoError(m.t, err)
	return newInstallation(m.list(), o, parts(found)[2:]...).install(ctx)
}

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

// found reports whether the toolkit has a compiler that cudagen finds.
func (m *machine) found(find func(func(string) string) (compile.Compiler, error)) bool {
	c, err := find(func(name string) string { return map[string]string{toolchaindir.Variable: m.dir}[name] })
	return err == nil && strings.HasPrefix(c.String(), m.dir)
}

// NVRTC comes first and then nvcc, each downloaded once.
func TestInstall(t *testing.T) {
	m := newMachine(t)
	var steps, progress []string
	o := Options{
		Installed: func(line string) {
			steps = append(steps, line)
			assert.True(t, m.found(compile.FindNVRTC))
			assert.Equal(t, len(steps) > 1, m.found(compile.FindNVCC), "nvcc is found when it is installed")
		},
		Progress: func(line string) { progress = append(progress, line) },
	}
	result, err := m.install(t.Context(), o)
	require.NoError(t, err)
	root := filepath.Join(m.dir, "13.0.88", "nvidia", "cu13")
	assert.Equal(t, &Result{Version: "13.0.88", Root: root}, result)
	assert.Equal(t, []string{"NVRTC 13.0.88, which compiles kernels and needs no host compiler", "nvcc 13.0.88, which compiles host code, too"}, steps)
	assert.Contains(t, progress, "looking for nvidia-cuda-nvrtc 13.0.88")
	assert.Contains(t, progress, "downloading nvidia-cuda-nvrtc 13.0.88: 0.0 of 0.0 MB")
	assert.Contains(t, progress, "unpacking nvidia-nvvm 13.0.88")
	assert.Contains(t, progress, "testing nvcc")
	assert.Equal(t, []string{"13.0.88"}, m.left())
	assert.Equal(t, int32(6), m.downloads.Load())

	again, err := m.install(t.Context(), o)
	require.NoError(t, err)
	assert.Equal(t, &Result{Version: "13.0.88", Root: root, Present: true}, again)
	assert.Equal(t, int32(6), m.downloads.Load(), "the second run installs nothing")
}

// A file that is missing or cut off is installed again; one that two wheels have may be either's.
func TestInstallAgain(t *testing.T) {
	m := newMachine(t)
	m.files["nvidia-cuda-crt shared.txt"], m.files["nvidia-nvvm shared.txt"] = "one", "another"
	result, err := m.install(t.Context(), Options{})
	require.NoError(t, err)
	again := func() int32 {
		before := m.downloads.Load()
		_, err := m.install(t.Context(), Options{})
		require.NoError(t, err)
		return m.downloads.Load() - before
	}
	assert.Zero(t, again())
	for _, name := range []string{"nvvm/bin/cicc", "lib/libnvrtc.so.13", "include/cccl/version"} {
		path := filepath.Join(result.Root, filepath.FromSlash(name))
		whole, err := os.ReadFile(path)
		require.NoError(t, err)
		if len(whole) > 0 {
			require.NoError(t, os.WriteFile(path, whole[:len(whole)-1], 0o700))
		} else {
			require.NoError(t, os.Remove(path))
		}
		assert.EqualValues(t, 1, again(), name)
		now, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.Equal(t, whole, now, name)
		assert.Zero(t, again())
	}
}

func TestInstallIntoTheDefaultFolder(t *testing.T) {
	m := newMachine(t)
	m.env = map[string]string{toolchaindir.Variable: m.dir}
	result, err := newInstallation(m.list(), Options{Env: m.getenv}).install(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []string{result.Root}, toolchaindir.Toolkits(m.getenv))
}

// What Install asks of the user is checked before anything is downloaded.
func TestInstallRefuses(t *testing.T) {
	_, err := Install(t.Context(), Options{Version: "13.0.89"})
	assert.EqualError(t, err, `unknown toolchain "13.0.89": choose one of `+strings.Join(Versions(), ", "))
	assert.Contains(t, Versions(), DefaultVersion)
	_, err = Install(t.Context(), Options{Dir: t.TempDir(), Env: func(name string) string {
		return map[string]string{"PIP_CONFIG_FILE": os.DevNull, "PIP_NO_INDEX": "1"}[name]
	}})
	assert.ErrorContains(t, err, "toolchain 13.0.88: NVRTC: pip is configured to use no index")
	assert.Equal(t, diag.ToolchainInstall, diag.CodeOf(err))
	_, err = findRelease(DefaultVersion, "darwin/arm64")
	assert.ErrorContains(t, err, "NVIDIA publishes no wheels of toolchain 13.0.88 for darwin/arm64, but for Linux with glibc and for Windows")
}

// Whatever goes wrong is said, and nothing is found that does not work.
func TestFailures(t *testing.T) {
	breaks := func(name, old, by string) func(m *machine) {
		return func(m *machine) { m.files[name] = strings.Replace(m.files[name], old, by, 1) }
	}
	const stays = " (installed: NVRTC; run this again to go on)"
	for _, tt := range []struct {
		name   string
		change func(m *machine)
		nvrtc  bool // is installed
		want   []string
	}{
		{"no index", func(m *machine) { m.env = map[string]string{"PIP_INDEX_URL": "http://127.0.0.1:1"} }, false, []string{"NVRTC: ", "connection refused", "check the network"}},
		{"no such wheel", func(m *machine) { m.env = map[string]string{"PIP_INDEX_URL": m.index.URL + "/none"} }, false, []string{"NVRTC: nvidia_cuda_cccl-13.0.85-"}},
		{"broken wheel", func(m *machine) {
			m.serve = func(w http.ResponseWriter, r *http.Request, wheel []byte) { w.Write(append([]byte("X"), wheel[1:]...)) }
		}, false, []string{"has changed the file"}},
		{"no nvcc", func(m *machine) {
			m.files["nvidia-cuda-nvcc bin/other"] = ""
			delete(m.files, "nvidia-cuda-nvcc bin/nvcc")
		}, true, []string{"nvcc: the wheels do not contain it" + stays}},
		{"no NVRTC", func(m *machine) {
			m.files["nvidia-cuda-nvrtc lib/other"] = ""
			delete(m.files, "nvidia-cuda-nvrtc lib/libnvrtc.so.13")
		}, false, []string{"NVRTC: the wheels do not contain it"}},
		{"nvcc of another system", breaks("nvidia-cuda-nvcc bin/nvcc", "#!/bin/sh", "#!/no/such/loader"), true, []string{"nvcc: it does not work on this machine, and was removed again: ", stays}},
		{"parts that do not fit", breaks("nvidia-cuda-nvcc bin/nvcc", "\n*) text", "\n*-cubin*) echo \"Unsupported .version 9.5; current version is '9.0'\"; exit 1;;\n*) text"), true, []string{"Unsupported .version 9.5"}},
		{"a file of nobody", func(m *machine) { m.files["nvidia-nvvm ../../../../x"] = "" }, true, []string{`"../../x" is not the name of a file of a wheel`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := newMachine(t)
			tt.change(m)
			_, err := m.install(t.Context(), Options{})
			require.Error(t, err)
			for _, want := range tt.want {
				assert.ErrorContains(t, err, want)
			}
			assert.Equal(t, tt.nvrtc, m.found(compile.FindNVRTC))
			assert.False(t, m.found(compile.FindNVCC))
			assert.Empty(t, slices.DeleteFunc(m.left(), func(name string) bool { return name == ".downloads" || name == "13.0.88" }))
		})
	}
	in := newInstallation(nil, Options{})
	assert.ErrorContains(t, in.explain(fmt.Errorf("x: %w", syscall.ENOSPC)), "the disk is full: free about 1 GB, or choose another folder with -dir")
	assert.ErrorContains(t, in.explain(os.ErrPermission), "choose another folder with -dir")
}

// An NVRTC that does not work is removed again, and one that this binary cannot load is not tried.
func TestTestOfNVRTC(t *testing.T) {
	m := newMachine(t)
	in := newInstallation(m.list(), Options{Dir: m.dir, Env: m.getenv})
	in.try = compile.Try
	_, err := in.install(t.Context())
	assert.ErrorContains(t, err, "NVRTC: it does not work on this machine, and was removed again: ")
	assert.False(t, m.found(compile.FindNVRTC))
	in.try = func(ctx context.Context, c compile.Compiler, _ string, _ ...string) (*compile.Output, error) {
		return nil, errors.ErrUnsupported
	}
	_, err = in.install(t.Context())
	require.NoError(t, err)
}

func TestFolderThatCannotBeUsed(t *testing.T) {
	t.Run("a file", func(t *testing.T) {
		m := newMachine(t)
		require.NoError(t, os.WriteFile(m.dir, nil, 0o644))
		_, err := m.install(t.Context(), Options{})
		assert.ErrorContains(t, err, "tool chains")
	})
	t.Run("read-only", func(t *testing.T) {
		m := newMachine(t)
		m.dir = "/proc/cudagen" // not writable for root, either
		if runtime.GOOS != "linux" {
			m.dir = filepath.Join(t.TempDir(), "locked")
			require.NoError(t, os.Mkdir(m.dir, 0o500))
		}
		_, err := m.install(t.Context(), Options{})
		assert.ErrorContains(t, err, "cannot write to "+m.dir)
		assert.ErrorContains(t, err, "-dir")
	})
	t.Run("no toolkit", func(t *testing.T) {
		m := newMachine(t)
		require.NoError(t, os.MkdirAll(filepath.Join(m.dir, "13.0.88", "mine"), 0o755))
		_, err := m.install(t.Context(), Options{})
		assert.ErrorContains(t, err, filepath.Join(m.dir, "13.0.88")+" exists but contains no toolkit: remove it")
		assert.DirExists(t, filepath.Join(m.dir, "13.0.88", "mine"), "what is not ours stays")
	})
}

// Without a host compiler nvcc compiles nothing, but is installed: NVRTC needs none.
func TestWithoutHostCompiler(t *testing.T) {
	m := newMachine(t)
	m.files["nvidia-cuda-nvcc bin/nvcc"] = strings.Replace(workingNVCC, "*-ptx*)", "*-ptx*) echo 'nvcc fatal   : Failed to preprocess host compiler properties.'; exit 1;;\n*)", 1)
	var last string
	_, err := m.install(t.Context(), Options{Installed: func(line string) { last = line }})
	require.NoError(t, err)
	assert.Equal(t, "nvcc 13.0.88, which finds no host compiler: until g++ is installed, or -ccbin names one, cudagen uses NVRTC", last)
}

// Libraries come with the compilers, or are added to them, whatever people call them, with those whose headers
// their headers include.
func TestWith(t *testing.T) {
	m := newMachine(t)
	result, err := m.install(t.Context(), Options{}, "cuRAND", "thrust")
	require.NoError(t, err)
	assert.FileExists(t, filepath.Join(result.Root, "include", "curand_kernel.h"))
	assert.Equal(t, int32(7), m.downloads.Load())
	again, err := m.install(t.Context(), Options{}, "curand_kernel.h")
	require.NoError(t, err)
	assert.True(t, again.Present)
	var steps []string
	more, err := m.install(t.Context(), Options{Installed: func(line string) { steps = append(steps, line) }}, "curand_kernel.h", "nvidia-cusolver-cu12")
	require.NoError(t, err)
	assert.False(t, more.Present)
	assert.Equal(t, []string{"cublas 13.1.0.3", "cusolver 12.0.4.66", "cusparse 12.6.3.3"}, steps)
	assert.Equal(t, int32(10), m.downloads.Load(), "only what is missing is downloaded")
	assert.Equal(t, []string{"13.0.88"}, m.left())
}

// A merge that fails removes what it added, and one that was killed is completed. Compilers and records come last.
func TestMerge(t *testing.T) {
	from, into := t.TempDir(), t.TempDir()
	write := func(path, text string) {
		t.Helper()
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	for _, name := range []string{"bin/nvcc", "z.h", "a/new.h", "a/old.h", "lib/libnvrtc.so.13", "x-1.dist-info/RECORD", "x-1.dist-info/WHEEL"} {
		write(filepath.Join(from, name), filepath.Base(name))
	}
	files, records, err := contents(from)
	require.NoError(t, err)
	assert.Equal(t, []string{"a/new.h", "a/old.h", "z.h", "bin/nvcc", "lib/libnvrtc.so.13"}, files)
	assert.Equal(t, []string{"x-1.dist-info/WHEEL", "x-1.dist-info/RECORD"}, records)
	write(filepath.Join(into, "a", "old.h"), "half")
	broken := errors.New("it does not work")
	assert.ErrorIs(t, merge(from, into, func() error {
		assert.FileExists(t, filepath.Join(into, "bin", "nvcc"))
		assert.NoDirExists(t, filepath.Join(into, "x-1.dist-info"))
		return broken
	}), broken)
	assert.NoFileExists(t, filepath.Join(into, "a", "new.h"))
	assert.NoFileExists(t, filepath.Join(into, "bin", "nvcc"))
	assert.FileExists(t, filepath.Join(into, "a", "old.h"))
	write(filepath.Join(into, "x-1.dist-info"), "a file where a folder should be")
	works := func() error { return nil }
	assert.Error(t, merge(from, into, works))
	require.NoError(t, os.Remove(filepath.Join(into, "x-1.dist-info")))
	write(filepath.Join(from, "a", "new.h"), "new")
	require.NoError(t, merge(from, into, works))
	assert.FileExists(t, filepath.Join(into, "x-1.dist-info", "RECORD"))
	text, err := os.ReadFile(filepath.Join(into, "a", "new.h"))
	require.NoError(t, err)
	assert.Equal(t, "new", string(text))
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

// stall lets the index stop once in the middle of the wheel of nvcc, and returns a channel that is closed then.
func (m *machine) stall() (stalled chan struct{}) {
	stalled = make(chan struct{})
	var asked atomic.Bool
	m.files["nvidia-cuda-nvcc bin/large"] = strings.Repeat("0123456789", 10_000)
	m.serve = func(w http.ResponseWriter, r *http.Request, wheel []byte) {
		if !strings.Contains(r.URL.Path, "nvidia_cuda_nvcc") || asked.Swap(true) {
			http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(wheel))
			return
		}
		w.Header().Set("Content-Length", fmt.Sprint(len(wheel)))
		w.Write(wheel[:50_000])
		w.(http.Flusher).Flush()
		close(stalled)
		<-r.Context().Done()
	}
	return stalled
}

// An installation that is interrupted ends at once. NVRTC stays, and the next one goes on.
func TestInterrupted(t *testing.T) {
	m := newMachine(t)
	stalled := m.stall()
	ctx, cancel := context.WithCancel(t.Context())
	failed := make(chan error)
	go func() {
		_, err := m.install(ctx, Options{})
		failed <- err
	}()
	<-stalled
	waiting, stop := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer stop()
	_, err := m.install(waiting, Options{})
	assert.ErrorIs(t, err, context.DeadlineExceeded, "who waits for another installation is interrupted, too")
	cancel()
	start := time.Now()
	assert.ErrorIs(t, <-failed, context.Canceled)
	assert.Less(t, time.Since(start), 30*time.Second)
	assert.True(t, m.found(compile.FindNVRTC))
	assert.False(t, m.found(compile.FindNVCC))
	m.goesOn()
}

// goesOn checks that the next installation completes one that ended in the middle of the last wheel.
func (m *machine) goesOn() {
	m.t.Helper()
	before := m.downloads.Load()
	result, err := m.install(m.t.Context(), Options{})
	require.NoError(m.t, err)
	assert.FileExists(m.t, filepath.Join(result.Root, "bin", "nvcc"))
	assert.Equal(m.t, before+1, m.downloads.Load(), "only what is missing is downloaded")
	assert.Equal(m.t, []string{"13.0.88"}, m.left())
}

// A process that is killed cannot clean up. The next installation removes what it left, and goes on.
func TestKilled(t *testing.T) {
	m := newMachine(t)
	stalled := m.stall()
	var text strings.Builder
	for _, w := range m.list() {
		fmt.Fprintln(&text, w.SHA256, w.Size, w.File)
	}
	require.NoError(t, os.WriteFile(filepath.Join(filepath.Dir(m.dir), "list"), []byte(text.String()), 0o644))
	self, err := os.Executable()
	require.NoError(t, err)
	victim := exec.Command(self)
	victim.Env = append(os.Environ(), "CUDAGEN_TEST_INSTALL="+filepath.Dir(m.dir), "PIP_INDEX_URL="+m.index.URL, "PIP_CONFIG_FILE="+os.DevNull, "PIP_FIND_LINKS=")
	require.NoError(t, victim.Start())
	<-stalled
	require.NoError(t, victim.Process.Kill())
	assert.Error(t, victim.Wait())
	assert.False(t, m.found(compile.FindNVCC))
	assert.True(t, slices.ContainsFunc(m.left(), func(name string) bool { return strings.HasPrefix(name, temporary) }))
	m.goesOn()
}

// Of several at once one installs and the others wait.
func TestManyAtOnce(t *testing.T) {
	testenv.Need(t, testenv.Long)
	m := newMachine(t)
	m.serve = func(w http.ResponseWriter, r *http.Request, wheel []byte) {
		time.Sleep(patience / 4)
		w.Write(wheel)
	}
	var waiting, installed atomic.Int32
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			result, err := m.install(t.Context(), Options{Progress: func(line string) {
				if strings.HasPrefix(line, "waiting for another") {
					waiting.Add(1)
				}
			}})
			assert.NoError(t, err)
			if err == nil && !result.Present {
				installed.Add(1)
			}
		})
	}
	wg.Wait()
	assert.Equal(t, int32(6), m.downloads.Load())
	assert.Equal(t, int32(1), installed.Load())
	assert.Equal(t, int32(3), waiting.Load(), "who waits says so")
	assert.Equal(t, []string{"13.0.88"}, m.left())
}

// Each release has each wheel for each platform of its time, and those of a release stay as they are.
func TestWheelsArePinned(t *testing.T) {
	all := parts(nil)
	for _, name := range Libraries() {
		l, err := libraries([]string{name})
		require.NoError(t, err)
		all = append(all, parts(l)[2:]...)
	}
	for _, version := range Versions() {
		for _, platform := range []string{"linux/amd64", "linux/arm64", "windows/amd64"} {
			r, err := findRelease(version, platform)
			require.NoError(t, err)
			for _, p := range all {
				for _, name := range p.packages {
					assert.Contains(t, r, name, "%s for %s", version, platform)
				}
			}
			assert.Len(t, r, 19)
			assert.Equal(t, version, r["nvidia-cuda-nvcc"].Version())
			assert.Equal(t, version, r["nvidia-nvvm"].Version(), "one that is newer than ptxas writes PTX that it refuses")
		}
	}
	r, err := findRelease(DefaultVersion, "linux/amd64")
	require.NoError(t, err)
	assert.Equal(t, wheels.Wheel{File: "nvidia_nvvm-13.0.88-py3-none-manylinux2010_x86_64.manylinux_2_12_x86_64.whl", Size: 61601415,
		SHA256: "c5f41ffeb6466944a026dfa5317d7d85355c119bbec279205d22f1869d1054e0"}, r["nvidia-nvvm"])
}

// TestPackageIndex installs for real.
func TestPackageIndex(t *testing.T) {
	testenv.Need(t, testenv.Network)
	dir := t.TempDir()
	_, err := Install(t.Context(), Options{Dir: dir, Env: os.Getenv, Progress: func(line string) { t.Log(line) }})
	require.NoError(t, err)
	nvcc, err := compile.FindNVCC(func(name string) string {
		return map[string]string{toolchaindir.Variable: dir, "PATH": "/usr/bin:/bin"}[name]
	})
	require.NoError(t, err)
	out, err := compile.Try(t.Context(), nvcc, "sm_90")
	require.NoError(t, err)
	assert.Equal(t, "nvcc 13.0.88", out.Compiler)
}
