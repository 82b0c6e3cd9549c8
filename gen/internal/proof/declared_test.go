package proof_test

import (
	"context"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/gen"
	"github.com/cudagen/cudagen/gen/internal/gentest"
	"github.com/cudagen/cudagen/internal/compile"
)

// A counting compiler counts its compilations for debug information, without the code of kernels and with it. With
// whole it only makes the latter.
type counting struct {
	compile.Compiler
	whole bool

	mu             sync.Mutex
	declared, code int
}

func (c *counting) Compile(ctx context.Context, req compile.Request) (*compile.Output, error) {
	req.Declared = req.Declared && !c.whole
	out, err := c.Compiler.Compile(ctx, req)
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case err != nil || !req.Debug:
	case out.Declared:
		c.declared++
	default:
		c.code++
	}
	return out, err
}

// long1 declares LONG, a type that the front end does not understand.
const long1 = "template <class T, class U> __device__ auto add(T a, U b) { return a + b; } template <class T> struct Deduce { typedef decltype(add(T(), 1L)) type; };\n" +
	"#define LONG Deduce<int>::type\n"

// TestDeclaredIsEnough: what a compiler states without the code of kernels makes the same files as what it states with
// that. Where it depends on the code which classes are described, the compiler is asked with it.
func TestDeclaredIsEnough(t *testing.T) {
	t.Setenv("CUDAGEN_CACHE", "off")
	for _, test := range []struct {
		name, source   string
		declared, code int // compilations
	}{
		{"a plain source", "struct S { float x[40]; int b : 3; };\n__constant__ S c; static __device__ S *d;\n" +
			"template <class T> __global__ void k(S s, const S *p, T **q) { **q = s.x[1] + p->b; }\ntemplate __global__ void k<float>(S, const S *, float **);\n", 1, 0},
		{"types that the compiler tells", gentest.UnclearSource, 2, 0},
		{"large classes", long1 + "template <class T> struct W { typename Deduce<T>::type x[40]; }; struct H { int n[30]; LONG m; };\n" +
			"template <class... T> __global__ void many(W<T>... w) { (void)sizeof...(w); }\n" +
			"__global__ void one(W<int> w, int n, H h, float *out) { out[0] = w.x[n] + h.m; }\n", 2, 0},
		{"a class that only a field points at", long1 + "struct In { LONG n; float x; }; struct Out { In *in; LONG m; };\n" +
			"__global__ void k(Out o, float *x) { x[0] = o.in->x + o.m; }\n", 2, 1},
		{"a class without definition", long1 + "struct In; struct Out { LONG m; };\n__global__ void k(Out o, In *in, float *x) { x[0] = o.m; }\n", 2, 0},
		{"a class whose objects cannot be members", long1 + "struct In { LONG n; virtual void f() = 0; }; struct Out { LONG m; };\n__global__ void k(Out o, In *in, float *x) { x[0] = o.m; }\n", 2, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			found, err := gentest.NVCC(t)()
			require.NoError(t, err)
			made := make(map[bool][2]string)
			for _, whole := range []bool{false, true} {
				dir := gentest.Module(t, map[string]string{"k.cu": test.source})
				c := &counting{Compiler: found, whole: whole}
				o := gen.Options{Sources: []string{filepath.Join(dir, "k.cu")}, Archs: []string{"compute_75"}, Package: "p", FindCompiler: func() (compile.Compiler, error) { return c, nil }}
				_, err = gen.Generate(t.Context(), o)
				require.NoError(t, err)
				files := gentest.Snapshot(t, dir)
				made[whole] = [2]string{files["k_cuda.go"], files["k.cudagen.json"]}
				assert.NotContains(t, files["k.cudagen.json"], dir)
				o.FindCompiler = gentest.NoCompiler
				_, err = gen.Generate(t.Context(), o)
				require.NoError(t, err)
				assert.Equal(t, files, gentest.Snapshot(t, dir), "nothing changed")
				if !whole {
					assert.Equal(t, []int{test.declared, test.code}, []int{c.declared, c.code})
				}
			}
			assert.Equal(t, made[true], made[false])
		})
	}
}
