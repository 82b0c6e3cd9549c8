package sim

import (
	"fmt"
	"strings"

	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
	"github.com/cudagen/cudagen/runtime/sim/internal/interp"
)

// Bodies of probes use 64 bytes of memory of their thread: %a4 is their address in global memory,
// %t4 that in shared memory, and slot that in local memory; pool is 64 bytes of constant memory.

// wordAt names 8 bytes of the memory of the thread in the space that an instruction is of, and the
// instructions to read and write them.
func wordAt(name string, offset int) (address, load, store string) {
	switch {
	case strings.Contains(name, ".shared"):
		return fmt.Sprintf("[%%t4+%d]", offset), "ld.shared.b64", "st.shared.b64"
	case strings.Contains(name, ".local"):
		return fmt.Sprintf("[slot+%d]", offset), "ld.local.b64", "st.local.b64"
	case strings.Contains(name, ".const"):
		return fmt.Sprintf("[pool+%d]", offset), "ld.const.b64", ""
	case strings.Contains(name, ".param"):
		return "[in]", "ld.param.b64", ""
	}
	return fmt.Sprintf("[%%a4+%d]", offset), "ld.b64", "st.b64"
}

// elementsOf is how many elements a vector access has.
func elementsOf(name string) int {
	switch {
	case strings.Contains(name, ".v2."):
		return 2
	case strings.Contains(name, ".v4."):
		return 4
	case strings.Contains(name, ".v8."):
		return 8
	}
	return 1
}

// dataOperand is n registers of the least width that holds a t, or one more; a float has its own.
func dataOperand(t ptx.Type, n, from int, wider bool) (operand, classes string, names []string) {
	class := map[int]string{1: "h", 2: "h", 4: "r", 8: "l"}[t.Size()]
	if wider && !bytecode.IsFloat(t) && t.Size() < 8 {
		class = map[string]string{"h": "r", "r": "l"}[class]
	}
	for k := range n {
		names = append(names, fmt.Sprintf("%%%s%d", class, from+k))
	}
	if operand = names[0]; n > 1 {
		operand = "{" + strings.Join(names, ", ") + "}"
	}
	return operand, strings.Repeat(class, n), names
}

// hinted adds the operand of a cache hint to an access that has one.
func hinted(name, access string) string {
	if strings.Contains(name, "L2::cache_hint") {
		return "createpolicy.fractional.L2::evict_first.b64 %l30; " + access + ", %l30;"
	}
	return access + ";"
}

// memoryProbes load and store every type, with every modifier.
func memoryProbes() (all []probe) {
	const types = "b8|u8|s8|b16|u16|s16|b32|u32|s32|f32|b64|u64|s64|f64"
	var names []string
	for _, head := range []string{"ld", "ld.global", "ld.shared", "ld.local", "ld.const", "ld.global.nc", "ld.volatile.shared", "st", "st.global", "st.shared", "st.local", "st.volatile.global"} {
		for _, vector := range []string{"", ".v2", ".v4"} {
			for t := range strings.SplitSeq(types, "|") {
				names = append(names, head+vector+"."+t)
			}
		}
	}
	for _, pattern := range patternsOf(interp.MemoryForms()) {
		names = append(names, samples(pattern)...)
	}
	for n, name := range names {
		t, count := lastOf(name), elementsOf(name)
		if t.Size()*count > 16 || strings.Contains(name, "param::func") ||
			strings.HasPrefix(name, "st.param") || strings.HasPrefix(name, "ldu") && n%2 == 0 {
			continue
		}
		if strings.Contains(name, ".param") { // the values of parameters are addresses, which differ
			continue
		}
		if strings.Contains(name, ".const") && (strings.Contains(name, ".relaxed") || strings.Contains(name, ".volatile")) {
			continue
		}
		at, load, store := wordAt(name, 0)
		behind, _, _ := wordAt(name, 8)
		if strings.HasPrefix(name, "ld") {
			operand, _, outs := dataOperand(t, count, 20, n%2 == 1)
			body := hinted(name, fmt.Sprintf("%s %s, %s", name, operand, at))
			if store != "" {
				body = fmt.Sprintf("%s %s, %%l1; %s %s, %%l2; %s", store, at, store, behind, body)
			}
			if strings.Contains(name, ".nc") || strings.HasPrefix(name, "ldu") { // only what the kernel does not write
				body = hinted(name, fmt.Sprintf("%s %s, [%%a1]", name, operand))
			}
			all = append(all, probe{name: name, ins: "ll", outs: outs, body: body})
			continue
		}
		operand, classes, _ := dataOperand(t, count, 1, n%2 == 1)
		body := fmt.Sprintf("mov.b64 %%l20, -1; %s %s, %%l20; %s %s, %%l20; %s %s %%l21, %s; %s %%l22, %s;",
			store, at, store, behind, hinted(name, fmt.Sprintf("%s %s, %s", name, at, operand)), load, at, load, behind)
		all = append(all, probe{name: name, ins: classes, outs: []string{"%l21", "%l22"}, body: body})
	}
	return append(all,
		probe{name: "isspacep", ins: "r", outs: []string{"%p0", "%p1", "%p2", "%p3", "%p4", "%p5", "%p6"}, body: "isspacep.global %p0, %a4; cvta.shared.u64 %l10, %l9; isspacep.shared %p1, %a4; cvt.u64.u32 %l9, %t4; cvta.shared.u64 %l10, %l9; isspacep.shared %p2, %l10; isspacep.shared::cta %p3, %l10; isspacep.global %p4, %l10; isspacep.local %p5, %l10; isspacep.const %p6, %a4;"},
		probe{name: "cvta.local", ins: "l", outs: []string{"%l0", "%p1"}, body: "mov.u64 %l8, slot; cvta.local.u64 %l9, %l8; st.b64 [%l9], %l1; ld.local.b64 %l0, [slot]; isspacep.local %p1, %l9;"},
		probe{name: "cvta.to.shared", ins: "l", outs: []string{"%l0", "%p1"}, body: "cvt.u64.u32 %l9, %t4; cvta.shared.u64 %l10, %l9; st.b64 [%l10], %l1; cvta.to.shared.u64 %l11, %l10; ld.shared.b64 %l0, [%l11]; setp.eq.u64 %p1, %l11, %l9;"},
		probe{name: "cvta.const", ins: "l", outs: []string{"%l0", "%p1"}, body: "mov.u64 %l9, pool; cvta.const.u64 %l10, %l9; ld.b64 %l0, [%l10]; isspacep.const %p1, %l10;"},
	)
}

