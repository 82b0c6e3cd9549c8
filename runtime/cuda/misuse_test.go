package cuda_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/example"
	"github.com/cudagen/cudagen/internal/testenv"
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/cuda/tensormap"
)

// A state says what is wrong with a value.
type state string

const (
	fine   state = "fine"
	isNil  state = "nil"
	isZero state = "zero"
	closed state = "closed"
	odd    state = "odd" // a number, text or list that means nothing
)

// A specimen is a value that a program may have, or has by mistake.
type specimen struct {
	state state
	value any
}

// specimens returns values of all types that the API takes: the first is fine.
func specimens(t *testing.T, dev *cuda.Device) map[reflect.Type][]specimen {
	open := func() (*example.Kernels, *cuda.Stream) { return loaded(t, dev) }
	k, s := open()
	gone, goneStream := open()
	x, buffer := upload(t, s, []float32{1, 2}), upload(t, s, []float32{1, 2})
	event, err := dev.NewEvent(cuda.EventConfig{Timing: true})
	require.NoError(t, err)
	goneEvent, err := dev.NewEvent(cuda.EventConfig{Timing: true})
	require.NoError(t, err)
	require.NoError(t, event.Record(s))
	pool, err := dev.NewPool(cuda.PoolConfig{})
	require.NoError(t, err)
	gonePool, err := dev.NewPool(cuda.PoolConfig{})
	require.NoError(t, err)
	host, err := cuda.AllocHost[float32](dev, 2, cuda.HostConfig{})
	require.NoError(t, err)
	goneHost, err := cuda.AllocHost[float32](dev, 2, cuda.HostConfig{})
	require.NoError(t, err)
	managed, err := cuda.AllocManaged[float32](dev, 2)
	require.NoError(t, err)
	goneManaged, err := cuda.AllocManaged[float32](dev, 2)
	require.NoError(t, err)
	var other *cuda.Device
	if dev.IsSimulated() {
		other, err = cuda.OpenSimulator()
	} else {
		other, err = cuda.Open(0)
	}
	require.NoError(t, err)
	library, err := dev.LoadLibrary(variablesImage())
	require.NoError(t, err)
	goneLibrary, err := dev.LoadLibrary(variablesImage())
	require.NoError(t, err)
	symbol, err := cuda.LoadSymbol[float32](library, "scale", "scale")
	require.NoError(t, err)
	goneSymbol, err := cuda.LoadSymbol[float32](goneLibrary, "scale", "scale")
	require.NoError(t, err)
	call, err := k.Saxpy.PrepareDefault(example.SaxpyArgs{X: x.All(), Y: x.All()})
	require.NoError(t, err)
	goneCall, err := gone.Saxpy.PrepareDefault(example.SaxpyArgs{X: x.All(), Y: x.All()})
	require.NoError(t, err)
	batch, err := cuda.NewBatch(call)
	require.NoError(t, err)
	goneBatch, err := cuda.NewBatch(goneCall)
	require.NoError(t, err)
	callNode := cuda.NewNode(call)
	graph, err := cuda.DefineGraph(callNode)
	require.NoError(t, err)
	exec, err := graph.Instantiate()
	require.NoError(t, err)
	goneExec, err := graph.Instantiate()
	require.NoError(t, err)
	condition := cuda.NewConditional(1)
	bound, goneBound := boundSaxpy(t, dev), boundSaxpy(t, dev)
	boundArgs := saxpyArgs{N: 2, X: x.All(), Y: x.All()}
	boundCall, err := bound.kernel.Prepare(cuda.LaunchConfig{Grid: cuda.Dim(1), Block: cuda.Dim(32)}, boundArgs)
	require.NoError(t, err)
	goneBoundCall, err := goneBound.kernel.Prepare(cuda.LaunchConfig{Grid: cuda.Dim(1), Block: cuda.Dim(32)}, boundArgs)
	require.NoError(t, err)
	require.NoError(t, goneBound.library.Close())
	arrays := func() (*cuda.Array[float32], *cuda.MipmappedArray[float32], cuda.Texture[float32], cuda.Surface[float32]) {
		array, err := cuda.NewArray[float32](dev, cuda.ArrayConfig{Width: 2, Surface: true})
		require.NoError(t, err)
		levels, err := cuda.NewMipmappedArray[float32](dev, cuda.ArrayConfig{Width: 2}, 0)
		require.NoError(t, err)
		texture, err := cuda.NewTexture[float32](array, cuda.TextureConfig{})
		require.NoError(t, err)
		surface, err := cuda.NewSurface[float32](array)
		require.NoError(t, err)
		return array, levels, texture, surface
	}
	array, levels, texture, surface := arrays()
	goneArray, goneLevels, goneTexture, goneSurface := arrays()
	boxed := x.All().Box(cuda.Shape{Width: 2})
	goneBox := buffer.All().Box(cuda.Shape{Width: 2})

	trace, err := cuda.StartTrace(nil, cuda.TraceConfig{})
	require.NoError(t, err)
	require.NoError(t, trace.Close())
	require.NoError(t, goneStream.Close())
	require.NoError(t, gone.Close())
	require.NoError(t, other.Close())
	resource, goneResource := dev.NewResource("communicator"), dev.NewResource("communicator")
	for _, c := range []interface{ Close() error }{goneEvent, gonePool, goneResource, goneHost, goneManaged, goneLibrary, goneExec, buffer, goneTexture, goneSurface, goneArray, goneLevels} {
		require.NoError(t, c.Close())
	}
	t.Cleanup(func() {
		for _, c := range []interface{ Close() error }{event, pool, host, managed, library, exec, texture, surface, array, levels} {
			c.Close()
		}
	})

	all := make(map[reflect.Type][]specimen)
	add := func(live, zero any, closedOnes ...any) {
		typ := reflect.TypeOf(live)
		list := []specimen{{fine, live}}
		if typ.Kind() == reflect.Pointer {
			list = append(list, specimen{isNil, reflect.Zero(typ).Interface()})
		}
		list = append(list, specimen{isZero, zero})
		for _, c := range closedOnes {
			list = append(list, specimen{closed, c})
		}
		all[typ] = list
	}
	add(dev, new(cuda.Device), other)
	add(s, new(cuda.Stream), goneStream)
	add(event, new(cuda.Event), goneEvent)
	add(pool, new(cuda.Pool), gonePool)
	add(resource, new(cuda.Resource), goneResource)
	add(x, new(cuda.Buffer[float32]), buffer)
	add(host, new(cuda.HostBuffer[float32]), goneHost)
	add(managed, new(cuda.ManagedBuffer[float32]), goneManaged)
	add(library, new(cuda.Library), goneLibrary)
	add(array, new(cuda.Array[float32]), goneArray)
	add(levels, new(cuda.MipmappedArray[float32]), goneLevels)
	add(texture, cuda.Texture[float32]{}, goneTexture)
	add(surface, cuda.Surface[float32]{}, goneSurface)
	all[reflect.TypeFor[cuda.TextureSource]()] = []specimen{{fine, array}, {isNil, nil}, {isNil, (*cuda.Array[float32])(nil)}, {isNil, (*cuda.MipmappedArray[float32])(nil)}, {isZero, new(cuda.Array[float32])}, {isZero, cuda.Slice[float32]{}}, {isZero, cuda.Box[float32]{}}, {closed, goneArray}, {closed, buffer.All()}}
	add(k.Saxpy.Kernel, new(cuda.Kernel), gone.Saxpy.Kernel)
	add(&call.Call, new(cuda.Call), &goneCall.Call)
	add(batch, new(cuda.Batch), goneBatch)
	add(graph, new(cuda.Graph))
	add(exec, new(cuda.GraphExec), goneExec)
	add(condition, new(cuda.Conditional))
	add(symbol, cuda.Symbol[float32]{}, goneSymbol)
	add(x.All(), cuda.Slice[float32]{}, buffer.All())
	add(boxed, cuda.Box[float32]{}, goneBox)
	add(x.Owner(), cuda.Owner{}, buffer.Owner())
	add(condition.Handle(), cuda.ConditionalHandle{})
	add(cuda.Copy(x.All(), x.All()), new(cuda.CopyCall[float32]), cuda.Copy(x.All(), buffer.All()))
	add(cuda.CopyBox(boxed, boxed), new(cuda.CopyBoxCall[float32]), cuda.CopyBox(boxed, goneBox))
	add(cuda.Fill(x.All(), 1), new(cuda.FillCall[float32]), cuda.Fill(buffer.All(), 1))
	add(trace, new(cuda.Trace))
	tensor, _ := cuda.NewTensorMap(x.All(), tensormap.Config{Dims: []int{2}, Box: []int{4}})
	add(tensor, cuda.TensorMap{})
	var handle cuda.MemoryHandle[float32]
	require.NoError(t, handle.UnmarshalText([]byte("cudagen-memory-1/GPU-1/2/"+strings.Repeat("A", 86)+"/float32/3")))
	add(handle, cuda.MemoryHandle[float32]{})
	var eventHandle cuda.EventHandle
	require.NoError(t, eventHandle.UnmarshalText([]byte("cudagen-event-1/GPU-1/2/"+strings.Repeat("A", 86))))
	add(eventHandle, cuda.EventHandle{})
	add(cuda.StartRange("a range"), cuda.Range{})
	add(trace.Summary(), cuda.TraceSummary(nil))
	add(k, new(example.Kernels), gone)
	add(&k.Saxpy, new(example.SaxpyKernel), &gone.Saxpy)
	add(call, new(example.SaxpyCall), goneCall)
	add(bound.kernel, new(cuda.BoundKernel[saxpyArgs]), goneBound.kernel)
	add(boundCall, new(cuda.BoundCall[saxpyArgs]), goneBoundCall)
	all[reflect.TypeFor[example.SaxpyArgs]()] = []specimen{{fine, example.SaxpyArgs{X: x.All(), Y: x.All()}}, {isZero, example.SaxpyArgs{}}, {closed, example.SaxpyArgs{X: buffer.All(), Y: x.All()}}}
	all[reflect.TypeFor[saxpyArgs]()] = []specimen{{fine, boundArgs}, {closed, saxpyArgs{N: 2, X: buffer.All(), Y: x.All()}}}
	all[reflect.TypeFor[*saxpyArgs]()] = []specimen{{fine, &boundArgs}, {isNil, (*saxpyArgs)(nil)}, {closed, &saxpyArgs{N: 2, X: buffer.All(), Y: x.All()}}}
	all[reflect.TypeFor[func() error]()] = []specimen{{fine, func() error { return nil }}, {isNil, (func() error)(nil)}}
	all[reflect.TypeFor[*cuda.Node]()] = []specimen{
		{fine, callNode}, {isNil, (*cuda.Node)(nil)}, {isZero, new(cuda.Node)},
		{closed, cuda.NewNode(goneCall)}, {closed, cuda.NewNode(cuda.Fill(buffer.All(), 1))}, {closed, goneEvent.RecordNode()}, {closed, goneEvent.WaitNode()},
	}
	all[reflect.TypeFor[cuda.Prepared]()] = []specimen{{fine, call}, {isNil, nil}, {isNil, (*example.SaxpyCall)(nil)}, {isNil, (*cuda.Call)(nil)}, {isZero, new(cuda.Call)}, {isZero, new(example.SaxpyCall)}, {closed, goneCall}}
	all[reflect.TypeFor[io.Writer]()] = []specimen{{fine, io.Discard}, {isNil, nil}}
	all[reflect.TypeFor[func()]()] = []specimen{{fine, func() {}}, {isNil, (func())(nil)}}
	all[reflect.TypeFor[func(*cuda.Stream) error]()] = []specimen{{fine, func(*cuda.Stream) error { return nil }}, {isNil, (func(*cuda.Stream) error)(nil)}}
	all[reflect.TypeFor[error]()] = []specimen{{fine, cuda.ErrClosed}, {isNil, nil}}
	all[reflect.TypeFor[context.Context]()] = []specimen{{fine, t.Context()}}
	return all
}

