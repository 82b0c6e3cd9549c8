package sim

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
	"github.com/cudagen/cudagen/runtime/sim/internal/interp"
	"github.com/cudagen/cudagen/runtime/sim/internal/matrix"
	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
)

// warpProbes exchange values between the lanes of a warp and the threads of a block.
func warpProbes() (all []probe) {
	one := func(name, ins, body string, outs ...string) {
		all = append(all, probe{name: name, ins: ins, outs: outs, body: body})
	}
	for _, mode := range []string{"up", "down", "bfly", "idx"} {
		name := "shfl.sync." + mode + ".b32"
		one(name, "rrr", name+" %r0|%p0, %r1, %r2, %r3, -1;", "%r0", "%p0")
		one(name+" small", "rSr", name+" %r0|%p0, %r1, %r2, %r3, -1;", "%r0", "%p0")
		for _, c := range []string{"0x1f", "0x1c1f", "0x180f", "0x1003", "0"} {
			one(name+" "+c, "rS", name+" %r0|%p0, %r1, %r2, "+c+", -1;", "%r0", "%p0")
			one(name+" 3 "+c, "r", name+" %r0|%p0, %r1, 3, "+c+", 0xffffffff;", "%r0", "%p0")
		}
		one(name+" half", "r", "and.b32 %r5, %t1, 1; setp.eq.u32 %p1, %r5, 0; mov.b32 %r0, 7; @%p1 "+name+" %r0, %r1, 2, 0x1f, 0x55555555;", "%r0")
	}
	for _, mode := range []string{"all", "any", "uni"} {
		name := "vote.sync." + mode + ".pred"
		one(name, "p", name+" %p0, %p1, -1;", "%p0")
		one(name+" !", "rr", "setp.lt.u32 %p1, %r1, %r2; "+name+" %p0, !%p1, -1;", "%p0")
		one(name+" true", "S", "setp.lt.u32 %p1, %r1, 100; "+name+" %p0, %p1, -1;", "%p0")
	}
	one("vote.sync.ballot.b32", "p", "vote.sync.ballot.b32 %r0, %p1, -1;", "%r0")
	one("vote.sync.ballot.b32 half", "p", "mov.b32 %r0, 0; and.b32 %r5, %t1, 1; setp.eq.u32 %p2, %r5, 0; @%p2 vote.sync.ballot.b32 %r0, !%p1, 0x55555555;", "%r0")
	for _, t := range []string{"b32", "b64"} {
		c := map[string]string{"b32": "r", "b64": "l"}[t]
		one("match.any.sync."+t, c, "match.any.sync."+t+" %r0, %"+c+"1, -1;", "%r0")
		one("match.any.sync."+t+" few", c, fmt.Sprintf("and.%s %%%s1, %%%s1, 3; match.any.sync.%s %%r0, %%%s1, -1;", t, c, c, t, c), "%r0")
		one("match.all.sync."+t, c, "match.all.sync."+t+" %r0|%p0, %"+c+"1, -1;", "%r0", "%p0")
		one("match.all.sync."+t+" same", c, fmt.Sprintf("and.%s %%%s1, %%%s1, 0; match.all.sync.%s %%r0|%%p0, %%%s1, -1;", t, c, c, t, c), "%r0", "%p0")
	}
	for _, pattern := range patternsOf(interp.WarpForms()) {
		if !strings.HasPrefix(pattern, "redux") {
			continue
		}
		for _, name := range expand(pattern) {
			one(name, "r", name+" %r0, %r1, -1;", "%r0")
			one(name+" half", "r", "and.b32 %r5, %t1, 1; setp.eq.u32 %p1, %r5, 0; mov.b32 %r0, 7; @%p1 "+name+" %r0, %r1, 0x55555555;", "%r0")
		}
	}
	one("activemask.b32", "r", "activemask.b32 %r0;", "%r0")
	one("elect.sync", "r", "elect.sync %r0|%p0, -1;", "%r0", "%p0")
	for _, name := range []string{"bar.red", "barrier.red", "barrier.cta.red", "bar.cta.red"} {
		aligned := ""
		if name == "barrier.red" {
			aligned = ".aligned"
		}
		one(name+".popc"+aligned+".u32", "p", name+".popc"+aligned+".u32 %r0, 0, %p1;", "%r0")
		one(name+".and"+aligned+".pred", "S", "setp.lt.u32 %p1, %r1, 100; "+name+".and"+aligned+".pred %p0, 1, %p1;", "%p0")
		one(name+".or"+aligned+".pred", "p", name+".or"+aligned+".pred %p0, 2, 128, !%p1;", "%p0")
	}
	one("bar.sync", "l", "st.shared.b64 [%t4], %l1; bar.sync 0; xor.b32 %r5, %t4, 64; ld.shared.b64 %l0, [%r5];", "%l0")
	one("bar.warp.sync", "l", "st.shared.b64 [%t4], %l1; bar.warp.sync -1; xor.b32 %r5, %t4, 64; ld.shared.b64 %l0, [%r5];", "%l0")
	return all
}

