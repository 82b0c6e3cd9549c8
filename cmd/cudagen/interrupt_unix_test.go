//go:build unix

package main

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/folderlock"
	"github.com/cudagen/cudagen/internal/testenv"
)

// sleeper is a program that does not end, nor does the one that it starts. While one of them runs, the pipe
// alive is open.
const sleeper = "#!/bin/sh\nexec 3>\"$ALIVE\"\nsleep 100 &\nwait\n"

// sleepyCompiler is nvcc, up to the compilation.
const sleepyCompiler = "#!/bin/sh\ncase \"$1\" in --version) echo 'Cuda compilation tools, release 13.0, V13.0.88'; exit;; esac\n" +
	"echo begun > \"$TMPDIR/begun\"\nexec 3>\"$ALIVE\"\nsleep 100 &\nwait\n"

// endless is a source that reading takes seconds for, behind the pipe that it includes.
var endless = func() string {
	var b strings.Builder
	b.WriteString("#include \"alive\"\nconstexpr int slow(int n) { int s = 0; for (int i = 0; i < n; i++) s += i; return n; }\n__global__ void k(int x) {}\n")
	for i := range 1000 {
		fmt.Fprintf(&b, "const int n%d = slow(%d);\n", i, 20000+i)
	}
	return b.String()
}()

// An interruption is a command that is interrupted while it is busy.
type interruption struct {
	name, args string
	files      map[string]string
	programs   map[string]string
	env        []string
	locked     bool // another process has the folder's lock
	downloads  bool // from an index that does not answer
	wait       time.Duration
	need       func(testing.TB)
}

var interruptions = []interruption{
	{name: "reading", args: "k.cu", files: map[string]string{"k.cu": endless}},
	{name: "reading for -check", args: "-check k.cu", files: map[string]string{"k.cu": endless}},
	{name: "inspect", args: "inspect k.cu", files: map[string]string{"k.cu": endless}},
	{name: "model", args: "model -json k.cu", files: map[string]string{"k.cu": endless}},
	{name: "compiling", args: "-compiler nvcc k.cu", files: map[string]string{"k.cu": "__global__ void k(int x) {}\n"}, programs: map[string]string{"nvcc": sleepyCompiler}},
	{name: "asking for a version", args: "-compiler nvcc k.cu", files: map[string]string{"k.cu": "__global__ void k(int x) {}\n"}, programs: map[string]string{"nvcc": sleeper}},
	{name: "looking for a compiler", args: "k.cu", files: map[string]string{"k.cu": "__global__ void k(int x) {}\n"}, programs: map[string]string{"python3": sleeper}},
	{name: "locked", args: "kernels.cu", locked: true, wait: 300 * time.Millisecond},
	{name: "toolchain install", args: "toolchain install -dir toolchain", downloads: true},
	{name: "doctor", args: "doctor", programs: map[string]string{"nvcc": sleeper}},
	{name: "init", args: "init folder", programs: map[string]string{"go": sleeper}},
	{name: "vet", args: "vet ./...", programs: map[string]string{"go": sleeper}},
	{name: "sim", args: "sim alive"},
	{name: "a source that is a pipe", args: "inspect pipe.cu", files: map[string]string{"pipe.cu": "#include \"alive\"\n"}},
	{
		name: "NVRTC", args: "-compiler nvrtc k.cu", wait: 700 * time.Millisecond, need: func(t testing.TB) { testenv.Need(t, testenv.NVRTC) },
		files: map[string]string{"k.cu": "__global__ void k(float *x) {\n" + strings.Repeat("#pragma unroll\nfor (int i = 0; i < 2000; i++) x[i] = sinf(x[i * 3]) + x[i + 1];\n", 300) + "}\n"},
	},
}

// SIGINT, SIGTERM and SIGHUP end every command within 0.2 s, and nothing is left: no temporary file, no output, and
// no process that it started.
func TestInterrupted(t *testing.T) {
	testenv.Need(t, testenv.Long)
	self, err := os.Executable()
	require.NoError(t, err)
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP) // under nohup it is ignored, by what this process starts, too, which cudagen respects
	defer signal.Stop(hangups)
	signals := []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP}
	for n, test := range interruptions {
		t.Run(test.name, func(t *testing.T) {
			if test.need != nil {
				test.need(t)
			}
			const soon, tries = 200 * time.Millisecond, 4 // the machine may be busy
			for i := range tries {
				took := test.run(t, self, signals[(n+i)%len(signals)])
				if took <= soon {
					return
				}
				require.Less(t, i, tries-1, "it ended after %v", took)
			}
		})
	}
}