// atomicProbes update memory of their own, so that no order shows: the old and the new value.
func atomicProbes() (all []probe) {
	var names []string
	for _, pattern := range patternsOf(interp.AtomicVectorForms()) {
		names = append(names, samples(pattern)...)
	}
	for _, pattern := range patternsOf(interp.AtomicForms()) {
		op, tail, _ := strings.Cut(pattern, ".")
		operation := tail[strings.LastIndex(tail, "?")+2:]
		for t := range strings.SplitSeq(operation[strings.LastIndex(operation, ".")+1:], "|") {
			one := operation[:strings.LastIndex(operation, ".")+1] + t
			for _, space := range []string{"", ".global", ".shared"} {
				names = append(names, op+space+"."+one)
			}
		}
		names = append(names, samples(pattern)...)
	}
	for _, name := range names {
		if strings.Contains(name, ".shared") && strings.Contains(name, "L2::cache_hint") {
			continue // ptxas refuses that
		}
		t, count := lastOf(name), elementsOf(name)
		_, classes, _ := dataOperand(bytecode.Storage(t), 1, 0, false)
		at, load, store := wordAt(name, 0)
		behind, _, _ := wordAt(name, 8)
		sources, sorts := fmt.Sprintf("%%%s3", classes), classes
		if count > 1 {
			operand, vector, _ := dataOperand(bytecode.Storage(t), count, 3, false)
			sources, sorts = operand, vector
		}
		if strings.Contains(name, ".cas") { // what is there, in half of the threads
			sources = fmt.Sprintf("%%%s30, %%%s3", classes, classes)
			sorts += classes
		}
		body := fmt.Sprintf("%s %s, %%l1; %s %s, %%l2; ", store, at, store, behind)
		if strings.Contains(name, ".cas") {
			body += fmt.Sprintf("setp.lt.u32 %%p9, %%t1, 64; mov.b%[3]d %%%[1]s30, %%%[1]s4; @%%p9 %[2]s %%%[1]s30, %[4]s; ", classes, strings.Replace(load, "64", fmt.Sprint(8*bytecode.Storage(t).Size()), 1), 8*bytecode.Storage(t).Size(), at)
		}
		outs := []string{"%l21", "%l22"}
		if strings.HasPrefix(name, "atom") {
			operand, _, old := dataOperand(bytecode.Storage(t), count, 20, false)
			if classes == "l" {
				operand, _, old = dataOperand(bytecode.Storage(t), count, 24, false)
			}
			body += hinted(name, fmt.Sprintf("%s %s, %s, %s", name, operand, at, sources)) + " "
			outs = append(outs, old...)
		} else {
			body += hinted(name, fmt.Sprintf("%s %s, %s", name, at, sources)) + " "
		}
		body += fmt.Sprintf("%s %%l21, %s; %s %%l22, %s;", load, at, load, behind)
		all = append(all, probe{name: name, ins: "ll" + sorts, outs: outs, body: body})
	}
	return all
}
