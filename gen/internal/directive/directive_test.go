package directive_test

import (
	"go/parser"
	"go/token"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/gen/internal/cu"
	"github.com/cudagen/cudagen/gen/internal/directive"
	"github.com/cudagen/cudagen/gen/model"
	"github.com/cudagen/cudagen/internal/diag"
)

var (
	int32Range  = &directive.Integer{Min: math.MinInt32, Max: math.MaxInt32, MaxName: "MaxInt32"}
	uint32Range = &directive.Integer{Min: 0, Max: math.MaxUint32, MaxName: "MaxUint32"}
	int64Range  = &directive.Integer{Min: math.MinInt64, Max: math.MaxInt64}
	uint64Range = &directive.Integer{Min: 0, Max: math.MaxUint64}
)

// kernel is void k(int n, unsigned m, long long big, size_t huge, float a, float *x, float *y, bool flag).
func kernel() *directive.Kernel {
	return &directive.Kernel{
		Name: "k",
		Params: []directive.Param{
			{Name: "n", GoName: "n", Integer: int32Range},
			{Name: "m", GoName: "m", Integer: uint32Range},
			{Name: "big", GoName: "big", Integer: int64Range},
			{Name: "huge", GoName: "huge", Integer: uint64Range},
			{Name: "a", GoName: "a"},
			{Name: "x", GoName: "x", Pointer: true},
			{Name: "y", GoName: "yArg", Pointer: true},
			{Name: "flag", GoName: "flag", Integer: &directive.Integer{Max: 1, Bool: true}},
		},
		Named: map[string]cu.Constant{
			"ns::N": {Value: 12, Name: "ns::N"}, "sizeof(float)": {Value: 4, Name: "sizeof(float)"}, "sizeof(unsigned int)": {Value: 4, Name: "sizeof(unsigned int)"},
			"T": {Value: 8}, "sizeof(Gone)": {Reason: diag.NotUnderstood.New("it is gone")}, "N": {Reason: diag.NotUnderstood.New("which one")},
		},
		Constants: map[string]int64{"T": 1, "N": 2, "TILE": 16, "NEG": -5, "LOW": math.MinInt64, "SUM": 8},
		Loose:     map[string]string{"SUM": "4+4"},
	}
}

// directives parses lines such as "block 256", numbered from 1.
func directives(lines ...string) []cu.Directive {
	var list []cu.Directive
	for i, line := range lines {
		verb, args, _ := strings.Cut(line, " ")
		pos := token.Position{Filename: "k.cu", Line: i + 1, Column: 1}
		argsPos := pos
		argsPos.Column = len("//cudagen:") + len(verb) + 2
		list = append(list, cu.Directive{Pos: pos, Verb: verb, Args: args, ArgsPos: argsPos})
	}
	return list
}

func TestLaunch(t *testing.T) {
	spec, errs := directive.Read(kernel(), directives("kernel Kay", "block 16,TILE", "threads n,m", "shared 4*block.x*block.y", "len x=n*int(1)"))
	assert.Nil(t, spec.Launch, "no launch configuration in spite of an error")
	require.Len(t, errs, 1)

	spec, errs = directive.Read(kernel(), directives("kernel Kay", "block 16,TILE", "threads n,m", "shared 4*block.x*block.y", "len x=m*TILE y=n+1"))
	require.NoError(t, errs.Err())
	assert.True(t, spec.Export)
	assert.Equal(t, "Kay", spec.GoName)
	require.NotNil(t, spec.Launch)
	assert.True(t, spec.Launch.Threads)
	assert.Equal(t, []int64{16, 16, 1}, []int64{spec.Launch.Block[0].Value, spec.Launch.Block[1].Value, spec.Launch.Block[2].Value})
	assert.Equal(t, "int(n)", spec.Launch.Grid[0].Go)
	assert.Equal(t, "int(m)", spec.Launch.Grid[1].Go)
	assert.Equal(t, int64(1), spec.Launch.Grid[2].Value)
	assert.Equal(t, model.Expr{Source: "4*block.x*block.y", Go: "1024", Const: true, Value: 1024, Most: 1024}, spec.Launch.Shared)
	require.Len(t, spec.Checks, 2)
	assert.Equal(t, "int(m) * 16", spec.Checks[0].Len.Go)
	assert.Equal(t, "m*TILE", spec.Checks[0].Len.Source)

	spec, errs = directive.Read(kernel(), directives("block sizeof(float),T,ns::N", "threads n,n,n"))
	require.NoError(t, errs.Err())
	assert.Equal(t, int64(4), spec.Launch.Block[0].Value)
	assert.Equal(t, int64(12), spec.Launch.Block[2].Value)
	assert.Equal(t, []string{"sizeof(float)", "ns::N"}, spec.Constants, "what an argument of a template decides needs no proof")
	_, errs = directive.Read(kernel(), directives("block 4,sizeof(Gone)", "threads n,n"))
	assert.ErrorContains(t, errs.Err(), "k.cu:1:19: k: sizeof(Gone): it is gone")
}

