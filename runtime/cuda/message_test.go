package cuda_test

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/example"
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/simtest"
)

// openSecond opens another device of the kind of dev.
func openSecond(t *testing.T, dev *cuda.Device) *cuda.Device {
	t.Helper()
	open := cuda.OpenSimulator
	if !dev.IsSimulated() {
		open = func() (*cuda.Device, error) { return cuda.Open(0) }
	}
	other, err := open()
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, other.Close()) })
	return other
}

// works are arguments of another device that are right, or wrong for another reason: the function
// and the arguments' numbers.
var works = map[string]string{
	"MemoryHandle.Import 0 1":  "the memory is that of another process",
	"EventHandle.Import 0 1":   "the event is that of another process",
	"CopyCall.Launch 0 1":      "copies between devices; neither buffer may be on the stream's",
	"Stream.WaitEvent 0 1":     "streams wait for events of other devices",
	"Stream.Fail 0 1":          "an error is of no device",
	"Device.CanAccessPeer 0 1": "it takes two devices",
	"ManagedBuffer.Advise 0 2": "another device may use it",
	"ManagedBuffer.Prefetch 2": "another device may use it",
	"GraphExec.Disable 0 1":    "it is not a node of the graph",
	"GraphExec.Enable 0 1":     "it is not a node of the graph",
	"GraphExec.Update 0 1":     "it is not a node of the graph",
	"GraphExec.UpdateCall 0 1": "it is not a call of the graph",
}

// TestOtherDevice calls every function that takes objects of a device with each of them in turn
// from another device, which has the same name. If that is an error, it says so, and that the
// devices are two.
func TestOtherDevice(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		other := specimens(t, openSecond(t, dev))
		for _, f := range sample(allTried(specimens(t, dev))) {
			if strings.HasSuffix(f.name, "ablePeerAccess") { // others would have it, too
				continue
			}
			t.Run(f.name, func(t *testing.T) {
				for _, problem := range tryOther(specimens(t, dev), other, f) {
					t.Error(problem)
				}
			})
		}
	})
}

// tryOther calls f with each object from another device in turn.
func tryOther(all, other map[reflect.Type][]specimen, f tried) (problems []string) {
	var objects []int
	args := make([]reflect.Value, f.f.Type().NumIn())
	for i := range args {
		in := f.f.Type().In(i)
		args[i] = valueOf(in, candidatesFor(all, f.f, i)[0].value)
		if _, known := all[in]; known && in.Kind() != reflect.Func && in != reflect.TypeFor[context.Context]() {
			objects = append(objects, i)
		}
	}
	if len(objects) < 2 {
		return nil
	}
	for _, i := range objects {
		mixed := slices.Clone(args)
		mixed[i] = valueOf(f.f.Type().In(i), candidatesFor(other, f.f, i)[0].value)
		var results []reflect.Value
		if f.f.Type().IsVariadic() {
			results = f.f.CallSlice(mixed)
		} else {
			results = f.f.Call(mixed)
		}
		if len(results) == 0 || f.f.Type().Out(len(results)-1) != reflect.TypeFor[error]() {
			continue
		}
		err, _ := results[len(results)-1].Interface().(error)
		switch {
		case isRight(f.name, i):
		case err == nil:
			problems = append(problems, fmt.Sprintf("%s: argument %d is of another device: it does not fail", f.name, i))
		case !strings.Contains(err.Error(), "which was opened separately"):
			problems = append(problems, fmt.Sprintf("%s: argument %d is of another device: the error does not say so: %v", f.name, i, err))
		}
	}
	return problems
}

// isRight reports whether works has the ith argument of the function called name.
func isRight(name string, i int) bool {
	for key := range works {
		if numbers, found := strings.CutPrefix(key, name+" "); found && slices.Contains(strings.Fields(numbers), fmt.Sprint(i)) {
			return true
		}
	}
	return false
}

