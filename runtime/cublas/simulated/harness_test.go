package simulated_test

import (
	"fmt"
	"math/cmplx"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/runtime/cublas"
	_ "github.com/cudagen/cudagen/runtime/cublas/simulated"
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/cuda/vec"
	"github.com/cudagen/cudagen/runtime/simtest"
)

// A gen makes the arguments of a call, and what must come of it.
type gen struct {
	*rand.Rand
	complex bool
}

// value returns a small whole number, so that sums are exact in all types.
func (g *gen) value() complex128 {
	v := complex(float64(g.IntN(7)-3), 0)
	if g.complex {
		v += complex(0, float64(g.IntN(7)-3))
	}
	return v
}

func (g *gen) real() complex128 { return complex(float64(g.IntN(7)-3), 0) }

func (g *gen) size() int  { return []int{0, 1, 2, 3, 5, 8, 13}[g.IntN(7)] }
func (g *gen) coin() bool { return g.IntN(2) == 0 }
func (g *gen) step() int  { return []int{1, 2, -1, -3}[g.IntN(4)] }

// A mem is memory of the device. Only elements that are read are defined before the call, and only those that are written change.
type mem struct {
	before, after []complex128
	read, written []bool
	bytes         reflect.Type // of the elements, if the argument is a slice of bytes or of addresses
	many          []*mem       // what the addresses in it point to
}

func newMem(n int) *mem {
	return &mem{before: make([]complex128, n), after: make([]complex128, n), read: make([]bool, n), written: make([]bool, n)}
}

func (m *mem) get(i int) complex128 { return m.before[i] }

func (m *mem) set(i int, v complex128) { m.after[i], m.written[i] = v, true }

// give makes element i one that may be read.
func (m *mem) give(i int, v complex128) complex128 {
	m.before[i], m.read[i] = v, true
	if !m.written[i] {
		m.after[i] = v
	}
	return v
}

// A vector is one: at says where its elements are.
type vector struct {
	*mem
	n, inc int
}

func (g *gen) vector(n, inc int, read bool) vector {
	v := vector{newMem(max(0, (n-1)*max(inc, -inc)+1)), n, inc}
	for i := range n {
		if read {
			v.give(v.at(i), g.value())
		}
	}
	return v
}

func (v vector) at(i int) int {
	if v.inc < 0 {
		return (v.n - 1 - i) * -v.inc
	}
	return i * v.inc
}

// A matrix is one stored by columns.
type matrix struct {
	*mem
	rows, columns, ld int
}

// matrix makes a matrix of which those elements are defined for which use holds; nil stands for all.
func (g *gen) matrix(rows, columns int, use func(i, j int) bool) matrix {
	return g.matrixOf(rows, columns, g.ld(rows), use)
}

func (g *gen) ld(rows int) int { return max(1, rows) + g.IntN(3) }

func (g *gen) matrixOf(rows, columns, ld int, use func(i, j int) bool) matrix {
	m := matrix{newMem(max(0, (columns-1)*ld+rows)), rows, columns, ld}
	if rows == 0 || columns == 0 {
		m.mem = newMem(0)
	}
	for j := range columns {
		for i := range rows {
			if use == nil || use(i, j) {
				m.give(m.at(i, j), g.value())
			}
		}
	}
	return m
}

func (m matrix) at(i, j int) int { return i + j*m.ld }

// el returns element (i, j) of op of m.
func (m matrix) el(op cublas.Operation, i, j int) complex128 {
	switch op {
	case cublas.OpT:
		return m.get(m.at(j, i))
	case cublas.OpC:
		return cmplx.Conj(m.get(m.at(j, i)))
	}
	return m.get(m.at(i, j))
}

func never(int, int) bool  { return false }
func always(int, int) bool { return true }

// when returns always or never.
func when(condition bool) func(i, j int) bool {
	if condition {
		return always
	}
	return never
}

