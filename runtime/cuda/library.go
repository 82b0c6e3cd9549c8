package cuda

import (
	"fmt"
	"sync"
	"sync/atomic"
	"weak"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/internal/libcuda"
)

// A Library is a loaded image and its kernels.
//
// Libraries of the same image on one Device share one loaded copy, with its __device__
// and __constant__ variables, until the last of them is closed. Images are the same if their data
// is. Another Device has a copy of its own, also if it is the same GPU, opened once more
// (docs/decisions, "Who shares the variables of an image?").
//
// Any goroutine may call any method, even while others launch its kernels or close it.
type Library struct {
	handle atomic.Uintptr // driver.Library; 0 once closed
	dev    *Device
	image  Image
	shared *loadedImage
	watch  watch
	life   lifetime // of its variables

	mu      sync.Mutex // held while a kernel is looked up, and while the library shuts
	kernels []*Kernel
}

// A Spec describes a kernel or a variable that generated code expects in an image.
type Spec struct {
	Kernel   **Kernel // where LoadKernels puts it; nil for a variable
	Variable variable // a *Symbol, which LoadKernels sets; nil for a kernel
	Name     string   // qualified C++ name, for errors
	Symbol   string   // name in the image
	Params   []ParamSpec
}

// LoadKernels loads one of images on d and looks up the kernels and the variables. It loads the first image with machine code for this GPU or, if there is
// none, the first without Targets. It checks that the image is the one from which the Go
// code was generated, that the driver has every parameter at the offset and with the size
// that the Go code has, and that every variable has its size in the Go code. On an error
// nothing stays loaded.
//
// CUDA Driver API, Library Management.
func (d *Device) LoadKernels(images []Image, kernels []Spec, variables ...Spec) (*Library, error) {
	if d.isClosed() {
		return nil, d.closedError("load kernels", "")
	}
	d.checkStale(images)
	image, err := d.choose(images)
	if err != nil {
		return nil, err
	}
	image.generated = true
	lib, err := d.LoadLibrary(image)
	if err != nil {
		return nil, err
	}
	for _, spec := range kernels {
		if spec.Kernel == nil {
			lib.close()
			return nil, d.invalid("load kernel "+spec.Name, "its Spec has no Kernel", ErrInvalidValue)
		}
		k, err := lib.Kernel(spec)
		if err != nil {
			lib.close()
			return nil, err
		}
		*spec.Kernel = k
	}
	for _, spec := range variables {
		if err := lib.load(spec); err != nil {
			lib.close()
			return nil, err
		}
	}
	return lib, nil
}

// LoadLibrary loads image on d. Its SHA256 must be that of its Data. An image is loaded
// once, however many libraries of it are open. The driver may compile PTX, and report its
// errors, only when a kernel is looked up.
//
// CUDA Driver API, Library Management, cuLibraryLoadData.
func (d *Device) LoadLibrary(image Image) (*Library, error) {
	defer d.hold().release()
	op := "load " + image.Name
	if d.isClosed() {
		return nil, d.closedError(op, "")
	}
	image, err := image.verified()
	if err != nil {
		return nil, err
	}
	shared, err := d.acquireImage(image)
	if err != nil {
		return nil, err
	}
	lib := &Library{dev: d, image: image, shared: shared}
	lib.life.dev, lib.life.what, lib.life.object = d, "library", lib
	lib.handle.Store(uintptr(shared.handle))
	self := weak.Make(lib)
	lib.watch = watching(lib, d, "a library of "+image.Name, func() {
		if shared := d.takeLibrary(self); shared != nil {
			d.releaseImage(shared)
		}
	})
	d.mu.Lock()
	closed := d.isClosed()
	if !closed {
		d.libraries[self] = shared
	}
	d.mu.Unlock()
	if closed { // meanwhile, and Close waits for this call to unload the image
		lib.watch.end()
		return nil, d.closedError(op, "")
	}
	return lib, nil
}

// Kernel looks up a kernel and checks that the driver has its parameters at the offsets
// and with the sizes of spec; spec.Kernel and spec.Variable are not used. The kernel is valid until the
// library is closed.
//
// CUDA Driver API, Library Management, cuLibraryGetKernel.
func (l *Library) Kernel(spec Spec) (*Kernel, error) {
	return l.lookUp("load kernel", spec, func(k driver.Kernel) error { return l.prove(k, spec) })
}

