package driver

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// echo is a Driver that notes which method was called with what. Its results are
// distinct, and none is zero.
type echo struct {
	Driver
	called string
	args   []any
}

func (e *echo) note(method string, args ...any) Result {
	e.called, e.args = method, args
	return ErrorAssert
}

func (e *echo) KernelGetParamInfo(k Kernel, index int) (uint64, uint64, Result) {
	return 8, 4, e.note("KernelGetParamInfo", k, index)
}

func (e *echo) MemcpyDtoDAsync(dst, src DevicePtr, bytes uint64, s Stream) Result {
	return e.note("MemcpyDtoDAsync", dst, src, bytes, s)
}

func (e *echo) LibraryLog(lib Library) string {
	e.note("LibraryLog", lib)
	return "said"
}

func (e *echo) LaunchKernel(k Kernel, cfg LaunchConfig, s Stream, params []byte, offsets []uint32) Result {
	return e.note("LaunchKernel", k, cfg, s, params, offsets)
}

// zeroArgs returns arguments for method, all of them zero.
func zeroArgs(method reflect.Value) []reflect.Value {
	var args []reflect.Value
	for i := range method.Type().NumIn() {
		args = append(args, reflect.Zero(method.Type().In(i)))
	}
	return args
}

// TestInterceptEveryMethod calls each method of Driver through Intercept, with no
// Driver behind it: a call that is not intercepted crashes.
func TestInterceptEveryMethod(t *testing.T) {
	var seen []string
	d := Intercept(nil, func(entryPoint string) Result {
		seen = append(seen, entryPoint)
		return ErrorKeyRotation
	})
	iface := reflect.TypeFor[Driver]()
	for i := range iface.NumMethod() {
		name := iface.Method(i).Name
		t.Run(name, func(t *testing.T) {
			seen = nil
			method := reflect.ValueOf(d).MethodByName(name)
			if name == "LibraryLog" { // the control: it is not intercepted
				assert.Panics(t, func() { method.Call(zeroArgs(method)) })
				assert.Empty(t, seen)
				return
			}
			out := method.Call(zeroArgs(method))
			assert.Equal(t, []string{"cu" + name}, seen)
			assert.Equal(t, ErrorKeyRotation, out[len(out)-1].Interface())
			for _, v := range out[:len(out)-1] {
				assert.True(t, v.IsZero(), "a call that fails returns zero values")
			}
		})
	}
}

// TestInterceptReachesTheSameMethod lets each call pass and looks at which method
// of the Driver behind it panics for want of an implementation.
func TestInterceptReachesTheSameMethod(t *testing.T) {
	iface := reflect.TypeFor[Driver]()
	for i := range iface.NumMethod() {
		name := iface.Method(i).Name
		t.Run(name, func(t *testing.T) {
			reached := &tracer{}
			d := Intercept(reached, func(string) Result { return Success })
			method := reflect.ValueOf(d).MethodByName(name)
			method.Call(zeroArgs(method))
			assert.Equal(t, []string{name}, reached.called)
		})
	}
}

func TestInterceptPassesArguments(t *testing.T) {
	e := &echo{}
	d := Intercept(e, func(string) Result { return Success })

	offset, size, r := d.KernelGetParamInfo(7, 3)
	assert.Equal(t, []any{uint64(8), uint64(4), ErrorAssert}, []any{offset, size, r})
	assert.Equal(t, []any{Kernel(7), 3}, e.args)

	assert.Equal(t, ErrorAssert, d.MemcpyDtoDAsync(1, 2, 3, 4))
	assert.Equal(t, []any{DevicePtr(1), DevicePtr(2), uint64(3), Stream(4)}, e.args)

	cfg := LaunchConfig{Grid: Dim3{1, 2, 3}, Block: Dim3{4, 5, 6}, SharedBytes: 7}
	assert.Equal(t, ErrorAssert, d.LaunchKernel(8, cfg, 9, []byte{10}, []uint32{0}))
	assert.Equal(t, []any{Kernel(8), cfg, Stream(9), []byte{10}, []uint32{0}}, e.args)

	assert.Equal(t, "said", d.LibraryLog(5))
	assert.Equal(t, []any{Library(5)}, e.args)
}

func TestEntryPoints(t *testing.T) {
	iface := reflect.TypeFor[Driver]()
	require.Equal(t, NumEntryPoints, iface.NumMethod()-1, "every method but LibraryLog has an entry point")
	for e := range EntryPoint(NumEntryPoints) {
		_, ok := iface.MethodByName(e.Name()[len("cu"):])
		assert.True(t, ok, "%s has a method", e.Name())
		assert.Contains(t, e.Symbol(), e.Name())
		assert.Positive(t, e.Since())
		if e.Required() {
			assert.LessOrEqual(t, e.Since(), MinVersion, "%s is required, so the oldest driver has it", e.Name())
		}
	}
}