func TestLaunchBoundsAreTheBlock(t *testing.T) {
	k := kernel()
	k.LaunchBounds = []int64{128}
	spec, errs := directive.Read(k, directives("threads n"))
	require.NoError(t, errs.Err())
	assert.Equal(t, int64(128), spec.Launch.Block[0].Value)

	spec, errs = directive.Read(k, nil)
	require.NoError(t, errs.Err())
	assert.Nil(t, spec.Launch, "only LaunchWith")
}

func TestInfer(t *testing.T) {
	spec, errs := directive.Read(kernel(), directives("len y=n", "infer n=len(x), big=2*len(y)"))
	require.NoError(t, errs.Err())
	require.Len(t, spec.Infers, 2)
	lenX, lenY := model.Input{Name: "len(x)", Go: "x.Len()"}, model.Input{Name: "len(y)", Go: "yArg.Len()"}
	assert.Equal(t, model.Infer{Param: 0, Value: model.Expr{Source: "len(x)", Go: "x.Len()", Inputs: []model.Input{lenX}, Most: 1 << 48}, Max: "MaxInt32"}, spec.Infers[0])
	assert.Equal(t, model.Infer{Param: 2, Value: model.Expr{Source: "2*len(y)", Go: "2 * yArg.Len()", Inputs: []model.Input{lenY}, Most: 1 << 49}}, spec.Infers[1], "no length overflows 64 bits")
	assert.Equal(t, model.Expr{Source: "n", Go: "n", Reads: []int{0}, Inputs: []model.Input{{Name: "n", Go: "n"}}, Most: math.MaxInt32}, spec.Checks[0].Len, "an inferred parameter is an int already")
}

// Names that are keywords of Go are names.
func TestKeywordsOfGo(t *testing.T) {
	k := kernel()
	k.Params[0].Name, k.Params[1].Name = "range", "type"
	spec, errs := directive.Read(k, directives("len x=2*range+type y=min(type, range)"))
	require.NoError(t, errs.Err())
	require.Len(t, spec.Checks, 2)
	assert.Equal(t, "2*range+type", spec.Checks[0].Len.Source)
	assert.Equal(t, "2*int(n) + int(m)", spec.Checks[0].Len.Go)
	_, errs = directive.Read(k, directives("len x=func"))
	assert.ErrorContains(t, errs.Err(), "there is no parameter or constant func")
}

