//go:build linux && !cudagen_nodriver && (amd64 || arm64)

package cublas_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/fakecuda"
	"github.com/cudagen/cudagen/internal/testenv"
	"github.com/cudagen/cudagen/runtime/cublas"
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/cuda/vec"
)

// counting returns C code with every function of the package. It counts calls, but for those that set stream and mode, and
// cublasGetCudartVersion returns how many there were, and the place of the last function.
func counting(symbols []string) string {
	var b strings.Builder
	b.WriteString("static unsigned long calls, last;\n")
	for i, s := range symbols {
		switch s {
		case "cublasGetCudartVersion":
			fmt.Fprintf(&b, "unsigned long %s(void) { return calls << 16 | last; }\n", s)
		case "cublasGetStatusString":
			fmt.Fprintf(&b, "const char *%s(int status) { return \"the stub's\"; }\n", s)
		case "cublasCreate_v2":
			fmt.Fprintf(&b, "int %s(void **handle) { *handle = &calls; return 0; }\n", s)
		case "cublasDestroy_v2", "cublasSetStream_v2", "cublasSetPointerMode_v2":
			fmt.Fprintf(&b, "int %s(void) { return 0; }\n", s)
		default:
			fmt.Fprintf(&b, "int %s(void) { calls++, last = %d; return 0; }\n", s, i)
		}
	}
	return b.String()
}

var build sync.Once

// A stub is a device of the fake driver, with a cuBLAS that only counts calls.
type stub struct {
	*testing.T
	device  *cuda.Device
	stream  *cuda.Stream
	handle  *cublas.Handle
	methods []method
	symbols []string
	memory  map[reflect.Type]func(n int) reflect.Value // n elements of a slice of that type
}

const most = 4096

func newStub(t *testing.T) *stub {
	st := &stub{T: t, memory: make(map[reflect.Type]func(n int) reflect.Value)}
	st.methods, st.symbols = methods(t)
	driver := fakecuda.Build(t, fakecuda.Options{})
	source := fstest.MapFS{"stub.c": &fstest.MapFile{Data: []byte(counting(st.symbols))}}
	image := testenv.CompileC(t, testenv.CCPath(t), strings.Fields("-std=gnu11 -O1 -fPIC -shared"), source, "stub.c")
	t.Setenv("CUDAGEN_LIBCUDA", driver)
	t.Setenv("CUDAGEN_DEVICE", "")
	build.Do(func() {
		path := filepath.Join(t.TempDir(), "libcublas.so")
		require.NoError(t, os.WriteFile(path, image, 0o700))
		t.Setenv("CUDAGEN_LIBCUBLAS", path)
		d, err := cuda.Open(0)
		require.NoError(t, err)
		_, err = cublas.GetCudartVersion(d)
		require.NoError(t, err)
		require.NoError(t, d.Close())
	})
	var err error
	st.device, err = cuda.Open(0)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, st.device.Close()) })
	st.stream, err = st.device.NewStream()
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, st.stream.Close()) })
	st.handle, err = cublas.NewHandle(st.device)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, st.handle.Close()) })
	lend[float32](st)
	lend[float64](st)
	lend[complex64](st)
	lend[complex128](st)
	lend[uint8](st)
	lend[int32](st)
	lend[int64](st)
	lend[vec.Float16](st)
	lend[vec.BFloat16](st)
	lend[cuda.Ptr[byte]](st)
	lend[cuda.Ptr[float32]](st)
	lend[cuda.Ptr[float64]](st)
	lend[cuda.Ptr[complex64]](st)
	lend[cuda.Ptr[complex128]](st)
	lend[cuda.Ptr[vec.Float16]](st)
	lend[cuda.Ptr[vec.BFloat16]](st)
	return st
}

func lend[T any](st *stub) {
	b, err := cuda.Alloc[T](st.stream, most)
	require.NoError(st, err)
	st.Cleanup(func() { assert.NoError(st, b.Close()) })
	st.memory[reflect.TypeFor[cuda.Slice[T]]()] = func(n int) reflect.Value { return reflect.ValueOf(b.Slice(0, n)) }
}

// said returns how many calls there were, and the last function that was called.
func (st *stub) said() (calls int, last string) {
	v, err := cublas.GetCudartVersion(st.device)
	require.NoError(st, err)
	return int(v >> 16), st.symbols[v&0xffff]
}

// An argument says how a slice is made that is not as d needs it.
type argument int

const (
	exact argument = iota
	short          // one element less
	zero           // the zero value
)

