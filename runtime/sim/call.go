package sim

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"sync/atomic"
	"unsafe"

	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/printf"
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

// builtins are the functions without a body that kernels can call.
var builtins = []builtin{
	{"vprintf", []int64{8, 8}, 4, vprintf},
	{"__assertfail", []int64{8, 8, 4, 8, 8}, 0, assertfail},
	{"malloc", []int64{8}, 8, heapMalloc},
	{"free", []int64{8}, 0, heapFree},
	{"cudaGraphSetConditional", []int64{8, 4}, 0, setConditional},
}

// callee returns the function that a call names: a symbol, or a register that holds its
// address.
func callee(in *ptx.Instr) ptx.Operand {
	args := in.Args
	if len(args) > 1 {
		if _, results := args[0].(ptx.List); results {
			args = args[1:]
		}
	}
	if len(args) == 0 {
		return nil
	}
	return args[0]
}

// assembleCall decodes call (result), function, (arguments){, prototype}.
func assembleCall(d *decoder, in *ptx.Instr) instr {
	site := &callSite{builtin: -1, frame: -1}
	if d.fn != nil {
		site.frame = d.fn.frame
	}
	i := instr{op: opInvoke, call: site}
	rest := in.Args
	if list, ok := rest[0].(ptx.List); ok && len(rest) > 1 {
		site.results = d.arguments(in, list.Elems, true)
		rest = rest[1:]
	}
	if len(rest) > 1 {
		if list, ok := rest[1].(ptx.List); ok {
			site.args = d.arguments(in, list.Elems, false)
		}
	}
	if len(site.results) > 1 {
		d.unsupported("a call with several results, %s,", in.Text)
		return i
	}
	switch f := rest[0].(type) {
	case ptx.Symbol:
		d.named(&i, in, f.Name)
	case ptx.Reg:
		site.address = d.src(f, "u64")
	default:
		d.invalid("%s: the operand is not a function", in.Text)
	}
	return i
}

// named makes i the call of a function by its name.
func (d *decoder) named(i *instr, in *ptx.Instr, name string) {
	if f := d.mod.functions[name]; f != nil {
		i.call.callee = d.calls[f.Name]
		if !d.suits(i.call, f) {
			d.invalid("%s: function %s has other parameters", in.Text, name)
		}
		return
	}
	n := slices.IndexFunc(builtins, func(f builtin) bool { return f.name == name })
	if n < 0 || d.mod.globals[name].function != functionDeclared {
		d.unsupported("call of %s", name)
		return
	}
	if f := builtins[n].name; f == "malloc" || f == "free" {
		d.k.ordered = true // what is left of the heap shows
	}
	f := builtins[n]
	i.op, i.call.builtin = opCall, n
	same := len(i.call.args) == len(f.params) && (len(i.call.results) == 0 || f.result > 0 && i.call.results[0].size == f.result)
	for j, arg := range i.call.args {
		same = same && (arg.size == f.params[j] || arg.reg >= 0)
	}
	if !same {
		d.unsupported("the arguments of %s", in.Text)
	}
}

// suits reports whether a call has the arguments that f wants.
func (d *decoder) suits(site *callSite, f *ptx.Func) bool {
	same := func(list []slot, vars []*ptx.Var) bool {
		return slices.EqualFunc(list, vars, func(s slot, v *ptx.Var) bool {
			size, ok := v.Size()
			return ok && (s.size == size || s.reg >= 0 && size <= 8)
		})
	}
	return same(site.args, f.Params) && (len(site.results) == 0 || same(site.results, f.Results))
}

