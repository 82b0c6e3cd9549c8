package interp

import (
	"fmt"
	"math/bits"
	"slices"
	"unsafe"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
)

// enter follows a call of f in a lane: its arguments, its frame, and the registers of an f that is
// under way already.
func (s *shadow) enter(w *warp, site *bytecode.CallSite, f *bytecode.Function, l int, from, frame uint64, again bool) {
	ws := s.of(w)
	s.fit(w, ws)
	if again {
		for r := f.FirstReg; r < f.LastReg; r++ {
			ws.saved[l] = append(ws.saved[l], ws.regs[r][l])
		}
		for p := f.FirstPred; p < f.LastPred; p++ {
			ws.saved[l] = append(ws.saved[l], uint64(ws.preds[p]>>l&1))
		}
	}
	values := make([][]byte, len(site.Args))
	for n, arg := range site.Args {
		if arg.Reg >= 0 {
			values[n] = make([]byte, 8)
			WriteWord(values[n], ws.regs[arg.Reg][l])
		} else {
			values[n] = append([]byte(nil), s.local(w, ws, l, from+uint64(arg.Offset), arg.Size)...)
		}
	}
	fresh := s.local(w, ws, l, frame, f.FrameBytes)
	for n := range fresh {
		fresh[n] = 0xff
	}
	ws.define(f.Frame, 1<<l)
	for n := range site.Args {
		s.put(w, ws, l, frame, f.Params[n], values[n])
	}
}

// local returns the undefined bits of bytes of a lane's local memory.
func (s *shadow) local(w *warp, ws *warpShadow, l int, at uint64, size int64) []byte {
	if size == 0 {
		return nil
	}
	fake := warp{local: ws.local, localBytes: w.localBytes}
	return s.b.localBytes(&fake, l, at, size)
}

// put gives a slot of a frame undefined bits.
func (s *shadow) put(w *warp, ws *warpShadow, l int, frame uint64, at bytecode.Slot, value []byte) {
	if at.Reg >= 0 {
		u := simd.Lanes{}
		u[l] = readWord(value[:min(len(value), 8)])
		s.set(ws, at.Reg, &u, 1<<l)
		return
	}
	copy(s.local(w, ws, l, frame+uint64(at.Offset), at.Size), value)
}

// leave follows the end of a call in a lane, whose registers are the caller's again; frame is that of the function
// that has ended.
func (s *shadow) leave(w *warp, site *bytecode.CallSite, a activation, l int, frame uint64) {
	ws := s.of(w)
	s.fit(w, ws)
	var value []byte
	if len(site.Results) > 0 {
		if from := a.fn.Results[0]; from.Reg >= 0 {
			value = make([]byte, 8)
			WriteWord(value, ws.regs[from.Reg][l])
		} else {
			value = append([]byte(nil), s.local(w, ws, l, frame+uint64(from.Offset), from.Size)...)
		}
	}
	if a.again {
		regs := int(a.fn.LastReg - a.fn.FirstReg)
		first := len(ws.saved[l]) - regs - int(a.fn.LastPred-a.fn.FirstPred)
		saved := ws.saved[l][first:]
		for n := range regs {
			u := simd.Lanes{}
			u[l] = saved[n]
			s.set(ws, a.fn.FirstReg+int32(n), &u, 1<<l)
		}
		for n, v := range saved[regs:] {
			ws.setPred(a.fn.FirstPred+int32(n), uint32(v)<<l, 1<<l)
		}
		ws.saved[l] = ws.saved[l][:first]
	}
	if len(site.Results) > 0 {
		s.put(w, ws, l, s.b.frameOf(w, site.Frame, l), site.Results[0], value)
	}
}

// printed reports undefined bytes in what printf is about to print of an argument, numbered from 1: n bytes at
// a generic address.
func (s *shadow) printed(w *warp, in *bytecode.Instr, pc int32, lane int, addr, n uint64, number int, does string) {
	if s == nil || n == 0 {
		return
	}
	r, what := s.b.locate(w, bytecode.Generic, addr, false)
	if what != "" || addr < r.from || n > r.size || addr-r.from > r.size-n {
		return
	}
	undefined := s.bytes(w, r, addr, unsafe.Add(r.base, addr-r.from+uint64(lane)*r.stride), n, false)
	if !slices.ContainsFunc(undefined, isUndefined) {
		return
	}
	ws := s.of(w)
	s.b.report(placeOf{check: Initcheck, pc: pc, other: int32(number)}, func() *Failure {
		if f := s.shuffled(w, ws, "printf "+does+" it at "+s.b.k.Where(pc)); f != nil {
			return f
		}
		return s.b.fault(w, pc, lane, driver.ErrorLaunchFailed, "printf %s an undefined value, its argument %d behind the format: %s", does, number, s.advice(ws))
	})
}

// undefinedArgument returns the lanes of e for which an argument of a builtin has undefined bytes.
func (s *shadow) undefinedArgument(w *warp, ws *warpShadow, in *bytecode.Instr, n int, e uint32) (set uint32) {
	arg := in.Call.Args[n]
	if arg.Reg >= 0 {
		return ws.undefinedIn(arg.Reg, ^uint64(0), e)
	}
	s.fit(w, ws)
	for m := e; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m)
		frame := s.b.frameOf(w, in.Call.Frame, l)
		if slices.ContainsFunc(s.local(w, ws, l, frame+uint64(arg.Offset), arg.Size), isUndefined) {
			set |= 1 << l
		}
	}
	return set
}

// isUndefined reports whether a byte has undefined bits.
func isUndefined(b byte) bool { return b != 0 }

// called follows the call of a builtin: its result is defined, and what it is given must be.
func (s *shadow) called(w *warp, ws *warpShadow, in *bytecode.Instr, pc int32, e uint32) {
	for n := range in.Call.Args {
		if set := s.undefinedArgument(w, ws, in, n, e); set != 0 {
			s.report(w, ws, in, pc, set, fmt.Sprintf("%s is called with an undefined value, its argument %d", bytecode.Builtins[in.Call.Builtin].Name, n+1))
		}
	}
	if len(in.Call.Results) == 0 {
		return
	}
	at := in.Call.Results[0]
	for ; e != 0; e &= e - 1 {
		l := bits.TrailingZeros32(e)
		s.fit(w, ws)
		s.put(w, ws, l, s.b.frameOf(w, in.Call.Frame, l), at, make([]byte, max(8, at.Size)))
	}
}
