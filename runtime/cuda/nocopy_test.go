package cuda_test

import (
	"fmt"
	"os"
	"os/exec"
	"reflect"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/example"
	"github.com/cudagen/cudagen/internal/testenv"
	"github.com/cudagen/cudagen/runtime/cuda"
)

// copyable are the types behind pointers whose values may be copied, and why.
var copyable = map[string]string{
	"Buffer[float32]":         "copies are of one memory, and closing one closes all",
	"HostBuffer[float32]":     "as of Buffer",
	"ManagedBuffer[float32]":  "as of Buffer",
	"Array[float32]":          "as of Buffer",
	"MipmappedArray[float32]": "as of Buffer",
	"CopyCall[float32]":       "its slices are all that it has",
	"CopyBoxCall[float32]":    "its boxes are all that it has",
	"FillCall[float32]":       "its slice and its value are all that it has",
	"Graph":                   "it never changes",
	"Kernels":                 "the kernels and the library are pointers",
	"SaxpyKernel":             "the kernel is a pointer",
	"saxpyArgs":               "they are values",
	reflect.TypeFor[cuda.BoundKernel[saxpyArgs]]().Name(): "the kernel is a pointer",
}

// TestCopiesAreFound: go vet reports a copy of every type that the program has pointers to,
// unless a copy is as good as the original.
func TestCopiesAreFound(t *testing.T) {
	seen := map[string]bool{}
	for typ := range specimens(t, openSimulator(t)) {
		if typ.Kind() != reflect.Pointer {
			continue
		}
		name := typ.Elem().Name()
		seen[name] = true
		assert.Equal(t, copyable[name] == "", isLock(typ.Elem()), "%s: give it a noCopy, or say why it may be copied", name)
	}
	for name := range copyable {
		assert.True(t, seen[name], name)
	}
	assert.False(t, isLock(reflect.TypeFor[struct{ a []int }]()), "the control")
	assert.True(t, isLock(reflect.TypeFor[struct{ a [2]sync.Mutex }]()), "the control")
}

// isLock reports whether go vet reports copies of typ: it has a field whose pointer is a
// sync.Locker.
func isLock(typ reflect.Type) bool {
	if locker := reflect.TypeFor[sync.Locker](); reflect.PointerTo(typ).Implements(locker) && !typ.Implements(locker) {
		return true
	}
	switch typ.Kind() {
	case reflect.Array:
		return isLock(typ.Elem())
	case reflect.Struct:
		for field := range typ.Fields() {
			if isLock(field.Type) {
				return true
			}
		}
	}
	return false
}

// TestVetFindsCopies runs go vet over testdata/copied, whose marked lines copy.
func TestVetFindsCopies(t *testing.T) {
	testenv.Need(t, testenv.Long, testenv.Go)
	const file = "testdata/copied/copied.go"
	source, err := os.ReadFile(file)
	require.NoError(t, err)
	out, _ := exec.Command("go", "vet", "-copylocks", "./testdata/copied").CombinedOutput()
	for i, line := range strings.Split(string(source), "\n") {
		reported := strings.Contains(string(out), fmt.Sprintf("%s:%d:", file, i+1))
		assert.Equal(t, strings.HasSuffix(line, "// want"), reported, "line %d: %s\n%s", i+1, line, out)
	}
}

// TestNoCopyCostsNothing: what a launch reads of a call stays where it was.
func TestNoCopyCostsNothing(t *testing.T) {
	first := reflect.TypeFor[cuda.Call]().Field(1)
	assert.Equal(t, "kernel", first.Name)
	assert.Zero(t, first.Offset)
	assert.Zero(t, reflect.TypeFor[cuda.Call]().Field(0).Type.Size())
	assert.Equal(t, unsafe.Sizeof(cuda.Call{}), reflect.TypeFor[cuda.Call]().Size())
}

// TestSetOfACopiedCall: after a copy, Set of the copy affects the copy alone.
func TestSetOfACopiedCall(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		k, s := loaded(t, dev)
		x, y, z := upload(t, s, []float32{1}), upload(t, s, []float32{0}), upload(t, s, []float32{0})
		call, err := k.Saxpy.PrepareDefault(example.SaxpyArgs{A: 2, X: x.All(), Y: y.All()})
		require.NoError(t, err)
		mine := reflect.New(reflect.TypeOf(call).Elem())
		mine.Elem().Set(reflect.ValueOf(call).Elem())
		other := mine.Interface().(*example.SaxpyCall)
		require.NoError(t, other.Set(example.SaxpyArgs{A: 5, X: x.All(), Y: z.All()}))
		require.NoError(t, z.Close())
		assert.NoError(t, call.Launch(s), "it does not use what was closed")
		assert.ErrorIs(t, other.Launch(s), cuda.ErrClosed)
		got := make([]float32, 1)
		require.NoError(t, y.CopyTo(s, got))
		if dev.IsSimulated() { // the fake runs no kernel
			assert.Equal(t, []float32{2}, got)
		}
	})
}
