package image

import (
	"encoding/binary"
	"errors"
	"fmt"
	"regexp"
	"strconv"

	"github.com/cudagen/cudagen/internal/diag"
)

// A Cubin is machine code for one kind of GPU, to be packed.
type Cubin struct {
	Arch string // sm_90; sm_90a for code that only this kind of GPU runs
	Code []byte
}

// What fatbinary of CUDA 13.0 writes in the header of an entry that is a cubin, besides
// its kind and size.
const (
	entryVersion = 0x0101
	cubinVersion = 1<<16 | 8 // at 24: the version of the cubin's format, 1.8

	flag64Bit  = 0x01     // of flags
	flagLinux  = 0x10     // of flags: made on Linux
	flagOneGPU = 0x100000 // of flags: sm_90a
)

// oldArchs are the architectures below this number: their entries are understood.
const oldArchs = 100

// ErrNewArch is the error for an architecture that only NVIDIA's fatbinary can pack.
var ErrNewArch = errors.New("only the CUDA toolkit's fatbinary can pack machine code for sm_100 and newer")

var cubinArch = regexp.MustCompile(`^sm_([0-9]+)([af]?)$`)

// Pack puts cubins into one fatbin, uncompressed, in their order. The same cubins always
// give the same bytes: those of fatbinary -64 -compress=false of CUDA 13.0.
//
// From sm_100 on fatbinary describes an entry further, in a way that is not documented:
// the error wraps ErrNewArch then.
func Pack(cubins []Cubin) ([]byte, error) {
	le := binary.LittleEndian
	var entries []byte
	for _, c := range cubins {
		m := cubinArch.FindStringSubmatch(c.Arch)
		if m == nil {
			return nil, diag.UnsupportedArch.Errorf("%s: is not an architecture of machine code, such as sm_90", c.Arch)
		}
		arch, err := strconv.ParseUint(m[1], 10, 32)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.Arch, err)
		}
		if arch >= oldArchs {
			return nil, fmt.Errorf("%s: %w", c.Arch, ErrNewArch)
		}
		flags := uint64(flag64Bit | flagLinux)
		if m[2] == "a" {
			flags |= flagOneGPU
		}
		padded := (len(c.Code) + 7) / 8 * 8
		header := make([]byte, fatbinEntryHeader)
		le.PutUint16(header, uint16(FatbinCubin))
		le.PutUint16(header[2:], entryVersion)
		le.PutUint32(header[4:], fatbinEntryHeader)
		le.PutUint64(header[8:], uint64(padded))
		le.PutUint32(header[24:], cubinVersion)
		le.PutUint32(header[28:], uint32(arch))
		le.PutUint64(header[40:], flags)
		entries = append(append(entries, header...), c.Code...)
		entries = append(entries, make([]byte, padded-len(c.Code))...)
	}
	fatbin := make([]byte, fatbinHeader, fatbinHeader+len(entries))
	le.PutUint32(fatbin, fatbinMagic)
	le.PutUint16(fatbin[4:], fatbinVersion)
	le.PutUint16(fatbin[6:], fatbinHeader)
	le.PutUint64(fatbin[8:], uint64(len(entries)))
	return append(fatbin, entries...), nil
}
