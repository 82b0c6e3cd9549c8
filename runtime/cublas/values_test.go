package cublas_test

import (
	"fmt"
	"math/cmplx"
	"math/rand/v2"
	"os"
	"os/exec"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/testenv"
	"github.com/cudagen/cudagen/runtime/cublas"
	"github.com/cudagen/cudagen/runtime/cuda"
)

// childVariable is set in the process that TestGPU starts: others of these tests load another driver.
const childVariable = "CUDAGEN_CUBLAS_TEST_CHILD"

// On a GPU functions compute what BLAS defines.
func TestGPU(t *testing.T) {
	testenv.Need(t, testenv.GPU)
	path := testenv.CUBLASPath(t)
	if os.Getenv(childVariable) == "" {
		child := exec.Command(os.Args[0], "-test.run=^TestGPU$", fmt.Sprintf("-test.v=%t", testing.Verbose()))
		child.Env = append(os.Environ(), childVariable+"=1", "CUDAGEN_LIBCUBLAS="+path)
		out, err := child.CombinedOutput()
		require.NoError(t, err, "%s", out)
		t.Logf("%s", out)
		return
	}
	d, err := cuda.Open(0)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, d.Close()) })
	compareAll(t, d, 19, testenv.Cases(3, 40), func(method) bool { return true })
	control(t, d)
	extras(t, d)
}

// compareAll compares what the methods that wanted chooses compute on d with the definition, with sizes up to most.
func compareAll(t *testing.T, d *cuda.Device, most, cases int, wanted func(m method) bool) {
	h, s := open(t, d)
	list, _ := methods(t)
	compared := 0
	for _, m := range list {
		compute := definitionOf(m)
		if compute == nil || !wanted(m) {
			continue
		}
		r := rand.New(rand.NewPCG(5, uint64(len(m.name))))
		for range cases {
			v := valuesOf(m, r, most)
			if problem := v.compare(h, s, compute); problem != "" {
				t.Errorf("%s%v: %s", m.name, v.ints, problem)
				break
			}
			compared++
		}
	}
	t.Logf("%d calls compared", compared)
	require.NotZero(t, compared)
}

// open makes a handle and a stream, which end with the test.
func open(t *testing.T, d *cuda.Device) (*cublas.Handle, *cuda.Stream) {
	s, err := d.NewStream()
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, s.Close()) })
	h, err := cublas.NewHandle(d)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, h.Close()) })
	return h, s
}

// A definition of something else is found out.
func control(t *testing.T, d *cuda.Device) {
	h, s := open(t, d)
	list, _ := methods(t)
	r := rand.New(rand.NewPCG(6, 7))
	for _, m := range list {
		if compute := definitionOf(m); compute != nil {
			wrong := false
			for try := 0; !wrong && try < 50; try++ {
				wrong = valuesOf(m, r, 5).compare(h, s, func(v *values) {
					compute(v)
					v.spoil()
				}) != ""
			}
			assert.True(t, wrong, "%s: one other element is not found", m.name)
		}
	}
}

// spoil changes the results and one element of the last slice on the device, which as a rule is what was computed.
func (v *values) spoil() {
	for i := range v.results {
		v.results[i] += 0.125
	}
	for i, name := range slices.Backward(v.params) {
		if isDeviceSlice(v.typ.In(i+1)) && len(v.of[name]) > 0 {
			v.of[name][0] += 0.125
			return
		}
	}
}

// valuesOf draws arguments that m takes, with their values.
func valuesOf(m method, r *rand.Rand, most int) *values {
	for {
		d, known := draw(m, r, most)
		if !known || d.bad {
			continue
		}
		v := &values{drawing: d, of: make(map[string][]complex128), complex: strings.ContainsAny(m.base()[:min(2, len(m.base()))], "CZcz")}
		if v.refused() {
			continue
		}
		v.fill()
		return v
	}
}

// refused reports whether BLAS has no such operation: transposition for Hermitian matrices, and conjugation for symmetric ones; or
// whether results of a batch overlap.
func (v *values) refused() bool {
	switch {
	case v.has("strideC") && v.i("batchCount") > 1:
		return v.i("strideC") < v.i("ldc")*v.i("n")
	case v.has("stridey") && v.i("batchCount") > 1:
		return v.i("stridey") < max(v.i("incy"), -v.i("incy"))*max(v.i("m"), v.i("n"))
	}
	if !v.complex || !ranks.MatchString(v.base()) {
		return false
	}
	if v.hermitian() {
		return v.i("trans") == int(cublas.OpT)
	}
	return v.i("trans") == int(cublas.OpC)
}

var ranks = regexp.MustCompile("^.(syrk|herk|syr2k|her2k|syrkx|herkx)$")
var solves = regexp.MustCompile("^.t(r|b|p)s[vm]$")

// fill gives every slice and scalar values. Matrices to divide by have large diagonals, and diagonals of Hermitian ones are real.
func (v *values) fill() {
	for i, name := range v.params {
		t := v.typ.In(i + 1)
		n, known := v.need[name]
		switch {
		case isDeviceSlice(t) && !known:
			n = 1
		case t.Kind() == reflect.Slice:
		case !isDeviceSlice(t) && !isNumber(t):
			continue
		case !isDeviceSlice(t):
			n = 1
		}
		elem := t
		if isDeviceSlice(t) {
			elem = elements[t].elem
		}
		v.of[name] = make([]complex128, n)
		for j := range v.of[name] {
			c := complex(float64(v.r.IntN(129)-64)/32, 0)
			if elem.Kind() == reflect.Complex64 || elem.Kind() == reflect.Complex128 {
				c += complex(0, float64(v.r.IntN(129)-64)/32)
			}
			v.of[name][j] = c
		}
	}
	if p := v.of["param"]; len(p) > 0 {
		p[0] = complex(float64(v.r.IntN(4)-2), 0) // which elements the transformation has
	}
	if solves.MatchString(v.base()) {
		v.dominate()
	}
	if v.hermitian() {
		v.straighten()
	}
}

