package image

import (
	"bytes"
	"cmp"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"go/token"
	"slices"
	"strings"

	"github.com/cudagen/cudagen/internal/diag"
)

// What the ELF files of device code have besides what package elf knows.
const (
	machineCUDA = elf.Machine(190)

	// The value of EI_OSABI since CUDA 13.0. Before, and with other flags, it was 51.
	osABI13 = 65

	// entrySymbol is the bit of st_other that kernels have, and device functions not.
	entrySymbol = 0x10

	infoSection = ".nv.info."
)

// versionField is where an ELF header has e_version. cubins of CUDA 12 have the version
// of the toolkit there, which package elf refuses.
const versionField = 0x14

// ReadCubin reads the kernels and variables of a cubin: of code for one GPU, an ELF file. name is for
// messages. data is not changed.
//
// A cubin does not say how a parameter is aligned, and has its offsets in the constant
// bank: see Kernel.Base. Its target has no suffix: sm_90 stands for sm_90a as well.
//
// CUDA Binary Utilities; System V ABI, Object Files. What the sections .nv.info hold is
// not documented: it was read from what nvcc 12.9, 13.0 and 13.5 write.
func ReadCubin(name string, data []byte) (*Image, error) {
	img, err := readCubin(name, data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return img, nil
}

func readCubin(name string, data []byte) (*Image, error) {
	if len(data) < versionField+4 {
		return nil, diag.CompilerOutput.New("not a cubin: it is too short for an ELF file")
	}
	patched := slices.Clone(data)
	binary.LittleEndian.PutUint32(patched[versionField:], uint32(elf.EV_CURRENT))
	file, err := elf.NewFile(bytes.NewReader(patched))
	if err != nil {
		return nil, diag.CompilerOutput.Errorf("not a cubin: %w", err)
	}
	if file.Machine != machineCUDA || file.Class != elf.ELFCLASS64 || file.Data != elf.ELFDATA2LSB {
		return nil, diag.CompilerOutput.Errorf("not a cubin: an ELF file for %v, %v, %v", file.Machine, file.Class, file.Data)
	}
	symbols, err := file.Symbols()
	if err != nil && !errors.Is(err, elf.ErrNoSymbols) {
		return nil, err
	}
	img := &Image{File: name, Target: cubinTarget(file, patched)}
	seen := make(map[string]bool)
	for _, symbol := range symbols {
		if elf.ST_TYPE(symbol.Info) != elf.STT_FUNC || symbol.Other&entrySymbol == 0 || symbol.Section == elf.SHN_UNDEF {
			continue
		}
		if seen[symbol.Name] {
			return nil, diag.CompilerOutput.Errorf("kernel %s is defined twice", symbol.Name)
		}
		seen[symbol.Name] = true
		k, err := cubinKernel(file, symbol.Name)
		if err != nil {
			return nil, fmt.Errorf("kernel %s: %w", symbol.Name, err)
		}
		k.Pos = token.Position{Filename: name}
		img.Kernels = append(img.Kernels, k)
	}
	if err := readResources(img.Kernels, file, symbols); err != nil {
		return nil, err
	}
	if img.Variables, err = cubinVariables(name, file, symbols); err != nil {
		return nil, err
	}
	return img, nil
}

// cubinTarget returns the GPU that a cubin is for. The flags hold its number in other
// bits since CUDA 13.0. They are the 32 bits before e_ehsize, at 48.
func cubinTarget(file *elf.File, data []byte) string {
	const flagsField = 0x30
	flags := binary.LittleEndian.Uint32(data[flagsField:])
	if file.OSABI == osABI13 {
		flags >>= 8
	}
	return fmt.Sprintf("sm_%d", flags&0xff)
}

func cubinKernel(file *elf.File, symbol string) (Kernel, error) {
	section := file.Section(infoSection + symbol)
	if section == nil {
		return Kernel{}, diag.CompilerOutput.Errorf("there is no section %s%s", infoSection, symbol)
	}
	if section.Flags&elf.SHF_COMPRESSED != 0 || section.Type == elf.SHT_NOBITS {
		return Kernel{}, diag.CompilerOutput.Errorf("section %s is compressed or empty", section.Name)
	}
	info, err := section.Data()
	if err != nil {
		return Kernel{}, err
	}
	k := Kernel{Symbol: symbol, Base: UnknownBase}
	k.Name, k.ParamTypes = demangled(symbol)
	return k, k.readInfo(info)
}

// Attributes of the sections .nv.info that are read here.
const (
	infoMaxThreads = 0x05 // of __launch_bounds__: three u32
	infoParamBank  = 0x0a // u32 symbol, u16 address of the block in the constant bank, u16 size
	infoReqThreads = 0x10 // of __block_size__: three u32
	infoParam      = 0x17 // u32, u16 ordinal, u16 offset, u32 of which the upper 14 bits are the size
	infoBlockSize  = 0x19 // u16
	infoLargeParam = 0x45 // u32, u16 ordinal, u16 offset, u16 size, u16
)

// A record has a format, an attribute and 16 bits; of the format sized, these say how
// many bytes follow.
const (
	infoHeader  = 4
	formatSized = 4
)

// readInfo reads what a section .nv.info.<kernel> says.
func (k *Kernel) readInfo(info []byte) error {
	type numbered struct {
		ordinal int64
		param   Param
	}
	var params []numbered
	blockSize := int64(-1)
	for len(info) > 0 {
		if len(info) < infoHeader {
			return diag.CompilerOutput.Errorf("section %s ends within a record", infoSection)
		}
		format, attribute, value := info[0], info[1], binary.LittleEndian.Uint16(info[2:])
		info = info[infoHeader:]
		var payload []byte
		if format == formatSized {
			if int(value) > len(info) {
				return diag.CompilerOutput.Errorf("attribute %#x has %d bytes, but %d are left", attribute, value, len(info))
			}
			payload, info = info[:value], info[value:]
		} else if format == 0 || format > formatSized {
			return diag.CompilerOutput.Errorf("attribute %#x has the unknown format %d", attribute, format)
		}
		u16 := func(at int) int64 { return int64(binary.LittleEndian.Uint16(payload[at:])) }
		u32 := func(at int) int64 { return int64(binary.LittleEndian.Uint32(payload[at:])) }
		if want, sized := map[byte]int{
			infoMaxThreads: 12, infoParamBank: 8, infoReqThreads: 12, infoParam: 12, infoLargeParam: 12,
		}[attribute]; sized && len(payload) != want {
			return diag.CompilerOutput.Errorf("attribute %#x has %d bytes, not %d", attribute, len(payload), want)
		}
		switch attribute {
		case infoMaxThreads:
			k.MaxThreads = [3]int{int(u32(0)), int(u32(4)), int(u32(8))}
		case infoReqThreads:
			k.ReqThreads = [3]int{int(u32(0)), int(u32(4)), int(u32(8))}
		case infoParamBank:
			k.Base = u16(4)
		case infoBlockSize:
			blockSize = int64(value)
		case infoParam:
			const sizeShift = 18
			params = append(params, numbered{u16(4), Param{Offset: u16(6), Size: u32(8) >> sizeShift}})
		case infoLargeParam:
			params = append(params, numbered{u16(4), Param{Offset: u16(6), Size: u16(8)}})
		}
	}
	slices.SortFunc(params, func(x, y numbered) int { return cmp.Compare(x.ordinal, y.ordinal) })
	for i, p := range params {
		if p.ordinal != int64(i) {
			return diag.CompilerOutput.Errorf("parameter %d is missing or occurs twice", i)
		}
		if p.param.Offset < k.Bytes {
			return diag.CompilerOutput.Errorf("parameter %d at %d overlaps the previous one, which ends at %d", i, p.param.Offset, k.Bytes)
		}
		k.Params = append(k.Params, p.param)
		k.Bytes = p.param.Offset + p.param.Size
	}
	if blockSize < 0 && len(params) > 0 || blockSize >= 0 && blockSize != k.Bytes {
		return diag.CompilerOutput.Errorf("its parameters end at %d, but their block has %d bytes", k.Bytes, blockSize)
	}
	if k.Base != UnknownBase && k.Base%PackedAlign != 0 {
		return diag.CompilerOutput.Errorf("its parameters begin at %d in the constant bank, which is not aligned to %d", k.Base, PackedAlign)
	}
	return nil
}

// IsCubin reports whether data begins as an ELF file does.
func IsCubin(data []byte) bool {
	return strings.HasPrefix(string(data[:min(4, len(data))]), elf.ELFMAG)
}