// A boundKernel has its library, to close.
type boundKernel struct {
	kernel  *cuda.BoundKernel[saxpyArgs]
	library *cuda.Library
}

func boundSaxpy(t testing.TB, dev *cuda.Device) boundKernel {
	library := loadLibrary(t, dev, examplesPTX(t))
	kernel, err := cuda.Bind[saxpyArgs](library, "saxpy")
	require.NoError(t, err)
	return boundKernel{kernel, library}
}

// variablesImage returns an image with a variable.
func variablesImage() cuda.Image {
	const ptx = ".version 7.5\n.target sm_75\n.address_size 64\n.visible .const .align 4 .f32 scale;\n.visible .entry k(\n)\n{\n\tret;\n}\n"
	return variant(cuda.Image{Name: "variables.ptx", Data: ptx}, "")
}

// variant returns image with more text behind its data.
func variant(image cuda.Image, more string) cuda.Image {
	image.Data += more
	sum := sha256.Sum256([]byte(image.Data))
	image.SHA256 = hex.EncodeToString(sum[:])
	return image
}

// numbers returns values of a type that is no object: those that a program may have computed
// wrongly.
func numbers(typ reflect.Type) []specimen {
	switch typ {
	case reflect.TypeFor[cuda.LaunchConfig]():
		return []specimen{{fine, cuda.LaunchConfig{Grid: cuda.Dim(1), Block: cuda.Dim(32)}}, {odd, cuda.LaunchConfig{}}}
	case reflect.TypeFor[cuda.ArrayConfig]():
		return []specimen{{fine, cuda.ArrayConfig{Width: 4}}, {odd, cuda.ArrayConfig{}}, {odd, cuda.ArrayConfig{Width: math.MaxInt, Height: math.MaxInt, Depth: math.MaxInt}}, {odd, cuda.ArrayConfig{Width: -1}}}
	case reflect.TypeFor[cuda.TextureConfig]():
		return []specimen{{fine, cuda.TextureConfig{}}, {odd, cuda.TextureConfig{Address: 9, Filter: 9, MaxAnisotropy: -1}}}
	case reflect.TypeFor[cuda.Image]():
		return []specimen{{fine, variablesImage()}, {odd, cuda.Image{}}}
	case reflect.TypeFor[[]cuda.Image]():
		return []specimen{{fine, []cuda.Image{variablesImage()}}, {odd, []cuda.Image(nil)}, {odd, make([]cuda.Image, 2)}}
	case reflect.TypeFor[[]cuda.Spec]():
		return []specimen{{fine, []cuda.Spec(nil)}, {odd, make([]cuda.Spec, 1)}}
	}
	switch typ.Kind() {
	case reflect.Int, reflect.Int32, reflect.Int64:
		return []specimen{{fine, reflect.ValueOf(1).Convert(typ).Interface()}, {odd, reflect.ValueOf(-1).Convert(typ).Interface()}, {odd, reflect.Zero(typ).Interface()}, {odd, reflect.ValueOf(math.MaxInt).Convert(typ).Interface()}}
	case reflect.Uint32, reflect.Uint64, reflect.Uint8:
		return []specimen{{fine, reflect.ValueOf(1).Convert(typ).Interface()}, {odd, reflect.Zero(typ).Interface()}, {odd, reflect.ValueOf(uint64(math.MaxUint64)).Convert(typ).Interface()}}
	case reflect.String:
		return []specimen{{fine, "scale"}, {odd, ""}, {odd, "GPU-"}, {odd, "é"}}
	case reflect.Float32, reflect.Float64:
		return []specimen{{fine, reflect.ValueOf(1).Convert(typ).Interface()}, {odd, reflect.ValueOf(math.NaN()).Convert(typ).Interface()}}
	case reflect.Struct:
		return []specimen{{fine, reflect.Zero(typ).Interface()}}
	case reflect.Slice:
		return []specimen{{fine, reflect.MakeSlice(typ, 2, 2).Interface()}, {odd, reflect.Zero(typ).Interface()}, {odd, reflect.MakeSlice(typ, 1, 1).Interface()}}
	}
	return nil
}

