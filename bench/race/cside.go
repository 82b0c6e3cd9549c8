package race

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"os"
	"runtime"
	"time"

	"github.com/ebitengine/purego"

	"github.com/cudagen/cudagen/runtime/cuda"
)

// A CSide is a shared library in C that does what a program does in Go.
type CSide struct{ library, driver *string }

// NewCSide defines the flags -c and -driver of a program whose C side is c/name.c.
func NewCSide(name string) CSide {
	return CSide{flag.String("c", "./"+name+".so", "the C side, built from c/"+name+".c"), DriverFlag()}
}

// DriverFlag defines the flag -driver.
func DriverFlag() *string {
	return flag.String("driver", cmp.Or(os.Getenv("CUDAGEN_LIBCUDA"), "libcuda.so.1"), "the CUDA driver's library, for C")
}

// ImageFlag defines the flag -image.
func ImageFlag() *string {
	return flag.String("image", "../example/kernels.ptx", "the example's image")
}

// Open loads the library, finds its functions by name, and calls its setup(driver, image). functions holds
// pointers to variables: of functions' types, as purego.RegisterFunc takes them, or uintptr for an address.
// The goroutine stays on its thread, where C makes the context current.
func (c CSide) Open(image []byte, functions map[string]any) error {
	var setup func(driver, image string) int32
	functions["setup"] = &setup
	handle, err := purego.Dlopen(*c.library, purego.RTLD_NOW)
	if err != nil {
		return err
	}
	for name, variable := range functions {
		address, err := purego.Dlsym(handle, name)
		if err != nil {
			return err
		}
		if plain, ok := variable.(*uintptr); ok {
			*plain = address
		} else {
			purego.RegisterFunc(variable, address)
		}
	}
	runtime.LockOSThread()
	return SetUp(setup(*c.driver, string(image)))
}

// SetUp turns what a C side's setup returned into an error.
func SetUp(r int32) error {
	switch {
	case r < 0:
		return errors.New("setup in C: the driver is not there or lacks a symbol")
	case r > 0:
		return fmt.Errorf("setup in C: %w", cuda.Code(r))
	}
	return nil
}

// FromC turns what a C side's function returned, nanoseconds or a negative CUresult, into
// what a contestant's Run returns.
func FromC(ns float64) (float64, error) {
	if ns < 0 {
		return 0, cuda.Code(-ns)
	}
	return ns, nil
}

// InC makes a contestant of a C side's function.
func InC(what string, ns func() float64) *Contestant {
	return &Contestant{Name: "C, " + what, Run: func() (float64, error) { return FromC(ns()) }}
}

// ThroughC makes a contestant's Run of the C function at address, called through Cgocall count times on dev: the
// least that one call can cost in Go. prepare says what to do.
func ThroughC(dev *cuda.Device, count int, address uintptr, prepare func()) func() (float64, error) {
	return func() (float64, error) {
		prepare()
		start := time.Now()
		for range count {
			if r := Cgocall(address, nil); r != 0 {
				return 0, cuda.Code(r)
			}
		}
		return float64(time.Since(start).Nanoseconds()) / float64(count), dev.Synchronize()
	}
}
