package nvrtc

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/testenv"
)

const scale = `#include <cstdint>
template <class T> __global__ void scale(T *x, T a, int64_t n) {
  int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  if (i < n) x[i] *= a;
}
`

// newCompiler returns one with its cache in dir; empty makes a folder of the test.
func newCompiler(t testing.TB, dir string) *Compiler {
	t.Helper()
	if dir == "" {
		dir = t.TempDir()
	}
	c, err := New(Config{Library: testenv.NVRTCPath(t), Dir: dir})
	require.NoError(t, err)
	return c
}

func compile(t *testing.T, c *Compiler, source string, o Options) *Compiled {
	t.Helper()
	if o.Arch == "" {
		o.Arch = "compute_75"
	}
	r, err := c.Compile(t.Context(), source, o)
	require.NoError(t, err)
	return r
}

func TestCompile(t *testing.T) {
	dir := t.TempDir()
	c := newCompiler(t, dir)
	o := Options{Kernels: []string{"scale<float>", "scale<double>"}}
	built := compile(t, c, scale, o)
	assert.Equal(t, Built, built.Origin)
	assert.Empty(t, built.Uncached)
	assert.NoError(t, built.CacheProblem)
	assert.Equal(t, "kernels.ptx", built.Image.Name)
	assert.Equal(t, map[string]string{"scale<float>": "_Z5scaleIfEvPT_S0_l", "scale<double>": "_Z5scaleIdEvPT_S0_l"}, built.Symbols)
	assert.Contains(t, built.Image.Data, ".entry _Z5scaleIfEvPT_S0_l(")

	for _, tt := range []struct {
		c    *Compiler
		from Origin
	}{{c, Memory}, {newCompiler(t, dir), Disk}} {
		again := compile(t, tt.c, scale, o)
		assert.Equal(t, tt.from, again.Origin)
		again.Origin = Built
		assert.Equal(t, built, again)
	}
	assert.Equal(t, Stats{MemoryHits: 1, Misses: 1, Builds: 1}, c.Stats())

	o.Arch = "sm_75"
	cubin := compile(t, c, scale, o)
	assert.Equal(t, Built, cubin.Origin)
	assert.True(t, strings.HasPrefix(cubin.Image.Data, "\x7fELF"))
	assert.Equal(t, "kernels.cubin", cubin.Image.Name)
}

func TestOff(t *testing.T) {
	testenv.Need(t, testenv.NVRTC)
	for name, newOff := range map[string]func() (*Compiler, error){
		"by Config": func() (*Compiler, error) { return New(Config{Library: testenv.NVRTCPath(t), Off: true}) },
		"by environment": func() (*Compiler, error) {
			t.Setenv("CUDAGEN_CACHE", "off")
			return New(Config{Library: testenv.NVRTCPath(t)})
		},
	} {
		t.Run(name, func(t *testing.T) {
			c, err := newOff()
			require.NoError(t, err)
			for range 2 {
				r := compile(t, c, "", Options{})
				assert.Equal(t, Built, r.Origin)
				assert.NoError(t, r.CacheProblem)
			}
			assert.Zero(t, c.Stats())
		})
	}
}

func TestFolderOfTheEnvironment(t *testing.T) {
	library := testenv.NVRTCPath(t)
	dir := t.TempDir()
	t.Setenv("CUDAGEN_CACHE", dir)
	c, err := New(Config{Library: library})
	require.NoError(t, err)
	compile(t, c, "", Options{})
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.NotEmpty(t, left)

	t.Setenv("CUDAGEN_CACHE", "relative")
	c, err = New(Config{Library: library})
	require.NoError(t, err)
	r := compile(t, c, "", Options{})
	assert.ErrorContains(t, r.CacheProblem, "CUDAGEN_CACHE=relative: want off or an absolute path")
	assert.Equal(t, Memory, compile(t, c, "", Options{}).Origin)
}

