package cuda_test

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/cudagen/cudagen/example"
	"github.com/cudagen/cudagen/runtime/cuda"
)

// TestNilAndZero: of nil and of zero values Close does nothing, every other method that can
// fail does, and none panics.
func TestNilAndZero(t *testing.T) {
	exceptions := map[string]string{
		"Slice.Slice":          "0 to 0 is within an empty slice",
		"Buffer.Slice":         "0 to 0 is within an empty buffer",
		"HostBuffer.Slice":     "0 to 0 is within an empty buffer",
		"ManagedBuffer.Slice":  "0 to 0 is within an empty buffer",
		"Batch.Launch":         "a batch without calls launches nothing",
		"Device.CanAccessPeer": "",
	}
	for _, zero := range []any{
		new(cuda.Device), new(cuda.Stream), new(cuda.Event), new(cuda.Buffer[float32]), new(cuda.HostBuffer[float32]), new(cuda.ManagedBuffer[float32]),
		new(cuda.Pool), new(cuda.Library), new(cuda.Kernel), new(cuda.Symbol[float32]), new(cuda.Call), new(cuda.Batch), new(example.Kernels),
		new(cuda.Graph), new(cuda.GraphExec), new(cuda.Conditional), new(cuda.CallNode), new(cuda.MemcpyNode[float32]), new(cuda.MemcpyBoxNode[float32]),
		new(cuda.MemsetNode[float32]), new(cuda.HostNode), new(cuda.EmptyNode), new(cuda.EventRecordNode), new(cuda.EventWaitNode), new(cuda.ChildNode),
		new(cuda.ConditionalNode), new(cuda.AllocNode[float32]), new(cuda.FreeNode),
	} {
		typ := reflect.TypeOf(zero)
		for what, v := range map[string]reflect.Value{"nil": reflect.Zero(typ), "zero": reflect.ValueOf(zero)} {
			for i := range typ.NumMethod() {
				m := typ.Method(i)
				name, _, _ := cutType(typ.Elem().Name())
				method := name + "." + m.Name
				t.Run(fmt.Sprint(what, " ", method), func(t *testing.T) {
					if typ.Elem().Name() == "Symbol[float32]" && what == "nil" {
						return // its methods are those of the value
					}
					results, panicked := call(v.Method(i))
					if !assert.Nil(t, panicked) || len(results) == 0 {
						return
					}
					err, ok := results[len(results)-1].Interface().(error)
					if m.Type.Out(m.Type.NumOut()-1) != reflect.TypeFor[error]() {
						return
					}
					if _, except := exceptions[method]; except {
						return
					}
					if m.Name == "Close" {
						assert.NoError(t, err)
					} else {
						assert.True(t, ok, "it has to fail")
					}
				})
			}
		}
	}
}

// cutType returns the name of a type without its arguments.
func cutType(name string) (before, after string, found bool) {
	for i, c := range name {
		if c == '[' {
			return name[:i], name[i:], true
		}
	}
	return name, "", false
}

// call calls f with zero arguments.
func call(f reflect.Value) (results []reflect.Value, panicked any) {
	defer func() { panicked = recover() }()
	args := make([]reflect.Value, f.Type().NumIn())
	for i := range args {
		args[i] = reflect.Zero(f.Type().In(i))
	}
	if f.Type().IsVariadic() {
		return f.CallSlice(args), nil
	}
	return f.Call(args), nil
}
