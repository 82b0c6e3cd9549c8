package interp

import (
	"math/bits"
	"unsafe"

	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
	"github.com/cudagen/cudagen/runtime/sim/internal/memory"
	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
)

// maxStackBytes is the local memory of a thread that calls may take. A GPU's is set by
// cudaLimitStackSize; its frames are of other sizes.
const maxStackBytes = 64 << 10

// A callStack is what a warp keeps for the calls that are under way in its lanes.
type callStack struct {
	lanes  [bytecode.WarpSize][]activation
	saved  [bytecode.WarpSize][]uint64 // registers of functions that were called again
	active map[*bytecode.Function]uint32
	top    [bytecode.WarpSize]uint64 // where the next frame begins in local memory
}

// An activation is a call under way.
type activation struct {
	fn    *bytecode.Function
	pc    int32 // of the call
	top   uint64
	again bool // the function was under way already
}

func (s *callStack) reset(localBytes int64) {
	for l := range s.lanes {
		s.lanes[l], s.saved[l], s.top[l] = s.lanes[l][:0], s.saved[l][:0], uint64(localBytes)
	}
	clear(s.active)
}

// invoke executes a call of a device function in the lanes e, which go on there.
func (b *block) invoke(w *warp, in *bytecode.Instr, pc int32, e uint32, state groupState) *Failure {
	for m := e; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m) & (bytecode.WarpSize - 1)
		f := in.Call.Callee
		if f == nil {
			var what string
			if f, what = b.k.FunctionAt(w.regs[in.Call.Address][l]); f == nil {
				return b.fault(w, pc, l, driver.ErrorLaunchFailed, "%s", what)
			}
			if !bytecode.Fits(in.Call.Args, f.Params) || len(in.Call.Results) > len(f.Results) {
				return b.fault(w, pc, l, driver.ErrorLaunchFailed, "the call has other parameters than function %s", f.Name)
			}
		}
		if fault := b.enter(w, in.Call, f, pc, l); fault != nil {
			return fault
		}
		w.push(group{pc: f.Start, mask: 1 << l, state: state})
	}
	return nil
}

// enter makes a frame for f in a lane and passes the arguments.
func (b *block) enter(w *warp, site *bytecode.CallSite, f *bytecode.Function, pc int32, l int) *Failure {
	s := w.stack
	frame, from := s.top[l], b.frameOf(w, site.Frame, l)
	if fault := b.reserve(w, pc, l, frame+uint64(f.FrameBytes)); fault != nil {
		return fault
	}
	again := s.active[f]>>l&1 != 0
	if again {
		s.save(w, f, l)
	}
	if b.shadow != nil {
		b.shadow.enter(w, site, f, l, from, frame, again)
	}
	var held [16]uint64
	values := held[:0] // of the arguments that are or become registers
	for n, arg := range site.Args {
		if arg.Reg >= 0 {
			values = append(values, w.regs[arg.Reg][l])
		} else if f.Params[n].Reg >= 0 {
			values = append(values, readWord(b.localBytes(w, l, from+uint64(arg.Offset), arg.Size)))
		}
	}
	at := (uint64(l)*w.localBytes + frame) / 8
	simd.Spoil(w.local[at : at+uint64(f.FrameBytes)/8])
	for n, arg := range site.Args {
		param := f.Params[n]
		if arg.Reg < 0 && param.Reg < 0 {
			copy(b.localBytes(w, l, frame+uint64(param.Offset), param.Size), b.localBytes(w, l, from+uint64(arg.Offset), arg.Size))
			continue
		}
		b.put(w, l, frame, param, values[0])
		values = values[1:]
	}
	w.regs[f.Frame][l] = frame
	s.lanes[l] = append(s.lanes[l], activation{f, pc, frame, again})
	s.active[f] |= 1 << l
	s.top[l] = frame + uint64(f.FrameBytes)
	return nil
}

// frameOf returns where the frame lies whose address the register frame holds, or 0 for an entry.
func (b *block) frameOf(w *warp, frame int32, l int) uint64 {
	if frame < 0 {
		return 0
	}
	return w.regs[frame][l]
}