// A tried function is an exported function or method with the types of its parameters, the
// receiver first.
type tried struct {
	name string
	f    reflect.Value
}

// functions are the exported functions that are no methods. Of those with type parameters there
// is one instance.
var functions = map[string]any{
	"StartTrace": cuda.StartTrace, "StartRange": cuda.StartRange, "CheckFresh": cuda.CheckFresh,
	"NewArray": cuda.NewArray[float32], "NewMipmappedArray": cuda.NewMipmappedArray[float32], "NewSurface": cuda.NewSurface[float32, float32], "NewTexture": cuda.NewTexture[float32], "NewTensorMap": cuda.NewTensorMap[float32],
	"AllocExportable": cuda.AllocExportable[float32],
	"Bind":            cuda.Bind[saxpyArgs],
	"DimOf":           cuda.DimOf, "Elements": cuda.Elements[float32, float32],
	"Adopt": cuda.Adopt[float32], "Alloc": cuda.Alloc[float32], "AllocFrom": cuda.AllocFrom[float32], "AllocHost": cuda.AllocHost[float32],
	"AllocManaged": cuda.AllocManaged[float32], "BuildGraph": cuda.BuildGraph, "Capture": cuda.Capture, "Copy": cuda.Copy[float32],
	"CopyBox": cuda.CopyBox[float32], "DefineGraph": cuda.DefineGraph, "Devices": cuda.Devices, "Dim": cuda.Dim, "DriverVersion": cuda.DriverVersion,
	"Fill": cuda.Fill[float32], "LoadSymbol": cuda.LoadSymbol[float32], "NewAllocNode": cuda.NewAllocNode[float32],
	"NewBatch": cuda.NewBatch, "NewConditional": cuda.NewConditional,
	"NewFreeNode": cuda.NewFreeNode[float32], "NewHostNode": cuda.NewHostNode, "NewNode": cuda.NewNode,
	"Open": cuda.Open, "OpenDefault": cuda.OpenDefault, "OpenID": cuda.OpenID,
	"OpenSimulator": cuda.OpenSimulator, "PitchedShape": cuda.PitchedShape[float32], "NewImage": cuda.NewImage, "PtrAt": cuda.PtrAt[float32],
	"RegisterHost": cuda.RegisterHost[float32], "Reinterpret": cuda.Reinterpret[byte, float32], "SliceAt": cuda.SliceAt[float32], "Upload": cuda.Upload[float32],
	"UploadContext": cuda.UploadContext[float32],
}

