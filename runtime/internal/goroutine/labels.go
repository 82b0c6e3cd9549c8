package goroutine

import (
	"context"
	"reflect"
	"runtime/pprof"
	"sync"
	"unsafe"
)

// Both functions are kept by the runtime with name and type, for packages that use them so.

//go:linkname runtimeLabels runtime/pprof.runtime_getProfLabel
func runtimeLabels() unsafe.Pointer

//go:linkname setRuntimeLabels runtime/pprof.runtime_setProfLabel
func setRuntimeLabels(labels unsafe.Pointer)

// Labels are those that CPU profiles show of a goroutine: runtime/pprof. They do not change.
type Labels struct{ set unsafe.Pointer }

// CurrentLabels returns those of the goroutine.
func CurrentLabels() Labels { return Labels{runtimeLabels()} }

// Use makes l the labels of the goroutine.
func (l Labels) Use() { setRuntimeLabels(l.set) }

// With returns l with one more, or another value of key.
func (l Labels) With(key, value string) Labels {
	if labelKey() == nil {
		return l // package pprof is another than we know
	}
	before := CurrentLabels()
	defer before.Use()
	pprof.SetGoroutineLabels(pprof.WithLabels(contextOf(l), pprof.Labels(key, value)))
	return CurrentLabels()
}

// contextOf returns a context that has l.
func contextOf(l Labels) context.Context {
	ctx := context.Background()
	if l.set == nil {
		return ctx
	}
	return context.WithValue(ctx, labelKey(), reflect.NewAt(labelType(labelKey()), l.set).Interface())
}

// A keySpy notes the key by which package pprof asks a context for labels.
type keySpy struct {
	context.Context
	key any
}

func (c *keySpy) Value(key any) any {
	c.key = key
	return nil
}

// labelKey returns the key by which contexts have labels, or nil if package pprof does not keep
// them as a pointer, which is what the runtime has.
var labelKey = sync.OnceValue(func() any {
	spy := &keySpy{Context: context.Background()}
	pprof.Label(spy, "")
	if spy.key == nil {
		return nil
	}
	before := CurrentLabels()
	defer before.Use()
	ctx := pprof.WithLabels(context.Background(), pprof.Labels("a", "b"))
	pprof.SetGoroutineLabels(ctx)
	v := reflect.ValueOf(ctx.Value(spy.key))
	if v.Kind() != reflect.Pointer || v.UnsafePointer() != CurrentLabels().set {
		return nil
	}
	return spy.key
})

// labelType returns the type of what contexts have under key.
func labelType(key any) reflect.Type {
	return reflect.TypeOf(pprof.WithLabels(context.Background(), pprof.Labels()).Value(key)).Elem()
}
