package cuda

import (
	"fmt"

	"github.com/cudagen/cudagen/runtime/cuda/internal/tensordesc"
	"github.com/cudagen/cudagen/runtime/cuda/tensormap"
	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// A TensorMap says how a tensor of up to five dimensions lies in a buffer, for kernels that copy boxes
// of it to and from shared memory by the tensor memory accelerator of Hopper and newer devices
// (cp.async.bulk.tensor). A kernel has it as a parameter const __grid_constant__ CUtensorMap, for
// which wrappers take a TensorMap. It is a value, refers to the buffer as a Slice does, and needs no
// Close: a launch after the buffer's Close fails with ErrClosed.
//
// CUDA Driver API, Tensor Map Object Management; PTX ISA, Tensors.
type TensorMap struct {
	opaque driver.TensorMap
	owner  *lifetime
}

const tensorOp = "make a tensor map"

// NewTensorMap makes a map of the tensor in s that cfg describes. T is uint8, uint16, uint32, uint64,
// int32, int64, vec.Float16, vec.BFloat16, float32 or float64. s begins at a multiple of 16 bytes, and the tensor
// is within it. A device before Hopper has none, and the simulated one no NaNFill: the error wraps
// ErrNotSupported. There is no interleaved layout: how far such a tensor reaches was not compared with a GPU, and a map must
// not reach beyond its slice.
//
// CUDA Driver API, Tensor Map Object Management, cuTensorMapEncodeTiled, cuTensorMapEncodeIm2col.
func NewTensorMap[T any](s Slice[T], cfg tensormap.Config) (TensorMap, error) {
	typ, ok := tensordesc.TypeOf(*new(T))
	if !ok {
		return TensorMap{}, &Error{Op: tensorOp, Detail: fmt.Sprintf("tensors have no elements of type %T", *new(T)), Err: ErrInvalidValue}
	}
	return newTensorMap(s.bytes(), typ, int(sizeOf[T]()), cfg)
}

// newTensorMap is NewTensorMap for elements of bytes bytes.
func newTensorMap(s Slice[byte], typ driver.TensorType, bytes int, cfg tensormap.Config) (TensorMap, error) {
	d, err := s.owner.tensorDevice()
	if err != nil {
		return TensorMap{}, err
	}
	defer d.hold().release()
	switch {
	case d.isClosed():
		return TensorMap{}, d.closedError(tensorOp, "")
	case s.owner.isClosed():
		return TensorMap{}, d.closedError(tensorOp, "the "+s.owner.what)
	}
	desc, detail := tensordesc.Of(&cfg, s.addr, s.n/bytes, typ, bytes)
	if detail != "" {
		return TensorMap{}, d.invalid(tensorOp, detail, ErrInvalidValue)
	}
	if major, r := d.drv.DeviceGetAttribute(driver.ComputeCapabilityMajor, d.dev); r == driver.Success && major < 9 {
		return TensorMap{}, d.invalid(tensorOp, fmt.Sprintf("the device has compute capability %d: tensor maps need 9.0", major), ErrNotSupported)
	}
	var m driver.TensorMap
	r := d.inContext(func() (r driver.Result) {
		if cfg.Im2col != nil {
			m, r = d.drv.TensorMapEncodeIm2col(desc)
		} else {
			m, r = d.drv.TensorMapEncodeTiled(desc)
		}
		return r
	})
	switch {
	case r == driver.ErrorNotSupported && d.simulated:
		return TensorMap{}, d.invalid(tensorOp, tensordesc.SimulatedLack(&cfg, bytes), ErrNotSupported)
	case r != driver.Success:
		return TensorMap{}, d.fail(tensorOp, r)
	}
	return TensorMap{m, s.owner}, nil
}

// tensorDevice returns the device of the memory of a tensor.
func (l *lifetime) tensorDevice() (*Device, error) {
	switch {
	case l == nil:
		return nil, &Error{Op: tensorOp, Detail: noOwnerText, Err: ErrInvalidValue}
	case l.isUnmade():
		return nil, unmade(tensorOp, "the "+l.what)
	case l.graphOnly:
		return nil, &Error{Op: tensorOp, Detail: "the " + l.what + " exists only in a graph", Err: ErrInvalidValue}
	}
	return l.dev, nil
}

// Owner returns the buffer of m as the owner of its address. A kernel that gets m inside of a struct
// needs it among the owners of its launch.
func (m TensorMap) Owner() Owner {
	if m.owner == nil {
		return Owner{noTensor}
	}
	return Owner{m.owner}
}

// Param returns what a parameter block has for m, a CUtensorMap. Generated code calls it, and programs
// for a CUtensorMap inside of a struct, or in memory of a device at a multiple of 64 bytes.
func (m TensorMap) Param() [16]uint64 { return m.opaque }

// Argument returns m as an argument of a prepared call. Code that was generated before NewCall calls it.
func (m TensorMap) Argument(align uint64) argument {
	return argument{owner: m.Owner().lifetime, align: 1}
}