// put writes a value to a slot of the frame at an address.
func (b *block) put(w *warp, l int, frame uint64, at bytecode.Slot, value uint64) {
	if at.Reg >= 0 {
		w.regs[at.Reg][l] = value
		return
	}
	WriteWord(b.localBytes(w, l, frame+uint64(at.Offset), at.Size), value)
}

// returns executes the ret of a device function in the lanes e.
func (b *block) returns(w *warp, e uint32, state groupState) {
	for m := e; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m) & (bytecode.WarpSize - 1)
		w.push(group{pc: b.leave(w, l) + 1, mask: 1 << l, state: state})
	}
}

// leave ends the innermost call of a lane and passes its results. It returns the place of the
// call.
func (b *block) leave(w *warp, l int) (pc int32) {
	s := w.stack
	last := len(s.lanes[l]) - 1
	a := s.lanes[l][last]
	s.lanes[l] = s.lanes[l][:last]
	site, frame := b.k.Code[a.pc].Call, w.regs[a.fn.Frame][l]
	var value uint64
	if len(site.Results) > 0 && a.fn.Results[0].Reg >= 0 {
		value = w.regs[a.fn.Results[0].Reg][l]
	} else if len(site.Results) > 0 && site.Results[0].Reg >= 0 {
		value = readWord(b.localBytes(w, l, frame+uint64(a.fn.Results[0].Offset), a.fn.Results[0].Size))
	}
	if a.again {
		s.restore(w, a.fn, l)
	} else {
		s.active[a.fn] &^= 1 << l
	}
	if b.shadow != nil {
		b.shadow.leave(w, site, a, l, frame)
	}
	s.top[l] = a.top
	if len(site.Results) > 0 {
		from, to := a.fn.Results[0], site.Results[0]
		if from.Reg < 0 && to.Reg < 0 {
			copy(b.localBytes(w, l, b.frameOf(w, site.Frame, l)+uint64(to.Offset), to.Size), b.localBytes(w, l, frame+uint64(from.Offset), from.Size))
		} else {
			b.put(w, l, b.frameOf(w, site.Frame, l), to, value)
		}
	}
	return a.pc
}

// save keeps the registers of f, which a lane calls again.
func (s *callStack) save(w *warp, f *bytecode.Function, l int) {
	for r := f.FirstReg; r < f.LastReg; r++ {
		s.saved[l] = append(s.saved[l], w.regs[r][l])
	}
	for p := f.FirstPred; p < f.LastPred; p++ {
		s.saved[l] = append(s.saved[l], uint64(w.preds[p]>>l&1))
	}
}

// restore puts back what save kept.
func (s *callStack) restore(w *warp, f *bytecode.Function, l int) {
	regs := int(f.LastReg - f.FirstReg)
	saved := s.saved[l][len(s.saved[l])-regs-int(f.LastPred-f.FirstPred):]
	for n := range regs {
		w.regs[int(f.FirstReg)+n][l] = saved[n]
	}
	for n, bit := range saved[regs:] {
		p := &w.preds[int(f.FirstPred)+n]
		*p = *p&^(1<<l) | uint32(bit)<<l
	}
	s.saved[l] = s.saved[l][:len(s.saved[l])-len(saved)]
}

// reserve makes room for end bytes of local memory in every lane of w.
func (b *block) reserve(w *warp, pc int32, l int, end uint64) *Failure {
	if end <= w.localBytes {
		return nil
	}
	if end > uint64(b.k.LocalBytes)+maxStackBytes {
		return b.fault(w, pc, l, driver.ErrorIllegalAddress, "stack overflow: the calls of the thread need more than %d bytes of local memory", maxStackBytes)
	}
	grown := uint64(bytecode.RoundUp(int64(max(end, 2*w.localBytes)), bytecode.FrameAlign))
	memory := memory.Words(grown * bytecode.WarpSize)
	simd.Spoil(memory)
	for lane := range uint64(bytecode.WarpSize) {
		copy(memory[lane*grown/8:], w.local[lane*w.localBytes/8:(lane+1)*w.localBytes/8])
	}
	w.local, w.localBytes = memory, grown
	return nil
}