// TestOtherDeviceIsFound is the control: a function that works with both devices, and one that
// does not say why it fails.
func TestOtherDeviceIsFound(t *testing.T) {
	dev := openSimulator(t)
	all, other := specimens(t, dev), specimens(t, openSecond(t, dev))
	for want, f := range map[string]any{
		"argument 0 is of another device: it does not fail":            func(*cuda.Stream, *cuda.Event) error { return nil },
		"argument 1 is of another device: the error does not say so: ": func(*cuda.Stream, *cuda.Event) error { return cuda.ErrInvalidValue },
	} {
		assert.Contains(t, strings.Join(tryOther(all, other, tried{"Thing.Use", reflect.ValueOf(f)}), "\n"), want)
	}
}

// TestWhoIsBlamed: of a kernel, a stream and buffers on two devices, the one that differs is
// blamed; and an operation is called by its name.
func TestWhoIsBlamed(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		other := openSecond(t, dev)
		k, s := loaded(t, dev)
		_, there := loaded(t, other)
		x, y := upload(t, s, []float32{1, 2}), upload(t, there, []float32{1, 2})
		const separately = ", which was opened separately"
		for _, test := range []struct {
			name string
			err  error
			want string
		}{
			{"the stream, with buffers of the kernel's device", k.Saxpy.Launch(there, 1, x.All(), x.All()), "the stream is on " + other.String() + separately},
			{"the stream, with buffers of its own device", k.Saxpy.Launch(there, 1, y.All(), y.All()), "the stream is on " + other.String() + separately},
			{"the stream of an explicit configuration", k.Saxpy.LaunchWith(there, cuda.LaunchConfig{Grid: cuda.Dim(1), Block: cuda.Dim(2)}, 1, x.All(), x.All()), "the stream is on "},
			{"a buffer", k.Saxpy.Launch(s, 1, x.All(), y.All()), "the buffer of y is on " + other.String() + separately},
			{"a launch", k.Saxpy.Launch(s, 1, x.All(), x.Slice(0, 1)), "cuda: check the arguments of saxpy on "},
			{"Prepare", second(k.Saxpy.PrepareDefault(example.SaxpyArgs{X: x.All(), Y: x.Slice(0, 1)})), "cuda: check the arguments of saxpy on "},
			{"Prepare with a buffer", second(k.Saxpy.PrepareDefault(example.SaxpyArgs{X: x.All(), Y: y.All()})), "cuda: prepare saxpy on "},
		} {
			assert.ErrorContains(t, test.err, test.want, test.name)
		}
		call, err := k.Saxpy.PrepareDefault(example.SaxpyArgs{X: x.All(), Y: x.All()})
		require.NoError(t, err)
		assert.ErrorContains(t, call.Set(example.SaxpyArgs{X: x.All(), Y: x.Slice(0, 1)}), "cuda: check the arguments of saxpy on ")
		assert.ErrorContains(t, call.Set(example.SaxpyArgs{X: x.All(), Y: y.All()}), "cuda: prepare saxpy on ")
		assert.ErrorContains(t, call.Launch(there), "the stream is on "+other.String()+separately)
	})
}

// TestOwnImages: errors of images that were not generated give advice that fits them.
func TestOwnImages(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		image := variablesImage()
		byHand, err := dev.LoadLibrary(image)
		require.NoError(t, err)
		defer byHand.Close()
		_, missing := byHand.Kernel(cuda.Spec{Name: "none", Symbol: "none"})
		_, params := byHand.Kernel(cuda.Spec{Name: "k", Symbol: "k", Params: []cuda.ParamSpec{{Size: 4, Align: 4}}})
		_, size := cuda.LoadSymbol[float64](byHand, "scale", "scale")
		other := image
		other.Data += "\n"
		_, sum := dev.LoadLibrary(other)
		var k *cuda.Kernel
		_, generated := dev.LoadKernels([]cuda.Image{image}, []cuda.Spec{{Kernel: &k, Name: "none", Symbol: "none"}})
		if olderThan(dev, 12, 4) { // it cannot tell
			params = errors.New("the Go code has 1: correct the parameters of the Spec")
		}
		for want, err := range map[string]error{
			"variables.ptx does not contain it: use a symbol that it has": missing,
			"the Go code has 1: correct the parameters of the Spec":       params,
			"it has 4 bytes, 8 in the Go code: use a type of its size":    size,
			"set that to the hash of Data, in hexadecimal":                sum,
			"variables.ptx does not contain it: run go generate again":    generated,
		} {
			assert.ErrorContains(t, err, want)
		}
		for _, err := range []error{missing, params, size, sum} {
			assert.NotContains(t, err.Error(), "go generate")
		}
	})
}