func TestErrors(t *testing.T) {
	c := newCompiler(t, "")
	_, err := c.Compile(t.Context(), "\n__global__ void k() { q; }\n", Options{Arch: "compute_75", Name: "a/b.cu"})
	var source *CompileError
	require.ErrorAs(t, err, &source)
	assert.EqualError(t, err, `a/b.cu:2: identifier "q" is undefined`)
	assert.Equal(t, 2, source.Errors[0].Pos.Line)

	for arch, want := range map[string]string{
		"": `compiling kernels.cu with NVRTC: architecture "": write compute_XX`, "native": "write compute_XX", "compute_12": "--gpu-architecture",
	} {
		_, err = c.Compile(t.Context(), "", Options{Arch: arch})
		assert.ErrorContains(t, err, want)
	}

	for _, define := range []string{"", "=3", "-DX", "A B=3", "1A", "A\n"} {
		_, err = c.Compile(t.Context(), "", Options{Arch: "compute_75", Defines: []string{"OK", define}})
		assert.EqualError(t, err, fmt.Sprintf("compiling kernels.cu with NVRTC: define %q does not begin with the name of a macro: write NAME or NAME=VALUE", define))
	}
	for _, define := range []string{"A", "_A1=", "TWICE(x)=x x", "S=\"a b\"", "F(a, ...)=a"} {
		_, err = c.Compile(t.Context(), "", Options{Arch: "compute_75", Defines: []string{define}})
		assert.NoError(t, err, define)
	}

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = c.Compile(ctx, "", Options{Arch: "compute_75"})
	assert.ErrorIs(t, err, context.Canceled)

	_, err = New(Config{Library: filepath.Join(t.TempDir(), "none")})
	var missing *NotFoundError
	assert.ErrorAs(t, err, &missing)
}

// TestNextAfterCancelled: a source that was given up on does not hold up another, nor itself.
func TestNextAfterCancelled(t *testing.T) {
	const long = `template <int N> __device__ __forceinline__ float f(float x, float y) {
  if constexpr (N == 0) return x; else return f<N - 1>(__sinf(x) * y + f<N - 1>(y, x), x);
}
extern "C" __global__ void k(float *x) { *x = f<13>(x[0], x[1]); }`
	c := newCompiler(t, "")
	compile(t, c, scale, Options{Arch: "sm_75"})
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	_, err := c.Compile(ctx, long, Options{Arch: "sm_75"})
	require.ErrorIs(t, err, context.DeadlineExceeded)
	start := time.Now()
	compile(t, c, scale+"// Another source.\n", Options{Arch: "sm_75"})
	next := time.Since(start)
	start = time.Now()
	assert.Equal(t, Built, compile(t, c, long, Options{Arch: "sm_75"}).Origin, "nothing of the first attempt is left")
	assert.Less(t, next, time.Since(start), "the control: it takes long")
}

// TestEverythingIsInTheKey: whatever changes, it is another build; and what was asked
// for before is found again.
func TestEverythingIsInTheKey(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"a", "b", "work"} {
		require.NoError(t, os.Mkdir(filepath.Join(root, name), 0o700))
	}
	a, b := filepath.Join(root, "a"), filepath.Join(root, "b")
	write := func(path, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(root, filepath.FromSlash(path)), []byte(text), 0o600))
	}
	t.Chdir(filepath.Join(root, "work"))
	write("a/first.h", "#include \"second.h\"\n")
	write("a/second.h", "#if 0\n#include <third.h>\n#endif\n")
	source := "#include <first.h>\nextern \"C\" __global__ void k() {}\n"
	o := Options{IncludeDirs: []string{a, b}}

	c := newCompiler(t, "")
	is := func(want Origin, what string) {
		t.Helper()
		assert.Equal(t, want, compile(t, c, source, o).Origin, what)
	}
	is(Built, "first")
	is(Memory, "nothing changed")
	for _, tt := range []struct {
		name         string
		change, undo func()
	}{
		{"source", func() { source += " " }, func() { source = source[:len(source)-1] }},
		{"name", func() { o.Name = "other.cu" }, func() { o.Name = "" }},
		{"architecture", func() { o.Arch = "compute_80" }, func() { o.Arch = "" }},
		{"defines", func() { o.Defines = []string{"A"} }, func() { o.Defines = nil }},
		{"flags", func() { o.Flags = []string{"-use_fast_math"} }, func() { o.Flags = nil }},
		{"dialect", func() { o.Std = "c++20" }, func() { o.Std = "" }},
		{"line information", func() { o.LineInfo = true }, func() { o.LineInfo = false }},
		{"kernels", func() { o.Kernels = []string{"k"} }, func() { o.Kernels = nil }},
		{"order of folders", func() { o.IncludeDirs = []string{b, a} }, func() { o.IncludeDirs = []string{a, b} }},
		{"header in memory", func() { o.Headers = map[string]string{"first.h": ""} }, func() { o.Headers = nil }},
		{"another header in memory", func() { o.Headers = map[string]string{"first.h": " "} }, func() { o.Headers = nil }},
		{"header's header, same size", func() { write("a/second.h", "#if 0\n#include <third.h>\n#endif ") },
			func() { write("a/second.h", "#if 0\n#include <third.h>\n#endif\n") }},
		{"header in a condition appears", func() { write("b/third.h", "") }, func() { require.NoError(t, os.Remove(filepath.Join(b, "third.h"))) }},
		{"header beside the source", func() { write("work/first.h", "") }, func() { require.NoError(t, os.Remove(filepath.Join(root, "work", "first.h"))) }},
		{"header behind the one that is found", func() { write("b/second.h", "x") }, func() { require.NoError(t, os.Remove(filepath.Join(b, "second.h"))) }},
	} {
		tt.change()
		is(Built, tt.name)
		is(Memory, tt.name+" again")
		tt.undo()
		is(Memory, "without "+tt.name)
	}

	t.Chdir(b)
	is(Memory, "another working folder")
	t.Chdir(a)
	is(Built, "another working folder, in which a header is")
	o.LineInfo, o.IncludeDirs = true, []string{b, a}
	is(Built, "line information")
	t.Chdir(b)
	is(Built, "line information in another folder")
}

