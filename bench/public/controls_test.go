package public_test

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/cudagen/cudagen/runtime/simtest"
)

// sources is sources.json: what the suite's kernels are.
func sources(t *testing.T) []struct {
	Repository, Commit, Licence string
	Units                       map[string]map[string]string // file → SHA-256, by unit
} {
	t.Helper()
	data, err := os.ReadFile("sources.json")
	check(t, err)
	var s []struct {
		Repository, Commit, Licence string
		Units                       map[string]map[string]string
	}
	check(t, json.Unmarshal(data, &s))
	return s
}

func TestSources(t *testing.T) {
	used := map[string]int{}
	for _, k := range kernels {
		used[k.unit]++
	}
	s := sources(t)
	for _, repository := range s {
		if len(repository.Commit) != 40 || repository.Licence == "" {
			t.Errorf("%s: commit %q, licence %q", repository.Repository, repository.Commit, repository.Licence)
		}
		for unit, files := range repository.Units {
			if used[unit] == 0 {
				t.Errorf("no kernel of %s is run", unit)
			}
			delete(used, unit)
			for file, hash := range files {
				if sum, err := hex.DecodeString(hash); err != nil || len(sum) != 32 {
					t.Errorf("%s: %s: no SHA-256: %q", unit, file, hash)
				}
			}
		}
	}
	for unit := range used {
		t.Errorf("sources.json lacks %s", unit)
	}
	if len(kernels) < 100 || len(s) < 10 {
		t.Errorf("%d kernels of %d repositories", len(kernels), len(s))
	}
	t.Logf("%d kernels of %d repositories", len(kernels), len(s))
}

// TestFolder compares the folder's sources.json, which whoever made the PTX writes, with ours.
func TestFolder(t *testing.T) {
	if *folder == "" {
		t.Skip("no PTX of public kernels: -public.dir names a folder that has it, as sources.json says")
	}
	data, err := os.ReadFile(*folder + "/sources.json")
	check(t, err)
	ours, err := os.ReadFile("sources.json")
	check(t, err)
	if string(data) != string(ours) {
		t.Error("the PTX is not made of the files in sources.json")
	}
	open := 0
	for _, k := range kernels {
		if k.open(t) != "" {
			open++
		}
	}
	t.Logf("%d of %d kernels have instructions whose results are open", open, len(kernels))
}

// saxpy is the harness around a kernel of ours.
func saxpy(wrong float32) kernel {
	return kernel{"kernels", "saxpy", 0, func(r *run) {
		for _, n := range lengths {
			x, y := r.floats(n, -1, 1), r.floats(n, -1, 1)
			out := on(r, y)
			launch(r, dim(over(n, 64)), dim(64), 0, with4(int32(n), float32(2.5), on(r, x), out))
			equal(r, "y", from(r, out), each(n, func(i int) float32 { return fma(2.5, x[i], y[i]) + wrong }))
		}
	}}
}

func TestHarness(t *testing.T) {
	before := *folder
	*folder = "../../example"
	defer func() { *folder = before }()

	simulate := func(t testing.TB, k kernel) [][]byte {
		dev := simtest.New(t)
		lib := k.load(t, dev)
		defer lib.Close()
		return k.on(t, dev, lib)
	}
	results := simulate(t, saxpy(0))
	if got := saxpy(0).open(t); got != "" {
		t.Errorf("an fma is open: %s", got)
	}
	if message := failure(t, func(t testing.TB) { simulate(t, saxpy(0.5)) }); !strings.Contains(message, "y[0] of 1: ") {
		t.Errorf("a wrong reference: %q", message)
	}
	if message := failure(t, func(t testing.TB) { simulate(t, kernel{"kernels", "sax", 0, nil}) }); !strings.Contains(message, "no kernel sax, but ") {
		t.Errorf("a wrong name: %q", message)
	}
	if message := failure(t, func(t testing.TB) { saxpy(0).compare(t, results, results) }); message != "" {
		t.Errorf("equal results: %q", message)
	}
	other := append([][]byte{append([]byte{results[0][0] ^ 1}, results[0][1:]...)}, results[1:]...)
	if message := failure(t, func(t testing.TB) { saxpy(0).compare(t, results, other) }); !strings.HasPrefix(message, "1 of ") {
		t.Errorf("results that differ: %q", message)
	}
}