func TestExpressions(t *testing.T) {
	for _, test := range []struct{ source, want string }{
		{"n", "int(n)"},
		{"(n+255)/256", "(int(n) + 255) / 256"},
		{"n*m", "int(n) * int(m)"},
		{"n*n*n", "cuda.Generated.MulSizes(int(n)*int(n), int(n))"},
		{"m*m*m", "cuda.Generated.MulSizes(cuda.Generated.MulSizes(int(m), int(m)), int(m))"},
		{"m*m*m/4", "cuda.Generated.QuoSizes(cuda.Generated.MulSizes(cuda.Generated.MulSizes(int(m), int(m)), int(m)), 4)"},
		{"m*m*m/20000", "cuda.Generated.QuoSizes(cuda.Generated.MulSizes(cuda.Generated.MulSizes(int(m), int(m)), int(m)), 20000)"},
		{"m*m*m%4", "cuda.Generated.RemSizes(cuda.Generated.MulSizes(cuda.Generated.MulSizes(int(m), int(m)), int(m)), 4)"},
		{"m*m*m-1", "cuda.Generated.SubSizes(cuda.Generated.MulSizes(cuda.Generated.MulSizes(int(m), int(m)), int(m)), 1)"},
		{"big", "int(big)"},
		{"big+1", "cuda.Generated.AddSizes(int(big), 1)"},
		{"huge", "int(huge)"},
		{"huge+1", "cuda.Generated.AddSizes(int(huge), 1)"},
		{"(huge+255)/256", "cuda.Generated.QuoSizes(cuda.Generated.AddSizes(int(huge), 255), 256)"},
		{"huge%7", "int(huge) % 7"},
		{"huge-1", "int(huge) - 1"},
		{"min(huge, 7)", "min(int(huge), 7)"},
		{"max(n, 1) % 8", "max(int(n), 1) % 8"},
		{"m<<2", "int(m) * 4"},
		{"m>>2", "int(m) / 4"},
		{"n>>2", "int(n) / 4"},
		{"n<<n", "cuda.Generated.ShlSizes(int(n), int(n))"},
		{"-n", "0 - int(n)"},
		{"n - NEG", "int(n) - (-5)"},
		{"n/m", "cuda.Generated.QuoSizes(int(n), int(m))"},
		{"n/0", "refused: divides by something that is not positive"},
		{"n%-2", "refused: divides by something that is not positive"},
		{"TILE*TILE", "256"},
		{"n*n", "int(n) * int(n)"},
		{"m*m", "cuda.Generated.MulSizes(int(m), int(m))"},
		{"len(x)*len(y)", "cuda.Generated.MulSizes(x.Len(), yArg.Len())"},
		{"max(big, 0)", "cuda.Generated.MaxSizes(int(big), 0)"},
		{"max(n, 1, big)", "cuda.Generated.MaxSizes(cuda.Generated.MaxSizes(int(n), 1), int(big))"},
		{"max(n, -n)", "max(int(n), 0-int(n))"},
		{"(n-m)*(m-n)", "cuda.Generated.MulSizes(int(n)-int(m), int(m)-int(n))"},
		{"(n-m)*-2", "(int(n) - int(m)) * (0 - 2)"},
		{"(n-m)/2", "cuda.Generated.QuoSizes(int(n)-int(m), 2)"},
		{"n/(m+1)", "int(n) / (int(m) + 1)"},
		{"n%(m+1)", "int(n) % (int(m) + 1)"},
		{"n<<70", "refused: shifts by something that is not from 0 to 62"},
		{"n>>m", "cuda.Generated.ShrSizes(int(n), int(m))"},
		{"m>>(flag*3)", "int(m) >> (cuda.Generated.Bit(flag) * 3)"},
		{"m<<(flag*3)", "int(m) << (cuda.Generated.Bit(flag) * 3)"},
		{"n*(1+flag)", "int(n) * (1 + cuda.Generated.Bit(flag))"},
		{"-5-n", "refused: -5-n is at most -5: a length must be at least 0"},
		{"(-5-n)/2", "refused: divides something that is always negative"},
		{"9223372036854775807*2", "refused: overflows 64 bits"},
		{"(n+2)*4611686018427387904*2", "refused: always overflows 64 bits"},
		{"-9223372036854775807-1", "refused: overflows 64 bits"},
		{"LOW", "refused: LOW is -9223372036854775808, which is too small"},
		{"-7/2+10", "7"},
		{"10+(-7>>1)", "6"},
		{"(1<<4)+1", "17"},
		{"1<<4<<1", "32"},
		{"n*3<<2", "int(n) * 3 * 4"},
		{"1<<4+1", "refused: 1<<4+1 is not the same in Go and in C++: put parentheses around the operands of <<"},
		{"n-1>>2", "refused: n-1>>2 is not the same in Go and in C++"},
		{"n<<2*2", "refused: n<<2*2 is not the same in Go and in C++"},
		{"SUM", "8"},
		{"(SUM)*n", "(8) * int(n)"},
		{"max(SUM, n)", "max(8, int(n))"},
		{"n*SUM", "refused: SUM is 4+4, which C++ reads in parts in n*SUM: write (SUM)"},
		{"SUM/2", "refused: SUM is 4+4, which C++ reads in parts in SUM/2: write (SUM)"},
		{"-SUM+n", "refused: SUM is 4+4, which C++ reads in parts in -SUM"},
		{"n*ns::N", "int(n) * 12"},
		{"m*sizeof(float)+sizeof (unsigned int)", "refused: there is no parameter or constant sizeof (unsigned int)"},
		{"m*sizeof(float)+sizeof(unsigned int)", "int(m)*4 + 4"},
		{"n*T", "int(n) * 8"},
		{"n*N", "refused: N: which one"},
		{"n*sizeof(Gone)", "refused: sizeof(Gone): it is gone"},
		{"std::min(n, 3)", "min(int(n), 3)"},
		{"std::sqrt(n)", "refused: there is no function std::sqrt: the functions are len, min, max and sizeof"},
		{"n::", "refused: is not a Go expression"},
		{"sizeof(n", "refused: is not a Go expression"},
		{"block.x*2", "int(cfg.Block.X) * 2"},
		{"grid.z", "int(cfg.Grid.Z)"},
		{"block.w", "refused: block.w is not understood: there are block.x, block.y, block.z"},
		{"n.x", "refused: n.x is not understood: directives read no fields of parameters"},
		{"other.x", "refused: other.x is not understood: there are block.x, block.y, block.z"},
		{"n&1", "refused: uses &"},
		{"!n", "refused: uses !"},
		{"a", "refused: a is not an integer"},
		{"nn", "refused: there is no parameter or constant nn (did you mean n?)"},
		{"len(n)", "refused: len needs a pointer"},
		{"len(z)", "refused: there is no parameter z"},
		{"len(x, y)", "refused: len takes the name of a pointer parameter"},
		{"f(n)", "refused: there is no function f"},
		{"n+", "refused: is not a Go expression"},
		{"1.5", "refused: 1.5 is not an integer"},
		{"x[0]", "refused: x[0] is not understood"},
		{"99999999999999999999", "refused: is not an integer of 64 bits"},
	} {
		t.Run(test.source, func(t *testing.T) {
			spec, errs := directive.Read(kernel(), directives("len x="+test.source))
			if want, refused := strings.CutPrefix(test.want, "refused"); refused {
				require.NotEmpty(t, errs)
				assert.Contains(t, errs[0].Message.Error(), strings.TrimPrefix(want, ": "))
				assert.Empty(t, spec.Checks)
				assert.Equal(t, 1, errs[0].Pos.Line)
				return
			}
			require.NoError(t, errs.Err())
			got := spec.Checks[0].Len
			assert.Equal(t, test.want, got.Go)
			_, err := parser.ParseExpr(got.Go)
			assert.NoError(t, err, "the expression is Go")
		})
	}
}