func TestUncached(t *testing.T) {
	testenv.Need(t, testenv.NVRTC)
	root := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(root, "h.h"), []byte("#define H \"other.h\"\n#include H\n"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(root, "other.h"), nil, 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(root, "pre.h"), nil, 0o600))
	for _, tt := range []struct {
		name, source string
		o            Options
		want         string
	}{
		{"time", "__device__ const char *t = __TIME__;\n", Options{}, "__TIME__"},
		{"date in a macro", "__device__ const char *t = D;\n", Options{Defines: []string{"D=__DATE__"}}, "__DATE__"},
		{"header named by a macro, in a header", "#include \"h.h\"\n", Options{IncludeDirs: []string{root}}, "#include of a file that is known only when compiling: #include H"},
		{"flag that reads a file", "", Options{Flags: []string{"--pre-include=" + filepath.Join(root, "pre.h")}}, "flag --pre-include="},
		{"flag that writes a file", "", Options{Flags: []string{"-time=" + filepath.Join(root, "time.csv")}}, "flag -time="},
		{"in a header in memory", "#include <m.h>\n", Options{Headers: map[string]string{"m.h": "// __TIMESTAMP__\n"}}, "__TIMESTAMP__"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := newCompiler(t, "")
			for range 2 {
				r := compile(t, c, tt.source, tt.o)
				assert.Equal(t, Built, r.Origin)
				assert.Contains(t, r.Uncached, tt.want)
			}
			assert.Equal(t, Stats{Uncached: 2}, c.Stats())
		})
	}
}

// TestHeadersThatChangeMeanwhile compiles while the header is written: an image is
// kept under the key of the header that it was made from, or not at all.
func TestHeadersThatChangeMeanwhile(t *testing.T) {
	root := t.TempDir()
	c := newCompiler(t, "")
	path := filepath.Join(root, "n.h")
	write := func(i int) {
		next := filepath.Join(root, fmt.Sprint("next", i))
		require.NoError(t, os.WriteFile(next, fmt.Appendf(nil, "#define N %03d\n", i+100), 0o600))
		require.NoError(t, os.Rename(next, path))
	}
	write(0)
	source, o := "#include \"n.h\"\nextern \"C\" __global__ void k(int *x) { *x = N; }\n", Options{Arch: "compute_75", IncludeDirs: []string{root}}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := range 40 {
			write(i)
			time.Sleep(7 * time.Millisecond)
		}
	}()
	for {
		if _, err := c.Compile(t.Context(), source, o); err != nil {
			require.ErrorIs(t, err, errChanged)
		}
		select {
		case <-done:
		default:
			continue
		}
		break
	}
	for i := range 40 {
		write(i)
		r, err := c.Compile(t.Context(), source, o)
		require.NoError(t, err)
		assert.Regexp(t, fmt.Sprintf(`mov\.(u32|b32)\s+%%r1, %d;`, i+100), r.Image.Data, r.Origin)
	}
}

// A child is this test run again as another process.
const (
	childDir  = "CUDAGEN_TEST_CACHE"
	childRole = "CUDAGEN_TEST_ROLE"
)

func TestMain(m *testing.M) {
	if role := os.Getenv(childRole); role != "" {
		os.Exit(child(role, os.Getenv(childDir)))
	}
	os.Exit(m.Run())
}

