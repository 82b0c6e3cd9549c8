package image

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A testKernel is a function in a cubin made by a test.
type testKernel struct {
	symbol string
	device bool // not a kernel
	info   []byte
}

// A testCubin is written as an ELF file with just what ReadCubin looks at.
type testCubin struct {
	osABI   byte
	version uint32
	flags   uint32
	kernels []testKernel
}

func (c testCubin) bytes() []byte {
	type section struct {
		elf.Section64
		data []byte
	}
	names, strtab := []byte{0}, []byte{0}
	add := func(table *[]byte, s string) uint32 {
		at := len(*table)
		*table = append(append(*table, s...), 0)
		return uint32(at)
	}
	symbols := make([]byte, elf.Sym64Size)
	sections := []section{{}}
	for i, k := range c.kernels {
		symbol := elf.Sym64{Name: add(&strtab, k.symbol), Info: byte(elf.STT_FUNC), Other: entrySymbol, Shndx: uint16(i + 1)}
		if k.device {
			symbol.Other = 0
		}
		symbols = append(symbols, encode(symbol)...)
		if k.info != nil {
			header := elf.Section64{Name: add(&names, infoSection+k.symbol), Type: uint32(elf.SHT_LOPROC)}
			sections = append(sections, section{header, k.info})
		}
	}
	sections = append(sections,
		section{elf.Section64{Name: add(&names, ".symtab"), Type: uint32(elf.SHT_SYMTAB), Link: uint32(len(sections) + 1), Entsize: elf.Sym64Size}, symbols},
		section{elf.Section64{Name: add(&names, ".strtab"), Type: uint32(elf.SHT_STRTAB)}, strtab})
	nameHeader := elf.Section64{Name: add(&names, ".shstrtab"), Type: uint32(elf.SHT_STRTAB)}
	sections = append(sections, section{nameHeader, names})

	const headerSize, sectionSize = 64, 64
	var body, table bytes.Buffer
	for _, s := range sections {
		s.Off, s.Size = uint64(headerSize+body.Len()), uint64(len(s.data))
		body.Write(s.data)
		table.Write(encode(s.Section64))
	}
	header := elf.Header64{
		Ident: [elf.EI_NIDENT]byte{0x7f, 'E', 'L', 'F', byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB), 1, c.osABI},
		Type:  uint16(elf.ET_EXEC), Machine: uint16(machineCUDA), Version: c.version, Flags: c.flags,
		Shoff: uint64(headerSize + body.Len()), Ehsize: headerSize, Shentsize: sectionSize,
		Shnum: uint16(len(sections)), Shstrndx: uint16(len(sections) - 1),
	}
	return append(append(encode(header), body.Bytes()...), table.Bytes()...)
}

