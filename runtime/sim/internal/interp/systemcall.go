package interp

import (
	"bytes"
	"fmt"
	"sync/atomic"
	"unsafe"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/internal/sourcefile"
	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
	"github.com/cudagen/cudagen/runtime/sim/internal/memory"
	"github.com/cudagen/cudagen/runtime/sim/internal/printf"
)

// builtinFuncs are what the functions of the device's system library do, in the order of builtins.
var builtinFuncs = []func(b *block, w *warp, in *bytecode.Instr, pc int32, lane int) *Failure{vprintf, assertfail, heapMalloc, heapFree, setConditional}

// call executes the call of a builtin in each lane of e, the lowest first.
func (b *block) call(w *warp, in *bytecode.Instr, pc int32, e uint32) *Failure {
	for l := range bytecode.WarpSize {
		if e>>l&1 == 0 {
			continue
		}
		if fault := builtinFuncs[in.Call.Builtin](b, w, in, pc, l); fault != nil {
			return fault
		}
	}
	return nil
}

// argument returns the nth argument of a call of a builtin.
func (b *block) argument(w *warp, in *bytecode.Instr, lane, n int) (v uint64) {
	arg := in.Call.Args[n]
	if arg.Reg >= 0 {
		return w.regs[arg.Reg][lane]
	}
	return readWord(b.localBytes(w, lane, b.frameOf(w, in.Call.Frame, lane)+uint64(arg.Offset), arg.Size))
}

// result stores the result of a builtin, if the call wants it.
func (b *block) result(w *warp, in *bytecode.Instr, lane int, value uint64) {
	if len(in.Call.Results) > 0 {
		b.put(w, lane, b.frameOf(w, in.Call.Frame, lane), in.Call.Results[0], value)
	}
}

// memoryAt returns the memory of a lane from a generic address to the end of what it points
// into, which has at least n bytes.
func (b *block) memoryAt(w *warp, pc int32, lane int, addr, n uint64) ([]byte, *Failure) {
	r, what := b.locate(w, bytecode.Generic, addr, false)
	if what == "" && (addr < r.from || addr-r.from > r.size || r.size-(addr-r.from) < n) {
		what = "is out of bounds"
	}
	if what != "" {
		return nil, b.accessFault(w, pc, lane, addr, driver.ErrorIllegalAddress, "generic address %#x %s", addr, what)
	}
	offset := addr - r.from
	return unsafe.Slice((*byte)(unsafe.Add(r.base, uint64(lane)*r.stride)), r.size)[offset:], nil
}

// unlimited is the limit of a string that ends with a zero byte alone.
const unlimited = -1

// text returns the string at a generic address, which ends with a zero byte or after limit bytes.
func (b *block) text(w *warp, pc int32, lane int, addr uint64, limit int) (string, *Failure) {
	if limit == 0 {
		return "", nil
	}
	mem, fault := b.memoryAt(w, pc, lane, addr, 1)
	if fault != nil {
		return "", fault
	}
	end := bytes.IndexByte(mem, 0)
	if limit > 0 && limit <= len(mem) && (end < 0 || end > limit) {
		end = limit
	}
	if end < 0 {
		return "", b.accessFault(w, pc, lane, addr, driver.ErrorIllegalAddress, "the string at generic address %#x does not end in its memory", addr)
	}
	return string(mem[:end]), nil
}

// vprintf prints a format and arguments that lie one behind another, each aligned to its
// size. It returns the number of arguments, or -1 without a format.
func vprintf(b *block, w *warp, in *bytecode.Instr, pc int32, lane int) *Failure {
	format, args := b.argument(w, in, lane, 0), b.argument(w, in, lane, 1)
	count, number := -1, 0
	if format != 0 {
		text, fault := b.text(w, pc, lane, format, unlimited)
		if fault != nil {
			return fault
		}
		var out string
		var err error
		out, count, err = printf.Format(text, func(size int) (v uint64, err error) {
			at := uint64(bytecode.RoundUp(int64(args), int64(size)))
			args = at + uint64(size)
			number++
			mem, fault := b.memoryAt(w, pc, lane, at, uint64(size))
			if fault != nil {
				return 0, fault
			}
			b.shadow.printed(w, in, pc, lane, at, uint64(size), number, "prints")
			copy(unsafe.Slice((*byte)(unsafe.Pointer(&v)), 8), mem[:size])
			return v, nil
		}, func(addr uint64, limit int) (string, error) {
			s, fault := b.text(w, pc, lane, addr, limit)
			if fault != nil {
				return "", fault
			}
			b.shadow.printed(w, in, pc, lane, addr, uint64(len(s)), number, "prints a string with")
			return s, nil
		})
		if fault, ok := err.(*Failure); ok {
			return fault
		}
		b.print(out)
	}
	b.result(w, in, lane, uint64(uint32(count)))
	return nil
}

// assertfail ends the kernel: message, file, line and function say which assert has failed.
func assertfail(b *block, w *warp, in *bytecode.Instr, pc int32, lane int) *Failure {
	var texts [3]string
	for i, n := range []int{0, 1, 3} {
		text, fault := b.text(w, pc, lane, b.argument(w, in, lane, n), unlimited)
		if fault != nil {
			return fault
		}
		texts[i] = text
	}
	file, line := sourcefile.Shown(texts[1]), int(uint32(b.argument(w, in, lane, 2)))
	fault := b.fault(w, pc, lane, driver.ErrorAssert, "assertion `%s` failed in %s (%s:%d)", texts[0], texts[2], file, line)
	fault.Instruction = fmt.Sprintf("assert(%s)", texts[0])
	fault.Source, fault.Line = file, line // also without line information
	return fault
}

// setConditional sets the value of a conditional. A handle that is no graph's has no effect.
//
// CUDA Runtime API, Graph Management, cudaGraphSetConditional.
func setConditional(b *block, w *warp, in *bytecode.Instr, _ int32, lane int) *Failure {
	if c, ok := b.mem.Conditionals.Load(b.argument(w, in, lane, 0)); ok {
		c.(*atomic.Uint32).Store(uint32(b.argument(w, in, lane, 1)))
	}
	return nil
}

// heapMalloc takes memory of the device. It returns null if there is not enough.
//
// CUDA C++ Programming Guide, Dynamic Global Memory Allocation and Operations.
func heapMalloc(b *block, w *warp, in *bytecode.Instr, pc int32, lane int) *Failure {
	b.result(w, in, lane, b.mem.HeapAlloc(b.argument(w, in, lane, 0), b.tracedPlace(pc)))
	return nil
}

// tracedPlace is where the instruction at pc is, if such places are noted.
func (b *block) tracedPlace(pc int32) string {
	if !b.mem.Traced.Load() {
		return ""
	}
	return b.k.Where(pc)
}

// heapFree gives memory back that malloc returned.
func heapFree(b *block, w *warp, in *bytecode.Instr, pc int32, lane int) *Failure {
	addr := b.argument(w, in, lane, 0)
	if addr == 0 || b.mem.HeapFree(addr, b.tracedPlace(pc)) {
		return nil
	}
	what := "which malloc did not return in a kernel"
	if a := memory.AllocationOf(addr >> memory.OffsetBits); a != nil && a.Heap && a.Data == nil && addr&memory.OffsetMask == 0 {
		what = "which was freed"
	}
	return b.accessFault(w, pc, lane, addr, driver.ErrorIllegalAddress, "free of address %#x, %s", addr, what).tellProvenance()
}