// lookUp is Kernel for op, and prove compares the parameters of the kernel.
func (l *Library) lookUp(op string, spec Spec, prove func(driver.Kernel) error) (*Kernel, error) {
	if l == nil || l.dev == nil {
		return nil, noLibrary(op + " " + spec.Name)
	}
	defer l.dev.hold().release()
	l.mu.Lock()
	defer l.mu.Unlock()
	lib := driver.Library(l.handle.Load())
	if lib == 0 {
		return nil, l.dev.closedError(op+" "+spec.Name, "its library")
	}
	if n := len(spec.Params); n > libcuda.MaxParams {
		return nil, &Error{Op: op, Kernel: spec.Name, Device: l.dev.String(), Detail: fmt.Sprintf("it has %d parameters, limit %d: pass some of them in a struct", n, libcuda.MaxParams), Err: ErrNotSupported}
	}
	handle, r := l.dev.drv.LibraryGetKernel(lib, spec.Symbol)
	if r != driver.Success {
		return nil, l.dev.explainLoad(op, spec.Name, l.image, r, l.dev.drv.LibraryLog(lib))
	}
	if err := prove(handle); err != nil {
		return nil, err
	}
	k := newKernel(handle, l, spec)
	l.kernels = append(l.kernels, k)
	return k, nil
}

// Close makes later launches of the library's kernels fail with ErrClosed. Unless another
// library of the same image is open, the image is unloaded when no call uses it any more
// and the work queued on the device has run: after a garbage collection, at the latest by
// Device.Close. Close does not wait for that. It may be called more than once.
//
// CUDA Driver API, Library Management, cuLibraryUnload.
func (l *Library) Close() error {
	if l == nil || l.dev == nil || l.handle.Load() == 0 {
		return nil
	}
	if err := l.dev.mayWait("close a library"); err != nil {
		return err
	}
	l.close()
	return nil
}

// close is Close of a library that was loaded.
func (l *Library) close() {
	defer l.dev.hold().release()
	if shared := l.dev.takeLibrary(weak.Make(l)); shared != nil {
		l.shut()
		l.dev.nextTurns()
		for _, u := range l.life.others.Load().all() {
			if u.stream.dev != l.dev { // which releaseImage does not wait for
				l.dev.given(u.drain())
			}
		}
		l.dev.releaseImage(shared)
	}
}

// noLibrary is the error of an operation on nil or the zero Library.
func noLibrary(op string) error {
	return &Error{Op: op, Detail: "the library is nil: use the one that LoadLibrary returned", Err: ErrInvalidValue}
}

// shut makes calls on l and its kernels that begin from now on fail.
func (l *Library) shut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.watch.end()
	l.handle.Store(0)
	l.life.uses.Close()
	l.life.recheck()
	for _, k := range l.kernels {
		k.setHandle(0)
	}
	if t := tracing.Load(); t != nil {
		t.forgetKernels(l.kernels)
	}
}

// free has nothing to do when the last copy of a variable ends: the image goes when no call can
// use it.
func (l *Library) free() driver.Result { return driver.Success }

// takeLibrary lets the caller release a library's image, unless another one does. It returns the
// image, or nil.
func (d *Device) takeLibrary(l weak.Pointer[Library]) *loadedImage {
	d.mu.Lock()
	defer d.mu.Unlock()
	shared := d.libraries[l]
	delete(d.libraries, l)
	return shared
}

// A variable is a *Symbol, whatever its type.
type variable interface {
	load(l *Library, name, symbol string) error
	bytes() uint64
}

// load sets the Symbol of spec.
func (l *Library) load(spec Spec) error {
	if spec.Variable == nil {
		return l.dev.invalid("load variable "+spec.Name, "its Spec has no Symbol", ErrInvalidValue)
	}
	return spec.Variable.load(l, spec.Name, spec.Symbol)
}

// Bytes returns the size of the variable in the Go code; that of a kernel is 0.
func (s Spec) Bytes() uint64 {
	if s.Variable == nil {
		return 0
	}
	return s.Variable.bytes()
}
