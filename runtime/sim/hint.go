package sim

import (
	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
)

// PTX ISA, Data Movement and Conversion Instructions: prefetch, prefetchu; Miscellaneous
// Instructions: nanosleep; Parallel Synchronization and Communication Instructions:
// griddepcontrol.
//
// They have no effect that a kernel could see. A launch begins when the work before it has
// ended, so a dependent grid has nothing to wait for. nanosleep may take no time: its
// duration is from 0 to twice its operand.
func hintForms() []form {
	const primary = "L2::evict_last|L2::evict_normal|L2::evict_first|L2::evict_unchanged"
	const secondary = ".L2::evict_first|L2::evict_unchanged?"
	return []form{
		{"prefetch.global|local?.L1|L2", prefetch},
		{"prefetch.global?.L2::evict_last|L2::evict_normal", prefetch},
		{"prefetchu.L1", prefetch},
		{"prefetch.const|param?.tensormap", prefetch},
		{"applypriority.global?.L2::evict_normal", prefetchRange},
		{"discard.global?.L2", prefetchRange},
		{"cp.async.bulk.prefetch.L2.global.L2::cache_hint?", prefetchRange},
		{"createpolicy.fractional." + primary + secondary + ".b64", assembleCreatepolicy},
		{"createpolicy.range.global?." + primary + secondary + ".b64", assembleCreatepolicy},
		{"createpolicy.cvt.L2.b64", assembleCreatepolicy},
		{"setmaxnreg.inc|dec.sync.aligned.u32", assembleSetmaxnreg},
		{"pmevent.mask?", assembleSetmaxnreg},
		{"brkpt", noOperands(opNothing)},
		{"nanosleep.u32", assembleNanosleep},
		{"griddepcontrol.launch_dependents|wait", noOperands(opNothing)},
	}
}

// prefetch assembles a prefetch, which may name any address.
func prefetch(d *decoder, in *ptx.Instr) instr {
	if d.operands(in, 1) {
		d.access(in, in.Args[0], "b8", 1)
	}
	return instr{op: opNothing}
}

// prefetchRange assembles a hint about bytes behind an address.
func prefetchRange(d *decoder, in *ptx.Instr) instr {
	in = d.unhinted(in)
	if d.operands(in, 2) {
		d.access(in, in.Args[0], "b8", 1)
		d.src(in.Args[1], "u32")
	}
	return instr{op: opNothing}
}

// assembleCreatepolicy assembles the creation of a cache policy, which is only for hints.
func assembleCreatepolicy(d *decoder, in *ptx.Instr) instr {
	i := instr{op: opLanes, fn: simd.Mov, a: d.constant(0)}
	if len(in.Args) > 0 {
		i.dst = d.dst(in.Args[0], "b64")
	}
	return i
}

// assembleSetmaxnreg assembles a hint with a constant.
func assembleSetmaxnreg(d *decoder, in *ptx.Instr) instr {
	if d.operands(in, 1) {
		d.src(in.Args[0], "u32")
	}
	return instr{op: opNothing}
}

// assembleNanosleep assembles nanosleep, during which other threads run.
func assembleNanosleep(d *decoder, in *ptx.Instr) instr {
	if d.operands(in, 1) {
		d.src(in.Args[0], "u32")
	}
	return instr{op: opYield}
}
