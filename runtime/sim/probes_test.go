package sim

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/runtime/sim/internal/arithmetic"
	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
	"github.com/cudagen/cudagen/runtime/sim/internal/interp"
)

// probed are the chapters whose instructions compute without memory or other threads, from
// registers to one register.
func probed() [][]bytecode.Form {
	return [][]bytecode.Form{arithmetic.IntegerForms(), arithmetic.BitForms(), arithmetic.VideoForms(), arithmetic.FloatForms(), arithmetic.DirectedForms(), arithmetic.HalfForms(), arithmetic.CompareForms(), arithmetic.LogicForms(), arithmetic.ConvertForms(), arithmetic.NarrowForms(), arithmetic.Approx64Forms()}
}

// expand returns every instruction of a pattern.
func expand(pattern string) []string {
	opcodes, rest, modified := strings.Cut(pattern, ".")
	all := strings.Split(opcodes, "|")
	if !modified {
		return all
	}
	for part := range strings.SplitSeq(rest, ".") {
		names, optional := strings.CutSuffix(part, "?")
		var next []string
		for _, head := range all {
			if optional {
				next = append(next, head)
			}
			for name := range strings.SplitSeq(names, "|") {
				next = append(next, head+"."+name)
			}
		}
		all = next
	}
	return all
}

// samples returns instructions of a pattern that has too many: each modifier stands in some, with
// different others.
func samples(pattern string) (all []string) {
	const strides = "\x01\x01\x02\x03\x05\x07\x0b\x0d\x11\x13"
	opcodes, rest, _ := strings.Cut(pattern, ".")
	places := strings.Split(rest, ".")
	for op := range strings.SplitSeq(opcodes, "|") {
		for n := range 40 {
			name := op
			for k, place := range places {
				names, optional := strings.CutSuffix(place, "?")
				alternatives := strings.Split(names, "|")
				if optional {
					alternatives = append(alternatives, "")
				}
				if mod := alternatives[(n*int(strides[k%len(strides)])+n/len(alternatives)+k)%len(alternatives)]; mod != "" {
					name += "." + mod
				}
			}
			if !slices.Contains(all, name) {
				all = append(all, name)
			}
		}
	}
	return all
}

// probes is all probes, each name once.
var probes = sync.OnceValue(func() (all []probe) {
	seen := map[string]bool{}
	for _, p := range slices.Concat(simpleProbes(), carryProbes(), predicateProbes(), logicProbes(), moveProbes(), videoProbes(), memoryProbes(), wideProbes(), atomicProbes(), warpProbes(), matrixProbes(), specialProbes()) {
		if !seen[p.name] {
			seen[p.name] = true
			p.outs = p.outs[max(0, len(p.outs)-resultBytes/8):] // a row has no room for more
			all = append(all, p)
		}
	}
	return all
})

// simpleProbes finds, by the decoder, what operands each instruction takes.
func simpleProbes() (found []probe) {
	for _, chapter := range probed() {
		for _, f := range chapter {
			classes := ""
			for _, name := range expand(f.Pattern) {
				if c := operandsOf(name, classes); c != "" {
					classes = c
					found = append(found, simple(name, c))
				}
			}
		}
	}
	return found
}

// simple is the probe of an instruction with operands of the given classes, the destination first.
func simple(name, classes string) probe {
	return probe{name: name, ins: classes[1:], outs: registerNames(classes[:1]), body: instructionText(name, classes)}
}

// registerNames numbers registers of the given classes from 0: %h0, %r1.
func registerNames(classes string) (names []string) {
	for n, class := range classes {
		names = append(names, fmt.Sprintf("%%%c%d", class, n))
	}
	return names
}

func instructionText(name, classes string) string {
	return name + " " + strings.Join(registerNames(classes), ", ") + ";"
}