// failure returns what f reports, or "".
func failure(t *testing.T, f func(t testing.TB)) string {
	r := &recorder{TB: t}
	func() {
		defer func() {
			if p := recover(); p != nil && p != r {
				panic(p)
			}
		}()
		f(r)
	}()
	return r.message
}

// A recorder notes failures instead of failing.
type recorder struct {
	testing.TB
	message string
}

func (r *recorder) Errorf(format string, args ...any) { r.message += fmt.Sprintf(format, args...) }
func (r *recorder) Fatalf(format string, args ...any) { r.Errorf(format, args...); panic(r) }
func (r *recorder) Fatal(args ...any)                 { r.message += fmt.Sprint(args...); panic(r) }
func (r *recorder) Logf(string, ...any)               {}

func TestOpen(t *testing.T) {
	const module = `
.func (.reg .f32 r) helper(.reg .f32 x) { %s
}
.visible .entry one(
	.param .u64 p
)
{
	%s
}
.visible .entry two()
{
	{
add.f32 %%f1, %%f2, %%f3;
}
	ex2.approx.ftz.f32 %%f1, %%f2;
}
`
	for _, test := range []struct{ helper, one, want string }{
		{"", "fma.rn.f32 a, b, c, d;", ""},
		{"", "mul.f32 a, b, c; ld.global.f32 d, [e];", ""},
		{"", "mul.rn.f32 a, b, c; add.rn.f32 d, a, c;", ""},
		{"", "mul.f32 a, b, c; add.ftz.f32 d, a, c;", "mul.f32 and add.ftz.f32"},
		{"", "mul.f64 a, b, c; sub.f64 d, a, c;", "mul.f64 and sub.f64"},
		{"", "mul.lo.s32 a, b, c; add.s32 d, a, c;", ""},
		{"", "rsqrt.approx.f32 a, b;", "rsqrt.approx.f32"},
		{"sin.approx.f32 a, b;", "call helper;", "sin.approx.f32"},
	} {
		if got := openOf(fmt.Appendf(nil, module, test.helper, test.one), "one"); got != test.want {
			t.Errorf("%s %s: %q, want %q", test.helper, test.one, got, test.want)
		}
	}
}

func TestComparisons(t *testing.T) {
	for _, test := range []struct {
		name string
		f    func(r *run)
		want string // "" if they are equal
	}{
		{"the same", func(r *run) { equal(r, "x", []float32{1, 2}, []float32{1, 2}) }, ""},
		{"the sign of 0", func(r *run) { equal(r, "x", []float32{0}, []float32{float32(math.Copysign(0, -1))}) }, "x[0] of 1: 0, want"},
		{"too few", func(r *run) { equal(r, "x", []float32{1}, []float32{1, 2}) }, "x: 1 elements, want 2"},
		{"half a unit", func(r *run) { near(r, "x", []float32{1}, []float64{1 + 0x1p-24}, 1, 0) }, ""},
		{"more", func(r *run) { near(r, "x", []float32{1}, []float64{1 + 0x1p-22}, 1, 0) }, "x[0] of 1: 1, want"},
		{"not a number", func(r *run) { near(r, "x", []float32{float32(math.NaN())}, []float64{1}, 1000, 1) }, "x[0] of 1: NaN, want"},
	} {
		message := failure(t, func(t testing.TB) { test.f(&run{t: t}) })
		if (message == "") != (test.want == "") || !strings.HasPrefix(message, test.want) {
			t.Errorf("%s: %q, want %q", test.name, message, test.want)
		}
	}
}

// TestFMA compares fma with exact arithmetic.
func TestFMA(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 15))
	number := func() float32 { return (r.Float32() - 0.5) * float32(math.Ldexp(1, r.IntN(60)-30)) }
	for range 200000 {
		a, b, c := number(), number(), number()
		if r.IntN(4) == 0 {
			c = -a * b // what is left is the rounding
		}
		exact := new(big.Float).SetPrec(400).SetFloat64(float64(a) * float64(b))
		want, _ := exact.Add(exact, big.NewFloat(float64(c))).Float32()
		if got := fma(a, b, c); got != want {
			t.Fatalf("%v × %v + %v = %v, want %v", a, b, c, got, want)
		}
	}
}
