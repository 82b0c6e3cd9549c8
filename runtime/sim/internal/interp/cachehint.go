package interp

import (
	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
)

// PTX ISA, Data Movement and Conversion Instructions: prefetch, prefetchu; Miscellaneous
// Instructions: nanosleep; Parallel Synchronization and Communication Instructions:
// griddepcontrol.
//
// They have no effect that a kernel could see. A launch begins when the work before it has
// ended, so a dependent grid has nothing to wait for. nanosleep may take no time: its
// duration is from 0 to twice its operand.
func hintForms() []bytecode.Form {
	const primary = "L2::evict_last|L2::evict_normal|L2::evict_first|L2::evict_unchanged"
	const secondary = ".L2::evict_first|L2::evict_unchanged?"
	return []bytecode.Form{
		{Pattern: "prefetch.global|local?.L1|L2", Assemble: prefetch},
		{Pattern: "prefetch.global?.L2::evict_last|L2::evict_normal", Assemble: prefetch},
		{Pattern: "prefetchu.L1", Assemble: prefetch},
		{Pattern: "prefetch.const|param?.tensormap", Assemble: prefetch},
		{Pattern: "applypriority.global?.L2::evict_normal", Assemble: prefetchRange},
		{Pattern: "discard.global?.L2", Assemble: prefetchRange},
		{Pattern: "cp.async.bulk.prefetch.L2.global.L2::cache_hint?", Assemble: prefetchRange},
		{Pattern: "createpolicy.fractional." + primary + secondary + ".b64", Assemble: assembleCreatepolicy},
		{Pattern: "createpolicy.range.global?." + primary + secondary + ".b64", Assemble: assembleCreatepolicy},
		{Pattern: "createpolicy.cvt.L2.b64", Assemble: assembleCreatepolicy},
		{Pattern: "setmaxnreg.inc|dec.sync.aligned.u32", Assemble: assembleSetmaxnreg},
		{Pattern: "pmevent.mask?", Assemble: assembleSetmaxnreg},
		{Pattern: "brkpt", Assemble: noOperands(bytecode.OpNothing)},
		{Pattern: "nanosleep.u32", Assemble: assembleNanosleep},
		{Pattern: "griddepcontrol.launch_dependents|wait", Assemble: noOperands(bytecode.OpNothing)},
	}
}

// prefetch assembles a prefetch, which may name any address.
func prefetch(d *bytecode.Decoder, in *ptx.Instr) bytecode.Instr {
	if d.Operands(in, 1) {
		d.Access(in, in.Args[0], "b8", 1)
	}
	return bytecode.Instr{Op: bytecode.OpNothing}
}

// prefetchRange assembles a hint about bytes behind an address.
func prefetchRange(d *bytecode.Decoder, in *ptx.Instr) bytecode.Instr {
	in = d.Unhinted(in)
	if d.Operands(in, 2) {
		d.Access(in, in.Args[0], "b8", 1)
		d.Src(in.Args[1], "u32")
	}
	return bytecode.Instr{Op: bytecode.OpNothing}
}

// assembleCreatepolicy assembles the creation of a cache policy, which is only for hints.
func assembleCreatepolicy(d *bytecode.Decoder, in *ptx.Instr) bytecode.Instr {
	i := bytecode.Instr{Op: bytecode.OpLanes, Fn: simd.Mov, A: d.Constant(0)}
	if len(in.Args) > 0 {
		i.Dst = d.Dst(in.Args[0], "b64")
	}
	return i
}

// assembleSetmaxnreg assembles a hint with a constant.
func assembleSetmaxnreg(d *bytecode.Decoder, in *ptx.Instr) bytecode.Instr {
	if d.Operands(in, 1) {
		d.Src(in.Args[0], "u32")
	}
	return bytecode.Instr{Op: bytecode.OpNothing}
}

// assembleNanosleep assembles nanosleep, during which other threads run.
func assembleNanosleep(d *bytecode.Decoder, in *ptx.Instr) bytecode.Instr {
	if d.Operands(in, 1) {
		d.Src(in.Args[0], "u32")
	}
	return bytecode.Instr{Op: bytecode.OpYield}
}
