package sim

import (
	"fmt"
	"math/bits"
	"slices"
	"unsafe"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
)

// enter follows a call of f in a lane: its arguments, its frame, and the registers of an f that is
// under way already.
func (s *shadow) enter(w *warp, site *callSite, f *function, l int, from, frame uint64, again bool) {
	ws := s.of(w)
	s.fit(w, ws)
	if again {
		for r := f.firstReg; r < f.lastReg; r++ {
			ws.saved[l] = append(ws.saved[l], ws.regs[r][l])
		}
		for p := f.firstPred; p < f.lastPred; p++ {
			ws.saved[l] = append(ws.saved[l], uint64(ws.preds[p]>>l&1))
		}
	}
	values := make([][]byte, len(site.args))
	for n, arg := range site.args {
		if arg.reg >= 0 {
			values[n] = make([]byte, 8)
			writeWord(values[n], ws.regs[arg.reg][l])
		} else {
			values[n] = append([]byte(nil), s.local(w, ws, l, from+uint64(arg.offset), arg.size)...)
		}
	}
	fresh := s.local(w, ws, l, frame, f.frameBytes)
	for n := range fresh {
		fresh[n] = 0xff
	}
	ws.define(f.frame, 1<<l)
	for n := range site.args {
		s.put(w, ws, l, frame, f.params[n], values[n])
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
func (s *shadow) put(w *warp, ws *warpShadow, l int, frame uint64, at slot, value []byte) {
	if at.reg >= 0 {
		u := simd.Lanes{}
		u[l] = readWord(value[:min(len(value), 8)])
		s.set(ws, at.reg, &u, 1<<l)
		return
	}
	copy(s.local(w, ws, l, frame+uint64(at.offset), at.size), value)
}

// leave follows the end of a call in a lane, whose registers are the caller's again; frame is that of the function
// that has ended.
func (s *shadow) leave(w *warp, site *callSite, a activation, l int, frame uint64) {
	ws := s.of(w)
	s.fit(w, ws)
	var value []byte
	if len(site.results) > 0 {
		if from := a.fn.results[0]; from.reg >= 0 {
			value = make([]byte, 8)
			writeWord(value, ws.regs[from.reg][l])
		} else {
			value = append([]byte(nil), s.local(w, ws, l, frame+uint64(from.offset), from.size)...)
		}
	}
	if a.again {
		regs := int(a.fn.lastReg - a.fn.firstReg)
		first := len(ws.saved[l]) - regs - int(a.fn.lastPred-a.fn.firstPred)
		saved := ws.saved[l][first:]
		for n := range regs {
			u := simd.Lanes{}
			u[l] = saved[n]
			s.set(ws, a.fn.firstReg+int32(n), &u, 1<<l)
		}
		for n, v := range saved[regs:] {
			ws.setPred(a.fn.firstPred+int32(n), uint32(v)<<l, 1<<l)
		}
		ws.saved[l] = ws.saved[l][:first]
	}
	if len(site.results) > 0 {
		s.put(w, ws, l, s.b.frameOf(w, site.frame, l), site.results[0], value)
	}
}

// printed reports undefined bytes in what printf is about to print of an argument, numbered from 1: n bytes at
// a generic address.
func (s *shadow) printed(w *warp, in *instr, pc int32, lane int, addr, n uint64, number int, does string) {
	if s == nil || n == 0 {
		return
	}
	r, what := s.b.locate(w, generic, addr, false)
	if what != "" || addr < r.from || n > r.size || addr-r.from > r.size-n {
		return
	}
	undefined := s.bytes(w, r, addr, unsafe.Add(r.base, addr-r.from+uint64(lane)*r.stride), n, false)
	if !slices.ContainsFunc(undefined, isUndefined) {
		return
	}
	ws := s.of(w)
	s.b.report(placeOf{initcheck, pc, int32(number)}, func() *failure {
		if f := s.shuffled(w, ws, "printf "+does+" it at "+s.b.k.where(pc)); f != nil {
			return f
		}
		return s.b.fault(w, pc, lane, driver.ErrorLaunchFailed, "printf %s an undefined value, its argument %d behind the format: %s", does, number, s.advice(ws))
	})
}

// undefinedArgument returns the lanes of e for which an argument of a builtin has undefined bytes.
func (s *shadow) undefinedArgument(w *warp, ws *warpShadow, in *instr, n int, e uint32) (set uint32) {
	arg := in.call.args[n]
	if arg.reg >= 0 {
		return ws.undefinedIn(arg.reg, ^uint64(0), e)
	}
	s.fit(w, ws)
	for m := e; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m)
		frame := s.b.frameOf(w, in.call.frame, l)
		if slices.ContainsFunc(s.local(w, ws, l, frame+uint64(arg.offset), arg.size), isUndefined) {
			set |= 1 << l
		}
	}
	return set
}

// isUndefined reports whether a byte has undefined bits.
func isUndefined(b byte) bool { return b != 0 }

// called follows the call of a builtin: its result is defined, and what it is given must be.
func (s *shadow) called(w *warp, ws *warpShadow, in *instr, pc int32, e uint32) {
	for n := range in.call.args {
		if set := s.undefinedArgument(w, ws, in, n, e); set != 0 {
			s.report(w, ws, in, pc, set, fmt.Sprintf("%s is called with an undefined value, its argument %d", builtins[in.call.builtin].name, n+1))
		}
	}
	if len(in.call.results) == 0 {
		return
	}
	at := in.call.results[0]
	for ; e != 0; e &= e - 1 {
		l := bits.TrailingZeros32(e)
		s.fit(w, ws)
		s.put(w, ws, l, s.b.frameOf(w, in.call.frame, l), at, make([]byte, max(8, at.size)))
	}
}
