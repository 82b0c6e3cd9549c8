package interp

import (
	"unsafe"

	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
	"github.com/cudagen/cudagen/runtime/sim/internal/tensormap"
)

// PTX ISA, Data Movement and Conversion Instructions: tensormap.replace; Parallel Synchronization
// and Communication Instructions: tensormap.cp_fenceproxy. The fields are those that grouped products
// of matrices replace: where the tensor is, and how large.
func tensorReplaceForms() []bytecode.Form {
	const replace = "tensormap.replace.tile."
	return []bytecode.Form{
		{Pattern: replace + "global_address.global|shared::cta?.b1024.b64", Assemble: assembleTensorReplace},
		{Pattern: replace + "global_dim.global|shared::cta?.b1024.b32", Assemble: assembleTensorReplace},
		{Pattern: replace + "global_stride.global|shared::cta?.b1024.b64", Assemble: assembleTensorReplace},
		{Pattern: "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.cta|cluster|gpu|sys.sync.aligned", Assemble: assembleTensorPublish},
	}
}

// A tensorReplace is tensormap.replace [map], {dimension, }value.
type tensorReplace struct {
	at    bytecode.Address
	field tensormap.Field
	name  string // of the field
	dim   int
	value int32 // register
}

func (o *tensorReplace) Registers() []*int32 { return []*int32{&o.at.In.A, &o.value} }

var replacedFields = map[string]tensormap.Field{"global_address": tensormap.Address, "global_dim": tensormap.Dim, "global_stride": tensormap.Stride}

// strideBytes is the first version of the PTX ISA in which strides are replaced by bytes; before, they
// were counted in units of 16.
var strideBytes = ptx.Version{Major: 8, Minor: 5}

func assembleTensorReplace(d *bytecode.Decoder, in *ptx.Instr) bytecode.Instr {
	o := &tensorReplace{field: replacedFields[in.Mods[2]], name: in.Mods[2]}
	want := 3
	if o.field == tensormap.Address {
		want = 2
	}
	if !d.Operands(in, want) {
		return bytecode.Performs(o)
	}
	o.at, o.value = d.AddressIn(in, in.Args[0], bytecode.SpaceOf(in)), d.Src(in.Args[want-1], bytecode.LastType(in))
	if want == 3 {
		n, ok := in.Args[1].(ptx.Imm)
		if !ok || n.Value >= driver.MaxTensorRank {
			d.Invalid("%s: the dimension is not a constant from 0 to %d", in.Text, driver.MaxTensorRank-1)
			return bytecode.Performs(o)
		}
		o.dim = int(n.Value)
	}
	if version := d.Mod.Version; o.field == tensormap.Stride && (version.Major < strideBytes.Major || version.Major == strideBytes.Major && version.Minor < strideBytes.Minor) {
		d.Unsupported("instruction %s of PTX before version 8.5, where its unit is another,", in.Name())
	}
	return bytecode.Performs(o)
}

func (o *tensorReplace) run(b *block, w *warp, _ *bytecode.Instr, pc int32, e uint32) *Failure {
	return each(e, func(lane int) *Failure {
		p, fault := b.span(&o.at, w, pc, lane, w.addressOf(&o.at, lane), uint64(unsafe.Sizeof(driver.TensorMap{})), writes)
		if fault != nil {
			return fault
		}
		words, value := (*driver.TensorMap)(p), w.regs[o.value][lane]
		m, ok := tensormap.Decode(*words)
		switch {
		case !ok:
			return b.fault(w, pc, lane, driver.ErrorLaunchFailed, "there is no tensor map at address %#x: the simulated device takes those that NewTensorMap has made for it", w.addressOf(&o.at, lane))
		case m.IsIm2col():
			return b.fault(w, pc, lane, driver.ErrorLaunchFailed, "tensormap.replace.tile is for maps of boxes, and this one is of im2col")
		case o.field == tensormap.Dim:
			value = uint64(uint32(value))
		case value%16 != 0:
			return b.fault(w, pc, lane, driver.ErrorLaunchFailed, "%s of a tensor map becomes %#x, which is not a multiple of 16", o.name, value)
		}
		tensormap.Replace(words, o.field, o.dim, value)
		return nil
	})
}

// A tensorPublish is tensormap.cp_fenceproxy [dst], [src], 128: it copies a map from shared to global memory.
type tensorPublish struct{ dst, src bytecode.Address }

func (o *tensorPublish) Registers() []*int32 { return []*int32{&o.dst.In.A, &o.src.In.A} }

func assembleTensorPublish(d *bytecode.Decoder, in *ptx.Instr) bytecode.Instr {
	o := &tensorPublish{}
	if !d.Operands(in, 3) {
		return bytecode.Performs(o)
	}
	o.dst, o.src = d.AddressIn(in, in.Args[0], bytecode.Global), d.AddressIn(in, in.Args[1], bytecode.Shared)
	if n, ok := in.Args[2].(ptx.Imm); !ok || n.Value != uint64(unsafe.Sizeof(driver.TensorMap{})) {
		d.Invalid("%s: the size of a tensor map is 128", in.Text)
	}
	return bytecode.Performs(o)
}

func (o *tensorPublish) run(b *block, w *warp, _ *bytecode.Instr, pc int32, e uint32) *Failure {
	if !w.together(e) {
		return wait
	}
	return each(e&-e, func(lane int) *Failure { // the lanes copy one map together
		from, fault := b.span(&o.src, w, pc, lane, w.addressOf(&o.src, lane), uint64(unsafe.Sizeof(driver.TensorMap{})), reads)
		if fault != nil {
			return fault
		}
		to, fault := b.span(&o.dst, w, pc, lane, w.addressOf(&o.dst, lane), uint64(unsafe.Sizeof(driver.TensorMap{})), writes)
		if fault == nil {
			*(*driver.TensorMap)(to) = *(*driver.TensorMap)(from)
		}
		return fault
	})
}