// sample returns one function of five, and with -short of twenty; all of list in an exhaustive run.
func sample(list []tried) (some []tried) {
	for i := 0; i < len(list); i += testenv.Stride(5) {
		some = append(some, list[i])
	}
	return some
}

// allTried returns all functions, and all methods of the types of specimens.
func allTried(all map[reflect.Type][]specimen) (list []tried) {
	for name, f := range functions {
		list = append(list, tried{name, reflect.ValueOf(f)})
	}
	for typ := range all {
		if typ.Kind() == reflect.Func || typ.Kind() == reflect.Interface {
			continue
		}
		named := typ
		if typ.Kind() == reflect.Pointer {
			named = typ.Elem()
		}
		name, _, _ := strings.Cut(named.Name(), "[")
		for m := range typ.Methods() {
			list = append(list, tried{name + "." + m.Name, m.Func})
		}
	}
	slices.SortFunc(list, func(a, b tried) int { return strings.Compare(a.name, b.name) })
	return list
}

// panics says which functions panic, and for what: mistakes in the program itself, as slicing is
// in Go.
var panics = map[string]string{
	"Slice.Slice": "out of range", "Buffer.Slice": "out of range", "HostBuffer.Slice": "out of range", "ManagedBuffer.Slice": "out of range",
	"Array.Box": "out of range", "MipmappedArray.Level": "out of range", "Slice.Box": "out of range", "SliceAt": "out of range",
	"SaxpyCall.Clone": nilPointer, "SaxpyCall.Config": nilPointer, "SaxpyCall.Kernel": nilPointer, "SaxpyCall.Launch": nilPointer, "SaxpyCall.Set": nilPointer,
	"SaxpyKernel.Launch": nilPointer, "SaxpyKernel.LaunchWith": nilPointer, "SaxpyKernel.Prepare": nilPointer, "SaxpyKernel.PrepareDefault": nilPointer,
}

