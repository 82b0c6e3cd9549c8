// Command random calls the functions of a random C library. TestRandom adds the Go package that cudagen library makes of its header, and
// the calls. It prints a line for each call: the error, what C saw, and what Go has afterwards.
package main

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"reflect"
	"unsafe"

	"github.com/cudagen/cudagen/runtime/clib"
	"github.com/cudagen/cudagen/runtime/cuda"
)

var (
	d    *cuda.Device
	s    *cuda.Stream
	base uint64 // where the memory is that all slices are of
	own  cuda.Owner
)

func main() {
	d = must(cuda.Open(0))
	s = must(d.NewStream())
	memory := must(cuda.Alloc[byte](s, 1<<16))
	base, own = memory.Ptr().Address(), memory.Owner()
	check(Base(s, memory.Ptr()))
	fmt.Println("layouts", layouts(), must(Layouts(d)))
	for _, call := range calls {
		done := make(chan bool)
		go func() { // on a small stack, which grows
			defer close(done)
			call()
		}()
		<-done
	}
	check(errors.Join(memory.Close(), s.Close(), d.Close()))
}

func must[T any](v T, err error) T {
	check(err)
	return v
}

func check(err error) {
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

// begin gives C what it writes during the next call, and forgets what it saw.
func begin(tape string) {
	content := must(hex.DecodeString(tape))
	check(Tape(d, content, uint64(len(content))))
}

// report prints what has come of a call.
func report(call int, err error, values ...any) {
	text := fmt.Sprintf("%d %s:%s |", call, class(err), must(Seen(d)))
	for _, v := range values {
		text += " " + show(v)
	}
	fmt.Println(text)
	if err != nil {
		fmt.Printf("%d error: %v\n", call, err)
	}
}

// finish closes handles, which C sees.
func finish(call int, handles ...interface{ Close() error }) {
	begin("")
	for _, h := range handles {
		check(h.Close())
	}
	fmt.Printf("%d closed:%s\n", call, must(Seen(d)))
}

// class says what kind of error err is.
func class(err error) string {
	var own *clib.Error
	switch {
	case err == nil:
		return "ok"
	case errors.Is(err, cuda.ErrShortSlice):
		return "short"
	case errors.Is(err, cuda.ErrInvalidValue):
		return "invalid"
	case errors.As(err, &own) && (reflect.TypeOf(own.Err).Kind() == reflect.Int32 || reflect.TypeOf(own.Err).Kind() == reflect.Uint32):
		return fmt.Sprintf("status %d", own.Err)
	}
	return err.Error()
}

// thrice is called by lengths.
func thrice[T ~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32](n T) int64 {
	return 3 * int64(n)
}

// at returns n elements of the memory.
func at[T any](offset uint64, n int) cuda.Slice[T] { return cuda.SliceAt[T](base+offset, n, own) }

// fill returns the T of the bytes that text has, without padding.
func fill[T any](text string) (v T) {
	content := must(hex.DecodeString(text))
	leaves(reflect.ValueOf(&v).Elem(), func(leaf []byte, address bool) {
		copy(leaf, content[:len(leaf)])
		if address {
			move(leaf, base, 0)
		}
		content = content[len(leaf):]
	})
	return v
}

// show returns the bytes of v, without padding.
func show(v any) string {
	switch value := reflect.ValueOf(v); {
	case value.Kind() == reflect.String:
		return "text" + hex.EncodeToString([]byte(value.String()))
	case value.Kind() == reflect.Pointer && value.IsNil(), value.Kind() == reflect.Slice && value.IsNil():
		return "nil"
	case value.Kind() == reflect.Pointer:
		return show(value.Elem().Interface())
	case value.Kind() == reflect.Slice:
		text := fmt.Sprint("all", value.Len(), "-")
		for i := range value.Len() {
			text += show(value.Index(i).Interface())
		}
		return text
	}
	var text []byte
	copied := reflect.New(reflect.TypeOf(v)).Elem()
	copied.Set(reflect.ValueOf(v))
	leaves(copied, func(leaf []byte, address bool) {
		if address {
			move(leaf, -base, -base)
		}
		text = append(text, leaf...)
	})
	return hex.EncodeToString(text)
}

// move adds by to an address: NULL is there as all ones, and becomes null.
func move(leaf []byte, by, null uint64) {
	at := binary.NativeEndian.Uint64(leaf)
	switch {
	case null == 0 && at == ^uint64(0):
		at = 0
	case null != 0 && at == 0:
		at = ^uint64(0)
	default:
		at += by
	}
	binary.NativeEndian.PutUint64(leaf, at)
}

// leaves calls f for the bytes of each number in v, which can be addressed, and of each address.
func leaves(v reflect.Value, f func(leaf []byte, address bool)) {
	_, address := v.Interface().(interface{ Address() uint64 })
	switch {
	case address:
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).Name != "_" {
				leaves(v.Field(i), f)
			}
		}
		return
	case v.Kind() == reflect.Array:
		for i := range v.Len() {
			leaves(v.Index(i), f)
		}
		return
	}
	f(unsafe.Slice((*byte)(v.Addr().UnsafePointer()), v.Type().Size()), address)
}
