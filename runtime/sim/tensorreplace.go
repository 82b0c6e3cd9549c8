package sim

import (
	"unsafe"

	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/tensormap"
)

// PTX ISA, Data Movement and Conversion Instructions: tensormap.replace; Parallel Synchronization
// and Communication Instructions: tensormap.cp_fenceproxy. The fields are those that grouped products
// of matrices replace: where the tensor is, and how large.
func tensorReplaceForms() []form {
	const replace = "tensormap.replace.tile."
	return []form{
		{replace + "global_address.global|shared::cta?.b1024.b64", assembleTensorReplace},
		{replace + "global_dim.global|shared::cta?.b1024.b32", assembleTensorReplace},
		{replace + "global_stride.global|shared::cta?.b1024.b64", assembleTensorReplace},
		{"tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.cta|cluster|gpu|sys.sync.aligned", assembleTensorPublish},
	}
}

// A tensorReplace is tensormap.replace [map], {dimension, }value.
type tensorReplace struct {
	at    address
	field tensormap.Field
	name  string // of the field
	dim   int
	value int32 // register
}

func (o *tensorReplace) registers() []*int32 { return []*int32{&o.at.in.a, &o.value} }

var replacedFields = map[string]tensormap.Field{"global_address": tensormap.Address, "global_dim": tensormap.Dim, "global_stride": tensormap.Stride}

// strideBytes is the first version of the PTX ISA in which strides are replaced by bytes; before, they
// were counted in units of 16.
var strideBytes = ptx.Version{Major: 8, Minor: 5}

func assembleTensorReplace(d *decoder, in *ptx.Instr) instr {
	o := &tensorReplace{field: replacedFields[in.Mods[2]], name: in.Mods[2]}
	want := 3
	if o.field == tensormap.Address {
		want = 2
	}
	if !d.operands(in, want) {
		return performs(o)
	}
	o.at, o.value = d.addressIn(in, in.Args[0], spaceOf(in)), d.src(in.Args[want-1], lastType(in))
	if want == 3 {
		n, ok := in.Args[1].(ptx.Imm)
		if !ok || n.Value >= driver.MaxTensorRank {
			d.invalid("%s: the dimension is not a constant from 0 to %d", in.Text, driver.MaxTensorRank-1)
			return performs(o)
		}
		o.dim = int(n.Value)
	}
	if version := d.mod.version; o.field == tensormap.Stride && (version.Major < strideBytes.Major || version.Major == strideBytes.Major && version.Minor < strideBytes.Minor) {
		d.unsupported("instruction %s of PTX before version 8.5, where its unit is another,", in.Name())
	}
	return performs(o)
}

func (o *tensorReplace) run(b *block, w *warp, _ *instr, pc int32, e uint32) *failure {
	return each(e, func(lane int) *failure {
		p, fault := o.at.span(b, w, pc, lane, o.at.of(w, lane), uint64(unsafe.Sizeof(driver.TensorMap{})), writes)
		if fault != nil {
			return fault
		}
		words, value := (*driver.TensorMap)(p), w.regs[o.value][lane]
		m, ok := tensormap.Decode(*words)
		switch {
		case !ok:
			return b.fault(w, pc, lane, driver.ErrorLaunchFailed, "there is no tensor map at address %#x: the simulated device takes those that NewTensorMap has made for it", o.at.of(w, lane))
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
type tensorPublish struct{ dst, src address }

func (o *tensorPublish) registers() []*int32 { return []*int32{&o.dst.in.a, &o.src.in.a} }

func assembleTensorPublish(d *decoder, in *ptx.Instr) instr {
	o := &tensorPublish{}
	if !d.operands(in, 3) {
		return performs(o)
	}
	o.dst, o.src = d.addressIn(in, in.Args[0], global), d.addressIn(in, in.Args[1], shared)
	if n, ok := in.Args[2].(ptx.Imm); !ok || n.Value != uint64(unsafe.Sizeof(driver.TensorMap{})) {
		d.invalid("%s: the size of a tensor map is 128", in.Text)
	}
	return performs(o)
}

func (o *tensorPublish) run(b *block, w *warp, _ *instr, pc int32, e uint32) *failure {
	if !w.together(e) {
		return wait
	}
	return each(e&-e, func(lane int) *failure { // the lanes copy one map together
		from, fault := o.src.span(b, w, pc, lane, o.src.of(w, lane), uint64(unsafe.Sizeof(driver.TensorMap{})), reads)
		if fault != nil {
			return fault
		}
		to, fault := o.dst.span(b, w, pc, lane, o.dst.of(w, lane), uint64(unsafe.Sizeof(driver.TensorMap{})), writes)
		if fault == nil {
			*(*driver.TensorMap)(to) = *(*driver.TensorMap)(from)
		}
		return fault
	})
}
