package directive_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/gen/internal/directive"
	"github.com/cudagen/cudagen/gen/internal/emit"
	"github.com/cudagen/cudagen/gen/model"
	"github.com/cudagen/cudagen/internal/testenv"
)

// A typed is a parameter of the kernels below, which have the same ones.
type typed struct {
	name, goType string
	size         int64
	min          int64
	max          uint64
	maxName      string
}

var typedParams = []typed{
	{"a", "int8", 1, math.MinInt8, math.MaxInt8, "MaxInt8"},
	{"b", "uint8", 1, 0, math.MaxUint8, "MaxUint8"},
	{"c", "int16", 2, math.MinInt16, math.MaxInt16, "MaxInt16"},
	{"d", "uint16", 2, 0, math.MaxUint16, "MaxUint16"},
	{"e", "int32", 4, math.MinInt32, math.MaxInt32, "MaxInt32"},
	{"f", "uint32", 4, 0, math.MaxUint32, "MaxUint32"},
	{"g", "int64", 8, math.MinInt64, math.MaxInt64, ""},
	{"h", "uint64", 8, 0, math.MaxUint64, ""},
	{"r", "int32", 4, math.MinInt32, math.MaxInt32, "MaxInt32"},
	{"mode", "Mode", 4, math.MinInt32, math.MaxInt32, "MaxInt32"}, // an enumeration
	{"flag", "bool", 1, 0, 1, ""},
	{"q", "int32", 4, math.MinInt32, math.MaxInt32, "MaxInt32"}, // inferred: len(x)
}

const inferredParam, differentialBlock = 11, 128

var differentialConstants = map[string]int64{"TILE": 16, "NEG": -5, "BIG": 1 << 40, "MOST": math.MaxInt64}

// differentialKernel returns the model of a kernel that has source as its threads, its grid
// or its shared memory, and as the length of y. ok is false when source is refused.
func differentialKernel(name, source string, variant int) (k model.Kernel, ok bool) {
	in := &directive.Kernel{Name: name, Constants: differentialConstants}
	k = model.Kernel{GoName: name, CName: name, Symbol: name, Signature: name}
	offset := int64(0)
	add := func(p model.Param) {
		offset = (offset + p.Align - 1) / p.Align * p.Align
		p.Offset, p.CName, p.Field = offset, p.GoName, strings.ToUpper(p.GoName)
		offset += p.Size
		k.Params, k.Bytes, k.Align = append(k.Params, p), offset, 8
	}
	for i, p := range typedParams {
		kind := model.Basic
		if p.name == "mode" {
			kind = model.Local
		}
		in.Params = append(in.Params, directive.Param{Name: p.name, GoName: p.name, Integer: &directive.Integer{Min: p.min, Max: p.max, MaxName: p.maxName, Bool: p.goType == "bool"}})
		add(model.Param{GoName: p.name, Type: model.GoType{Kind: kind, Name: p.goType, Size: p.size, Align: p.size}, Size: p.size, Align: p.size, Inferred: i == inferredParam})
	}
	for _, p := range []string{"x", "y"} {
		in.Params = append(in.Params, directive.Param{Name: p, GoName: p, Pointer: true})
		float := model.GoType{Kind: model.Basic, Name: "float32", Size: 4, Align: 4}
		add(model.Param{GoName: p, Type: model.GoType{Kind: model.Pointer, Elem: &float, Size: 8, Align: 8}, Size: 8, Align: 8, ElemAlign: 4, Slice: true})
	}
	configuration := [][]string{{"threads " + source}, {"grid " + source}, {"threads 1", "shared " + source}}[variant%3]
	spec, errs := directive.Read(in, directives(append(configuration, fmt.Sprint("block ", differentialBlock), "infer q=len(x)", "len y="+source)...))
	if len(errs) > 0 {
		return k, false
	}
	k.Launch, k.Infers, k.Checks = spec.Launch, spec.Infers, spec.Checks
	return k, true
}