func encode(v any) []byte {
	var b bytes.Buffer
	if err := binary.Write(&b, binary.LittleEndian, v); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// infoRecord returns a record of a section .nv.info.
func infoRecord(attribute byte, values ...any) []byte {
	var payload []byte
	for _, v := range values {
		payload = append(payload, encode(v)...)
	}
	return append([]byte{formatSized, attribute, byte(len(payload)), 0}, payload...)
}

func infoSmallParam(ordinal, offset uint16, size uint32) []byte {
	return infoRecord(infoParam, uint32(0), ordinal, offset, size<<18|0x1f000)
}

func infoValue(attribute byte, value uint16) []byte {
	return append([]byte{3, attribute}, encode(value)...)
}

// sample is a cubin as nvcc 13.0 writes it, of
//
//	__global__ __launch_bounds__(128) void scale(float *, alignas(32) A, int)
//	extern "C" __global__ __block_size__((8, 4, 2)) void plain(char[5000], int *)
func sample() testCubin {
	return testCubin{osABI: osABI13, version: 1, flags: 0x6005a04, kernels: []testKernel{
		{symbol: "_Z5scalePf1Ai", info: bytes.Join([][]byte{
			infoRecord(0x37, uint32(0x82)),
			infoSmallParam(2, 48, 4), infoSmallParam(1, 16, 32), infoSmallParam(0, 0, 8),
			{1, 0x3e, 0, 0},
			infoRecord(infoMaxThreads, uint32(128), uint32(1), uint32(1)),
			infoValue(infoBlockSize, 52),
			infoRecord(infoParamBank, uint32(0x1c), uint16(0x210), uint16(52)),
		}, nil)},
		{symbol: "device", device: true},
		{symbol: "plain", info: bytes.Join([][]byte{
			infoRecord(infoLargeParam, uint32(0), uint16(1), uint16(5000), uint16(8), uint16(0x500)),
			infoRecord(infoLargeParam, uint32(0), uint16(0), uint16(0), uint16(5000), uint16(0)),
			infoRecord(infoReqThreads, uint32(8), uint32(4), uint32(2)),
			infoValue(infoBlockSize, 5008),
		}, nil)},
	}}
}

func TestReadCubin(t *testing.T) {
	img, err := ReadCubin("k.cubin", sample().bytes())
	require.NoError(t, err)
	assert.Equal(t, "sm_90", img.Target)
	require.Len(t, img.Kernels, 2)
	scale, plain := img.Kernels[0], img.Kernels[1]
	assert.Equal(t, "scale", scale.Name)
	assert.Equal(t, []string{"float*", "A", "int"}, scale.ParamTypes)
	assert.Equal(t, []Param{{Offset: 0, Size: 8}, {Offset: 16, Size: 32}, {Offset: 48, Size: 4}}, scale.Params)
	assert.Equal(t, int64(52), scale.Bytes)
	assert.Equal(t, int64(0x210), scale.Base)
	assert.Equal(t, [3]int{128, 1, 1}, scale.MaxThreads)
	assert.Equal(t, "k.cubin", scale.Pos.Filename)
	assert.Equal(t, "plain", plain.Symbol)
	assert.Nil(t, plain.ParamTypes)
	assert.Equal(t, []Param{{Offset: 0, Size: 5000}, {Offset: 5000, Size: 8}}, plain.Params)
	assert.Equal(t, int64(UnknownBase), plain.Base)
	assert.Equal(t, [3]int{8, 4, 2}, plain.ReqThreads)
}

// CUDA 12.9 has the version of the toolkit in e_version and the GPU in other bits.
func TestReadOldCubin(t *testing.T) {
	old := sample()
	old.osABI, old.version, old.flags = 51, 0x81, 0x5005a
	data := old.bytes()
	was := bytes.Clone(data)
	img, err := ReadCubin("k.cubin", data)
	require.NoError(t, err)
	assert.Equal(t, "sm_90", img.Target)
	assert.Len(t, img.Kernels, 2)
	assert.Equal(t, was, data, "the caller's bytes")
}

func TestReadCubinErrors(t *testing.T) {
	withInfo := func(records ...[]byte) []byte {
		c := sample()
		c.kernels = []testKernel{{symbol: "k", info: append([]byte{1, 0x3e, 0, 0}, bytes.Join(records, nil)...)}}
		return c.bytes()
	}
	other := sample().bytes()
	other[0x12] = byte(elf.EM_X86_64)
	noInfo := sample()
	noInfo.kernels[0].info = nil
	twice := sample()
	twice.kernels = append(twice.kernels, twice.kernels[0])
	for _, tt := range []struct {
		name string
		data []byte
		want string
	}{
		{"empty", nil, "k.cubin: not a cubin"},
		{"not ELF", bytes.Repeat([]byte("hello"), 20), "k.cubin: not a cubin: bad magic"},
		{"another machine", other, "EM_X86_64"},
		{"truncated", sample().bytes()[:200], "not a cubin"},
		{"no section", noInfo.bytes(), "kernel _Z5scalePf1Ai: there is no section .nv.info._Z5scalePf1Ai"},
		{"twice", twice.bytes(), "kernel _Z5scalePf1Ai is defined twice"},
		{"half a record", withInfo([]byte{4, 0x17}), "ends within a record"},
		{"too long", withInfo([]byte{4, 0x17, 12, 0, 1}), "attribute 0x17 has 12 bytes, but 1 are left"},
		{"too short", withInfo(infoRecord(infoParam, uint32(0))), "attribute 0x17 has 4 bytes, not 12"},
		{"not sized", withInfo(infoValue(infoParam, 1)), "attribute 0x17 has 0 bytes, not 12"},
		{"unknown format", withInfo([]byte{5, 0x17, 0, 0}), "unknown format 5"},
		{"parameter missing", withInfo(infoSmallParam(1, 8, 4), infoValue(infoBlockSize, 12)), "parameter 0 is missing"},
		{"parameter twice", withInfo(infoSmallParam(0, 0, 4), infoSmallParam(0, 0, 4), infoValue(infoBlockSize, 4)), "parameter 1 is missing or occurs twice"},
		{"overlap", withInfo(infoSmallParam(0, 0, 8), infoSmallParam(1, 4, 8), infoValue(infoBlockSize, 12)), "parameter 1 at 4 overlaps the previous one, which ends at 8"},
		{"block too small", withInfo(infoSmallParam(0, 0, 8), infoValue(infoBlockSize, 4)), "its parameters end at 8, but their block has 4 bytes"},
		{"no block size", withInfo(infoSmallParam(0, 0, 8)), "block has -1 bytes"},
		{"crooked base", withInfo(infoRecord(infoParamBank, uint32(0), uint16(0x214), uint16(0))), "begin at 532"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			img, err := ReadCubin("k.cubin", tt.data)
			assert.Nil(t, img)
			assert.ErrorContains(t, err, tt.want)
		})
	}
}

func FuzzReadCubin(f *testing.F) {
	f.Add(sample().bytes())
	old := sample()
	old.osABI, old.version, old.flags = 51, 0x81, 0x5005a
	f.Add(old.bytes())
	f.Fuzz(func(t *testing.T, data []byte) {
		img, err := ReadCubin("k.cubin", data)
		if (img == nil) == (err == nil) {
			t.Fatalf("image %v, error %v", img, err)
		}
	})
}
