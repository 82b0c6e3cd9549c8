//go:build linux && !cudagen_nodriver && (amd64 || arm64)

package clib_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/gen/clib"
	"github.com/cudagen/cudagen/internal/compile"
	"github.com/cudagen/cudagen/internal/diag"
	"github.com/cudagen/cudagen/internal/fakecuda"
	"github.com/cudagen/cudagen/internal/testenv"
)

var streamless = regexp.MustCompile(`r_context_stream \w+ none (r_context_end)`)

// perLibrary is how many random functions a library has.
const perLibrary = 24

// TestRandom compares what C functions get with what Go passes, and what Go gets with what they write, byte for byte. Functions are random:
// their parameters, what directives say of these, their results and lengths. C gets slices that are as long as needed, and sees nothing of a
// call with one that is shorter. If nvcc is there, it confirms the types.
func TestRandom(t *testing.T) {
	testenv.Need(t, testenv.Long)
	cc := testenv.CCPath(t)
	driver := fakecuda.Build(t, fakecuda.Options{})
	for seed := range uint64(testenv.Cases(1, 4)) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			l := randomLibrary(rand.New(rand.NewPCG(seed, 1)), perLibrary)
			program := l.build(t)
			lines := l.run(t, program, driver, l.compile(t, cc, l.source(false)))
			for i, c := range l.calls {
				for j, line := range lines[i] { // a handle has no stream that may be closed when it is destroyed
					lines[i][j] = streamless.ReplaceAllString(line, "$1")
				}
				assert.Equal(t, c.want, lines[i], "seed %d, call %d:\n%s\n%s", seed, i, c.f.declaration(), c.text)
			}

			wrong := l.run(t, program, driver, l.compile(t, cc, l.source(true)))
			controls := 0
			for i, c := range l.calls {
				if c.f.swapped() && c.sees(c.f.swap[0]) != c.sees(c.f.swap[1]) {
					controls++
					assert.NotEqual(t, c.want, wrong[i], "a control: seed %d, call %d: C has two parameters of %s in the wrong order", seed, i, c.f.name)
				}
			}
			assert.NotZero(t, controls, "seed %d", seed)
		})
	}
}

// build generates the Go package, and builds the program with it.
func (l *library) build(t *testing.T) (program string) {
	t.Helper()
	dir := t.TempDir()
	header := filepath.Join(dir, "random.h")
	require.NoError(t, os.WriteFile(header, []byte(l.header()), 0o600))
	options := clib.Options{Source: header, Package: "main", FindCompiler: confirmed}
	if compiler, err := compile.FindNVCC(os.Getenv); err == nil {
		options.FindCompiler = func() (compile.Compiler, error) { return compiler, nil }
		options.Define = []string{"RANDOM_CUDA"}
	}
	result, err := clib.Generate(t.Context(), options)
	var problems strings.Builder
	if err != nil {
		diag.Print(&problems, err)
	}
	require.NoError(t, err, "%s", &problems)
	calls := filepath.Join(dir, "calls.go")
	require.NoError(t, os.WriteFile(calls, []byte(l.goCalls()), 0o600))
	root, err := filepath.Abs(filepath.Join("..", ".."))
	require.NoError(t, err)
	folder := filepath.Join(root, "gen", "clib", "testdata", "random")
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{filepath.Join(folder, "random_clib.go"): result.Path, filepath.Join(folder, "calls.go"): calls}})
	require.NoError(t, err)
	overlayFile := filepath.Join(dir, "overlay.json")
	require.NoError(t, os.WriteFile(overlayFile, overlay, 0o600))
	program = filepath.Join(dir, "program")
	build := exec.CommandContext(t.Context(), testenv.GoPath(t), "build", "-overlay", overlayFile, "-o", program, "./gen/clib/testdata/random")
	build.Dir = root
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%.4000s", out)
	return program
}