// A parameter called block does not hide the block.
func TestParameterCalledBlock(t *testing.T) {
	k := kernel()
	k.Params[1].Name, k.Params[2].Name = "block", "grid"
	for source, want := range map[string]string{"block.x": "int(cfg.Block.X)", "grid.y": "int(cfg.Grid.Y)"} {
		spec, errs := directive.Read(k, directives("len x="+source))
		require.NoError(t, errs.Err())
		assert.Equal(t, want, spec.Checks[0].Len.Go)
	}
}

// The parameters that must not be negative, and the results that can be.
func TestSigns(t *testing.T) {
	for _, test := range []struct {
		source string
		counts []int
		signed bool
	}{
		{"n", []int{0}, false},
		{"m", nil, false},
		{"huge", []int{3}, false},
		{"n*big+n", []int{0, 2}, true},
		{"n-1", []int{0}, true},
		{"-n", nil, true},
		{"max(n, 0)", nil, false},
		{"max((n), 0)*n", []int{0}, false},
		{"max(n+0, 0)", []int{0}, false},
		{"max(n*m, 0)", []int{0}, false},
		{"max(huge, 0)", []int{3}, false},
		{"max(big, -big)", nil, true},
		{"min(n, 5)", []int{0}, false},
		{"n/m", []int{0}, true},
		{"n*0", []int{0}, false},
	} {
		t.Run(test.source, func(t *testing.T) {
			spec, errs := directive.Read(kernel(), directives("len x="+test.source))
			require.NoError(t, errs.Err())
			var counts []int
			for _, count := range spec.Checks[0].Len.Counts {
				counts = append(counts, count.Param)
				assert.Equal(t, count.Param == 3, count.Unsigned)
			}
			assert.Equal(t, test.counts, counts)
			assert.Equal(t, test.signed, spec.Checks[0].Len.Signed)
		})
	}
	spec, errs := directive.Read(kernel(), directives("infer n=len(x)-1", "len y=n"))
	require.NoError(t, errs.Err())
	assert.False(t, spec.Infers[0].Value.Signed, "an inferred value may be negative")
	assert.Equal(t, []model.Count{{Param: 0}}, spec.Checks[0].Len.Counts, "a length may not")
	spec, errs = directive.Read(kernel(), directives("infer big=len(x)*len(y)"))
	require.NoError(t, errs.Err())
	assert.True(t, spec.Infers[0].Value.Signed, "there may be no product")
}

