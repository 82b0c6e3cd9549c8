package cuda_test

import (
	"context"
	"path/filepath"
	"reflect"
	"testing"
	"time"
	"unique"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/runtime/cuda"
)

// bytesOf returns the memory of values, without a look at what they mean.
func bytesOf[T any](values []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(values))), len(values)*int(unsafe.Sizeof(values[0])))
}

// A hit has bools between other fields.
type hit struct {
	At   float32
	On   bool
	Mask uint8
	More [2]bool
}

// TestBoolsOfADevice: every way from a device to Go makes bools of bytes that are neither 0 nor 1, and
// leaves all others alone.
func TestBoolsOfADevice(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		if isFake(dev) { // which copies nothing
			return
		}
		s := newStream(t, dev)
		five := upload(t, s, []byte{5, 0, 1, 255, 2, 2, 2, 2, 128, 7, 0})
		bools := cuda.Reinterpret[bool](five.All())
		want := []byte{1, 0, 1, 1, 1, 1, 1, 1, 1, 1, 0}
		structs := upload(t, s, []byte{9, 9, 9, 9, 9, 9, 0, 9, 8, 8, 8, 8, 0, 8, 1, 8})
		hits := cuda.Reinterpret[hit](structs.All())
		wantHits := []byte{9, 9, 9, 9, 1, 9, 0, 1, 8, 8, 8, 8, 0, 8, 1, 1}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		for name, read := range map[string]func() ([]bool, error){
			"Download":        func() ([]bool, error) { return bools.Download(s) },
			"DownloadContext": func() ([]bool, error) { return bools.DownloadContext(ctx, s) },
			"CopyTo":          func() ([]bool, error) { host := make([]bool, 11); return host, bools.CopyTo(s, host) },
			"CopyToContext":   func() ([]bool, error) { host := make([]bool, 11); return host, bools.CopyToContext(ctx, s, host) },
			"behind work": func() ([]bool, error) { // which goes by way of page-locked memory
				release := blocked(t, s)
				time.AfterFunc(20*time.Millisecond, release)
				host := make([]bool, 11)
				return host, bools.CopyToContext(ctx, s, host)
			},
		} {
			got, err := read()
			require.NoError(t, err, name)
			assert.Equal(t, want, bytesOf(got), name)
		}
		got, err := hits.Download(s)
		require.NoError(t, err)
		assert.Equal(t, wantHits, bytesOf(got), "a struct")

		library, err := dev.LoadLibrary(variant(cuda.Image{Name: "flags.ptx", Data: ".version 7.5\n.target sm_75\n.address_size 64\n.visible .global .align 4 .b8 flags[8] = {9, 9, 9, 9, 9, 9, 0, 9};\n"}, ""))
		require.NoError(t, err)
		defer library.Close()
		flags, err := cuda.LoadSymbol[hit](library, "flags", "flags")
		require.NoError(t, err)
		value, err := flags.Get(s)
		require.NoError(t, err)
		assert.Equal(t, wantHits[:8], bytesOf([]hit{value}), "a variable")
		ended, end := context.WithCancel(t.Context())
		end()
		_, err = flags.GetContext(ended, s)
		assert.ErrorIs(t, err, context.Canceled)

		device, err := five.All().Download(s)
		require.NoError(t, err)
		assert.Equal(t, byte(5), device[0], "the device has what it had")
	})
}

// TestNoBoolsInSharedMemory: memory that a device writes and Go reads has no bools.
func TestNoBoolsInSharedMemory(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		for name, err := range map[string]error{
			"a bool cannot be in memory that devices write and Go reads": second(cuda.AllocHost[bool](dev, 1, cuda.HostConfig{})),
			"cuda_test.hit, which has a bool, cannot be in memory":       second(cuda.AllocHost[hit](dev, 1, cuda.HostConfig{})),
			"[2]bool, which has a bool,":                                 second(cuda.AllocManaged[[2]bool](dev, 1)),
			"use uint8 in its place, or a Buffer and CopyTo":             second(cuda.AllocManaged[bool](dev, 0)),
		} {
			assert.ErrorContains(t, err, name)
			assert.ErrorIs(t, err, cuda.ErrInvalidValue)
		}
		host, err := cuda.AllocHost[struct{ On uint8 }](dev, 1, cuda.HostConfig{})
		require.NoError(t, err, "the control")
		require.NoError(t, host.Close())
	})
}

// TestOnlyPlainData: types whose bytes a device cannot know are refused by all that makes Go memory of a
// device's.
func TestOnlyPlainData(t *testing.T) {
	dev := openSimulator(t)
	s := newStream(t, dev)
	x := upload(t, s, make([]byte, 64))
	refuses[string](t, dev, s, x)
	refuses[*int](t, dev, s, x)
	refuses[[]byte](t, dev, s, x)
	refuses[any](t, dev, s, x)
	refuses[func()](t, dev, s, x)
	refuses[chan int](t, dev, s, x)
	refuses[map[int]int](t, dev, s, x)
	refuses[uintptr](t, dev, s, x)
	refuses[unsafe.Pointer](t, dev, s, x)
	refuses[time.Time](t, dev, s, x)
	refuses[reflect.Value](t, dev, s, x)
	refuses[unique.Handle[int]](t, dev, s, x)
	refuses[cuda.Slice[byte]](t, dev, s, x)
	refuses[cuda.Owner](t, dev, s, x)
	refuses[[2]struct{ P *byte }](t, dev, s, x)
	refuses[filepath.WalkFunc](t, dev, s, x)
}

func refuses[T any](t *testing.T, dev *cuda.Device, s *cuda.Stream, x *cuda.Buffer[byte]) {
	const want = "is not plain data"
	for name, err := range map[string]error{
		"Alloc":        second(cuda.Alloc[T](s, 1)),
		"Upload":       second(cuda.Upload(s, make([]T, 1))),
		"Adopt":        second(cuda.Adopt[T](dev, x.All().Address(), 1, nil)),
		"AllocHost":    second(cuda.AllocHost[T](dev, 1, cuda.HostConfig{})),
		"AllocManaged": second(cuda.AllocManaged[T](dev, 1)),
		"Download":     second((cuda.Slice[T]{}).Download(s)),
	} {
		assert.ErrorContains(t, err, want, "%s of %v", name, reflect.TypeFor[T]())
	}
	assert.Panics(t, func() { cuda.Reinterpret[T](x.All()) }, reflect.TypeFor[T]())
	assert.Panics(t, func() { cuda.SliceAt[T](x.All().Address(), 1, x.Owner()) }, reflect.TypeFor[T]())
}
