package sim

import (
	"unsafe"

	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/mbarrier"
	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
)

// PTX ISA, Parallel Synchronization and Communication Instructions: mbarrier; cp.async.mbarrier.arrive.
func mbarrierForms() []form {
	const space = ".shared|shared::cta?.b64"
	const peers = ".shared|shared::cta|shared::cluster?.b64"
	forms := []form{
		{"mbarrier.init" + space, assembleMbarrier(mbarrier.Init)},
		{"mbarrier.inval" + space, assembleMbarrier(mbarrier.Inval)},
		{"mbarrier.pending_count.b64", alu(pendingCount, "u32", "b64")},
		{"cp.async.mbarrier.arrive" + space, assembleMbarrier(nil)}, // it counts itself before
		{"cp.async.mbarrier.arrive.noinc" + space, assembleMbarrier(mbarrier.Arrive)},
	}
	for _, scope := range []string{"", ".cta|cluster"} { // an order and a scope stand together or not at all
		relaxed, release, acquire, alone := "", "", "", ""
		if scope != "" {
			relaxed, release, acquire = ".relaxed"+scope, ".release|relaxed"+scope, ".acquire|relaxed"+scope
			alone = ".release.cta"
		}
		forms = append(forms,
			form{"mbarrier.expect_tx" + relaxed + peers, assembleMbarrier(mbarrier.Expect)},
			form{"mbarrier.complete_tx" + relaxed + peers, assembleMbarrier(mbarrier.Complete)},
			form{"mbarrier.arrive" + release + peers, assembleMbarrier(mbarrier.Arrive)},
			form{"mbarrier.arrive_drop" + release + peers, assembleMbarrier(mbarrier.Drop)},
			form{"mbarrier.arrive.noComplete" + alone + space, assembleMbarrier(mbarrier.Arrive)},
			form{"mbarrier.arrive_drop.noComplete" + alone + space, assembleMbarrier(mbarrier.Drop)},
			form{"mbarrier.arrive.expect_tx" + release + peers, assembleMbarrier(mbarrier.ExpectArrive)},
			form{"mbarrier.arrive_drop.expect_tx" + release + peers, assembleMbarrier(mbarrier.ExpectDrop)},
			form{"mbarrier.test_wait|try_wait" + acquire + space, assembleMbarrierWait(false)},
			form{"mbarrier.test_wait|try_wait.parity" + acquire + space, assembleMbarrierWait(true)})
	}
	return forms
}

// isBarrier reports whether s can be a barrier, in memory that may be fresh.
func isBarrier(s mbarrier.State) bool { return s != simd.UndefinedWord && s.Initialised() }

func pendingCount(d, a, _, _ *simd.Lanes) {
	for l := range d {
		d[l] = mbarrier.State(a[l]).Pending()
	}
}

// An mbarrierOp is an instruction on a barrier in memory.
type mbarrierOp struct {
	update  mbarrier.Update // or nil
	init    bool            // the barrier need not be one before
	ends    bool            // the barrier is none any more
	arrives bool
	tracks  bool // cp.async.mbarrier.arrive
	relaxed bool
	at      address
	operand int32
	dst     int32 // of the state before, or regSink
	parity  bool  // of a wait
	test    int32 // predicate of a wait
}

func (o *mbarrierOp) registers() []*int32 { return []*int32{&o.at.in.a, &o.operand, &o.dst} }

// assembleMbarrier assembles {state, }[address]{, operand}.
func assembleMbarrier(update mbarrier.Update) assembler {
	return func(d *decoder, in *ptx.Instr) instr {
		o := &mbarrierOp{update: update, init: in.Mods[0] == "init" || in.Mods[0] == "inval", test: -1, operand: d.constant(1), relaxed: has(in, "relaxed")}
		o.tracks, o.ends = in.Op == "cp", in.Mods[0] == "inval"
		o.arrives = in.Mods[0] == "arrive" || in.Mods[0] == "arrive_drop"
		args := in.Args
		if len(args) > 1 {
			if _, address := args[0].(ptx.Address); !address {
				o.dst = d.dst(args[0], "b64")
				args = args[1:]
			}
		}
		if o.arrives && (len(args) == len(in.Args) || has(in, "shared::cluster") && o.dst != regSink) {
			d.invalid("%s: its first operand is a register for the state or, in .shared::cluster, _", in.Text)
		}
		if len(args) != 1 && len(args) != 2 {
			d.operands(in, 2)
			return performs(o)
		}
		o.at = d.addressIn(in, args[0], spaceOf(in))
		o.at.ordered = true
		if len(args) == 2 {
			o.operand = d.src(args[1], "u32")
		} else if in.Mods[0] == "init" || has(in, "expect_tx") || has(in, "complete_tx") || has(in, "noComplete") {
			d.operands(in, len(in.Args)+1) // ptxas wants a count
		}
		return performs(o)
	}
}

