package sim

import "github.com/cudagen/cudagen/internal/ptx"

// PTX ISA, Data Movement and Conversion Instructions: prefetch, prefetchu; Miscellaneous
// Instructions: nanosleep; Parallel Synchronization and Communication Instructions:
// griddepcontrol.
//
// They have no effect that a kernel could see. A launch begins when the work before it has
// ended, so a dependent grid has nothing to wait for. nanosleep may take no time: its
// duration is from 0 to twice its operand.
func hintForms() []form {
	return []form{
		{"prefetch.global|local?.L1|L2", prefetch},
		{"prefetch.global.L2::evict_last|L2::evict_normal", prefetch},
		{"prefetchu.L1", prefetch},
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

func assembleNanosleep(d *decoder, in *ptx.Instr) instr {
	if d.operands(in, 1) {
		d.src(in.Args[0], "u32")
	}
	return instr{op: opNothing}
}
