package interp

import (
	"unsafe"

	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
	"github.com/cudagen/cudagen/runtime/sim/internal/mbarrier"
	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
)

// PTX ISA, Parallel Synchronization and Communication Instructions: mbarrier; cp.async.mbarrier.arrive.
func mbarrierForms() []bytecode.Form {
	const space = ".shared|shared::cta?.b64"
	const peers = ".shared|shared::cta|shared::cluster?.b64"
	forms := []bytecode.Form{
		{Pattern: "mbarrier.init" + space, Assemble: assembleMbarrier(mbarrier.Init)},
		{Pattern: "mbarrier.inval" + space, Assemble: assembleMbarrier(mbarrier.Inval)},
		{Pattern: "mbarrier.pending_count.b64", Assemble: bytecode.Alu(pendingCount, "u32", "b64")},
		{Pattern: "cp.async.mbarrier.arrive" + space, Assemble: assembleMbarrier(nil)}, // it counts itself before
		{Pattern: "cp.async.mbarrier.arrive.noinc" + space, Assemble: assembleMbarrier(mbarrier.Arrive)},
	}
	for _, scope := range []string{"", ".cta|cluster"} { // an order and a scope stand together or not at all
		relaxed, release, acquire, alone := "", "", "", ""
		if scope != "" {
			relaxed, release, acquire = ".relaxed"+scope, ".release|relaxed"+scope, ".acquire|relaxed"+scope
			alone = ".release.cta"
		}
		forms = append(forms,
			bytecode.Form{Pattern: "mbarrier.expect_tx" + relaxed + peers, Assemble: assembleMbarrier(mbarrier.Expect)},
			bytecode.Form{Pattern: "mbarrier.complete_tx" + relaxed + peers, Assemble: assembleMbarrier(mbarrier.Complete)},
			bytecode.Form{Pattern: "mbarrier.arrive" + release + peers, Assemble: assembleMbarrier(mbarrier.Arrive)},
			bytecode.Form{Pattern: "mbarrier.arrive_drop" + release + peers, Assemble: assembleMbarrier(mbarrier.Drop)},
			bytecode.Form{Pattern: "mbarrier.arrive.noComplete" + alone + space, Assemble: assembleMbarrier(mbarrier.Arrive)},
			bytecode.Form{Pattern: "mbarrier.arrive_drop.noComplete" + alone + space, Assemble: assembleMbarrier(mbarrier.Drop)},
			bytecode.Form{Pattern: "mbarrier.arrive.expect_tx" + release + peers, Assemble: assembleMbarrier(mbarrier.ExpectArrive)},
			bytecode.Form{Pattern: "mbarrier.arrive_drop.expect_tx" + release + peers, Assemble: assembleMbarrier(mbarrier.ExpectDrop)},
			bytecode.Form{Pattern: "mbarrier.test_wait|try_wait" + acquire + space, Assemble: assembleMbarrierWait(false)},
			bytecode.Form{Pattern: "mbarrier.test_wait|try_wait.parity" + acquire + space, Assemble: assembleMbarrierWait(true)})
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
	at      bytecode.Address
	operand int32
	dst     int32 // of the state before, or RegSink
	parity  bool  // of a wait
	test    int32 // predicate of a wait
}

func (o *mbarrierOp) Moves() (data []int32, stores bool) { return []int32{o.dst}, false }

func (o *mbarrierOp) Registers() []*int32 { return []*int32{&o.at.In.A, &o.operand, &o.dst} }

// assembleMbarrier assembles {state, }[address]{, operand}.
func assembleMbarrier(update mbarrier.Update) bytecode.Assembler {
	return func(d *bytecode.Decoder, in *ptx.Instr) bytecode.Instr {
		o := &mbarrierOp{update: update, init: in.Mods[0] == "init" || in.Mods[0] == "inval", test: -1, operand: d.Constant(1), relaxed: bytecode.Has(in, "relaxed")}
		o.tracks, o.ends = in.Op == "cp", in.Mods[0] == "inval"
		o.arrives = in.Mods[0] == "arrive" || in.Mods[0] == "arrive_drop"
		args := in.Args
		if len(args) > 1 {
			if _, address := args[0].(ptx.Address); !address {
				o.dst = d.Dst(args[0], "b64")
				args = args[1:]
			}
		}
		if o.arrives && (len(args) == len(in.Args) || bytecode.Has(in, "shared::cluster") && o.dst != bytecode.RegSink) {
			d.Invalid("%s: its first operand is a register for the state or, in .shared::cluster, _", in.Text)
		}
		if len(args) != 1 && len(args) != 2 {
			d.Operands(in, 2)
			return bytecode.Performs(o)
		}
		o.at = d.AddressIn(in, args[0], bytecode.SpaceOf(in))
		o.at.Ordered = true
		if len(args) == 2 {
			o.operand = d.Src(args[1], "u32")
		} else if in.Mods[0] == "init" || bytecode.Has(in, "expect_tx") || bytecode.Has(in, "complete_tx") || bytecode.Has(in, "noComplete") {
			d.Operands(in, len(in.Args)+1) // ptxas wants a count
		}
		return bytecode.Performs(o)
	}
}

// assembleMbarrierWait assembles test_wait and try_wait p, [address], phase{, time}. A try does not wait,
// which the ISA allows.
func assembleMbarrierWait(parity bool) bytecode.Assembler {
	return func(d *bytecode.Decoder, in *ptx.Instr) bytecode.Instr {
		o := &mbarrierOp{parity: parity, relaxed: bytecode.Has(in, "relaxed")}
		if len(in.Args) == 4 && in.Mods[0] == "try_wait" {
			d.Src(in.Args[3], "u32")
		} else if !d.Operands(in, 3) {
			return bytecode.Performs(o)
		}
		o.test, o.at = d.PredDst(in.Args[0]), d.AddressIn(in, in.Args[1], bytecode.SpaceOf(in))
		o.at.Ordered = true
		if parity {
			o.operand = d.Src(in.Args[2], "u32")
		} else {
			o.operand = d.Src(in.Args[2], "b64")
		}
		return bytecode.Performs(o)
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

func (o *mbarrierOp) run(b *block, w *warp, _ *bytecode.Instr, pc int32, e uint32) *Failure {
	done := uint32(0)
	fault := each(e, func(lane int) *Failure {
		p, fault := b.bytes(&o.at, w, pc, lane, 0, 8, writes)
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
