// Command generate measures cudagen itself: a run in which nothing changed, and
// compiling many files, against make.
//
//	go build -o cudagen ../cmd/cudagen
//	go run ./generate -cudagen ./cudagen -repo ..
//
// It needs nvcc, make and, to count processes, strace. It prints the
// figures of bench/README.md as a table.
package main

import (
	"bytes"
	"cmp"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cudagen/cudagen/bench/race"
	"github.com/cudagen/cudagen/gen"
	"github.com/cudagen/cudagen/internal/compile"
)

func main() {
	defer race.End()
	cudagen := flag.String("cudagen", "./cudagen", "the command")
	repo := flag.String("repo", "..", "the repository")
	nvcc := flag.String("nvcc", cmp.Or(os.Getenv("NVCC"), filepath.Join(os.Getenv("CUDA_HOME"), "bin", "nvcc")), "the compiler that make runs")
	files := flag.Int("files", 20, "sources")
	rounds := flag.Int("rounds", 7, "rounds, interleaved")
	kernels := flag.Int("kernels", 200, "kernels whose wrappers are weighed")
	flag.Parse()
	run(*cudagen, *repo, *nvcc, *files, *rounds, *kernels)
}

func run(cudagen, repo, nvcc string, files, rounds, kernels int) {
	for _, path := range []*string{&cudagen, &repo} {
		*path = race.Must(filepath.Abs(*path))
	}
	dir := race.Must(os.MkdirTemp("", "generate-"))
	defer os.RemoveAll(dir)
	m := &measurement{cudagen: cudagen, repo: repo, nvcc: nvcc, dir: dir}
	m.module()
	m.many(files, rounds)
	m.witness(rounds)
	m.wrappers(kernels)
}

// A measurement is a Go module in a folder of its own.
type measurement struct{ cudagen, repo, nvcc, dir string }

func (m *measurement) module() {
	mod := fmt.Sprintf("module example.com/generate\n\ngo 1.26\n\nrequire github.com/cudagen/cudagen v0.0.0\n\nreplace github.com/cudagen/cudagen => %s\n", m.repo)
	m.write("go.mod", mod)
	sums := race.Must(os.ReadFile(filepath.Join(m.repo, "go.sum")))
	m.write("go.sum", string(sums))
}

func (m *measurement) write(name, content string) {
	path := filepath.Join(m.dir, name)
	race.Do(os.MkdirAll(filepath.Dir(path), 0o755))
	race.Do(os.WriteFile(path, []byte(content), 0o644))
}

// timed runs a command in the module and returns how long it took.
func (m *measurement) timed(name string, args ...string) time.Duration {
	cmd := exec.Command(name, args...)
	cmd.Dir = m.dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod")
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	start := time.Now()
	err := cmd.Run()
	took := time.Since(start)
	if err != nil {
		race.Do(fmt.Errorf("%s: %w\n%s", name, err, &output))
	}
	return took
}

// source is a kernel of ordinary size with a struct by value.
func source(i int) string {
	return fmt.Sprintf(`struct Grid%[1]d { int w, h; float dt; float k[3]; };
//cudagen:block 256
//cudagen:threads n
//cudagen:len from=n to=n
extern "C" __global__ void step%[1]d(int n, Grid%[1]d g, const float *from, float *to) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0;
  for (int j = -4; j <= 4; j++) sum += from[(i + j * g.w + n) %% n] * g.k[(j + 4) %% 3];
  to[i] = from[i] + g.dt * sum + %[1]d;
}
`, i)
}

// many measures cudagen on many sources.
func (m *measurement) many(files, rounds int) {
	var sources, objects []string
	for i := range files {
		name := fmt.Sprintf("many/k%02d.cu", i)
		sources = append(sources, name)
		objects = append(objects, fmt.Sprintf("many/k%02d.made", i))
		m.write(name, source(i))
	}
	rules := fmt.Sprintf("all: %s\n%%.made: %%.cu\n\t%s -ptx -arch compute_75 -lineinfo -o $@ $<\n", strings.Join(objects, " "), m.nvcc)
	m.write("Makefile", rules)
	var made, compiled, unchanged []time.Duration
	for range rounds {
		t := m.timed("make", "-B", "-s", "-j2")
		made = append(made, t)
		t = m.timed(m.cudagen, append([]string{"-force"}, sources...)...)
		compiled = append(compiled, t)
		for range 3 {
			t = m.timed(m.cudagen, sources...)
			unchanged = append(unchanged, t)
		}
	}
	ratios := make([]float64, rounds)
	for i := range ratios {
		ratios[i] = compiled[i].Seconds() / made[i].Seconds()
	}
	slices.Sort(ratios)
	fmt.Printf("| compiling %d files: make -j2, best and median of %d | %.2f, %.2f s |\n", files, rounds, slices.Min(made).Seconds(), race.MedianTime(made).Seconds())
	fmt.Printf("| cudagen -force, best and median | %.2f, %.2f s |\n", slices.Min(compiled).Seconds(), race.MedianTime(compiled).Seconds())
	fmt.Printf("| cudagen ÷ make: best ÷ best; median, least and most of the rounds | %.2f; %.2f (%.2f–%.2f) |\n",
		slices.Min(compiled).Seconds()/slices.Min(made).Seconds(), ratios[rounds/2], ratios[0], ratios[rounds-1])
	fmt.Printf("| cudagen, nothing changed, median | %.1f ms |\n", race.MedianTime(unchanged).Seconds()*1e3)
	processes := m.processes(append([]string{m.cudagen}, sources...))
	fmt.Printf("| its child processes | %s |\n", processes)
}