// nilPointer is what a nil pointer to a generated type panics with, as to any Go struct that a
// method reads. A check would cost every launch a branch.
const nilPointer = "invalid memory address or nil pointer dereference"

// TestMisuse calls every exported function and method with every argument in turn, the receiver
// included, that is nil, the zero value or closed: Close does nothing then, everything else is an
// error, and nothing panics.
func TestMisuse(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		names := make([]string, 0, 300)
		for _, f := range sample(allTried(specimens(t, dev))) {
			names = append(names, f.name)
		}
		for _, name := range names {
			t.Run(name, func(t *testing.T) {
				for _, problem := range misused(t, dev, name) {
					t.Error(problem)
				}
			})
		}
	})
}

func misused(t *testing.T, dev *cuda.Device, name string) (problems []string) {
	all := specimens(t, dev)
	list := allTried(all)
	f := list[slices.IndexFunc(list, func(f tried) bool { return f.name == name })].f
	typ := f.Type()
	candidates, args := make([][]specimen, typ.NumIn()), make([]reflect.Value, typ.NumIn())
	for i := range args {
		candidates[i] = candidatesFor(all, f, i)
		if len(candidates[i]) == 0 {
			return []string{fmt.Sprintf("there are no values of %v to try: add them to specimens", typ.In(i))}
		}
		args[i] = valueOf(typ.In(i), candidates[i][0].value)
	}
	for i := range args {
		for _, c := range candidates[i][1:] {
			wrong := slices.Clone(args)
			wrong[i] = valueOf(typ.In(i), c.value)
			if problem := try(name, f, wrong, i, c.state); problem != "" {
				problems = append(problems, fmt.Sprintf("%s: argument %d is %s: %s", name, i, c.state, problem))
			}
		}
	}
	return problems
}

