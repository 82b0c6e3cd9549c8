package sim

import (
	"math/bits"
	"unsafe"

	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/memory"
	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
)

// A callSite is a call: whom it calls, and where arguments and results lie in the caller.
type callSite struct {
	callee  *function // nil for a call by address
	address int32     // the register that holds it
	builtin int       // index of the builtin, or -1
	frame   int32     // the caller's frame register; -1 in an entry
	args    []slot
	results []slot
}

// registers returns the registers that the call names.
func (c *callSite) registers() (regs []*int32) {
	regs = append(regs, &c.address)
	for _, list := range [][]slot{c.args, c.results} {
		for n := range list {
			regs = append(regs, &list[n].reg)
		}
	}
	return regs
}

// maxStackBytes is the local memory of a thread that calls may take. A GPU's is set by
// cudaLimitStackSize; its frames are of other sizes.
const maxStackBytes = 64 << 10

// A callStack is what a warp keeps for the calls that are under way in its lanes.
type callStack struct {
	lanes  [warpSize][]activation
	saved  [warpSize][]uint64 // registers of functions that were called again
	active map[*function]uint32
	top    [warpSize]uint64 // where the next frame begins in local memory
}

// An activation is a call under way.
type activation struct {
	fn    *function
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
func (b *block) invoke(w *warp, in *instr, pc int32, e uint32, state groupState) *failure {
	for m := e; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m) & (warpSize - 1)
		f := in.call.callee
		if f == nil {
			var what string
			if f, what = b.k.functionAt(w.regs[in.call.address][l]); f == nil {
				return b.fault(w, pc, l, driver.ErrorLaunchFailed, "%s", what)
			}
			if !fits(in.call.args, f.params) || len(in.call.results) > len(f.results) {
				return b.fault(w, pc, l, driver.ErrorLaunchFailed, "the call has other parameters than function %s", f.name)
			}
		}
		if fault := b.enter(w, in.call, f, pc, l); fault != nil {
			return fault
		}
		w.push(group{pc: f.start, mask: 1 << l, state: state})
	}
	return nil
}

// enter makes a frame for f in a lane and passes the arguments.
func (b *block) enter(w *warp, site *callSite, f *function, pc int32, l int) *failure {
	s := w.stack
	frame, from := s.top[l], b.frameOf(w, site.frame, l)
	if fault := b.reserve(w, pc, l, frame+uint64(f.frameBytes)); fault != nil {
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
	for n, arg := range site.args {
		if arg.reg >= 0 {
			values = append(values, w.regs[arg.reg][l])
		} else if f.params[n].reg >= 0 {
			values = append(values, readWord(b.localBytes(w, l, from+uint64(arg.offset), arg.size)))
		}
	}
	at := (uint64(l)*w.localBytes + frame) / 8
	simd.Spoil(w.local[at : at+uint64(f.frameBytes)/8])
	for n, arg := range site.args {
		param := f.params[n]
		if arg.reg < 0 && param.reg < 0 {
			copy(b.localBytes(w, l, frame+uint64(param.offset), param.size), b.localBytes(w, l, from+uint64(arg.offset), arg.size))
			continue
		}
		b.put(w, l, frame, param, values[0])
		values = values[1:]
	}
	w.regs[f.frame][l] = frame
	s.lanes[l] = append(s.lanes[l], activation{f, pc, frame, again})
	s.active[f] |= 1 << l
	s.top[l] = frame + uint64(f.frameBytes)
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
func (b *block) put(w *warp, l int, frame uint64, at slot, value uint64) {
	if at.reg >= 0 {
		w.regs[at.reg][l] = value
		return
	}
	writeWord(b.localBytes(w, l, frame+uint64(at.offset), at.size), value)
}

// returns executes the ret of a device function in the lanes e.
func (b *block) returns(w *warp, e uint32, state groupState) {
	for m := e; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m) & (warpSize - 1)
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
	site, frame := b.k.code[a.pc].call, w.regs[a.fn.frame][l]
	var value uint64
	if len(site.results) > 0 && a.fn.results[0].reg >= 0 {
		value = w.regs[a.fn.results[0].reg][l]
	} else if len(site.results) > 0 && site.results[0].reg >= 0 {
		value = readWord(b.localBytes(w, l, frame+uint64(a.fn.results[0].offset), a.fn.results[0].size))
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
	if len(site.results) > 0 {
		from, to := a.fn.results[0], site.results[0]
		if from.reg < 0 && to.reg < 0 {
			copy(b.localBytes(w, l, b.frameOf(w, site.frame, l)+uint64(to.offset), to.size), b.localBytes(w, l, frame+uint64(from.offset), from.size))
		} else {
			b.put(w, l, b.frameOf(w, site.frame, l), to, value)
		}
	}
	return a.pc
}

// save keeps the registers of f, which a lane calls again.
func (s *callStack) save(w *warp, f *function, l int) {
	for r := f.firstReg; r < f.lastReg; r++ {
		s.saved[l] = append(s.saved[l], w.regs[r][l])
	}
	for p := f.firstPred; p < f.lastPred; p++ {
		s.saved[l] = append(s.saved[l], uint64(w.preds[p]>>l&1))
	}
}

// restore puts back what save kept.
func (s *callStack) restore(w *warp, f *function, l int) {
	regs := int(f.lastReg - f.firstReg)
	saved := s.saved[l][len(s.saved[l])-regs-int(f.lastPred-f.firstPred):]
	for n := range regs {
		w.regs[int(f.firstReg)+n][l] = saved[n]
	}
	for n, bit := range saved[regs:] {
		p := &w.preds[int(f.firstPred)+n]
		*p = *p&^(1<<l) | uint32(bit)<<l
	}
	s.saved[l] = s.saved[l][:len(s.saved[l])-len(saved)]
}

// reserve makes room for end bytes of local memory in every lane of w.
func (b *block) reserve(w *warp, pc int32, l int, end uint64) *failure {
	if end <= w.localBytes {
		return nil
	}
	if end > uint64(b.k.localBytes)+maxStackBytes {
		return b.fault(w, pc, l, driver.ErrorIllegalAddress, "stack overflow: the calls of the thread need more than %d bytes of local memory", maxStackBytes)
	}
	grown := uint64(roundUp(int64(max(end, 2*w.localBytes)), frameAlign))
	memory := memory.Words(grown * warpSize)
	simd.Spoil(memory)
	for lane := range uint64(warpSize) {
		copy(memory[lane*grown/8:], w.local[lane*w.localBytes/8:(lane+1)*w.localBytes/8])
	}
	w.local, w.localBytes = memory, grown
	return nil
}

// localBytes returns size bytes at an address of the local memory of a lane.
func (b *block) localBytes(w *warp, lane int, at uint64, size int64) []byte {
	all := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(w.local))), 8*len(w.local))
	return all[uint64(lane)*w.localBytes+at:][:size]
}