// inside says which elements a triangle has.
func inside(uplo cublas.FillMode, diag cublas.DiagType) func(i, j int) bool {
	return func(i, j int) bool {
		if i == j {
			return diag == cublas.DiagNonUnit
		}
		return (i < j) == (uplo == cublas.FillModeUpper)
	}
}

// A want is a result.
type want complex128

// A both is a value that the function reads and changes, or, without before, an array that it writes.
type both struct{ before, after []complex128 }

// A harness calls functions.
type harness struct {
	t   testing.TB
	dev *cuda.Device
	s   *cuda.Stream
	h   *cublas.Handle
	// fill says that memory which may not be read has numbers, so that a change is noticed; otherwise it is undefined.
	fill    bool
	cleanup []func() error
	checks  []func()
	what    string
}

func newHarness(t testing.TB, options ...simtest.Option) *harness {
	t.Helper()
	return harnessOn(t, simtest.New(t, options...))
}

func harnessOn(t testing.TB, dev *cuda.Device) *harness {
	t.Helper()
	s, err := dev.NewStream()
	require.NoError(t, err)
	h, err := cublas.NewHandle(dev)
	require.NoError(t, err)
	t.Cleanup(func() {
		assert.NoError(t, h.Close())
		s.Close()
	})
	return &harness{t: t, dev: dev, s: s, h: h}
}

// call calls a method of the handle with args, and checks what comes of it.
func (h *harness) call(name string, args []any) {
	h.t.Helper()
	h.what = fmt.Sprintf("%s%s", name, told(args))
	method := reflect.ValueOf(h.h).MethodByName(name)
	require.True(h.t, method.IsValid(), "there is no %s", name)
	h.checks, h.cleanup = nil, nil
	in, results := h.arguments(method.Type(), args)
	out := method.Call(in)
	err, _ := out[len(out)-1].Interface().(error)
	require.NoError(h.t, err, h.what)
	require.Len(h.t, results, len(out)-1, h.what)
	require.NoError(h.t, h.s.Synchronize(), h.what)
	for i, r := range results {
		h.near(complex128(r), number(out[i].Interface()), out[i].Type(), "result")
	}
	for _, check := range h.checks {
		check()
	}
	for _, clean := range h.cleanup {
		require.NoError(h.t, clean())
	}
}

func told(args []any) (text string) {
	for _, a := range args {
		switch a.(type) {
		case *mem, both:
		default:
			text += fmt.Sprintf(" %v", a)
		}
	}
	return text
}

// arguments makes arguments of the types that a method has, and returns the results that are left for it to return.
func (h *harness) arguments(t reflect.Type, args []any) (in []reflect.Value, results []want) {
	at := 0
	if t.NumIn() > 0 && t.In(0) == reflect.TypeFor[*cuda.Stream]() {
		in, at = append(in, reflect.ValueOf(h.s)), 1
	}
	for _, a := range args {
		if w, ok := a.(want); ok && at == t.NumIn() {
			results = append(results, w)
			continue
		}
		require.Less(h.t, at, t.NumIn(), h.what)
		in = append(in, h.argument(t.In(at), a))
		at++
	}
	require.Len(h.t, in, t.NumIn(), h.what)
	return in, results
}

// isSlice reports whether t is a cuda.Slice.
func isSlice(t reflect.Type) bool { return strings.HasPrefix(t.String(), "cuda.Slice[") }