// compile compiles a C library.
func (l *library) compile(t *testing.T, cc, source string) (path string) {
	t.Helper()
	image := testenv.CompileC(t, cc, strings.Fields("-std=gnu11 -O1 -fPIC -shared -Wall -Werror"), fstest.MapFS{"random.c": &fstest.MapFile{Data: []byte(source)}}, "random.c")
	path = filepath.Join(t.TempDir(), "librandom.so")
	require.NoError(t, os.WriteFile(path, image, 0o700))
	return path
}

// run runs the program with a C library, and returns the lines of each call. The garbage collector runs often.
func (l *library) run(t *testing.T, program, driver, image string) [][]string {
	t.Helper()
	command := exec.CommandContext(t.Context(), program)
	command.Env = append(os.Environ(), "CUDAGEN_LIBCUDA="+driver, "CUDAGEN_LIBRANDOM="+image, "CUDAGEN_DEVICE=", "GOGC=1")
	out, err := command.CombinedOutput()
	require.NoError(t, err, "%s", out)
	lines := make([][]string, len(l.calls))
	for line := range strings.Lines(string(out)) {
		line = strings.TrimSuffix(line, "\n")
		if both, is := strings.CutPrefix(line, "layouts "); is {
			ofGo, ofC, _ := strings.Cut(both, ";")
			assert.Equal(t, strings.Fields(ofGo), strings.Fields(ofC), "sizes and offsets in Go and in C")
			continue
		}
		var call int
		_, err := fmt.Sscan(line, &call)
		require.NoError(t, err, "%s", line)
		if strings.HasPrefix(line, fmt.Sprint(call, " error: ")) {
			l.calls[call].text += "\n" + line // a failure shows it
			continue
		}
		lines[call] = append(lines[call], line)
	}
	return lines
}

// A number is an expression of a directive: a parameter or another name, a literal, or an operation.
type number struct {
	text  string // of a name or literal; otherwise of the operation, with {0} for operands
	parts []*number
	value func(parts []int64) (int64, bool) // of an operation
	name  bool
}

// C returns n as the directive has it.
func (n *number) C() string {
	text := n.text
	for i, p := range n.parts {
		text = strings.ReplaceAll(text, fmt.Sprint("{", i, "}"), p.C())
	}
	return text
}

// of returns the value of n, or false if it, or a part of it, is too large or has no value.
func (n *number) of(values map[string]int64) (int64, bool) {
	if n.name {
		v, ok := values[n.text]
		return v, ok
	}
	var parts []int64
	for _, p := range n.parts {
		v, ok := p.of(values)
		if !ok {
			return 0, false
		}
		parts = append(parts, v)
	}
	v, ok := n.value(parts)
	return v, ok && v < 1<<40 && v > -1<<40
}

func literal(n int64) *number {
	return &number{text: fmt.Sprint(n), value: func([]int64) (int64, bool) { return n, true }}
}

func truth(b bool) (int64, bool) {
	if b {
		return 1, true
	}
	return 0, true
}