// readWord and writeWord read and write up to 8 bytes, little-endian as the host.
func readWord(from []byte) (v uint64) {
	copy(unsafe.Slice((*byte)(unsafe.Pointer(&v)), 8), from)
	return v
}

func writeWord(to []byte, v uint64) {
	copy(to, unsafe.Slice((*byte)(unsafe.Pointer(&v)), 8))
}

// stackForms: PTX ISA, Stack Manipulation Instructions.
func stackForms() []form {
	return []form{
		{"alloca.u32|u64|b32|b64", assembleAlloca},
		{"stacksave.u32|u64|b32|b64", assembleStackSave},
		{"stackrestore.u32|u64|b32|b64", assembleStackRestore},
	}
}

// assembleAlloca decodes alloca ptr, size{, align}.
func assembleAlloca(d *decoder, in *ptx.Instr) instr {
	t := lastType(in)
	i := instr{op: opAlloca, offset: 8}
	d.k.stack = true
	if len(in.Args) == 3 {
		align, ok := in.Args[2].(ptx.Imm)
		if !ok || align.Value == 0 || align.Value&(align.Value-1) != 0 || align.Value > maxStackBytes {
			d.invalid("%s: its alignment is a power of two", in.Text)
			return i
		}
		i.offset = align.Value
	} else if !d.operands(in, 2) {
		return i
	}
	i.dst, i.a, i.mask = d.dst(in.Args[0], t), d.src(in.Args[1], t), typeMask(t)
	return i
}

func assembleStackSave(d *decoder, in *ptx.Instr) instr {
	i := instr{op: opStackSave}
	d.k.stack = true
	if d.operands(in, 1) {
		i.dst = d.dst(in.Args[0], lastType(in))
	}
	return i
}

func assembleStackRestore(d *decoder, in *ptx.Instr) instr {
	i := instr{op: opStackRestore, mask: typeMask(lastType(in))}
	d.k.stack = true
	if d.operands(in, 1) {
		i.a = d.src(in.Args[0], lastType(in))
	}
	return i
}

// stackOp executes alloca, stacksave and stackrestore.
func (b *block) stackOp(w *warp, in *instr, pc int32, e uint32) *failure {
	for m := e; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m) & (warpSize - 1)
		top := &w.stack.top[l]
		switch in.op {
		case opStackSave:
			w.regs[in.dst][l] = *top
		case opStackRestore:
			if to := w.regs[in.a][l] & in.mask; to <= w.localBytes {
				*top = to
			}
		case opAlloca:
			size := w.regs[in.a][l] & in.mask
			at := (*top + in.offset - 1) &^ (in.offset - 1)
			if size > maxStackBytes {
				size = maxStackBytes + 1 // too much for any stack
			}
			end := uint64(roundUp(int64(at+size), frameAlign))
			if fault := b.reserve(w, pc, l, end); fault != nil {
				return fault
			}
			w.regs[in.dst][l] = at
			*top = end
		}
	}
	return nil
}