// candidatesFor returns what to try as the ith argument of f: the first is fine.
func candidatesFor(all map[reflect.Type][]specimen, f reflect.Value, i int) []specimen {
	in := f.Type().In(i)
	known, ok := all[in]
	if f.Type().IsVariadic() && i == f.Type().NumIn()-1 {
		for _, one := range all[in.Elem()] {
			list := reflect.MakeSlice(in, 1, 1)
			if one.value != nil {
				list.Index(0).Set(reflect.ValueOf(one.value))
			}
			known, ok = append(known, specimen{one.state, list.Interface()}), true
		}
	}
	if !ok {
		known = numbers(in)
	}
	return known
}

func valueOf(typ reflect.Type, value any) reflect.Value {
	if value == nil {
		return reflect.Zero(typ)
	}
	return reflect.ValueOf(value)
}

// try calls f, whose ith argument is wrong, and returns what should not have happened.
func try(name string, f reflect.Value, args []reflect.Value, i int, s state) (problem string) {
	defer func() {
		p := recover()
		documented := panics[name] != "" && strings.Contains(fmt.Sprint(p), panics[name]) && (panics[name] != nilPointer || s == isNil && i == 0)
		if p != nil && !documented {
			problem = fmt.Sprintf("it panics: %v", p)
		}
	}()
	var results []reflect.Value
	if f.Type().IsVariadic() {
		results = f.CallSlice(args)
	} else {
		results = f.Call(args)
	}
	if len(results) == 0 || f.Type().Out(len(results)-1) != reflect.TypeFor[error]() {
		return ""
	}
	err, _ := results[len(results)-1].Interface().(error)
	if err == nil {
		for _, r := range results {
			if c, ok := r.Interface().(interface{ Close() error }); ok {
				defer c.Close()
			}
		}
	}
	key := fmt.Sprint(name, " ", i, " ", s)
	_, accepted := accepts[key]
	isClose := isClose(name) && i == 0
	switch {
	case isClose && err != nil:
		return fmt.Sprintf("Close returns %v", err)
	case isClose || s == odd:
		return ""
	case accepted && err != nil:
		return fmt.Sprintf("is said to be accepted, and fails: %v", err)
	case accepted:
		return ""
	case err == nil:
		return "it does not fail"
	case otherwise[key] != nil:
		if !errors.Is(err, otherwise[key]) {
			return fmt.Sprintf("the error is not %v: %v", otherwise[key], err)
		}
	case s == closed && !errors.Is(err, cuda.ErrClosed):
		return fmt.Sprintf("the error is not ErrClosed: %v", err)
	case s != closed && !errors.Is(err, cuda.ErrInvalidValue):
		return fmt.Sprintf("the error is not ErrInvalidValue: %v", err)
	}
	return ""
}

