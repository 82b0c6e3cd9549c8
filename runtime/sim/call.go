package sim

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"unsafe"

	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// A builtin is a function of the device's system library. Its parameters and its result lie
// in .param variables of the caller, which are part of its local memory.
//
// PTX Writer's Guide to Interoperability, System Calls.
type builtin struct {
	name   string
	params []int64 // bytes of each
	result int64   // bytes, or 0
	run    func(b *block, w *warp, in *instr, pc int32, lane int) *failure
}

// builtins are the functions that kernels can call. A kernel with another call cannot be
// launched, unless its compiler has inlined the call.
var builtins = []builtin{
	{"vprintf", []int64{8, 8}, 4, vprintf},
	{"__assertfail", []int64{8, 8, 4, 8, 8}, 0, assertfail},
	{"cudaGraphSetConditional", []int64{8, 4}, 0, setConditional},
}

// isCall reports whether in calls something. It is not in the table of forms: what can be
// called depends on the function.
func isCall(in *ptx.Instr) bool {
	return in.Op == "call" && len(in.Args) > 0 && (len(in.Mods) == 0 || len(in.Mods) == 1 && in.Mods[0] == "uni")
}

// call decodes call (result), function, (arguments).
func (d *decoder) call(in *ptx.Instr) instr {
	results, args := []ptx.Operand(nil), in.Args
	if list, ok := args[0].(ptx.List); ok && len(args) > 1 {
		results, args = list.Elems, args[1:]
	}
	name := "a function pointer"
	if sym, ok := args[0].(ptx.Symbol); ok {
		name = sym.Name
	}
	n := slices.IndexFunc(builtins, func(f builtin) bool { return f.name == name })
	if n < 0 || d.globals[name].function != functionDeclared || len(args) > 2 {
		d.unsupported("call of %s", name)
		return instr{op: opCall}
	}
	var params []ptx.Operand
	if len(args) == 2 {
		if list, ok := args[1].(ptx.List); ok {
			params = list.Elems
		}
	}
	f := builtins[n]
	i := instr{op: opCall, size: n, target: -1}
	if len(params) != len(f.params) || len(results) > 1 || len(results) == 1 && f.result == 0 {
		d.invalid("%s: %s has %d parameters", in.Text, name, len(f.params))
		return i
	}
	for j, param := range params {
		i.targets = append(i.targets, d.callParam(in, param, f.params[j]))
	}
	if len(results) == 1 {
		i.target = d.callParam(in, results[0], f.result)
	}
	return i
}

// callParam returns where the .param variable op of a call, which has a size, lies in local
// memory.
func (d *decoder) callParam(in *ptx.Instr, op ptx.Operand, size int64) int32 {
	if sym, ok := op.(ptx.Symbol); ok && sym.Offset == 0 {
		if v, known := d.variableOf(sym.Name); known && v.callParam && v.size == size {
			return int32(v.address)
		}
	}
	d.unsupported("the arguments of %s", in.Text)
	return 0
}

// call executes a call in each lane of e, the lowest first.
func (b *block) call(w *warp, in *instr, pc int32, e uint32) *failure {
	for l := range warpSize {
		if e>>l&1 == 0 {
			continue
		}
		if fault := builtins[in.size].run(b, w, in, pc, l); fault != nil {
			return fault
		}
	}
	return nil
}

// local returns size bytes at offset of the local memory of a lane.
func (b *block) local(w *warp, lane int, offset int32, size int) []byte {
	base := unsafe.Pointer(unsafe.SliceData(w.local))
	return unsafe.Slice((*byte)(unsafe.Add(base, int64(lane)*b.k.localStride()+int64(offset))), size)
}

// argument returns the nth argument of a call, of size bytes, little-endian as the host.
func (b *block) argument(w *warp, in *instr, lane, n, size int) (v uint64) {
	copy(unsafe.Slice((*byte)(unsafe.Pointer(&v)), 8), b.local(w, lane, in.targets[n], size))
	return v
}