// matrixProbes multiply matrices. The elements of floats are small integers, so that every order
// and precision of the sums gives one result; integers and bits are any.
func matrixProbes() (all []probe) {
	for _, pattern := range patternsOf(interp.MatrixForms()) {
		if !strings.HasPrefix(pattern, "mma.") {
			continue
		}
		for _, name := range expand(pattern) {
			all = append(all, productProbe(name))
		}
	}
	for _, x := range []int{1, 2, 4} {
		for _, trans := range []string{"", ".trans"} {
			var regs []string
			for n := range x {
				regs = append(regs, fmt.Sprintf("%%r%d", 20+n))
			}
			tail := fmt.Sprintf(".sync.aligned.m8n8.x%d%s.shared.b16", x, trans)
			// The slots of the first lanes of a warp hold the rows of the matrices.
			all = append(all, probe{name: "ldmatrix" + tail, ins: "ll", outs: regs,
				body: fmt.Sprintf("st.shared.b64 [%%t4], %%l1; st.shared.b64 [%%t4+8], %%l2; bar.warp.sync -1; ldmatrix%s {%s}, [%%t4];", tail, strings.Join(regs, ", "))})
			var sources []string
			for n := range x {
				sources = append(sources, fmt.Sprintf("%%r%d", 1+n))
			}
			all = append(all, probe{name: "stmatrix" + tail, ins: strings.Repeat("r", x), outs: []string{"%l20", "%l21"},
				body: fmt.Sprintf("mov.b64 %%l22, 0; st.shared.b64 [%%t4], %%l22; st.shared.b64 [%%t4+8], %%l22; bar.warp.sync -1; stmatrix%s [%%t4], {%s}; bar.warp.sync -1; ld.shared.b64 %%l20, [%%t4]; ld.shared.b64 %%l21, [%%t4+8];", tail, strings.Join(sources, ", "))})
		}
	}
	return append(all, probe{name: "movmatrix.sync.aligned.m8n8.trans.b16", ins: "r", outs: []string{"%r0"}, body: "movmatrix.sync.aligned.m8n8.trans.b16 %r0, %r1;"})
}

// productProbe is the probe of an mma.
func productProbe(name string) probe {
	parts := strings.Split(name, ".")
	in := &ptx.Instr{Op: parts[0], Mods: parts[1:]}
	types, s := interp.ElementTypes(in), interp.ShapeOf(in)
	p := probe{name: name}
	operand := func(t string, count int) string {
		class := map[string]string{"f16": "H", "bf16": "B", "tf32": "F", "f32": "F", "f64": "D", "e4m3": "E", "e5m2": "G"}[t]
		if class == "" {
			class = "r"
		}
		register, first := registerClass(rune(class[0])), len(p.ins)+1
		p.ins += strings.Repeat(class, count)
		var regs []string
		for n := range count {
			regs = append(regs, fmt.Sprintf("%%%c%d", register, first+n))
		}
		return "{" + strings.Join(regs, ", ") + "}"
	}
	count := func(role byte, t string) int {
		if s == matrix.QuadShape && types[1] == "f16" {
			return map[string]int{"f16": 4, "f32": 8}[t] >> simd.Bit(role != 'c')
		}
		return matrix.FragmentOf(role, s, matrix.Numerics[t].Bits).Registers()
	}
	sources := []string{operand(types[1], count('a', types[1])), operand(types[2], count('b', types[2])), operand(types[3], count('c', types[3]))}
	register := 'r'
	if types[0] == "f64" {
		register = 'l'
	}
	for n := range count('c', types[0]) {
		p.outs = append(p.outs, fmt.Sprintf("%%%c%d", register, 20+n))
	}
	p.body = fmt.Sprintf("%s {%s}, %s;", name, strings.Join(p.outs, ", "), strings.Join(sources, ", "))
	return p
}

// specialProbes read the special registers that are the same on all devices.
func specialProbes() (all []probe) {
	for _, r := range bytecode.SpecialRegisters {
		if slices.Contains([]string{"%smid", "%nsmid", "%gridid", "%warpid", "%nwarpid", "%aggr_smem_size", "%total_smem_size", "%is_explicit_cluster", "%dynamic_smem_size"}, r.Name) ||
			strings.HasPrefix(r.Name, "%envreg") || strings.HasPrefix(r.Name, bytecode.ReservedPrefix) {
			continue
		}
		class, t := "r", "u32"
		if r.Typ.Size() == 8 {
			class, t = "l", "u64"
		}
		all = append(all, probe{name: "mov." + t + " " + r.Name, ins: "r", outs: []string{"%" + class + "0"}, body: fmt.Sprintf("mov.%s %%%s0, %s;", t, class, r.Name)})
	}
	return all
}