func TestErrors(t *testing.T) {
	for _, test := range []struct {
		name  string
		lines []string
		want  string // of the first error, with its position
	}{
		{"misspelled verb", []string{"kernle"}, `k.cu:1:1: unknown directive "kernle" (did you mean kernel?)`},
		{"unknown verb", []string{"frobnicate"}, `k.cu:1:1: unknown directive "frobnicate" (there are block, cluster, cooperative, data, export, grid,`},
		{"cooperative alone", []string{"cooperative"}, `k.cu:1:1: k: cooperative needs block and threads or grid: without them there is only LaunchWith`},
		{"cooperative with arguments", []string{"block 32", "threads n", "cooperative 2"}, `k.cu:3:23: k: cooperative takes no arguments, found 2`},
		{"cluster alone", []string{"cluster 2"}, `k.cu:1:1: k: cluster needs block and threads or grid`},
		{"cluster of nothing", []string{"block 32", "threads n", "cluster 0"}, `a cluster has from 1 to 16 blocks, not 0`},
		{"large cluster", []string{"block 32", "threads n", "cluster 4,8"}, `a cluster has at most 16 blocks, this one has 32`},
		{"variable cluster", []string{"block 32", "threads n", "cluster n"}, `the cluster must be constant, n is not`},
		{"cluster does not divide the grid", []string{"block 32", "grid 5", "cluster 2"}, `the grid has 5 blocks in dimension 0, must be a multiple of the cluster's 2`},
		{"twice", []string{"block 1", "block 2", "threads n"}, `k.cu:2:1: k: block is given twice, first in line 1`},
		{"chosen twice", []string{"kernel", "kernel Saxpy", "kernel"}, `k.cu:3:1: k: kernel is given twice: one line may choose the kernel, and another one give its Go name`},
		{"named twice", []string{"kernel Saxpy", "kernel Sum"}, `k.cu:2:1: k: kernel is given twice`},
		{"bad name", []string{"kernel saxpy"}, `saxpy is not an exported Go name`},
		{"ignore with arguments", []string{"ignore me"}, `k.cu:1:18: k: ignore takes no arguments`},
		{"block alone", []string{"block 256"}, `k.cu:1:1: k: block needs threads or grid`},
		{"threads alone", []string{"threads n"}, `k.cu:1:1: k: threads needs a block`},
		{"shared alone", []string{"shared 4"}, `shared needs block`},
		{"variable block", []string{"block n", "threads n"}, `the block must be constant, n is not`},
		{"empty block", []string{"block 0", "threads n"}, `a block has from 1 to 1024 threads, not 0`},
		{"large block", []string{"block 64,32", "threads n,n"}, `a block has at most 1024 threads, this one has 2048`},
		{"no expression", []string{"block", "threads n"}, `k.cu:1:1: k: block lacks an expression`},
		{"four dimensions", []string{"block 1,1,1,1", "threads n"}, `block takes one to three expressions, found 4`},
		{"both", []string{"block 1", "threads n", "grid n"}, `both set the size of the grid`},
		{"missing dimension", []string{"block 16,16", "threads n"}, `the block has 2 dimensions, threads 1`},
		{"empty grid", []string{"block 1", "grid 0"}, `grid 0 is 0: a launch needs at least 1 in every dimension`},
		{"large grid", []string{"block 1", "grid 1,2147483648"}, `k.cu:2:16: k: 2147483648 is 2147483648, and needs more than 2147483647 blocks`},
		{"many threads", []string{"block 32", "threads 1<<40"}, `1<<40 is 1099511627776, and needs more than 2147483647 blocks`},
		{"large shared", []string{"block 1", "threads n", "shared 1<<31"}, `1<<31 is 2147483648 bytes of shared memory, more than any device has`},
		{"grid below zero", []string{"block 1", "grid -1-n"}, `-1-n is at most -1: a launch needs at least 1`},
		{"negative grid", []string{"block 1", "threads n,-1"}, `-1 is -1: a launch needs at least 1`},
		{"negative shared", []string{"block 1", "threads n", "shared 4-5"}, `4-5 is -1 bytes`},
		{"two shared", []string{"block 1", "threads n", "shared 1,2"}, `shared takes one expression, found 2`},
		{"len of unknown", []string{"len z=n"}, `k.cu:1:15: k: there is no parameter z (there are n, m, big, huge, a, x, y, flag)`},
		{"len misspelled", []string{"len hug=n"}, `there is no parameter hug (did you mean huge?)`},
		{"len of a number", []string{"len n=n"}, `len needs a pointer, but parameter n is not a pointer`},
		{"len twice", []string{"len x=n x=m"}, `k.cu:1:19: k: len of x is given twice`},
		{"len without =", []string{"len x"}, `len wants parameter=expression, found "x"`},
		{"len without expression", []string{"len x="}, `len x= lacks an expression`},
		{"infer unknown", []string{"infer q=len(x)"}, `there is no parameter q`},
		{"infer a float", []string{"infer a=len(x)"}, `infer needs an integer, but parameter a is not an integer`},
		{"infer twice", []string{"infer n=len(x) n=len(y)"}, `n is inferred twice`},
		{"infer from a parameter", []string{"infer n=m"}, `k.cu:1:19: k: an inferred value is made of len(…) and constants, m is a parameter`},
		{"infer below zero", []string{"infer m=len(x)-1"}, `len(x)-1 can be less than 0, the minimum of m`},
		{"infer a bool", []string{"infer flag=len(x)"}, `infer needs an integer, but parameter flag is not an integer`},
		{"infer what is no number", []string{"infer big=len(x)*len(y)-1"}, `can overflow 64 bits, and be negative`},
		{"infer too much", []string{"infer n=len(x)+3000000000"}, `k.cu:1:19: k: len(x)+3000000000 is at least 3000000000, more than 2147483647, the maximum of n`},
		{"not Go", []string{`len x="`}, `len: string literal not terminated`},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, errs := directive.Read(kernel(), directives(test.lines...))
			require.NotEmpty(t, errs)
			assert.Contains(t, errs[0].Error(), test.want)
		})
	}
}