// TestEveryCodeIsExported: every result code of the driver that is known has a constant.
func TestEveryCodeIsExported(t *testing.T) {
	constants := func(folder, prefix string, isCode func(*ast.ValueSpec) bool) (list []string) {
		for _, file := range parsed(t, folder) {
			for _, decl := range file.Decls {
				group, ok := decl.(*ast.GenDecl)
				if !ok || group.Tok != token.CONST {
					continue
				}
				for _, spec := range group.Specs {
					spec := spec.(*ast.ValueSpec)
					if name, ok := strings.CutPrefix(spec.Names[0].Name, prefix); ok && isCode(spec) {
						list = append(list, name)
					}
				}
			}
		}
		return list
	}
	known := constants("../internal/driver", "Error", func(s *ast.ValueSpec) bool {
		typ, ok := s.Type.(*ast.Ident)
		return ok && typ.Name == "Result"
	})
	require.Greater(t, len(known), 90, "they are found")
	assert.Equal(t, known, constants(".", "Err", func(s *ast.ValueSpec) bool {
		call, ok := s.Values[0].(*ast.CallExpr)
		return ok && call.Fun.(*ast.Ident).Name == "Code"
	}))
	assert.Equal(t, cuda.Code(720), cuda.ErrCooperativeLaunchTooLarge)
	assert.Equal(t, cuda.Code(912), cuda.ErrInvalidClusterSize)
}

// TestLeaksSayWhat: a report of what is left open names its kind and its size.
func TestLeaksSayWhat(t *testing.T) {
	r := &reports{TB: t}
	dev := simtest.New(r)
	k, s := loaded(t, dev)
	x := upload(t, s, make([]float32, 25))
	_, err := cuda.AllocHost[float32](dev, 3, cuda.HostConfig{})
	require.NoError(t, err)
	_, err = cuda.AllocManaged[int16](dev, 4)
	require.NoError(t, err)
	_, err = cuda.Adopt[byte](dev, x.Ptr().Address(), 5, nil)
	require.NoError(t, err)
	call, err := k.Saxpy.PrepareDefault(example.SaxpyArgs{X: x.All(), Y: x.All()})
	require.NoError(t, err)
	_, err = cuda.BuildGraph(cuda.NewNode(call), new(cuda.Node))
	require.NoError(t, err)
	r.end()
	for _, want := range []string{
		"a buffer of 100 bytes of device memory on device 0", "a buffer of 12 bytes of page-locked memory on device 0", "a buffer of 8 bytes of managed memory on device 0",
		"a buffer of 5 bytes of adopted memory on device 0", "a graph of 2 nodes on device 0", "a library of kernels.ptx on device 0",
	} {
		assert.True(t, slices.ContainsFunc(r.errors, func(e string) bool { return strings.Contains(e, "simtest: not closed: "+want) }), "%s in %q", want, r.errors)
	}
}

// reports is the testing.TB of a test that is to fail.
type reports struct {
	testing.TB
	cleanups []func()
	errors   []string
}

func (r *reports) Cleanup(f func()) { r.cleanups = append(r.cleanups, f) }
func (r *reports) Failed() bool     { return false }
func (r *reports) Errorf(format string, args ...any) {
	r.errors = append(r.errors, fmt.Sprintf(format, args...))
}

func (r *reports) end() {
	for _, f := range slices.Backward(r.cleanups) {
		f()
	}
}