// mute is a compiler that nobody hears as a witness.
type mute struct{ compile.Compiler }

func (c mute) Compile(ctx context.Context, r compile.Request) (*compile.Output, error) {
	if r.Debug {
		return nil, compile.ErrNoDebug
	}
	return c.Compiler.Compile(ctx, r)
}

// witness measures what the extra compilation, of the second witness, adds to generating from
// one source.
func (m *measurement) witness(rounds int) {
	generate := func(compiler compile.Compiler) time.Duration {
		start := time.Now()
		_, err := gen.Generate(context.Background(), gen.Options{
			Sources: []string{filepath.Join(m.dir, "many", "k00.cu")}, Archs: []string{"compute_75"}, Force: true,
			FindCompiler: func() (compile.Compiler, error) { return compiler, nil },
		})
		race.Do(err)
		return time.Since(start)
	}
	compiler := race.Must(compile.FindNVCC(os.Getenv))
	var with, without []time.Duration
	for range 3 * rounds {
		for _, one := range []struct {
			compiler compile.Compiler
			times    *[]time.Duration
		}{{compiler, &with}, {mute{compiler}, &without}} {
			t := generate(one.compiler)
			*one.times = append(*one.times, t)
		}
	}
	fmt.Printf("| generating from one file, median of %d; without the second witness; ÷ | %.3f; %.3f s; %.2f |\n", len(with), race.MedianTime(with).Seconds(), race.MedianTime(without).Seconds(),
		race.MedianTime(with).Seconds()/race.MedianTime(without).Seconds())
}

// processes counts the programs that a command starts besides itself.
func (m *measurement) processes(command []string) string {
	if _, err := exec.LookPath("strace"); err != nil {
		return "not counted: there is no strace"
	}
	log := filepath.Join(m.dir, "strace.log")
	m.timed("strace", append([]string{"-f", "-e", "trace=execve", "-o", log}, command...)...)
	text := race.Must(os.ReadFile(log))
	return strconv.Itoa(bytes.Count(text, []byte("execve(")) - 1)
}

// wrappers weighs the machine code of generated methods, and times building them.
func (m *measurement) wrappers(kernels int) {
	var text strings.Builder
	text.WriteString("extern \"C\" __global__ void nothing() {}\n")
	for i := range kernels {
		text.WriteString(source(i))
	}
	m.write("wide/wide.cu", text.String())
	m.write("wide/main/main.go", "package main\n\nimport \"example.com/generate/wide\"\n\nvar keep any = wide.LoadWide\n\nfunc main() { println(keep != nil) }\n")
	m.timed(m.cudagen, "-force", "wide/wide.cu")
	build := func() time.Duration { return m.timed("go", "build", "-o", "wide.a", "./wide") }
	build()
	m.write("wide/wide.cu", text.String()+"// changed\nextern \"C\" __global__ void more(int n) {}\n")
	m.timed(m.cudagen, "wide/wide.cu")
	took := build()
	symbols := race.Must(exec.Command("go", "tool", "nm", "-size", filepath.Join(m.dir, "wide.a")).Output())
	sizes := methodSizes(string(symbols))
	floor := sizes["Nothing"]
	var launch []int
	for name, size := range sizes {
		if strings.HasPrefix(name, "Step") {
			launch = append(launch, size-floor)
		}
	}
	slices.Sort(launch)
	fmt.Printf("| LaunchWith of a kernel without parameters: the floor | %d bytes |\n", floor)
	fmt.Printf("| Launch and LaunchWith of %d kernels, 4 parameters with 2 checked slices: each above the floor, median, largest | %d, %d bytes |\n", kernels, launch[len(launch)/2], launch[len(launch)-1])
	fmt.Printf("| go build of the package after a change | %.2f s |\n", took.Seconds())
}

// method is a line of go tool nm: the address, the size, the kind, and a method.
var method = regexp.MustCompile(`(?m)^\s*[0-9a-f]+\s+(\d+)\s+T\s+\S*wide\.\(\*(\w+)Kernel\)\.(?:Launch|LaunchWith)$`)

// methodSizes returns the largest of a kernel's launching methods, in bytes.
func methodSizes(symbols string) map[string]int {
	sizes := make(map[string]int)
	for _, m := range method.FindAllStringSubmatch(symbols, -1) {
		n, err := strconv.Atoi(m[1])
		if err == nil {
			sizes[m[2]] = max(sizes[m[2]], n)
		}
	}
	return sizes
}