// LocalBytes returns size bytes at an address of the local memory of a lane.
func (b *block) localBytes(w *warp, lane int, at uint64, size int64) []byte {
	all := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(w.local))), 8*len(w.local))
	return all[uint64(lane)*w.localBytes+at:][:size]
}

// readWord and WriteWord read and write up to 8 bytes, little-endian as the host.
func readWord(from []byte) (v uint64) {
	copy(unsafe.Slice((*byte)(unsafe.Pointer(&v)), 8), from)
	return v
}

func WriteWord(to []byte, v uint64) {
	copy(to, unsafe.Slice((*byte)(unsafe.Pointer(&v)), 8))
}

// stackForms: PTX ISA, Stack Manipulation Instructions.
func stackForms() []bytecode.Form {
	return []bytecode.Form{
		{Pattern: "alloca.u32|u64|b32|b64", Assemble: assembleAlloca},
		{Pattern: "stacksave.u32|u64|b32|b64", Assemble: assembleStackSave},
		{Pattern: "stackrestore.u32|u64|b32|b64", Assemble: assembleStackRestore},
	}
}

// assembleAlloca decodes alloca ptr, size{, align}.
func assembleAlloca(d *bytecode.Decoder, in *ptx.Instr) bytecode.Instr {
	t := bytecode.LastType(in)
	i := bytecode.Instr{Op: bytecode.OpAlloca, Offset: 8}
	d.K.Stack = true
	if len(in.Args) == 3 {
		align, ok := in.Args[2].(ptx.Imm)
		if !ok || align.Value == 0 || align.Value&(align.Value-1) != 0 || align.Value > maxStackBytes {
			d.Invalid("%s: its alignment is a power of two", in.Text)
			return i
		}
		i.Offset = align.Value
	} else if !d.Operands(in, 2) {
		return i
	}
	i.Dst, i.A, i.Mask = d.Dst(in.Args[0], t), d.Src(in.Args[1], t), typeMask(t)
	return i
}

func assembleStackSave(d *bytecode.Decoder, in *ptx.Instr) bytecode.Instr {
	i := bytecode.Instr{Op: bytecode.OpStackSave}
	d.K.Stack = true
	if d.Operands(in, 1) {
		i.Dst = d.Dst(in.Args[0], bytecode.LastType(in))
	}
	return i
}

func assembleStackRestore(d *bytecode.Decoder, in *ptx.Instr) bytecode.Instr {
	i := bytecode.Instr{Op: bytecode.OpStackRestore, Mask: typeMask(bytecode.LastType(in))}
	d.K.Stack = true
	if d.Operands(in, 1) {
		i.A = d.Src(in.Args[0], bytecode.LastType(in))
	}
	return i
}

// stackOp executes alloca, stacksave and stackrestore.
func (b *block) stackOp(w *warp, in *bytecode.Instr, pc int32, e uint32) *Failure {
	for m := e; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m) & (bytecode.WarpSize - 1)
		top := &w.stack.top[l]
		switch in.Op {
		case bytecode.OpStackSave:
			w.regs[in.Dst][l] = *top
		case bytecode.OpStackRestore:
			if to := w.regs[in.A][l] & in.Mask; to <= w.localBytes {
				*top = to
			}
		case bytecode.OpAlloca:
			size := w.regs[in.A][l] & in.Mask
			at := (*top + in.Offset - 1) &^ (in.Offset - 1)
			if size > maxStackBytes {
				size = maxStackBytes + 1 // too much for any stack
			}
			end := uint64(bytecode.RoundUp(int64(at+size), bytecode.FrameAlign))
			if fault := b.reserve(w, pc, l, end); fault != nil {
				return fault
			}
			w.regs[in.Dst][l] = at
			*top = end
		}
	}
	return nil
}