// call calls the method of d, with handle and stream and exact slices, but for that called odd, or all of them if odd is "".
func (st *stub) call(d *drawing, handle *cublas.Handle, odd string, kind argument) error {
	var in []reflect.Value
	for i, name := range d.params {
		want := d.typ.In(i + 1)
		as := exact
		if odd == name || odd == "" {
			as = kind
		}
		in = append(in, st.value(d, name, want, as))
	}
	out := reflect.ValueOf(handle).Method(d.index).Call(in)
	err, _ := out[len(out)-1].Interface().(error)
	return err
}

// value returns the argument called name.
func (st *stub) value(d *drawing, name string, want reflect.Type, as argument) reflect.Value {
	n, ok := d.need[name]
	if !ok && isDeviceSlice(want) {
		n = 1 // a scalar in the memory of the device
	}
	switch {
	case want == reflect.TypeFor[*cuda.Stream]():
		return reflect.ValueOf(st.stream)
	case as == zero && (isDeviceSlice(want) || want.Kind() == reflect.Slice):
		return reflect.Zero(want)
	case as == short:
		n--
	}
	switch {
	case isDeviceSlice(want):
		slice, ok := st.memory[want]
		require.True(st, ok, "%s of %s: no memory of type %v", name, d.name, want)
		return slice(n)
	case want.Kind() == reflect.Slice:
		made := reflect.MakeSlice(want, n, n)
		for i := range min(n, len(d.groups)) {
			if name == "groupSize" {
				made.Index(i).SetInt(int64(d.groups[i]))
			}
		}
		return made
	case want.Kind() == reflect.Pointer:
		return reflect.New(want.Elem())
	case want.Kind() == reflect.Int32 || want.Kind() == reflect.Int64 || want.Kind() == reflect.Uint32 || want.Kind() == reflect.Uint64:
		return reflect.ValueOf(d.i(name)).Convert(want)
	}
	return reflect.Zero(want)
}

// sliced returns the parameters of d that are slices, and need elements if all is false.
func (st *stub) sliced(d *drawing, all bool) (list []string) {
	for i, name := range d.params {
		t := d.typ.In(i + 1)
		n, known := d.need[name]
		if (isDeviceSlice(t) || t.Kind() == reflect.Slice) && (all || n > 0 || !known && isDeviceSlice(t)) {
			list = append(list, name)
		}
	}
	return list
}

// Each function takes slices with as many elements as BLAS's loops touch, and not one less. C is called once, or not at all.
func TestLengths(t *testing.T) {
	st := newStub(t)
	r := rand.New(rand.NewPCG(1, 2))
	cases := testenv.Cases(8, 24)
	require.Greater(t, len(st.methods), 400)
	for _, m := range st.methods {
		good, bad := 0, 0
		for try := 0; (good < cases || bad < 1) && try < 100*cases; try++ {
			d, known := draw(m, r, 4)
			if !known {
				require.NotContains(t, fmt.Sprint(m.typ), "Slice", "%s: no family has %s", m.name, m.base())
				break
			}
			before, _ := st.said()
			err := st.call(d, st.handle, "none", exact)
			after, last := st.said()
			if d.bad {
				bad++
				require.ErrorIs(t, err, cuda.ErrInvalidValue, "%s %v", m.name, d.ints)
				require.Contains(t, err.Error(), "must hold", "%s %v", m.name, d.ints)
				require.Equal(t, before, after)
				continue
			}
			good++
			require.NoError(t, err, "%s %v needs %v", m.name, d.ints, d.need)
			require.Equal(t, before+1, after, "%s %v", m.name, d.ints)
			require.Equal(t, m.symbol, last)
			for _, name := range st.sliced(d, false) {
				err := st.call(d, st.handle, name, short)
				require.ErrorIs(t, err, cuda.ErrShortSlice, "%s with too short a %s: %v needs %v", m.name, name, d.ints, d.need)
				require.Contains(t, err.Error(), " elements, needs ")
			}
			calls, _ := st.said()
			require.Equal(t, after, calls, "%s", m.name)
		}
	}
}

// nullable are the slices that need not be there.
var nullable = []string{"p", "devIpiv", "devInfoArray", "mantissaBitCount"}