// run interrupts the command, and returns how long it took to end.
func (test *interruption) run(t *testing.T, self string, sent syscall.Signal) time.Duration {
	home := t.TempDir()
	work, bin, temp := filepath.Join(home, "work"), filepath.Join(home, "bin"), filepath.Join(home, "temp")
	for _, folder := range []string{work, bin, temp} {
		require.NoError(t, os.Mkdir(folder, 0o777))
	}
	require.NoError(t, os.Symlink(self, filepath.Join(bin, "cudagen")))
	for name, text := range test.files {
		require.NoError(t, os.WriteFile(filepath.Join(work, name), []byte(text), 0o666))
	}
	for name, text := range test.programs {
		require.NoError(t, os.WriteFile(filepath.Join(bin, name), []byte(text), 0o777))
	}
	alive := filepath.Join(work, "alive")
	if test.args == "sim alive" {
		alive += ".ptx"
	}
	require.NoError(t, syscall.Mkfifo(alive, 0o666))
	if test.locked {
		require.NoError(t, os.CopyFS(work, os.DirFS("starter")))
		t.Setenv("XDG_CACHE_HOME", filepath.Join(home, "cache"))
		t.Setenv("HOME", home)
		defer folderlock.Lock(t.Context(), []string{work})()
	}
	cmd := exec.Command(filepath.Join(bin, "cudagen"), strings.Fields(strings.Replace(test.args, "sim alive", "sim alive.ptx", 1))...)
	cmd.Dir = work
	cmd.Env = append([]string{"PATH=" + bin + ":/usr/bin:/bin", "HOME=" + home, "XDG_CACHE_HOME=" + filepath.Join(home, "cache"), "TMPDIR=" + temp, "ALIVE=" + alive}, test.env...)
	var index net.Listener
	if test.downloads {
		var err error
		index, err = net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		defer index.Close()
		cmd.Env = append(cmd.Env, "PIP_INDEX_URL=http://"+index.Addr().String()+"/")
	}
	if test.need != nil {
		cmd.Env = append(os.Environ(), "TMPDIR="+temp, "CUDAGEN_CACHE=off")
	}
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	before := listing(t, work)
	require.NoError(t, cmd.Start())

	var pipe *os.File
	switch {
	case test.wait > 0:
		time.Sleep(test.wait)
	case test.downloads:
		asked, err := index.Accept()
		require.NoError(t, err)
		defer asked.Close()
	default:
		pipe = test.rendezvous(t, alive)
	}
	begin := time.Now()
	require.NoError(t, cmd.Process.Signal(sent))
	err := cmd.Wait()
	took := time.Since(begin)
	var exit *exec.ExitError
	require.ErrorAs(t, err, &exit)
	assert.Equal(t, exitInput, exit.ExitCode(), "%s", &output)
	assert.Regexp(t, "interrupt|signal|killed", output.String())
	if pipe != nil && len(test.programs) > 0 {
		ended := make(chan struct{})
		go func() { io.Copy(io.Discard, pipe); close(ended) }()
		select {
		case <-ended:
		case <-time.After(5 * time.Second):
			assert.Fail(t, "a process is left")
		}
	}
	if pipe != nil {
		pipe.Close()
	}
	assert.Empty(t, listing(t, temp), "temporary files")
	if !strings.HasPrefix(test.args, "init") && !test.downloads { // which have written files
		assert.Equal(t, before, listing(t, work))
	}
	for _, name := range slices.Concat(listing(t, filepath.Join(home, "cache")), listing(t, work)) {
		assert.NotRegexp(t, `tmp-|\.install-`, name)
	}
	return took
}

// rendezvous waits until the other side of the pipe is opened: for reading by the command, or for writing by
// a program that it runs.
func (test *interruption) rendezvous(t *testing.T, path string) *os.File {
	t.Helper()
	opened := make(chan *os.File, 1)
	flag := os.O_WRONLY
	if len(test.programs) > 0 {
		flag = os.O_RDONLY
	}
	go func() {
		f, err := os.OpenFile(path, flag, 0)
		if err != nil {
			f = nil
		}
		opened <- f
	}()
	select {
	case f := <-opened:
		require.NotNil(t, f)
		if busy := test.files["k.cu"] == endless; busy {
			f.Close() // an empty header: reading goes on
			time.Sleep(50 * time.Millisecond)
			return nil
		}
		return f
	case <-time.After(20 * time.Second):
		require.FailNow(t, "the command is not busy")
		return nil
	}
}

// listing returns the paths of the files and folders in folder.
func listing(t *testing.T, folder string) (names []string) {
	filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && path != folder {
			names = append(names, path)
		}
		return nil
	})
	slices.Sort(names)
	return names
}