func TestBlockBreaksLaunchBounds(t *testing.T) {
	k := kernel()
	k.LaunchBounds = []int64{128, 2}
	_, errs := directive.Read(k, directives("block 256", "threads n"))
	require.Len(t, errs, 1)
	assert.Contains(t, errs[0].Message.Error(), "breaks the kernel's __launch_bounds__(128)")
	_, errs = directive.Read(k, directives("block 128", "threads n"))
	assert.NoError(t, errs.Err())
}

// FuzzExpression looks for expressions that panic, or that are taken and are not Go.
func FuzzExpression(f *testing.F) {
	for _, seed := range []string{"n", "(n+255)/256", "m*m*m<<3", "len(x)*block.x", "min(n, -5, huge)", "-(-n)", "1<<62", "n - NEG*2", "sizeof(float)*ns::N", "::sizeof(a::b)::c(", "m/(n-m)<<big%huge", "max(-n, -(n), flag)*T"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, source string) {
		for _, verb := range []string{"len x=", "infer n=", "threads "} {
			spec, errs := directive.Read(kernel(), directives("block 32", verb+source))
			for _, e := range errs {
				assert.NotEmpty(t, e.Message.Error())
			}
			if len(errs) > 0 {
				continue
			}
			for _, check := range spec.Checks {
				assertGo(t, check.Len)
			}
			for _, infer := range spec.Infers {
				assertGo(t, infer.Value)
			}
			if spec.Launch != nil {
				assertGo(t, spec.Launch.Grid[0])
			}
		}
	})
}

