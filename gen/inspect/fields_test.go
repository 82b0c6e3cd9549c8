package inspect_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/gen/inspect"
	"github.com/cudagen/cudagen/gen/internal/ctype"
)

// What TestCompareFields compares with nvcc is listed here as people read it.
func TestFields(t *testing.T) {
	for name, test := range map[string]struct {
		source string
		want   string // offset or offset:bit, size or bits, name and class of each field
	}{
		"plain":              {"struct P { char a; double d; };", "0 1 a P; 8 8 d P"},
		"bases first":        {"struct A { int i; }; namespace n { struct B : A { int j; }; } struct P : n::B { int k; };", "0 4 i A; 4 4 j n::B; 8 4 k P"},
		"template":           {"template <class T, int N> struct B { T t[N]; }; struct P : B<float, 3> { B<char, 2> c; };", "0 12 t B<float, 3>; 12 2 c P"},
		"anonymous":          {"struct P { char c; union { int i; struct { char lo, hi; }; }; };", "0 1 c P; 4 4 i P::(unnamed union); 4 1 lo P::(unnamed union)::(unnamed struct); 5 1 hi P::(unnamed union)::(unnamed struct)"},
		"anonymous in base":  {"struct A { union { int i; float f; }; }; struct P : A { struct { int j; }; };", "0 4 i A::(unnamed union); 0 4 f A::(unnamed union); 4 4 j P::(unnamed struct)"},
		"unnamed but a name": {"struct P { struct { int x, y; } at[2]; union { int i; } u; };", "0 16 at P; 16 4 u P"},
		"named by typedef":   {"typedef struct { int x; } P;", "0 4 x P"},
		"bit-fields":         {"struct P { int i; unsigned a : 3, : 2, b : 12; int : 0; bool c : 1; };", "0 4 i P; 4:0 3b a P; 4:5 12b b P; 8:0 1b c P"},
		"bit-field in union": {"union P { int i; unsigned a : 3; };", "0 4 i P; 0:0 3b a P"},
		"no data":            {"struct E {}; struct P : E { static int i; void f(); };", ""},
		"empty member":       {"struct E {}; struct P { E e; int i; };", "0 1 e P; 4 4 i P"},
		"references":         {"struct P { int &r; void (*f)(int); int *p[2]; };", "0 8 r P; 8 8 f P; 16 16 p P"},
		"unnamed namespace":  {"namespace { struct Q { int i; }; } typedef Q P;", "0 4 i (anonymous namespace)::Q"},
		"vector":             {"typedef float3 P;", "0 4 x float3; 4 4 y float3; 8 4 z float3"},
		"const":              {"struct Q { const int i; }; typedef const Q P;", "0 4 i Q"},
		"library":            {"typedef __half2 P;", "0 2 x __half2; 2 2 y __half2"},
		"eight bits":         {"typedef __nv_fp8x4_e4m3 P;", "0 4 __x __nv_fp8x4_e4m3"},
		"size alone":         {"typedef std::complex<float> P;", "none"},
		"enumeration":        {"enum P { A };", "none"},
		"pointer":            {"struct Q { int i; }; typedef Q *P;", "none"},
	} {
		t.Run(name, func(t *testing.T) {
			r := report(t, test.source+"\n__global__ void k(char first, P p) {}\n", inspect.Options{})
			require.Len(t, r.Kernels, 1)
			require.Equal(t, inspect.OK, r.Kernels[0].Status, r.Kernels[0].Reason)
			p := r.Kernels[0].Params[1]
			var got []string
			for _, f := range p.Fields {
				place, size := fmt.Sprint(f.Offset), fmt.Sprint(f.Size)
				if f.BitOffset != nil {
					place, size = fmt.Sprintf("%d:%d", f.Offset, *f.BitOffset), fmt.Sprintf("%db", f.Bits)
				}
				got = append(got, fmt.Sprintf("%s %s %s %s", place, size, f.Name, f.Class))
			}
			assert.Equal(t, test.want == "none", p.Fields == nil)
			assert.Equal(t, strings.TrimSuffix(test.want, "none"), strings.Join(got, "; "))
		})
	}
}

// The fields of library classes fill them: TestCompareFieldsOfLibraries compares them with nvcc's.
func TestFieldsOfLibraries(t *testing.T) {
	known := 0
	for l := range ctype.Libraries {
		r := report(t, "__global__ void k("+l.Name+" p) {}", inspect.Options{})
		require.Equal(t, inspect.OK, r.Kernels[0].Status, "%s: %s", l.Name, r.Kernels[0].Reason)
		fields := r.Kernels[0].Params[0].Fields
		if fields == nil {
			assert.Contains(t, l.Name, "curandState")
			continue
		}
		known++
		end := fields[len(fields)-1]
		assert.Equal(t, l.Size, end.Offset+end.Size, l.Name)
	}
	assert.Greater(t, known, 25)
}

// The JSON of fields is a contract, as that of kernels.
func TestFieldsJSON(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, report(t, "struct E {}; struct P { double d; unsigned f : 3, g : 7; };\n__global__ void k(P p, E e) {}", inspect.Options{}).WriteJSON(&b))
	assert.Contains(t, b.String(), `"goField":"P","fields":[{"name":"d","offset":0,"size":8,"bits":0,"class":"P","ctype":"double"},`+
		`{"name":"f","offset":8,"size":1,"bits":3,"bitOffset":0,"class":"P","ctype":"unsigned int"},`+
		`{"name":"g","offset":8,"size":2,"bits":7,"bitOffset":3,"class":"P","ctype":"unsigned int"}]}`)
	assert.Contains(t, b.String(), `"goField":"E","fields":[]}`)
}

func TestFieldsTable(t *testing.T) {
	const source = "struct P { double d; unsigned f : 3; };\n__global__ void k(P p, int n) {}"
	var b bytes.Buffer
	require.NoError(t, report(t, source, inspect.Options{}).WriteTable(&b, inspect.Table{Fields: true}))
	assert.Equal(t, `k.cu:2: k: ok, 20 bytes, in Go K
  offset  size  align  name  C type        Go type
  0       16    8      p     P             P
    +0    8              .d  double        in P
    +8:0  3b             .f  unsigned int  in P
  16      4     4      n     int           int32
`, b.String())
	b.Reset()
	require.NoError(t, report(t, source, inspect.Options{}).WriteTable(&b, inspect.Table{}))
	assert.NotContains(t, b.String(), "unsigned")
}