// arguments returns where the arguments or results of a call are: .param variables, which
// are part of the frame, registers, or constants.
func (d *decoder) arguments(in *ptx.Instr, ops []ptx.Operand, results bool) (slots []slot) {
	for _, op := range ops {
		switch op := op.(type) {
		case ptx.Symbol:
			if v, known := d.variableOf(op.Name); known && v.callParam && op.Offset == 0 {
				slots = append(slots, slot{reg: -1, offset: int64(v.address), size: v.size})
				continue
			}
		case ptx.Reg:
			if r, known := d.lookup(op.Name); known && r.typ != "pred" {
				d.read[r.index] = true
				slots = append(slots, slot{reg: r.index, size: int64(r.typ.Size())})
				continue
			}
		case ptx.Imm:
			if !results {
				slots = append(slots, slot{reg: d.constant(op.Value), size: 8})
				continue
			}
		case ptx.Float:
			if !results {
				slots = append(slots, slot{reg: d.constant(op.Bits), size: int64(op.Size / 8)})
				continue
			}
		}
		d.unsupported("the arguments of %s", in.Text)
		return nil
	}
	return slots
}

// call executes the call of a builtin in each lane of e, the lowest first.
func (b *block) call(w *warp, in *instr, pc int32, e uint32) *failure {
	for l := range warpSize {
		if e>>l&1 == 0 {
			continue
		}
		if fault := builtins[in.call.builtin].run(b, w, in, pc, l); fault != nil {
			return fault
		}
	}
	return nil
}

// argument returns the nth argument of a call of a builtin.
func (b *block) argument(w *warp, in *instr, lane, n int) (v uint64) {
	arg := in.call.args[n]
	if arg.reg >= 0 {
		return w.regs[arg.reg][lane]
	}
	return readWord(b.localBytes(w, lane, b.frameOf(w, in.call.frame, lane)+uint64(arg.offset), arg.size))
}

// result stores the result of a builtin, if the call wants it.
func (b *block) result(w *warp, in *instr, lane int, value uint64) {
	if len(in.call.results) > 0 {
		b.put(w, lane, b.frameOf(w, in.call.frame, lane), in.call.results[0], value)
	}
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
	return unsafe.Slice((*byte)(unsafe.Add(r.base, uint64(lane)*r.stride)), r.size)[offset:], nil
}

// unlimited is the limit of a string that ends with a zero byte alone.
const unlimited = -1

// text returns the string at a generic address, which ends with a zero byte or after limit bytes.
func (b *block) text(w *warp, pc int32, lane int, addr uint64, limit int) (string, *failure) {
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
func vprintf(b *block, w *warp, in *instr, pc int32, lane int) *failure {
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
			at := uint64(roundUp(int64(args), int64(size)))
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
		if fault, ok := err.(*failure); ok {
			return fault
		}
		b.print(out)
	}
	b.result(w, in, lane, uint64(uint32(count)))
	return nil
}

// assertfail ends the kernel: message, file, line and function say which assert has failed.
func assertfail(b *block, w *warp, in *instr, pc int32, lane int) *failure {
	var texts [3]string
	for i, n := range []int{0, 1, 3} {
		text, fault := b.text(w, pc, lane, b.argument(w, in, lane, n), unlimited)
		if fault != nil {
			return fault
		}
		texts[i] = text
	}
	file, line := filepath.Base(texts[1]), int(uint32(b.argument(w, in, lane, 2)))
	fault := b.fault(w, pc, lane, driver.ErrorAssert, "assertion `%s` failed in %s (%s:%d)", texts[0], texts[2], file, line)
	fault.Instruction = fmt.Sprintf("assert(%s)", texts[0])
	fault.Source, fault.Line = file, line // also without line information
	return fault
}

// setConditional sets the value of a conditional. A handle that is no graph's has no effect.
//
// CUDA Runtime API, Graph Management, cudaGraphSetConditional.
func setConditional(b *block, w *warp, in *instr, _ int32, lane int) *failure {
	if c, ok := b.mem.Conditionals.Load(b.argument(w, in, lane, 0)); ok {
		c.(*atomic.Uint32).Store(uint32(b.argument(w, in, lane, 1)))
	}
	return nil
}