// randomExpression returns an expression of at most depth operators in a row.
func randomExpression(rnd *rand.Rand, depth int) string {
	pick := func(list ...string) string { return list[rnd.IntN(len(list))] }
	if depth == 0 || rnd.IntN(6) == 0 {
		return pick("a", "b", "c", "d", "e", "f", "g", "h", "r", "mode", "flag", "q", "e", "r", "len(x)", "block.x", "TILE", "NEG", "BIG", "MOST",
			"0", "1", "2", "3", "7", "255", "256", "1023", "4294967296", "62", "63")
	}
	x, y := randomExpression(rnd, depth-1), randomExpression(rnd, depth-1)
	switch rnd.IntN(12) {
	case 0:
		return "max(" + x + ", " + y + ")"
	case 1:
		return "min(" + x + ", " + y + ")"
	case 2:
		return "-" + pick(x, "("+x+")")
	case 3: // a ceiling
		return "(" + x + "+" + y + "-1)/" + pick(y, "("+y+")")
	}
	operator := pick("+", "-", "*", "*", "*", "/", "%", "<<", ">>")
	if operator == "<<" || operator == ">>" {
		return "((" + x + ")" + operator + "(" + y + "))" // as Go and C++ both read it
	}
	return pick(x, "("+x+")") + operator + pick(y, "("+y+")")
}

// An oracle evaluates an expression as docs say: with exact numbers.
type oracle struct {
	values  map[string]*big.Int
	refused bool // the launch must be refused
	large   bool // what does not fit into 64 bits has come up: the launch may be refused
}

func (o *oracle) eval(x ast.Expr, signed bool) *big.Int {
	v := o.number(x, signed)
	if v.Cmp(big.NewInt(math.MaxInt64)) > 0 || v.Cmp(big.NewInt(math.MinInt64+3)) < 0 {
		o.large = true
	}
	return v
}

func (o *oracle) number(x ast.Expr, signed bool) *big.Int {
	switch x := x.(type) {
	case *ast.ParenExpr:
		return o.eval(x.X, signed)
	case *ast.BasicLit:
		v, _ := new(big.Int).SetString(x.Value, 0)
		return v
	case *ast.SelectorExpr:
		return big.NewInt(differentialBlock)
	case *ast.Ident:
		if c, ok := differentialConstants[x.Name]; ok {
			return big.NewInt(c)
		}
		v := o.values[x.Name]
		o.refused = o.refused || v.Sign() < 0 && !signed || v.Cmp(big.NewInt(math.MaxInt64)) > 0
		return v
	case *ast.UnaryExpr:
		return new(big.Int).Neg(o.eval(x.X, true))
	case *ast.CallExpr:
		name := x.Fun.(*ast.Ident).Name
		if name == "len" {
			return o.values["len(x)"]
		}
		v, w := o.eval(x.Args[0], name == "max"), o.eval(x.Args[1], name == "max")
		if (v.Cmp(w) < 0) == (name == "min") {
			return v
		}
		return w
	case *ast.BinaryExpr:
		return o.binary(x, o.eval(x.X, false), o.eval(x.Y, false))
	}
	panic("unknown expression")
}

func (o *oracle) binary(e *ast.BinaryExpr, x, y *big.Int) *big.Int {
	z := new(big.Int)
	fixed := isFixed(e.X) && isFixed(e.Y)
	switch e.Op {
	case token.ADD:
		return z.Add(x, y)
	case token.SUB:
		return z.Sub(x, y)
	case token.MUL:
		if x.Sign() < 0 && y.Sign() < 0 {
			if isFixed(e.X) || isFixed(e.Y) {
				o.large = true // the checked product does not know what is constant
			} else {
				o.refused = true
			}
		}
		return z.Mul(x, y)
	case token.QUO, token.REM:
		if y.Sign() <= 0 || x.Sign() < 0 && !fixed {
			o.refused = true
			return z
		}
		if e.Op == token.QUO {
			return z.Quo(x, y)
		}
		return z.Rem(x, y)
	}
	if y.Sign() < 0 || x.Sign() < 0 && !(isFixed(e.Y) && e.Op == token.SHL) {
		o.refused = !fixed
		o.large = true
		return z
	}
	shift := uint(4096)
	if y.IsInt64() && y.Int64() < 4096 {
		shift = uint(y.Int64())
	}
	if e.Op == token.SHL {
		return z.Lsh(x, shift)
	}
	return z.Rsh(x, shift)
}