// memoryAt returns the memory of a lane from a generic address to the end of what it points
// into, which has at least n bytes.
func (b *block) memoryAt(w *warp, pc int32, lane int, addr, n uint64) ([]byte, *failure) {
	r, what := b.locate(w, generic, addr, false)
	if what == "" && (addr < r.from || addr-r.from > r.size || r.size-(addr-r.from) < n) {
		what = "is out of bounds"
	}
	if what != "" {
		return nil, b.accessFault(w, pc, lane, addr, driver.ErrorIllegalAddress, "generic address %#x %s", addr, what)
	}
	offset := addr - r.from
	return unsafe.Slice((*byte)(unsafe.Add(r.base, offset+uint64(lane)*r.stride)), r.size-offset), nil
}

// text returns the string at a generic address.
func (b *block) text(w *warp, pc int32, lane int, addr uint64) (string, *failure) {
	mem, fault := b.memoryAt(w, pc, lane, addr, 1)
	if fault != nil {
		return "", fault
	}
	end := bytes.IndexByte(mem, 0)
	if end < 0 {
		return "", b.accessFault(w, pc, lane, addr, driver.ErrorIllegalAddress, "the string at generic address %#x does not end in its memory", addr)
	}
	return string(mem[:end]), nil
}

// vprintf prints a format and arguments that lie one behind another, each aligned to its
// size. It returns the number of arguments, or -1 without a format.
func vprintf(b *block, w *warp, in *instr, pc int32, lane int) *failure {
	format, args := b.argument(w, in, lane, 0, 8), b.argument(w, in, lane, 1, 8)
	count := -1
	if format != 0 {
		text, fault := b.text(w, pc, lane, format)
		if fault != nil {
			return fault
		}
		var out string
		var err error
		out, count, err = printf(text, func(size int) (v uint64, err error) {
			at := uint64(roundUp(int64(args), int64(size)))
			args = at + uint64(size)
			mem, fault := b.memoryAt(w, pc, lane, at, uint64(size))
			if fault != nil {
				return 0, fault
			}
			copy(unsafe.Slice((*byte)(unsafe.Pointer(&v)), 8), mem[:size])
			return v, nil
		}, func(addr uint64) (string, error) {
			s, fault := b.text(w, pc, lane, addr)
			if fault != nil {
				return "", fault
			}
			return s, nil
		})
		if fault, ok := err.(*failure); ok {
			return fault
		}
		b.print(out)
	}
	if in.target >= 0 {
		result := int32(count)
		copy(b.local(w, lane, in.target, 4), unsafe.Slice((*byte)(unsafe.Pointer(&result)), 4))
	}
	return nil
}

// assertfail ends the kernel: message, file, line and function say which assert has failed.
func assertfail(b *block, w *warp, in *instr, pc int32, lane int) *failure {
	var texts [3]string
	for i, n := range []int{0, 1, 3} {
		text, fault := b.text(w, pc, lane, b.argument(w, in, lane, n, 8))
		if fault != nil {
			return fault
		}
		texts[i] = text
	}
	file, line := filepath.Base(texts[1]), int(uint32(b.argument(w, in, lane, 2, 4)))
	fault := b.fault(w, pc, lane, driver.ErrorAssert, "assertion `%s` failed in %s (%s:%d)", texts[0], texts[2], file, line)
	fault.Instruction = fmt.Sprintf("assert(%s)", texts[0])
	fault.Source, fault.Line = file, line // also without line information
	return fault
}

// setConditional sets the value of a conditional. A handle that is no graph's has no effect.
//
// CUDA Runtime API, Graph Management, cudaGraphSetConditional.
func setConditional(b *block, w *warp, in *instr, _ int32, lane int) *failure {
	if c, ok := b.mem.conditionals.Load(b.argument(w, in, lane, 0, 8)); ok {
		c.(*conditional).value.Store(uint32(b.argument(w, in, lane, 1, 4)))
	}
	return nil
}