const children, goroutines, builds = 8, 16, 20

func sourceOf(i int) string {
	return fmt.Sprintf("extern \"C\" __global__ void k(int *x) { *x = %d; }\n", i)
}

func child(role, dir string) int {
	start := time.Now()
	c, err := New(Config{Dir: dir})
	if err != nil {
		fmt.Println(err)
		return 1
	}
	if role == "first" {
		r, err := c.Compile(context.Background(), scale, Options{Arch: "compute_75", Kernels: []string{"scale<float>"}})
		if err != nil {
			fmt.Println(err)
			return 1
		}
		fmt.Println(r.Origin, time.Since(start).Microseconds())
		return 0
	}
	io.ReadAll(os.Stdin) // until all of them are there
	var group sync.WaitGroup
	for range goroutines {
		for i := range builds {
			group.Go(func() {
				r, err := c.Compile(context.Background(), sourceOf(i), Options{Arch: "compute_75"})
				if err != nil || r.CacheProblem != nil || !strings.Contains(r.Image.Data, fmt.Sprintf(", %d;", i)) {
					fmt.Println("wrong:", r, err)
				}
			})
		}
	}
	group.Wait()
	fmt.Println("builds", c.Stats().Builds)
	return 0
}

func startChild(t testing.TB, role, dir string) (stdin io.Closer, stdout io.Reader) {
	t.Helper()
	program, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command(program)
	cmd.Env = append(os.Environ(), childRole+"="+role, childDir+"="+dir, "NVRTC_LIB="+testenv.NVRTCPath(t))
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	return in, out
}

// TestProcessesCompileOnce: 16 goroutines in each of 8 processes ask for the same 20 images.
func TestProcessesCompileOnce(t *testing.T) {
	testenv.Need(t, testenv.NVRTC)
	dir := t.TempDir()
	var outputs []io.Reader
	var gates []io.Closer
	for range children {
		in, out := startChild(t, "many", dir)
		outputs, gates = append(outputs, out), append(gates, in)
	}
	for _, gate := range gates {
		require.NoError(t, gate.Close())
	}
	total := 0
	for _, out := range outputs {
		text, err := io.ReadAll(out)
		require.NoError(t, err)
		var n int
		_, err = fmt.Sscanf(string(text), "builds %d\n", &n)
		require.NoError(t, err, "%s", text)
		total += n
	}
	assert.Equal(t, builds, total)
}

var firstCall = regexp.MustCompile(`^(\w+) (\d+)\n$`)

// BenchmarkFirstCallWarmDisk reports the time from looking for the library to the
// image, in a process that has done nothing before.
func BenchmarkFirstCallWarmDisk(b *testing.B) {
	dir := b.TempDir()
	var total float64
	want := "built"
	for range b.N + 1 {
		_, out := startChild(b, "first", dir)
		text, err := io.ReadAll(out)
		require.NoError(b, err)
		m := firstCall.FindStringSubmatch(string(text))
		require.NotNil(b, m, "%s", text)
		require.Equal(b, want, m[1])
		var microseconds float64
		_, err = fmt.Sscan(m[2], &microseconds)
		require.NoError(b, err)
		if want == "disk" {
			total += microseconds
		}
		want = "disk"
	}
	b.ReportMetric(total/float64(b.N), "µs/call")
}

func BenchmarkSecondCall(b *testing.B) {
	for name, source := range map[string]string{"own source": scale, "cuda_fp16.h": "#include <cuda_fp16.h>\n" + scale} {
		b.Run(name, func(b *testing.B) {
			c := newCompiler(b, "")
			o := Options{Arch: "compute_75", Kernels: []string{"scale<float>"}}
			_, err := c.Compile(b.Context(), source, o)
			require.NoError(b, err)
			for b.Loop() {
				if _, err := c.Compile(b.Context(), source, o); err != nil {
					b.Fatal(err)
				}
			}
			assert.EqualValues(b, 1, c.Stats().Builds)
		})
	}
}

func BenchmarkBuild(b *testing.B) {
	c := newCompiler(b, "")
	for i := 0; b.Loop(); i++ {
		source := fmt.Sprintf("%s// %d\n", scale, i)
		if _, err := c.Compile(b.Context(), source, Options{Arch: "compute_75", Kernels: []string{"scale<float>"}}); err != nil {
			b.Fatal(err)
		}
	}
}