// isFixed reports whether x has constants alone.
func isFixed(x ast.Expr) bool {
	fixed := true
	ast.Inspect(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			_, constant := differentialConstants[n.Name]
			fixed = fixed && (constant || slices.Contains([]string{"min", "max", "block", "x"}, n.Name))
		case *ast.SelectorExpr:
			fixed = false // of a length; the grid has it as a constant
		}
		return fixed
	})
	return fixed
}

// differentialMain runs the launches that its input asks for, up to the runtime.
const differentialMain = `package main

import (
	"bufio"
	"fmt"
	"os"
	"reflect"
	"strings"
	"unsafe"

	"github.com/cudagen/cudagen/runtime/cuda"
)

type Mode int32

// What the controls break.
var wrong, unguarded = os.Getenv("WRONG_ARITHMETIC") != "", os.Getenv("UNGUARDED") != ""

func product(a, b int) int {
	if wrong {
		return a * b
	}
	return cuda.Generated.MulSizes(a, b)
}

func sum(a, b int) int {
	if wrong {
		return a + b
	}
	return cuda.Generated.AddSizes(a, b)
}

var launched *cuda.LaunchConfig

func recordLaunch(k *cuda.Kernel, s *cuda.Stream, cfg *cuda.LaunchConfig, computed bool, params unsafe.Pointer, owners ...cuda.Owner) error {
	launched = cfg
	return nil
}

func slice(n int) (s cuda.Slice[float32]) {
	field := reflect.ValueOf(&s).Elem().FieldByName("n")
	*(*int)(unsafe.Pointer(field.UnsafeAddr())) = n
	return s
}

func main() {
	in, out := bufio.NewScanner(os.Stdin), bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for in.Scan() {
		var (
			i, prepare, xn, yn int
			a int8; b uint8; c int16; d uint16; e int32; f uint32; g int64; h uint64; r int32; mode Mode; flag bool
		)
		if _, err := fmt.Sscan(in.Text(), &i, &prepare, &a, &b, &c, &d, &e, &f, &g, &h, &r, &mode, &flag, &xn, &yn); err != nil {
			panic(err)
		}
		launched = nil
		err := calls[i](prepare, a, b, c, d, e, f, g, h, r, mode, flag, slice(xn), slice(yn))
		if err != nil {
			fmt.Fprintln(out, "error", strings.ReplaceAll(err.Error(), "\n", " "))
			continue
		}
		fmt.Fprintln(out, "launched", launched.Grid.X, launched.SharedBytes)
	}
}
`

// buildDifferential compiles the wrappers of kernels.
func buildDifferential(t *testing.T, kernels []model.Kernel) string {
	file := &model.File{Version: model.Version, Source: "k.cu", Package: "main", GoName: "Kernels", Images: []model.Image{{File: "k.ptx"}}, Kernels: kernels}
	wrappers, err := emit.File(file)
	require.NoError(t, err)
	text := regexp.MustCompile(`(?m)^//go:embed.*$`).ReplaceAllString(string(wrappers), "")
	for of, by := range map[string]string{"Launch": "recordLaunch", "MulSizes": "product", "AddSizes": "sum"} {
		text = regexp.MustCompile(`cuda\.Generated\.`+of+`\(`).ReplaceAllString(text, by+"(")
	}
	text = regexp.MustCompile(`( \{\n\s*return cuda\.Generated\.(Negative|Large)Input\()`).ReplaceAllString(text, " && !unguarded$1")
	calls := "package main\n\nimport \"github.com/cudagen/cudagen/runtime/cuda\"\n\nvar calls = []func(prepare int, a int8, b uint8, c int16, d uint16, e int32, f uint32, g int64, h uint64, r int32, mode Mode, flag bool, x, y cuda.Slice[float32]) error{\n"
	for _, k := range kernels {
		calls += fmt.Sprintf(`func(prepare int, a int8, b uint8, c int16, d uint16, e int32, f uint32, g int64, h uint64, r int32, mode Mode, flag bool, x, y cuda.Slice[float32]) error {
	if prepare == 1 {
		_, err := new(%[1]sKernel).PrepareDefault(%[1]sArgs{a, b, c, d, e, f, g, h, r, mode, flag, x, y})
		return err
	}
	return new(%[1]sKernel).Launch(nil, a, b, c, d, e, f, g, h, r, mode, flag, x, y)
},
`, k.GoName)
	}
	dir := t.TempDir()
	root, err := filepath.Abs(filepath.Join("..", "..", ".."))
	require.NoError(t, err)
	replace := make(map[string]string)
	for name, text := range map[string]string{"main.go": differentialMain, "wrappers.go": text, "calls.go": calls + "}\n"} {
		at := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(at, []byte(text), 0o600))
		replace[filepath.Join(root, "differential", name)] = at
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	require.NoError(t, err)
	overlayFile, program := filepath.Join(dir, "overlay.json"), filepath.Join(dir, "program")
	require.NoError(t, os.WriteFile(overlayFile, overlay, 0o600))
	build := exec.Command(testenv.GoPath(t), "build", "-overlay", overlayFile, "-o", program, "./differential")
	build.Dir = root
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%.4000s", out)
	return program
}