// operations are the forms of expressions. What they calculate from is less than 1<<40, and so is what counts of the result.
var operations = []struct {
	text  string
	value func(v []int64) (int64, bool)
}{
	{"({0}+{1})", func(v []int64) (int64, bool) { return v[0] + v[1], true }},
	{"({0}-{1})", func(v []int64) (int64, bool) { return v[0] - v[1], true }},
	{"{0}*{1}", product},
	{"({0}+{1}*{2}==4||{0}<2)", func(v []int64) (int64, bool) {
		p, ok := product(v[1:])
		b, _ := truth(v[0]+p == 4 || v[0] < 2)
		return b, ok
	}},
	{"({0})*({1}+1)", func(v []int64) (int64, bool) { return product([]int64{v[0], v[1] + 1}) }},
	{"(({0})/({1}))", func(v []int64) (int64, bool) {
		if v[1] == 0 {
			return 0, false
		}
		return v[0] / v[1], true
	}},
	{"(({0})%({1}))", func(v []int64) (int64, bool) {
		if v[1] == 0 {
			return 0, false
		}
		return v[0] % v[1], true
	}},
	{"(-({0}))", func(v []int64) (int64, bool) { return -v[0], true }},
	{"(!({0}))", func(v []int64) (int64, bool) { return truth(v[0] == 0) }},
	{"({0}<{1})", func(v []int64) (int64, bool) { return truth(v[0] < v[1]) }},
	{"({0}>={1})", func(v []int64) (int64, bool) { return truth(v[0] >= v[1]) }},
	{"(({0})==({1}))", func(v []int64) (int64, bool) { return truth(v[0] == v[1]) }},
	{"(({0})!=({1}))", func(v []int64) (int64, bool) { return truth(v[0] != v[1]) }},
	{"({0}&&{1})", func(v []int64) (int64, bool) { return truth(v[0] != 0 && v[1] != 0) }},
	{"({0}||{1})", func(v []int64) (int64, bool) { return truth(v[0] != 0 || v[1] != 0) }},
	{"(({0})?({1}):({2}))", func(v []int64) (int64, bool) {
		if v[0] != 0 {
			return v[1], true
		}
		return v[2], true
	}},
	{"min({0},{1},{2})", func(v []int64) (int64, bool) { return min(v[0], v[1], v[2]), true }},
	{"max({0},{1})", func(v []int64) (int64, bool) { return max(v[0], v[1]), true }},
	{"abs({0})", func(v []int64) (int64, bool) { return max(v[0], -v[0]), true }},
	{"matrix({0},{1},{2})", func(v []int64) (int64, bool) {
		if v[0] <= 0 || v[1] <= 0 {
			return 0, true
		}
		most, ok := product([]int64{v[1] - 1, max(v[2], 0)})
		return most + v[0], ok
	}},
	{"vector({0},{1})", func(v []int64) (int64, bool) {
		if v[0] <= 0 {
			return 0, true
		}
		most, ok := product([]int64{v[0] - 1, max(v[1], -v[1])})
		return most + 1, ok
	}},
	{"batch({0},{1},{2})", func(v []int64) (int64, bool) {
		if v[0] <= 0 || v[2] <= 0 {
			return 0, true
		}
		most, ok := product([]int64{v[0] - 1, max(v[1], 0)})
		return most + v[2], ok
	}},
	{"bytes({0},16)", func(v []int64) (int64, bool) { return (max(v[0], 0)*4 + 7) / 8, true }},
	{"bytes({0},1)", func(v []int64) (int64, bool) { return max(v[0], 0) * 8, true }},
}

// product returns the product of two numbers that are less than 1<<41, if it is less than 1<<62.
func product(v []int64) (int64, bool) {
	if v[0] != 0 && max(v[1], -v[1]) > 1<<62/max(v[0], -v[0]) {
		return 0, false
	}
	return v[0] * v[1], true
}

// operands returns how many operands an operation has.
func operands(text string) (count int) {
	for strings.Contains(text, fmt.Sprint("{", count, "}")) {
		count++
	}
	return count
}

// randomNumber returns an expression over names.
func randomNumber(r *rand.Rand, names []string, depth int) *number {
	if depth == 0 || r.IntN(4) == 0 {
		if len(names) == 0 || r.IntN(4) == 0 {
			return literal(r.Int64N(8))
		}
		return &number{text: names[r.IntN(len(names))], name: true}
	}
	op := operations[r.IntN(len(operations))]
	n := &number{text: op.text, value: op.value}
	for range operands(op.text) {
		n.parts = append(n.parts, randomNumber(r, names, depth-1))
	}
	return n
}

// swapped reports whether the wrong library has two parameters of f in the wrong order.
func (f *randomFunction) swapped() bool { return f.swap[0] != f.swap[1] }

// sees returns what C sees of the i-th argument if it is called.
func (c *randomCall) sees(i int) string {
	if c.refused() {
		return ""
	}
	return c.seen[i]
}