func (h *harness) argument(t reflect.Type, a any) reflect.Value {
	switch a := a.(type) {
	case vector:
		return h.argument(t, a.mem)
	case matrix:
		return h.argument(t, a.mem)
	case *mem:
		return h.memory(t, a)
	case complex128:
		if isSlice(t) {
			m := newMem(1)
			m.give(0, a)
			return h.memory(t, m)
		}
		return exact(t, a)
	case want:
		m := newMem(1)
		m.set(0, complex128(a))
		return h.memory(t, m)
	case both:
		return h.changed(t, a)
	case typedResult:
		m := newMem(1)
		m.set(0, a.want)
		m.bytes = elementTypes[a.as]
		if isSlice(t) {
			return h.memory(t, m)
		}
		bytes := make([]byte, 16)
		h.checks = append(h.checks, func() {
			h.near(a.want, number(reflect.NewAt(m.bytes, unsafe.Pointer(&bytes[0])).Elem().Interface()), m.bytes, "result")
		})
		return reflect.ValueOf(bytes)
	case cublas.DataType, cublas.ComputeType, []byte:
		if isSlice(t) {
			b, err := cuda.Upload(h.s, a.([]byte))
			require.NoError(h.t, err)
			h.cleanup = append(h.cleanup, b.Close)
			return reflect.ValueOf(b.All())
		}
		return reflect.ValueOf(a)
	}
	return reflect.ValueOf(a).Convert(t)
}

// changed makes an argument of a value that changes.
func (h *harness) changed(t reflect.Type, a both) reflect.Value {
	if isSlice(t) {
		m := newMem(len(a.after))
		for i, v := range a.before {
			m.give(i, v)
		}
		for i, v := range a.after {
			m.set(i, v)
		}
		return h.memory(t, m)
	}
	var p, elements reflect.Value
	switch t.Kind() {
	case reflect.Pointer:
		p = reflect.New(t.Elem())
		elements = reflect.NewAt(reflect.ArrayOf(1, t.Elem()), p.UnsafePointer()).Elem().Slice3(0, 1, 1)
	default:
		p = reflect.MakeSlice(t, len(a.after), len(a.after))
		elements = p
	}
	for i, v := range a.before {
		elements.Index(i).Set(exact(t.Elem(), v))
	}
	h.checks = append(h.checks, func() {
		for i, v := range a.after {
			h.near(v, number(elements.Index(i).Interface()), t.Elem(), "value")
		}
	})
	return p
}

// memory uploads m to a slice of type t.
func (h *harness) memory(t reflect.Type, m *mem) reflect.Value {
	if m.many != nil {
		return h.addresses(t, m)
	}
	element := m.bytes
	if element == nil {
		element = elementOf(t)
	}
	switch element {
	case reflect.TypeFor[float32]():
		return upload[float32](h, t, m)
	case reflect.TypeFor[float64]():
		return upload[float64](h, t, m)
	case reflect.TypeFor[complex64]():
		return upload[complex64](h, t, m)
	case reflect.TypeFor[complex128]():
		return upload[complex128](h, t, m)
	case reflect.TypeFor[vec.Float16]():
		return upload[vec.Float16](h, t, m)
	case reflect.TypeFor[vec.BFloat16]():
		return upload[vec.BFloat16](h, t, m)
	case reflect.TypeFor[int8]():
		return upload[int8](h, t, m)
	case reflect.TypeFor[int32]():
		return upload[int32](h, t, m)
	case reflect.TypeFor[int64]():
		return upload[int64](h, t, m)
	}
	require.Fail(h.t, "no elements", "%v", element)
	return reflect.Value{}
}

// elementOf returns the type of the elements of a cuda.Slice, or of what its addresses point to.
func elementOf(t reflect.Type) reflect.Type {
	for _, e := range []reflect.Type{reflect.TypeFor[float32](), reflect.TypeFor[float64](), reflect.TypeFor[complex64](), reflect.TypeFor[complex128](),
		reflect.TypeFor[vec.Float16](), reflect.TypeFor[vec.BFloat16](), reflect.TypeFor[int32](), reflect.TypeFor[int64]()} {
		if name := e.String(); strings.HasSuffix(name, "loat16") && strings.Contains(t.String(), "/"+name+"]") || strings.Contains(t.String(), "["+name+"]") {
			return e
		}
	}
	switch {
	case strings.Contains(t.String(), "vec.Float2]"):
		return reflect.TypeFor[complex64]()
	case strings.Contains(t.String(), "vec.Double2]"):
		return reflect.TypeFor[complex128]()
	}
	return nil
}