// A trial is one launch with arguments, and what must come of it.
type trial struct {
	source, line string
	want         string // "launched 3 0", "error", or empty: an error or the exact result
	exact        string // the line of a launch with exact numbers
}

// trials returns launches of the ith kernel with arguments at the edges of their types.
func trials(rnd *rand.Rand, i int, source string, tree ast.Expr, count int) (list []trial) {
	for n := range count {
		values := make(map[string]*big.Int)
		line := fmt.Sprint(i, n%2)
		for _, p := range typedParams[:inferredParam] {
			v := randomValue(rnd, p, n%4 > 0)
			values[p.name] = v
			if p.goType == "bool" {
				line += fmt.Sprint(" ", v.Sign() > 0)
			} else {
				line += " " + v.String()
			}
		}
		xn := []int64{0, 1, 2, 5, 1000, math.MaxInt32, math.MaxInt32 + 1, 1 << 40}[rnd.IntN(8)]
		values["len(x)"], values["q"] = big.NewInt(xn), big.NewInt(xn)
		o := &oracle{values: values}
		v := o.eval(tree, false)
		refused := o.refused || v.Sign() < 0 || !v.IsInt64() || xn > math.MaxInt32
		yn := big.NewInt(math.MaxInt64)
		if !refused {
			yn = v
		}
		line += fmt.Sprint(" ", xn, " ")
		grid, shared := new(big.Int).Set(v), big.NewInt(0)
		switch i % 3 {
		case 0:
			grid.Add(grid, big.NewInt(differentialBlock-1)).Quo(grid, big.NewInt(differentialBlock))
		case 2:
			grid, shared = big.NewInt(1), v
		}
		large := big.NewInt(math.MaxUint32)
		refused = refused || grid.Cmp(large) >= 0 || shared.Cmp(large) >= 0
		one := trial{source: source, line: line + yn.String(), exact: fmt.Sprint("launched ", grid, " ", shared)}
		switch {
		case refused:
			one.want = "error"
		case !o.large:
			one.want = one.exact
		}
		list = append(list, one)
		if !refused && v.Sign() > 0 { // a slice with one element less
			list = append(list, trial{source: source, line: line + new(big.Int).Sub(v, big.NewInt(1)).String(), want: "error"})
		}
	}
	return list
}

// randomValue returns a value of p, small or at an edge, and seldom negative if tame.
func randomValue(rnd *rand.Rand, p typed, tame bool) *big.Int {
	lo, hi := big.NewInt(p.min), new(big.Int).SetUint64(p.max)
	var v *big.Int
	switch rnd.IntN(4) {
	case 0:
		v = new(big.Int).Sub(hi, big.NewInt(rnd.Int64N(3)))
	case 1:
		v = new(big.Int).Add(lo, big.NewInt(rnd.Int64N(3)))
	case 2:
		v = new(big.Int).Rsh(hi, uint(rnd.IntN(64)))
	default:
		v = big.NewInt(rnd.Int64N(9) - 2)
	}
	if v.Cmp(lo) < 0 || v.Cmp(hi) > 0 || tame && v.Sign() < 0 {
		return big.NewInt(rnd.Int64N(2))
	}
	return v
}