func assertGo(t *testing.T, e model.Expr) {
	t.Helper()
	_, err := parser.ParseExpr(e.Go)
	require.NoError(t, err, "%q became %q", e.Source, e.Go)
}

// CUDA C++ Programming Guide, Cluster Launch with Compute Capability 9.0: __block_size__.
func TestFixedBlockSize(t *testing.T) {
	k := kernel()
	k.BlockSize = []int64{32, 4}
	spec, errs := directive.Read(k, directives("threads n,m"))
	require.Empty(t, errs)
	require.NotNil(t, spec.Launch)
	assert.Equal(t, "4", spec.Launch.Block[1].Go)
	_, errs = directive.Read(k, directives("block 32,4", "threads n,m"))
	assert.Empty(t, errs)
	_, errs = directive.Read(k, directives("block 128", "threads n"))
	assert.ErrorContains(t, errs.Err(), "k: a block of 128 breaks the kernel's __block_size__(32, 4)")
}

func TestClusterAndCooperative(t *testing.T) {
	k := kernel()
	spec, errs := directive.Read(k, directives("block 32", "threads n", "cluster 2,1,2", "cooperative"))
	require.Empty(t, errs)
	assert.Equal(t, [3]int64{2, 1, 2}, spec.Launch.Cluster)
	assert.True(t, spec.Launch.Cooperative)
	assert.False(t, spec.Launch.ClusterFixed)

	k.ClusterDims = []int64{2}
	spec, errs = directive.Read(k, directives("block 32", "threads n"))
	require.Empty(t, errs)
	assert.Equal(t, [3]int64{2, 1, 1}, spec.Launch.Cluster)
	assert.True(t, spec.Launch.ClusterFixed)
	_, errs = directive.Read(k, directives("block 32", "threads n", "cluster 2,1"))
	assert.Empty(t, errs)
	_, errs = directive.Read(k, directives("block 32", "threads n", "cluster 4"))
	assert.ErrorContains(t, errs.Err(), "k: a cluster of 4 breaks the kernel's __cluster_dims__(2)")

	k.BlockSize = []int64{32}
	_, errs = directive.Read(k, directives("threads n"))
	assert.ErrorContains(t, errs.Err(), "its grid counts clusters: remove threads and use LaunchWith")
}

// Parameters may be called as Go calls its keywords.
func TestKeywordNames(t *testing.T) {
	k := &directive.Kernel{Name: "k", Params: []directive.Param{
		{Name: "type", GoName: "typeArg", Integer: int32Range}, {Name: "range", GoName: "rangeArg", Pointer: true}, {Name: "map", GoName: "mapArg", Integer: int32Range},
	}}
	spec, errs := directive.Read(k, directives("len range=type*2", "infer map=len(range)"))
	require.Empty(t, errs)
	require.Len(t, spec.Checks, 1)
	assert.Equal(t, "2*int(typeArg)", strings.ReplaceAll(spec.Checks[0].Len.Go, "int(typeArg) * 2", "2*int(typeArg)"))
	require.Len(t, spec.Infers, 1)
	assert.Equal(t, 2, spec.Infers[0].Param)
}