// What is nil or closed never gets to C.
func TestNeverCalled(t *testing.T) {
	st := newStub(t)
	closed, err := cublas.NewHandle(st.device)
	require.NoError(t, err)
	require.NoError(t, closed.Close())
	r := rand.New(rand.NewPCG(3, 4))
	before, _ := st.said()
	for _, m := range st.methods {
		d := &drawing{method: m, ints: map[string]int{}, r: r}
		for known := true; known; {
			if d, known = draw(m, r, 4); !known || !d.bad {
				break
			}
		}
		assert.ErrorIs(t, st.call(d, nil, "none", exact), cuda.ErrInvalidValue, "%s of nil", m.name)
		assert.ErrorIs(t, st.call(d, new(cublas.Handle), "none", exact), cuda.ErrInvalidValue, "%s of a zero Handle", m.name)
		assert.ErrorIs(t, st.call(d, closed, "none", exact), cuda.ErrClosed, "%s of a closed Handle", m.name)
		for _, name := range st.sliced(d, true) {
			host := false
			for i, p := range m.params {
				host = host || p == name && !isDeviceSlice(m.typ.In(i+1))
			}
			if !slices.Contains(nullable, name) && (!host || d.need[name] > 0) {
				assert.Error(t, st.call(d, st.handle, name, zero), "%s with no %s", m.name, name)
			}
		}
	}
	for name, call := range map[string]func() error{
		"NewHandle":        func() error { _, err := cublas.NewHandle(nil); return err },
		"GetProperty":      func() error { _, err := cublas.GetProperty(nil, cublas.MajorVersion); return err },
		"GetCudartVersion": func() error { _, err := cublas.GetCudartVersion(nil); return err },
		"LoggerConfigure":  func() error { return cublas.LoggerConfigure(nil, 0, 0, 0, "") },
	} {
		assert.ErrorIs(t, call(), cuda.ErrInvalidValue, "%s without a device", name)
	}
	after, _ := st.said()
	assert.Equal(t, before, after)
}

// The functions for all four types call that of theirs, and cost no allocation.
func TestGeneric(t *testing.T) {
	st := newStub(t)
	generic[float32](st, "S", "S", "S")
	generic[float64](st, "D", "D", "D")
	generic[complex64](st, "C", "Sc", "Cu")
	generic[complex128](st, "Z", "Dz", "Zu")
}

func generic[T cublas.Float](st *stub, letter, norm, dot string) {
	x := st.memory[reflect.TypeFor[cuda.Slice[T]]()](most).Interface().(cuda.Slice[T])
	h, s := st.handle, st.stream
	dotted, conjugated := letter+"dot", letter+"dot"
	if u, complex := strings.CutSuffix(dot, "u"); complex {
		dotted, conjugated = u+"dotu", u+"dotc"
	}
	for name, call := range map[string]func() error{
		letter + "gemm": func() error { return cublas.Gemm(h, s, 0, 0, 2, 2, 2, 1, x, 2, x, 2, 0, x, 2) },
		letter + "gemv": func() error { return cublas.Gemv(h, s, 0, 2, 2, 1, x, 2, x, 1, 0, x, 1) },
		letter + "trsm": func() error { return cublas.Trsm(h, s, 0, 0, 0, 0, 2, 2, 1, x, 2, x, 2) },
		letter + "axpy": func() error { return cublas.Axpy(h, s, 2, 1, x, 1, x, 1) },
		letter + "scal": func() error { return cublas.Scal(h, s, 2, 1, x, 1) },
		dotted:          func() error { _, err := cublas.Dot(h, s, 2, x, 1, x, 1); return err },
		norm + "nrm2":   func() error { _, err := cublas.Nrm2(h, s, 2, x, 1); return err },
	} {
		require.NoError(st, call())
		_, last := st.said()
		assert.Equal(st, "cublas"+name+"_v2_64", last)
		assert.Zero(st, testing.AllocsPerRun(20, func() { _ = call() }), "%s", name)
	}
	_, err := cublas.Dotc(h, s, 2, x, 1, x, 1)
	require.NoError(st, err)
	_, last := st.said()
	assert.Equal(st, "cublas"+conjugated+"_v2_64", last)
	assert.ErrorIs(st, cublas.Axpy(h, s, most+1, 1, x, 1, x, 1), cuda.ErrShortSlice)
}

// What a handle was given as a workspace must stay.
func TestWorkspace(t *testing.T) {
	st := newStub(t)
	b, err := cuda.Alloc[byte](st.stream, 1024)
	require.NoError(t, err)
	require.NoError(t, st.handle.SetWorkspace(st.stream, b.All(), 1024))
	x := st.memory[reflect.TypeFor[cuda.Slice[float32]]()](most).Interface().(cuda.Slice[float32])
	require.NoError(t, st.handle.Sscal(st.stream, 1, 2, x, 1))
	require.NoError(t, b.Close())
	assert.ErrorIs(t, st.handle.Sscal(st.stream, 1, 2, x, 1), cuda.ErrClosed)
}