// accepts are arguments that look wrong and are not: the function, the argument's number and its
// state, and why.
var accepts = map[string]string{
	"Stream.Use 1 zero":            "it stands for no object",
	"Adopt 3 nil":                  "nothing frees the memory",
	"Batch.Graph 0 closed":         "instantiating the graph says so",
	"DefineGraph 0 closed":         "instantiating the graph says so",
	"DefineGraph 0 zero":           "instantiating the graph says so",
	"NewBatch 0 closed":            "a launch says so",
	"ManagedBuffer.Advise 2 nil":   "the host",
	"ManagedBuffer.Prefetch 2 nil": "the host",
	"StartTrace 0 nil":             "nothing is written",
}

// otherwise are arguments that are wrong, but something else is said of them first.
var otherwise = map[string]error{
	"Graph.InstantiateOn 1 closed": cuda.ErrInvalidValue, // the nodes are on another device
	"GraphExec.Disable 1 closed":   cuda.ErrInvalidValue, "GraphExec.Enable 1 closed": cuda.ErrInvalidValue, "GraphExec.Update 1 closed": cuda.ErrInvalidValue,
	"GraphExec.UpdateCall 1 closed": cuda.ErrInvalidValue, // nodes that the graph does not have
	"SaxpyKernel.Launch 4 zero":     cuda.ErrShortSlice, "SaxpyKernel.LaunchWith 5 zero": cuda.ErrShortSlice,
}

// TestMisuseIsComplete: every exported function, and every exported type with methods, is among
// what TestMisuse tries.
func TestMisuseIsComplete(t *testing.T) {
	functions, types := exportedNames(t, parsed(t, "."))
	triedFunctions, triedTypes := triedNames(t)
	for name := range functions {
		assert.Contains(t, triedFunctions, name, "add it to functions")
	}
	for name := range types {
		assert.Contains(t, triedTypes, name, "add a specimen")
	}

	file, err := parser.ParseFile(token.NewFileSet(), "", `package cuda
type Curve struct{}
func (t *Curve) Close() error { return nil }
func (t *Curve) hidden()      {}
func NewCurve() *Curve      { return nil }
func (generated) More()         {}
func helper()                   {}`, 0)
	require.NoError(t, err)
	functions, types = exportedNames(t, []*ast.File{file})
	assert.Equal(t, map[string]bool{"NewCurve": true}, functions, "the control")
	assert.Equal(t, map[string]bool{"Curve": true}, types, "the control")
	assert.NotContains(t, triedFunctions, "NewCurve")
	assert.NotContains(t, triedTypes, "Curve")
}