// assembleMbarrierWait assembles test_wait and try_wait p, [address], phase{, time}. A try does not wait,
// which the ISA allows.
func assembleMbarrierWait(parity bool) assembler {
	return func(d *decoder, in *ptx.Instr) instr {
		o := &mbarrierOp{parity: parity, relaxed: has(in, "relaxed")}
		if len(in.Args) == 4 && in.Mods[0] == "try_wait" {
			d.src(in.Args[3], "u32")
		} else if !d.operands(in, 3) {
			return performs(o)
		}
		o.test, o.at = d.predDst(in.Args[0]), d.addressIn(in, in.Args[1], spaceOf(in))
		o.at.ordered = true
		if parity {
			o.operand = d.src(in.Args[2], "u32")
		} else {
			o.operand = d.src(in.Args[2], "b64")
		}
		return performs(o)
	}
}

// order notes what the operation of a lane on the barrier at p orders, before it is executed.
func (o *mbarrierOp) order(b *block, w *warp, pc int32, lane int, p unsafe.Pointer) {
	r := b.races
	if r == nil {
		return
	}
	cell := r.cellOf(b, w, &o.at, lane)
	switch {
	case o.init && o.ends:
		r.findBarrier(w, pc, lane, p, cell)
		return
	case o.init:
		r.beginBarrier(w, pc, lane, p, cell)
		return
	case o.tracks:
		r.trackCopies(w, 1<<lane, p)
	case o.arrives:
		r.arriveAt(w, 1<<lane, p, o.relaxed)
	}
	r.useBarrier(w, pc, lane, p, cell)
}

func (o *mbarrierOp) run(b *block, w *warp, _ *instr, pc int32, e uint32) *failure {
	done := uint32(0)
	fault := each(e, func(lane int) *failure {
		p, fault := o.at.bytes(b, w, pc, lane, 0, 8, true)
		if fault != nil {
			return fault
		}
		s, operand := (*mbarrier.State)(p), w.regs[o.operand][lane]
		o.order(b, w, pc, lane, p)
		if !o.init && !isBarrier(*s) {
			return b.fault(w, pc, lane, driver.ErrorLaunchFailed, "there is no initialised mbarrier at this address")
		}
		switch {
		case o.test >= 0 && o.parity:
			done |= simd.Bit(s.Parity() != operand&1) << lane
		case o.test >= 0:
			done |= simd.Bit(s.Parity() != mbarrier.State(operand).Parity()) << lane
		case o.update != nil:
			before := *s
			next, wrong := o.update(before, operand&(1<<32-1))
			if wrong != "" {
				return b.fault(w, pc, lane, driver.ErrorLaunchFailed, "mbarrier: %s", wrong)
			}
			b.become(s, next)
			w.regs[o.dst][lane] = uint64(before)
		}
		if done>>lane&1 != 0 && b.races != nil {
			b.races.passed(w, 1<<lane, p, o.relaxed)
		}
		return nil
	})
	if o.test >= 0 && fault == nil {
		w.preds[o.test] = w.preds[o.test]&^e | done
		if done != e {
			return yield
		}
	}
	return fault
}

// completeBytes tells the barrier at p that bytes have come.
func (b *block) completeBytes(p unsafe.Pointer, bytes uint64) {
	s := (*mbarrier.State)(p)
	next, _ := mbarrier.Complete(*s, bytes)
	b.become(s, next)
}

// become gives a barrier its next state.
func (b *block) become(s *mbarrier.State, next mbarrier.State) {
	if b.races != nil && next.Parity() != s.Parity() {
		b.races.ended(unsafe.Pointer(s))
	}
	if b.globalRaces != nil && next.Parity() != s.Parity() {
		b.globalRaces.barrier(b)
	}
	*s = next
}
