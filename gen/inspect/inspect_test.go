package inspect_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/gen"
	"github.com/cudagen/cudagen/gen/inspect"
	"github.com/cudagen/cudagen/gen/internal/cu"
	"github.com/cudagen/cudagen/gen/internal/layout"
)

// report reads source, in which "helper.h" holds one kernel.
func report(t testing.TB, source string, o inspect.Options) *inspect.Report {
	t.Helper()
	config := cu.Config{SizeOf: layout.Of, Read: func(path string) ([]byte, error) {
		if path == "helper.h" {
			return []byte("\n__global__ void helper(int n) {}\n"), nil
		}
		return nil, fmt.Errorf("%s is not there", path)
	}}
	file, err := config.ParseFile("k.cu", []byte(source))
	require.NoError(t, err)
	return inspect.New(gen.NewReader(gen.Options{}).Select(file), o)
}

func TestStatus(t *testing.T) {
	for name, test := range map[string]struct {
		source         string
		status         inspect.Status
		symbol, reason string
		bytes          int64
	}{
		"ends with the last parameter": {"__global__ void k(double d, char c) {}", inspect.OK, "", "", 9},
		"no parameters":                {"__global__ void k() {}", inspect.OK, "", "", 0},
		"extern C":                     {`extern "C" __global__ void k(int n) {}`, inspect.OK, "k", "", 4},
		"static extern C":              {`extern "C" { static __global__ void k(int n) {} }`, inspect.OK, "", "", 4},
		"a specialisation": {
			"template <class T> __global__ void k(T x); template <> __global__ void k<short>(short x) {}", inspect.OK, "", "", 2,
		},
		"a template": {"template <class T, int N> __global__ void k(T x) {}", inspect.Template, "",
			"a line such as //cudagen:instantiate T=float,N=4", 0},
		"a template of elsewhere": {"template <class T> __global__ void k(T x) {} extern template __global__ void k<float>(float);", inspect.Template, "",
			"add above it //cudagen:instantiate T=float", 0},
		"a launched template": {"template <class T> __global__ void k(T x) {} void f() { k<float><<<1, 2>>>(3); }", inspect.OK, "", "", 4},
		"an unknown type":     {"__global__ void k(Strange s) {}", inspect.Unsupported, "", "parameter s has unknown type Strange", 0},
		"virtual functions":   {"struct V { virtual void f(); }; __global__ void k(int n, V v) {}", inspect.Unsupported, "", "virtual", 0},
		"too many bytes":      {"struct B { char c[32765]; }; __global__ void k(B b) {}", inspect.Unsupported, "", "all parameters together may have 32764 bytes", 0},
		"all of the bytes":    {"struct B { char c[32764]; }; __global__ void k(B b) {}", inspect.OK, "", "", 32764},
		"pointer to unknown":  {"struct H; __global__ void k(const H *h) {}", inspect.OK, "", "", 8},
	} {
		t.Run(name, func(t *testing.T) {
			r := report(t, test.source, inspect.Options{})
			require.NotEmpty(t, r.Kernels)
			k := r.Kernels[len(r.Kernels)-1]
			assert.Equal(t, test.status, k.Status, k.Reason)
			assert.Equal(t, test.symbol, k.Symbol)
			assert.Equal(t, test.bytes, k.ParamBytes)
			assert.Contains(t, k.Reason, test.reason)
			assert.Equal(t, test.status == inspect.OK, k.Reason == "")
		})
	}
}

func TestWhichKernels(t *testing.T) {
	const source = "__global__ void declared(int n);\n#include \"helper.h\"\n__global__ void a(int n) {}\nnamespace n { __global__ void a(int n) {} }\n"
	names := func(r *inspect.Report) (list []string) {
		for _, k := range r.Kernels {
			list = append(list, fmt.Sprintf("%s:%d %s/%s", k.Path, k.Line, k.Namespace, k.Name))
		}
		return list
	}
	assert.Equal(t, []string{"k.cu:3 /a", "k.cu:4 n/a"}, names(report(t, source, inspect.Options{})))
	assert.Equal(t, []string{"k.cu:3 /a", "k.cu:4 n/a", "helper.h:2 /helper"}, names(report(t, source, inspect.Options{All: true})))
}

// The JSON form is a contract: its fields and their order.
func TestJSON(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, report(t, "__global__ void k(const float &x, int) {}", inspect.Options{}).WriteJSON(&b))
	assert.Equal(t, `{"file":"k.cu","kernels":[{"name":"k","namespace":"","symbol":"","status":"ok","reason":"","line":1,"paramBytes":12,"params":[`+
		`{"name":"x","offset":0,"size":8,"align":8,"ctype":"const float &","gotype":"cuda.Ptr[float32]","goName":"x","goField":"X"},`+
		`{"name":"","offset":8,"size":4,"align":4,"ctype":"int","gotype":"int32","goName":"arg1","goField":"Arg1"}],`+
		`"path":"k.cu","column":17,"included":false,"qualified":"k","templateArgs":[],"demangled":"k(float const&, int)","generated":true,"goName":"K","errors":[]}],`+
		`"accepted":true,"errors":[],"warnings":[]}`+"\n", b.String())
	b.Reset()
	require.NoError(t, report(t, "", inspect.Options{}).WriteJSON(&b))
	assert.Equal(t, `{"file":"k.cu","kernels":[],"accepted":false,`+
		`"errors":[{"file":"k.cu","line":1,"column":1,"message":"there is no kernel (a __global__ function) in this file","code":"S101"}],"warnings":[]}`+"\n", b.String())
	assert.True(t, json.Valid(b.Bytes()))
}

// A type directive shows in the Go types, wherever it stands.
func TestMappedTypes(t *testing.T) {
	r := report(t, `namespace geo { struct Point { long x, y; }; struct Line { Point a, b; }; }
//cudagen:type geo::Point=image.Point
__global__ void k(geo::Point p, const geo::Point *q, geo::Line l, geo::Point *r[2]) {}
//cudagen:type ::geo::Line=example.org/geo.Line
//cudagen:type geo::Line
`, inspect.Options{})
	require.Len(t, r.Kernels, 1)
	var types []string
	for _, p := range r.Kernels[0].Params {
		types = append(types, p.GoType)
	}
	assert.Equal(t, []string{"image.Point", "cuda.Ptr[image.Point]", "example.org/geo.Line", "cuda.Ptr[cuda.Ptr[image.Point]]"}, types)
}

// BenchmarkKernels reads 1,000 kernels; the time for 2,000 is to be twice that.
func BenchmarkKernels(b *testing.B) {
	for _, n := range []int{1000, 2000, 4000} {
		var source strings.Builder
		source.WriteString("struct P { float x[3]; double d; };\n")
		for i := range n {
			fmt.Fprintf(&source, "__global__ void __launch_bounds__(256) k%d(P p, const float *__restrict__ x, float *y, int n) { y[n] = x[n] * p.x[0]; }\n", i)
		}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				report(b, source.String(), inspect.Options{})
			}
		})
	}
}
