//go:build !cudagen_nodriver && (windows || (linux && cudagen_portable)) && (amd64 || arm64)

package ccall

import (
	"math"
	"math/bits"
	"reflect"
	"runtime"
	"sync"
	"unsafe"

	"github.com/ebitengine/purego"
)

// MaxArguments is how many arguments a call can have: as many as purego takes.
const MaxArguments = 32

// A frame holds the arguments of a call in the heap. Frames come from a pool, because the arguments of
// purego.SyscallN escape.
type frame struct {
	words [MaxArguments]uintptr
	keep  unsafe.Pointer // what words was copied from
}

var frames = sync.Pool{New: func() any { return new(frame) }}

// newFrame returns a frame with the arguments of c. Storing c.Words makes it escape, and so all that it
// points to: they are in the heap, and do not move while the goroutine's stack grows.
func newFrame(c *Call) *frame {
	f := frames.Get().(*frame)
	f.keep = c.Words
	copy(f.words[:], unsafe.Slice((*uintptr)(f.keep), c.Count))
	return f
}

// free returns f to the pool. Until then f keeps alive what the arguments point to.
func (f *frame) free() {
	f.keep = nil
	frames.Put(f)
}

// around calls what is around c, and reports whether the function is to be called. After that, done must be called.
func (c *Call) around() (ok bool, done func()) {
	a := c.Around
	if a == nil {
		return true, func() {}
	}
	runtime.LockOSThread()
	result, _, _ := purego.SyscallN(a.Before, a.Argument)
	if a.failed = int32(result); a.failed != 0 {
		return false, runtime.UnlockOSThread
	}
	return true, func() {
		word := new(uint64)
		purego.SyscallN(a.After, uintptr(unsafe.Pointer(word)))
		a.word = *word
		runtime.UnlockOSThread()
	}
}

func invoke(c *Call) {
	ok, done := c.around()
	defer done()
	if !ok {
		return
	}
	f := newFrame(c)
	defer f.free()
	if c.Floats != 0 && !positional {
		c.integer = callTyped(c, f, integerResult).Uint()
		return
	}
	integer, _, _ := purego.SyscallN(c.Function, f.words[:c.Count]...)
	c.integer = uint64(integer)
}

func invokeFloat(c *Call) {
	ok, done := c.around()
	defer done()
	if !ok {
		return
	}
	f := newFrame(c)
	defer f.free()
	if !positional {
		c.float = math.Float64bits(callTyped(c, f, floatResult).Float())
		return
	}
	_, float, _ := purego.SyscallN(c.Function, f.words[:c.Count]...)
	c.float = uint64(float)
}

// positional says that an argument's place follows from its position alone, and that purego.SyscallN
// loads the first four into the registers of both kinds. It also returns both registers of results.
const positional = runtime.GOOS == "windows" && runtime.GOARCH == "amd64"

var (
	integerResult = reflect.TypeFor[uint64]()
	floatResult   = reflect.TypeFor[float64]()
)

// A signature is what purego needs to know of a C function.
type signature struct {
	function uintptr
	count    uintptr
	floats   uint64
	result   reflect.Type
}

// typed has a Go function, as a reflect.Value, for each signature that was called.
var typed sync.Map

// callTyped makes the call through a Go function of the right type. A float32 is the low half of a
// float64: the register, or the word on the stack, has the same bits.
func callTyped(c *Call, f *frame, result reflect.Type) reflect.Value {
	s := signature{c.Function, c.Count, c.Floats & (1<<c.Count - 1), result}
	function, ok := typed.Load(s)
	if !ok {
		function, _ = typed.LoadOrStore(s, s.register())
	}
	arguments := make([]reflect.Value, c.Count)
	for i, word := range f.words[:c.Count] {
		arguments[i] = reflect.ValueOf(word)
		if s.isFloat(i) {
			arguments[i] = reflect.ValueOf(math.Float64frombits(uint64(word)))
		}
	}
	return function.(reflect.Value).Call(arguments)[0]
}

func (s signature) isFloat(i int) bool { return bits.RotateLeft64(s.floats, -i)&1 != 0 }

// register returns the Go function that calls the C function.
func (s signature) register() reflect.Value {
	arguments := make([]reflect.Type, s.count)
	for i := range arguments {
		arguments[i] = reflect.TypeFor[uintptr]()
		if s.isFloat(i) {
			arguments[i] = floatResult
		}
	}
	function := reflect.New(reflect.FuncOf(arguments, []reflect.Type{s.result}, false))
	purego.RegisterFunc(function.Interface(), s.function)
	return function.Elem()
}