// plainValues are types with methods that say what a value is, and use nothing of a device.
var plainValues = []string{"Code", "Dim3", "Ptr", "Spec", "Stats", "Error", "BatchError", "Fault"}

func triedNames(t *testing.T) (triedFunctions, triedTypes map[string]bool) {
	triedFunctions, triedTypes = map[string]bool{}, map[string]bool{}
	for _, name := range plainValues {
		triedTypes[name] = true
	}
	for _, f := range allTried(specimens(t, openSimulator(t))) {
		if typ, _, isMethod := strings.Cut(f.name, "."); isMethod {
			triedTypes[typ] = true
		} else {
			triedFunctions[f.name] = true
		}
	}
	return triedFunctions, triedTypes
}

// parsed returns the files of the package in folder but for its tests.
func parsed(t *testing.T, folder string) (files []*ast.File) {
	paths, err := filepath.Glob(filepath.Join(folder, "*.go"))
	require.NoError(t, err)
	for _, path := range paths {
		if !strings.HasSuffix(path, "_test.go") {
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			require.NoError(t, err)
			files = append(files, file)
		}
	}
	return files
}

// exportedNames returns the exported functions of files, and the exported types that have
// exported methods.
func exportedNames(t *testing.T, files []*ast.File) (functions, types map[string]bool) {
	functions, types = map[string]bool{}, map[string]bool{}
	for _, file := range files {
		for _, decl := range file.Decls {
			f, ok := decl.(*ast.FuncDecl)
			switch {
			case !ok || !f.Name.IsExported():
			case f.Recv == nil:
				functions[f.Name.Name] = true
			default:
				if name := receiverName(f); ast.IsExported(name) {
					types[name] = true
				}
			}
		}
	}
	return functions, types
}

// receiverName returns the type of f's receiver, without star and parameters.
func receiverName(f *ast.FuncDecl) string {
	typ := f.Recv.List[0].Type
	if pointer, ok := typ.(*ast.StarExpr); ok {
		typ = pointer.X
	}
	if generic, ok := typ.(*ast.IndexExpr); ok {
		typ = generic.X
	}
	name, _ := typ.(*ast.Ident)
	if name == nil {
		return ""
	}
	return name.Name
}

// TestMisuseIsFound is the control of TestMisuse: functions that panic, do not fail, fail with
// the wrong error, and a Close that fails.
func TestMisuseIsFound(t *testing.T) {
	for want, f := range map[string]any{
		"it panics: ":                        func(s *cuda.Stream) error { panic("x") },
		"it does not fail":                   func(s *cuda.Stream) error { return nil },
		"the error is not ErrInvalidValue: ": func(s *cuda.Stream) error { return cuda.ErrClosed },
	} {
		assert.Contains(t, try("Thing.Use", reflect.ValueOf(f), []reflect.Value{reflect.ValueOf((*cuda.Stream)(nil))}, 0, isNil), want)
	}
	failing := reflect.ValueOf(func(s *cuda.Stream) error { return cuda.ErrInvalidValue })
	args := []reflect.Value{reflect.ValueOf((*cuda.Stream)(nil))}
	assert.Contains(t, try("Thing.Close", failing, args, 0, isNil), "Close returns ")
	assert.Contains(t, try("Thing.Use", failing, args, 0, closed), "the error is not ErrClosed: ")
	assert.Contains(t, try("Adopt", failing, args, 3, isNil), "is said to be accepted, and fails: ")
	assert.Empty(t, try("Thing.Use", failing, args, 0, isNil))
}
