package driver

import (
	"reflect"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

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

// TestInterceptPassesOn lets each call pass: the same method of the Driver behind it
// has the same arguments, and its results come back.
func TestInterceptPassesOn(t *testing.T) {
	iface := reflect.TypeFor[Driver]()
	for i := range iface.NumMethod() {
		name := iface.Method(i).Name
		t.Run(name, func(t *testing.T) {
			direct, behind := &echo{}, &echo{}
			d := Intercept(behind, func(string) Result { return Success })
			method := reflect.ValueOf(d).MethodByName(name)
			args := distinctArgs(method)
			want := reflect.ValueOf(direct).MethodByName(name).Call(args)
			got := method.Call(args)

			assert.Equal(t, name, behind.called)
			assert.Equal(t, direct.args, behind.args)
			require.Len(t, got, len(want))
			for i := range want {
				assert.Equal(t, want[i].Interface(), got[i].Interface())
			}
		})
	}
}

// distinctArgs returns arguments for method that differ from each other.
func distinctArgs(method reflect.Value) []reflect.Value {
	args := zeroArgs(method)
	for i := range args {
		v := reflect.New(args[i].Type()).Elem()
		switch v.Kind() {
		case reflect.Int, reflect.Int32:
			v.SetInt(int64(i) + 1)
		case reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
			v.SetUint(uint64(i) + 1)
		case reflect.String:
			v.SetString("name")
		case reflect.Slice:
			v.Set(reflect.MakeSlice(v.Type(), i+1, i+1))
		case reflect.Struct:
			for _, value := range []any{
				LaunchConfig{Grid: Dim3{1, 2, 3}, Block: Dim3{4, 5, 6}, SharedBytes: 7},
				Copy3D{WidthBytes: 1, Height: 2, Depth: 3, Src: Memory3D{Device: 4}, Dst: Memory3D{Device: 5}},
				LaunchAttributes{Cluster: Dim3{1, 2, 3}, Cooperative: true, HasPriority: true, Priority: -1},
			} {
				if reflect.TypeOf(value) == v.Type() {
					v.Set(reflect.ValueOf(value))
				}
			}
		case reflect.Func:
			f := func() {}
			v.Set(reflect.ValueOf(f))
		case reflect.UnsafePointer:
			v.SetPointer(unsafe.Pointer(new(byte)))
		default:
			panic("no value for a " + v.Type().String())
		}
		args[i] = v
	}
	return args
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
