package image

import (
	"debug/elf"
	"encoding/binary"
	"slices"
)

const (
	infoRegisters  = 0x2f // of .nv.info: u32 symbol, u32 registers
	allInfo        = ".nv.info"
	sharedSection  = ".nv.shared."
	reservedShared = ".nv.shared.reserved.0"

	// reservedBytes of each block's shared memory belong to CUDA, in cubins that have the
	// section for it: since compute capability 9.0.
	reservedBytes = 1024
)

// readResources completes kernels by the registers and the shared memory that they use, as
// ptxas -v reports them: 0 where the cubin does not say.
func readResources(kernels []Kernel, file *elf.File, symbols []elf.Symbol) error {
	registers := make(map[string]int)
	if section := file.Section(allInfo); section != nil && section.Type != elf.SHT_NOBITS && section.Flags&elf.SHF_COMPRESSED == 0 {
		info, err := section.Data()
		if err != nil {
			return err
		}
		for len(info) >= infoHeader {
			format, attribute, size := info[0], info[1], int(binary.LittleEndian.Uint16(info[2:]))
			info = info[infoHeader:]
			if format != formatSized {
				continue
			}
			if size > len(info) {
				break // nothing depends on it
			}
			if attribute == infoRegisters && size == 8 {
				symbol := int64(binary.LittleEndian.Uint32(info)) // package elf leaves out the first one
				if symbol >= 1 && symbol <= int64(len(symbols)) {
					registers[symbols[symbol-1].Name] = int(binary.LittleEndian.Uint32(info[4:]))
				}
			}
			info = info[size:]
		}
	}
	reserved := slices.ContainsFunc(file.Sections, func(s *elf.Section) bool { return s.Name == reservedShared })
	for i := range kernels {
		k := &kernels[i]
		k.Registers = registers[k.Symbol]
		if section := file.Section(sharedSection + k.Symbol); section != nil {
			k.SharedBytes = int64(min(section.Size, 1<<32))
			if reserved {
				k.SharedBytes = max(0, k.SharedBytes-reservedBytes)
			}
		}
	}
	return nil
}