// operandsOf returns the classes of the operands that name takes, trying the given ones first.
func operandsOf(name, first string) string {
	if first != "" && decodes(name, first) {
		if fewer := first[:len(first)-1]; decodes(name, fewer) {
			return fewer
		}
		return first
	}
	for _, count := range []int{2, 3, 4, 5} {
		classes := make([]byte, count)
		var try func(n int) string
		try = func(n int) string {
			if n == count {
				if decodes(name, string(classes)) {
					return string(classes)
				}
				return ""
			}
			for _, class := range "hrlp" {
				if classes[n] = byte(class); class == 'p' && n > 0 && n < count-1 {
					continue
				}
				if found := try(n + 1); found != "" {
					return found
				}
			}
			return ""
		}
		if found := try(0); found != "" {
			return found
		}
	}
	return ""
}

// decodes reports whether the decoder takes the instruction with operands of these classes.
func decodes(name, classes string) bool {
	parts := strings.Split(name, ".")
	in := &ptx.Instr{Op: parts[0], Mods: parts[1:], Text: instructionText(name, classes)}
	for _, register := range registerNames(classes) {
		in.Args = append(in.Args, ptx.Reg{Name: register})
	}
	d := &bytecode.Decoder{Errs: &bytecode.Problems{}, Mod: &bytecode.Module{Forms: interp.Assemblers()}, Shared: map[string]bytecode.Symbol{}, K: &bytecode.Program{Bases: map[int32]bytecode.ArraySet{}, Regs: 1, Preds: bytecode.FirstPred},
		Constants: map[uint64]int32{}, Addresses: map[bytecode.AddressKey]int32{}, Specials: map[bytecode.Special]int32{}}
	s := d.Push()
	for class, t := range map[string]ptx.Type{"%h": "b16", "%r": "b32", "%l": "b64", "%p": "pred"} {
		d.Declare(s, &ptx.Var{Name: class, Count: 9, Space: "reg", Type: t})
	}
	d.Instr(in)
	return len(d.Errs.List) == 0
}

// patternsOf returns the patterns of forms.
func patternsOf(forms []bytecode.Form) (patterns []string) {
	for _, f := range forms {
		patterns = append(patterns, f.Pattern)
	}
	return patterns
}

// widthOf is the class of the registers that hold a t: h, r or l.
func widthOf(t ptx.Type) string {
	switch bytecode.Storage(t).Size() {
	case 8:
		return "l"
	case 4:
		return "r"
	}
	return "h"
}

// lastOf is the last modifier of an instruction, which is its type.
func lastOf(name string) ptx.Type { return ptx.Type(name[strings.LastIndex(name, ".")+1:]) }

// carryProbes set the carry, compute with it and show it.
func carryProbes() (all []probe) {
	for _, pattern := range patternsOf(arithmetic.CarryForms()) {
		for _, name := range expand(pattern) {
			op, _, _ := strings.Cut(name, ".")
			c := widthOf(lastOf(name))
			width := map[string]string{"r": "32", "l": "64"}[c]
			set, show := "add.cc.u"+width, "addc.u"+width
			if strings.HasPrefix(op, "sub") {
				set, show = "sub.cc.u"+width, "subc.u"+width
			}
			sources := fmt.Sprintf("%%%s3, %%%s4", c, c)
			if strings.HasPrefix(op, "mad") {
				sources += fmt.Sprintf(", %%%s1", c)
			}
			body := fmt.Sprintf("%s %%%s10, %%%s1, %%%s2; %s %%%s0, %s; %s %%%s11, 0, 0;", set, c, c, c, name, c, sources, show, c)
			all = append(all, probe{name: name, ins: strings.Repeat(c, 4), outs: []string{"%" + c + "0", "%" + c + "10", "%" + c + "11"}, body: body})
		}
	}
	return all
}

// predicateProbes are comparisons with a pair of predicates and with another predicate, and those
// of packed halves; those of one half have one result.
func predicateProbes() (all []probe) {
	for _, pattern := range patternsOf(arithmetic.CompareForms()) {
		op, _, _ := strings.Cut(pattern, ".")
		if op != "setp" || strings.HasSuffix(pattern, "f16") {
			continue
		}
		for n, name := range expand(pattern) {
			c := widthOf(lastOf(name))
			third, classes := "", c+c
			if strings.Contains(name, ".and.") || strings.Contains(name, ".or.") || strings.Contains(name, ".xor.") {
				third, classes = []string{", %p3", ", !%p3"}[n%2], c+c+"p"
			}
			all = append(all, probe{name: name + " p|q" + third, ins: classes, outs: []string{"%p10", "%p11"},
				body: fmt.Sprintf("%s %%p10|%%p11, %%%s1, %%%s2%s;", name, c, c, third)})
		}
	}
	return all
}

