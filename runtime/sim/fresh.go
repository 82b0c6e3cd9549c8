package sim

// undefined is what 16 bits hold that a program has not written: in floats of every size a NaN, in
// integers a number far from zero that no program means. On a GPU they hold anything, mostly zeros,
// so a missing Clear or an accumulator that was not set is not seen there.
const undefined = 0xfffd

// undefinedWord is 64 bits of it.
const undefinedWord = undefined * 0x0001_0001_0001_0001

// spoil makes words those of fresh memory.
func spoil(words []uint64) {
	if len(words) == 0 {
		return
	}
	words[0] = undefinedWord
	for done := 1; done < len(words); done *= 2 {
		copy(words[done:], words[:done])
	}
}

// spoilLanes makes registers those of a thread that begins.
func spoilLanes(registers []lanes) {
	if len(registers) == 0 {
		return
	}
	spoil(registers[0][:])
	for done := 1; done < len(registers); done *= 2 {
		copy(registers[done:], registers[:done])
	}
}
