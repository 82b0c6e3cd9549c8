package bytecode

import (
	"slices"
	"time"

	"github.com/cudagen/cudagen/internal/ptx"
)

// A clock is a special register that has another value whenever it is read. %clock and its
// like count the thread instructions of the block, so that they do not vary from run to run;
// %globaltimer is the time of this machine in nanoseconds.
//
// PTX ISA, Special Registers: %clock, %clock_hi, %clock64, %globaltimer.
type clock struct {
	Name   string
	typ    ptx.Type
	global bool
	shift  uint8 // of the 64-bit value
}

var Clocks = []clock{
	{"%clock", "u32", false, 0}, {"%clock_hi", "u32", false, 32}, {"%clock64", "u64", false, 0},
	{"%globaltimer", "u64", true, 0}, {"%globaltimer_lo", "u32", true, 0}, {"%globaltimer_hi", "u32", true, 32},
}

// clockNamed returns the index of a clock, or -1.
func clockNamed(name string) int {
	return slices.IndexFunc(Clocks, func(c clock) bool { return c.Name == name })
}

// readClock puts what reads the nth clock in front of the instruction whose operand it is,
// and returns the register that holds it then.
func (d *Decoder) readClock(n int) int32 {
	r := int32(d.K.Regs)
	d.K.Regs++
	d.Emit(Instr{Op: OpClock, Dst: r, Size: n}, Place{Line: d.pos.Line, Text: "read of " + Clocks[n].Name, Source: d.Source})
	return r
}

// Read returns the clock after a block has executed a number of thread instructions.
func (c clock) Read(executed uint64) uint64 {
	if c.global {
		executed = uint64(time.Now().UnixNano())
	}
	value := executed >> c.shift
	if c.typ == "u32" {
		return value & (1<<32 - 1)
	}
	return value
}