// logicProbes are those of tables, of predicates and of tests of classes.
func logicProbes() (all []probe) {
	for table := 0; table < 256; table += 5 {
		all = append(all, probe{name: fmt.Sprintf("lop3.b32 %#x", table), ins: "rrr", outs: []string{"%r0"}, body: fmt.Sprintf("lop3.b32 %%r0, %%r1, %%r2, %%r3, %d;", table)})
	}
	for _, op := range []string{"and", "or"} {
		for _, table := range []int{0x00, 0x96, 0xe8, 0xff, 0x80} {
			all = append(all, probe{name: fmt.Sprintf("lop3.%s.b32 %#x", op, table), ins: "rrrp", outs: []string{"%r0", "%p0"},
				body: fmt.Sprintf("lop3.%s.b32 %%r0|%%p0, %%r1, %%r2, %%r3, %d, %%p4;", op, table)})
		}
	}
	for _, op := range []string{"and", "or", "xor"} {
		all = append(all, probe{name: op + ".pred !q", ins: "pp", outs: []string{"%p0"}, body: op + ".pred %p0, %p1, %p2;"})
	}
	return append(all,
		probe{name: "not.pred", ins: "p", outs: []string{"%p0"}, body: "not.pred %p0, %p1;"},
		probe{name: "mov.pred", ins: "p", outs: []string{"%p0"}, body: "mov.pred %p0, %p1;"})
}

// moveProbes are those of mov with vectors, of constants and of WARP_SZ.
func moveProbes() (all []probe) {
	one := func(name, ins, body string, outs ...string) {
		all = append(all, probe{name: name, ins: ins, outs: outs, body: body})
	}
	for _, t := range []string{"b16", "u16", "s16"} {
		one("mov."+t, "h", "mov."+t+" %h0, %h1;", "%h0")
	}
	for _, t := range []string{"b32", "u32", "s32", "f32"} {
		one("mov."+t, "r", "mov."+t+" %r0, %r1;", "%r0")
	}
	for _, t := range []string{"b64", "u64", "s64", "f64"} {
		one("mov."+t, "l", "mov."+t+" %l0, %l1;", "%l0")
	}
	one("mov.b64 pack 2", "rr", "mov.b64 %l0, {%r1, %r2};", "%l0")
	one("mov.b64 pack 4", "hhhh", "mov.b64 %l0, {%h1, %h2, %h3, %h4};", "%l0")
	one("mov.b32 pack 2", "hh", "mov.b32 %r0, {%h1, %h2};", "%r0")
	one("mov.b64 unpack 2", "l", "mov.b64 {%r10, %r11}, %l1;", "%r10", "%r11")
	one("mov.b64 unpack 4", "l", "mov.b64 {%h10, %h11, %h12, %h13}, %l1;", "%h10", "%h11", "%h12", "%h13")
	one("mov.b32 unpack 2", "r", "mov.b32 {%h10, %h11}, %r1;", "%h10", "%h11")
	one("mov.b64 unpack _", "l", "mov.b64 {_, %r11}, %l1;", "%r11")
	one("mov.u32 WARP_SZ", "r", "add.u32 %r0, %r1, WARP_SZ;", "%r0")
	one("mov constants", "r", "mov.f32 %r0, 0f7FC01234; mov.f64 %l0, 0d7FF0000000000001; mov.b32 %r10, 0x80000000; mov.s64 %l10, -1; mov.f32 %r11, 1.5;", "%r0", "%l0", "%r10", "%l10", "%r11")
	return all
}

