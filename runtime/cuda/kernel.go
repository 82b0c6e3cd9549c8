package cuda

import (
	"sync/atomic"
	"unsafe"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/internal/libcuda"
)

// A Kernel is a kernel of a loaded library, on one device. Generated types have a field
// of this type. A Kernel is valid until its library is closed.
//
// Any goroutine may call any method and launch it, also while others close its library.
//
// # Launches
//
// Generated kernels have these methods:
//
//	Launch          computes the launch configuration from directives
//	LaunchWith      takes a LaunchConfig
//	LaunchArgs      is Launch with named arguments, for kernels with many
//	Prepare         checks and converts arguments once, for many launches
//
// A launch checks that its slices are long enough, open and on its device. A
// configuration that is computed to have no blocks launches nothing. LaunchAttributes
// requests clusters, cooperative launches and other attributes. Addresses inside of
// structs cannot be checked: the Owners of a LaunchConfig or of the arguments name what
// they refer to.
//
// A launch returns before the kernel has run: its own errors come from a later call that waits.
//
// Bind gives kernels of runtime/nvrtc, and of any other image, typed arguments without
// generated code: a struct with a field for each parameter.
type Kernel struct {
	// What a launch reads comes first and fits one cache line with up to four
	// parameters, two with eight: the driver's own work has displaced all of it since
	// the last launch.
	target libcuda.Target // its Kernel is read and written atomically; 0 once the library is closed
	native *Device        // dev, unless launches there are indirect: then nil
	few    [8]uint32      // the offsets, when there are not more

	dev     *Device
	library *Library // which lives as long
	name    string

	sharedEnd atomic.Uint32 // one more than the bytes that a launch may ask for without more ado; 0 before the first launch, and in a trace
	allowed   atomic.Uint32 // a set of needs: what was asked for and found; above them what sharedEnd is without a trace
	params    *paramList
	// The allocator aligns 128 bytes to a cache line.
}

// handle returns the driver's handle of k, or 0 once the library is closed.
func (k *Kernel) handle() driver.Kernel {
	return driver.Kernel(atomic.LoadUintptr((*uintptr)(&k.target.Kernel)))
}

func (k *Kernel) setHandle(handle driver.Kernel) {
	atomic.StoreUintptr((*uintptr)(&k.target.Kernel), uintptr(handle))
}

func _() {
	var same [1]struct{}
	_ = same[unsafe.Sizeof(Kernel{})-128]
}

func newKernel(handle driver.Kernel, library *Library, spec Spec) *Kernel {
	dev := library.dev
	k := &Kernel{dev: dev, library: library, name: spec.Name, params: newParamList(spec.Params)}
	if !dev.indirect {
		k.native, k.target.Entry = dev, libcuda.LaunchEntry()
	}
	offsets := k.few[:]
	if len(spec.Params) > len(offsets) {
		offsets = make([]uint32, len(spec.Params))
	}
	for i, p := range spec.Params {
		offsets[i] = p.Offset
		k.target.ParamBytes = max(k.target.ParamBytes, p.Offset+p.Size)
	}
	k.target.Offsets, k.target.Count = &offsets[0], uint32(len(spec.Params))
	k.setHandle(handle)
	if dev.sim != nil {
		dev.sim.Name(handle, spec.Name)
	}
	return k
}

// hold returns the epoch that a call on k is in.
func (k *Kernel) hold() *epoch {
	if k == nil {
		return nil
	}
	return k.dev.hold()
}

// openFor returns an error of op if k is nil or its library is closed.
func (k *Kernel) openFor(op string) error {
	switch {
	case k == nil || k.dev == nil:
		return &Error{Op: op + " a kernel", Detail: "the kernel was not loaded: use the Kernels that Load… returned", Err: ErrInvalidValue}
	case k.handle() == 0:
		return &Error{Op: op, Kernel: k.name, Device: k.dev.String(), Driver: k.dev.driverVersion(), Detail: k.dev.closedObject("its library"), Err: ErrClosed}
	}
	return nil
}

// Name returns the kernel's qualified C++ name.
func (k *Kernel) Name() string {
	if k == nil {
		return ""
	}
	return k.name
}

// Device returns the device on which the kernel is loaded.
func (k *Kernel) Device() *Device {
	if k == nil {
		return nil
	}
	return k.dev
}

// KernelAttributes are the driver's attributes of a compiled kernel.
type KernelAttributes struct {
	MaxThreadsPerBlock int
	Registers          int // of a thread
	SharedBytes        int // static, of a block
	LocalBytes         int // of a thread
	ConstBytes         int
	PTXVersion         int // 10*major + minor of the virtual architecture
	BinaryVersion      int // 10*major + minor of the real one
	MaxDynamicShared   int // bytes of a block that the kernel has opted into so far
}

// Attributes asks the driver about the kernel.
//
// CUDA Driver API, Library Management, cuKernelGetAttribute.
func (k *Kernel) Attributes() (KernelAttributes, error) {
	const op = "read the attributes of"
	defer k.hold().release()
	var a KernelAttributes
	if err := k.openFor(op); err != nil {
		return a, err
	}
	for _, want := range []struct {
		attr driver.FunctionAttribute
		into *int
	}{
		{driver.FuncMaxThreadsPerBlock, &a.MaxThreadsPerBlock},
		{driver.FuncNumRegs, &a.Registers},
		{driver.FuncSharedSizeBytes, &a.SharedBytes},
		{driver.FuncLocalSizeBytes, &a.LocalBytes},
		{driver.FuncConstSizeBytes, &a.ConstBytes},
		{driver.FuncPTXVersion, &a.PTXVersion},
		{driver.FuncBinaryVersion, &a.BinaryVersion},
		{driver.FuncMaxDynamicSharedBytes, &a.MaxDynamicShared},
	} {
		v, r := k.dev.drv.KernelGetAttribute(want.attr, k.handle(), k.dev.dev)
		if r != driver.Success {
			return a, k.failed(&Error{Op: op, Kernel: k.name}, r)
		}
		*want.into = v
	}
	return a, nil
}

// badArgument is the error of an argument that no launch can have. Launch, Prepare and Set find
// it in the same way.
func (k *Kernel) badArgument(detail string, err error) error {
	return k.argumentError("check the arguments of", detail, err)
}

// badConfig is the error of a launch configuration that the directives of k refuse.
func (k *Kernel) badConfig(detail string, err error) error {
	return k.argumentError("check the launch configuration of", detail, err)
}

// launchArgument is the error of a launch whose argument cannot be used, or not on its stream.
func (k *Kernel) launchArgument(detail string, err error) error {
	return k.argumentError("launch", detail, err)
}

func (k *Kernel) argumentError(op, detail string, err error) error {
	e := &Error{Op: op, Detail: detail, Err: err}
	if k != nil && k.dev != nil {
		e.Kernel, e.Device = k.name, k.dev.String()
	}
	return e
}