// untouched is a number that nothing reads.
const untouched = 99

func upload[T any](h *harness, t reflect.Type, m *mem) reflect.Value {
	b, err := cuda.Alloc[T](h.s, max(1, len(m.before))) // an empty buffer has no address
	require.NoError(h.t, err)
	all := b.Slice(0, len(m.before))
	h.cleanup = append(h.cleanup, b.Close)
	for i, v := range m.before {
		if !m.read[i] && !h.fill {
			continue
		}
		if !m.read[i] {
			v = untouched
		}
		require.NoError(h.t, b.Slice(i, i+1).CopyFrom(h.s, []T{exact(reflect.TypeFor[T](), v).Interface().(T)}))
	}
	h.checks = append(h.checks, func() { checkMemory(h, b, m) })
	if t == reflect.TypeFor[cuda.Slice[uint8]]() {
		return reflect.ValueOf(cuda.Reinterpret[uint8](all))
	}
	return reflect.ValueOf(all)
}

// checkMemory compares what the call has left in b.
func checkMemory[T any](h *harness, b *cuda.Buffer[T], m *mem) {
	for i := range m.before {
		want := m.after[i]
		if !m.read[i] && !m.written[i] {
			if !h.fill {
				continue
			}
			want = untouched
		}
		got, err := b.Slice(i, i+1).Download(h.s)
		require.NoError(h.t, err, "element %d of%s", i, h.what)
		h.near(want, number(any(got[0])), reflect.TypeFor[T](), fmt.Sprintf("element %d", i))
	}
}

// addresses uploads several memories, and their addresses.
func (h *harness) addresses(t reflect.Type, m *mem) reflect.Value {
	var list []uint64
	for _, each := range m.many {
		each.bytes = m.bytes
		if each.bytes == nil {
			each.bytes = elementOf(t)
		}
		v := h.memory(reflect.TypeFor[cuda.Slice[uint8]](), each)
		list = append(list, v.Interface().(cuda.Slice[uint8]).Address())
	}
	b, err := cuda.Upload(h.s, append(list, 0))
	require.NoError(h.t, err)
	h.cleanup = append(h.cleanup, b.Close)
	all := b.Slice(0, len(list))
	return reflect.NewAt(t, unsafe.Pointer(&all)).Elem() // slices of all addresses look the same
}

// exact returns v as a value of type t, rounded.
func exact(t reflect.Type, v complex128) reflect.Value {
	switch t {
	case reflect.TypeFor[vec.Float16]():
		return reflect.ValueOf(vec.NewFloat16(float32(real(v))))
	case reflect.TypeFor[vec.BFloat16]():
		return reflect.ValueOf(vec.NewBFloat16(float32(real(v))))
	}
	if t.Kind() == reflect.Complex64 || t.Kind() == reflect.Complex128 {
		return reflect.ValueOf(v).Convert(t)
	}
	return reflect.ValueOf(real(v)).Convert(t)
}

func number(v any) complex128 {
	switch v := v.(type) {
	case vec.Float16:
		return complex(float64(v.Float32()), 0)
	case vec.BFloat16:
		return complex(float64(v.Float32()), 0)
	}
	r := reflect.ValueOf(v)
	switch {
	case r.CanComplex():
		return r.Complex()
	case r.CanFloat():
		return complex(r.Float(), 0)
	}
	return complex(float64(r.Int()), 0)
}

// near compares two numbers up to rounding.
func (h *harness) near(want, got complex128, t reflect.Type, what string) {
	h.t.Helper()
	tolerance := map[string]float64{"float32": 1e-4, "complex64": 1e-4, "vec.Float16": 4e-3, "vec.BFloat16": 2e-2}[t.String()]
	if tolerance == 0 {
		tolerance = 1e-10
	}
	if !(cmplx.Abs(want-got) <= tolerance*(1+cmplx.Abs(want))) {
		require.Fail(h.t, "a wrong number", "%s of%s: got %v, want %v", what, h.what, got, want)
	}
}