func isNumber(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Float32, reflect.Float64, reflect.Complex64, reflect.Complex128:
		return true
	}
	return false
}

// order returns the order of the triangular or symmetric matrix of v.
func (v *values) order() int {
	if v.has("side") && v.i("side") == int(cublas.SideLeft) {
		return v.i("m")
	}
	return v.i("n")
}

func (v *values) dominate() {
	for _, name := range []string{"a", "ap"} {
		for i := range v.of[name] {
			v.of[name][i] /= 32
		}
	}
	stored := v.stored(v.order())
	for i := range v.order() {
		p, _ := stored(i, i)
		*p += 2
	}
}

func (v *values) straighten() {
	for i := range v.order() {
		p := new(complex128)
		switch {
		case ranks.MatchString(v.base()):
			p = v.mat("c")(i, i)
		case v.has("a") || v.has("ap"):
			p, _ = v.stored(v.order())(i, i)
		}
		*p = complex(real(*p), 0)
	}
}

// An element is how slices of a type are made and read.
type element struct {
	elem reflect.Type
	make func(s *cuda.Stream, host []complex128) (slice reflect.Value, read func() ([]complex128, error), err error)
}

// elements has those of cuda.Slice.
var elements = map[reflect.Type]element{}

func init() {
	register(func(c complex128) float32 { return float32(real(c)) }, func(f float32) complex128 { return complex(float64(f), 0) })
	register(func(c complex128) float64 { return real(c) }, func(f float64) complex128 { return complex(f, 0) })
	register(func(c complex128) complex64 { return complex64(c) }, func(c complex64) complex128 { return complex128(c) })
	register(func(c complex128) complex128 { return c }, func(c complex128) complex128 { return c })
	register(func(c complex128) int32 { return int32(real(c)) }, func(n int32) complex128 { return complex(float64(n), 0) })
	register(func(c complex128) int64 { return int64(real(c)) }, func(n int64) complex128 { return complex(float64(n), 0) })
}

func register[T any](to func(complex128) T, from func(T) complex128) {
	elements[reflect.TypeFor[cuda.Slice[T]]()] = element{reflect.TypeFor[T](), func(s *cuda.Stream, host []complex128) (reflect.Value, func() ([]complex128, error), error) {
		data := make([]T, len(host))
		for i, c := range host {
			data[i] = to(c)
		}
		b, err := cuda.Alloc[T](s, max(len(data), 1))
		if err != nil {
			return reflect.Value{}, nil, err
		}
		slice := b.Slice(0, len(data))
		if len(data) > 0 {
			err = slice.CopyFrom(s, data)
		}
		return reflect.ValueOf(slice), func() ([]complex128, error) {
			defer b.Close()
			var list []complex128
			if len(data) == 0 {
				return nil, nil
			}
			got, err := slice.Download(s)
			for _, one := range got {
				list = append(list, from(one))
			}
			return list, err
		}, err
	}}
}

// compare calls the method of v, and says what is not as compute has it.
func (v *values) compare(h *cublas.Handle, s *cuda.Stream, compute func(v *values)) string {
	var in []reflect.Value
	read := make(map[string]func() ([]complex128, error))
	for i, name := range v.params {
		t := v.typ.In(i + 1)
		switch {
		case t == reflect.TypeFor[*cuda.Stream]():
			in = append(in, reflect.ValueOf(s))
		case isDeviceSlice(t):
			slice, reader, err := elements[t].make(s, v.of[name])
			if err != nil {
				return err.Error()
			}
			in, read[name] = append(in, slice), reader
		case t.Kind() == reflect.Slice: // of real numbers
			made := reflect.MakeSlice(t, len(v.of[name]), len(v.of[name]))
			for j, c := range v.of[name] {
				made.Index(j).SetFloat(real(c))
			}
			in = append(in, made)
		case t.Kind() == reflect.Complex64 || t.Kind() == reflect.Complex128:
			in = append(in, reflect.ValueOf(v.of[name][0]).Convert(t))
		case isNumber(t):
			in = append(in, reflect.ValueOf(real(v.of[name][0])).Convert(t))
		default:
			in = append(in, reflect.ValueOf(v.i(name)).Convert(t))
		}
	}
	out := reflect.ValueOf(h).Method(v.index).Call(in)
	if err, _ := out[len(out)-1].Interface().(error); err != nil {
		return err.Error()
	}
	compute(v)
	for i, want := range v.results {
		if got := number(out[i]); !v.near(got, want) {
			return fmt.Sprintf("result is %v, want %v", got, want)
		}
	}
	for _, name := range v.params {
		if read[name] == nil {
			continue
		}
		got, err := read[name]()
		if err != nil {
			return err.Error()
		}
		for i, want := range v.of[name] {
			if !v.near(got[i], want) {
				return fmt.Sprintf("%s[%d] is %v, want %v", name, i, got[i], want)
			}
		}
	}
	return ""
}

func number(v reflect.Value) complex128 {
	switch {
	case v.CanInt():
		return complex(float64(v.Int()), 0)
	case v.CanFloat():
		return complex(v.Float(), 0)
	}
	return v.Complex()
}

// near reports whether got is want, but for rounding.
func (v *values) near(got, want complex128) bool {
	tolerance := 1e-9
	if single.MatchString(v.base()) {
		tolerance = 2e-3
	}
	return cmplx.Abs(got-want) <= tolerance*(1+cmplx.Abs(want))
}

var single = regexp.MustCompile("^(S|C|Is|Ic)")