// disagreements runs trials and says which ended in another way than wanted.
func disagreements(t *testing.T, program string, list []trial, env ...string) (found []string, launches int) {
	var in strings.Builder
	for _, one := range list {
		in.WriteString(one.line + "\n")
	}
	run := exec.Command(program)
	run.Stdin, run.Stderr, run.Env = strings.NewReader(in.String()), os.Stderr, append(os.Environ(), env...)
	out, err := run.Output()
	require.NoError(t, err)
	answers := bufio.NewScanner(strings.NewReader(string(out)))
	for _, one := range list {
		require.True(t, answers.Scan())
		got := answers.Text()
		launched := strings.HasPrefix(got, "launched")
		if launched {
			launches++
		}
		if launched && got != one.exact || one.want == "error" && launched || strings.HasPrefix(one.want, "launched") && got != one.want {
			found = append(found, fmt.Sprintf("%s with %s: %s, want %q of %s", one.source, one.line, got, one.want, one.exact))
		}
		if !launched && !strings.Contains(got, "with") && !strings.Contains(got, "must not be negative") && !strings.Contains(got, "limit") && !strings.Contains(got, "needs") {
			found = append(found, one.source+": the error does not say why: "+got)
		}
	}
	return found, launches
}

// Launches either have the exact sizes that directives ask for, or are refused: generated
// code is compared with math/big.
func TestExpressionsAreExact(t *testing.T) {
	testenv.Need(t, testenv.Long)
	rnd := rand.New(rand.NewPCG(7, 11))
	sources := []string{
		"e*r", "e*r*mode", "e*r+1", "f*f*f/20000", "g*h", "h-1", "(h-1)/256+1", "g+1", "(e+255)/256", "(e-r)*(r-e)", "max(e, 0)*max(r, 0)", "max(e, -e)",
		"1+(e-1)*max(r, -r)", "e<<d", "e>>d", "h<<f", "(g+f-1)/f", "e%r", "g/r", "min(e*r, 1024)", "min(h, 7)", "len(x)*len(x)*len(x)", "q*q*q", "-NEG*e", "NEG*(e-r)+TILE",
		"e*flag+1", "mode*flag", "block.x*e", "(e-20)/256", "e - r - -mode", "MOST-g", "max(g, -g)", "-(-g)", "MOST*flag", "MOST+flag", "(e+r)<<2", "(e-r)>>1", "e*0+1", "-e", "a*c*e*g",
	}
	accepted := 0
	random := testenv.Cases(10, 160)
	for range random {
		sources = append(sources, randomExpression(rnd, 3))
	}
	var kernels []model.Kernel
	var list []trial
	for n, source := range sources {
		k, ok := differentialKernel(fmt.Sprint("K", len(kernels)), source, len(kernels))
		if !ok {
			assert.GreaterOrEqual(t, n, len(sources)-random, "%s is refused", source)
			continue
		}
		accepted++
		tree, err := parser.ParseExpr(source)
		require.NoError(t, err)
		list = append(list, trials(rnd, len(kernels), source, tree, 60)...)
		kernels = append(kernels, k)
	}
	require.Greater(t, accepted, len(sources)*6/10, "few random expressions are refused")
	program := buildDifferential(t, kernels)
	found, launches := disagreements(t, program, list)
	assert.Greater(t, launches, len(list)/8, "many launches are not refused")
	assert.Empty(t, found[:min(len(found), 20)], "%d of %d", len(found), len(list))

	found, _ = disagreements(t, program, list, "WRONG_ARITHMETIC=1")
	assert.Greater(t, len(found), min(20, len(list)/400), "the control: products and sums as Go calculates them")
	unguarded, _ := disagreements(t, program, list, "UNGUARDED=1")
	assert.Greater(t, len(unguarded), min(20, len(list)/400), "the control: parameters are not compared with 0")
	t.Log(strconv.Itoa(len(kernels)), "expressions,", len(list), "launches,", launches, "not refused; the controls differ in", len(found), "and", len(unguarded))
}