// videoProbes have parts of registers as operands.
func videoProbes() (all []probe) {
	selectors := []string{".b0", ".b1", ".b2", ".b3", ".h0", ".h1", ""}
	n := 0
	pick := func(step int) string { return selectors[(n*step+n/7)%len(selectors)] }
	one := func(name, rest string) {
		text := name + " " + rest
		all = append(all, probe{name: text, ins: "rrr", outs: []string{"%r0"}, body: text + ";"})
		n++
	}
	for _, types := range []string{"u32.u32.u32", "u32.u32.s32", "u32.s32.u32", "u32.s32.s32", "s32.u32.u32", "s32.u32.s32", "s32.s32.u32", "s32.s32.s32"} {
		for _, op := range []string{"vadd", "vsub", "vabsdiff", "vmin", "vmax"} {
			for _, sat := range []string{"", ".sat"} {
				for range 2 {
					d := selectors[n%6]
					one(op+"."+types+sat, fmt.Sprintf("%%r0%s, %%r1%s, %%r2%s, %%r3", d, pick(3), pick(5)))
				}
				one(op+"."+types+sat+[]string{".add", ".min", ".max"}[n%3], fmt.Sprintf("%%r0, %%r1%s, %%r2%s, %%r3", pick(2), pick(4)))
			}
		}
		for _, op := range []string{"vmad", "vmad.sat", "vmad.shr7", "vmad.sat.shr15"} {
			head, tail, _ := strings.Cut(op, ".")
			if tail != "" {
				tail = "." + tail
			}
			one(head+"."+types+tail, fmt.Sprintf("%%r0, %%r1%s, %%r2%s, %%r3", pick(2), pick(3)))
			one(head+"."+types+tail, "%r0, %r1, %r2, %r3")
		}
	}
	one("vmad.u32.u32.u32.po", "%r0, %r1, %r2, %r3")
	one("vmad.s32.s32.s32.po.sat", "%r0, %r1, %r2.h0, %r3")
	one("vmad.s32.u32.u32", "%r0, -%r1, %r2, %r3")
	one("vmad.s32.s32.u32.sat", "%r0, %r1, -%r2, %r3")
	one("vmad.s32.s32.u32.shr7", "%r0, %r1, %r2, -%r3")
	for _, types := range []string{"u32.u32", "u32.s32", "s32.u32", "s32.s32"} {
		for _, compare := range []string{"eq", "ne", "lt", "le", "gt", "ge"} {
			one("vset."+types+"."+compare, fmt.Sprintf("%%r0%s, %%r1%s, %%r2%s, %%r3", selectors[n%6], pick(3), pick(5)))
		}
		for _, sat := range []string{"", ".sat"} {
			for _, op := range []string{"vshl", "vshr"} {
				for _, mode := range []string{".clamp", ".wrap"} {
					one(op+"."+types+".u32"+sat+mode, fmt.Sprintf("%%r0%s, %%r1%s, %%r2%s, %%r3", selectors[n%6], pick(3), pick(5)))
				}
			}
		}
	}
	for _, types := range []string{"u32.u32.u32", "u32.s32.u32", "s32.u32.s32", "s32.s32.s32"} {
		for _, op := range []string{"vadd", "vsub", "vavrg", "vabsdiff", "vmin", "vmax"} {
			for _, sat := range []string{"", ".sat"} {
				one(op+"2."+types+sat, "%r0.h1, %r1.h31, %r2.h02, %r3")
				one(op+"2."+types+sat, "%r0.h10, %r1.h20, %r2.h13, %r3")
				one(op+"4."+types+sat, "%r0.b20, %r1.b7604, %r2.b1235, %r3")
				one(op+"4."+types+sat, "%r0.b321, %r1.b0123, %r2.b4444, %r3")
			}
			one(op+"4."+types+".add", "%r0.b31, %r1.b7604, %r2.b1235, %r3")
		}
	}
	one("vset2.u32.s32.lt", "%r0.h0, %r1.h31, %r2.h02, %r3")
	one("vset4.s32.u32.ge", "%r0.b210, %r1.b7604, %r2.b1235, %r3")
	one("vset4.s32.s32.ne.add", "%r0.b3210, %r1.b7604, %r2.b1235, %r3")
	return all
}
