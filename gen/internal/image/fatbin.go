package image

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/cudagen/cudagen/internal/diag"
)

// A Fatbin is a container of images of one source for several GPUs.
type Fatbin struct {
	File    string // as given to ReadFatbin
	Entries []FatbinEntry
}

// A FatbinEntry is one image in a Fatbin.
type FatbinEntry struct {
	Kind       FatbinKind
	Arch       int    // 75 for sm_75 and compute_75
	Compressed bool   // its content was not read: Image is nil
	Image      *Image // of a cubin or of PTX, also nil when the kind is neither
}

// A FatbinKind is the kind of an entry of a fatbin.
type FatbinKind uint16

// The kinds of entries that ReadFatbin reads. A fatbin may have others.
const (
	FatbinPTX   FatbinKind = 1
	FatbinCubin FatbinKind = 2
)

// String returns "PTX", "cubin" or a number.
func (k FatbinKind) String() string {
	switch k {
	case FatbinPTX:
		return "PTX"
	case FatbinCubin:
		return "cubin"
	}
	return fmt.Sprintf("kind %d", uint16(k))
}

// A fatbin begins with the u32 fatbinMagic, a u16 version, the u16 size of this header,
// and the u64 size of the entries, which follow. Each of them has a header:
//
//	 0  u16 kind, u16 version
//	 4  u32 size of the header
//	 8  u64 size of the content behind it, padded
//	16  u32 size of the content when it is compressed
//	28  u32 architecture
//	40  u64 flags
//	56  u64 size of the content before it was compressed
//
// The format is not documented: this is what fatbinary of CUDA 13.0 writes.
const (
	fatbinMagic       = 0xba55ed50
	fatbinVersion     = 1
	fatbinHeader      = 16
	fatbinEntryHeader = 64

	fatbinCompressed = 0x1000 | 0x2000 | 0x8000 // flags, one for each of the methods
)

// IsFatbin reports whether data begins as a fatbin does.
func IsFatbin(data []byte) bool {
	return len(data) >= 4 && binary.LittleEndian.Uint32(data) == fatbinMagic
}

// ReadFatbin reads the images in a fatbin. name is for messages.
//
// A compressed entry is not read, but listed: nvcc -fatbin compresses PTX unless it is
// called with --no-compress.
func ReadFatbin(name string, data []byte) (*Fatbin, error) {
	entries, err := readFatbin(name, data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &Fatbin{name, entries}, nil
}

// errEntries says that something is wrong with the sizes in a fatbin.
var errEntries = diag.CompilerOutput.New("damaged fatbin: its entries are longer than the file")

func readFatbin(name string, data []byte) (entries []FatbinEntry, err error) {
	if len(data) < fatbinHeader || !IsFatbin(data) {
		return nil, diag.CompilerOutput.New("not a fatbin: it does not begin with its magic number")
	}
	version, header, size := binary.LittleEndian.Uint16(data[4:]), binary.LittleEndian.Uint16(data[6:]), binary.LittleEndian.Uint64(data[8:])
	if version != fatbinVersion || header != fatbinHeader {
		return nil, diag.CompilerOutput.Errorf("fatbin of the unknown version %d", version)
	}
	data = data[fatbinHeader:]
	if size > uint64(len(data)) {
		return nil, errEntries
	}
	if slices.ContainsFunc(data[size:], func(b byte) bool { return b != 0 }) {
		return nil, diag.CompilerOutput.New("damaged fatbin: something follows its last entry")
	}
	for data = data[:size]; len(data) > 0; {
		if len(data) < fatbinEntryHeader {
			return nil, errEntries
		}
		header, size := uint64(binary.LittleEndian.Uint32(data[4:])), binary.LittleEndian.Uint64(data[8:])
		if header < fatbinEntryHeader || header > uint64(len(data)) || size > uint64(len(data))-header {
			return nil, errEntries
		}
		entry, err := fatbinEntry(name, data[:header], data[header:header+size])
		if err != nil {
			return nil, fmt.Errorf("entry %d, %v for %d: %w", len(entries), entry.Kind, entry.Arch, err)
		}
		entries = append(entries, entry)
		data = data[header+size:]
	}
	return entries, nil
}

func fatbinEntry(name string, header, content []byte) (entry FatbinEntry, err error) {
	flags := binary.LittleEndian.Uint64(header[40:])
	entry = FatbinEntry{
		Kind:       FatbinKind(binary.LittleEndian.Uint16(header)),
		Arch:       int(binary.LittleEndian.Uint32(header[28:])),
		Compressed: flags&fatbinCompressed != 0 || binary.LittleEndian.Uint32(header[16:]) != 0,
	}
	switch {
	case entry.Compressed:
	case entry.Kind == FatbinPTX:
		entry.Image, err = ReadPTX(name, content)
	case entry.Kind == FatbinCubin:
		entry.Image, err = readCubin(name, content)
	}
	if err == nil && entry.Image != nil && entry.Kind == FatbinCubin && entry.Image.Target != fmt.Sprintf("sm_%d", entry.Arch) {
		err = diag.CompilerOutput.Errorf("the cubin in it is for %s", entry.Image.Target)
	}
	return entry, err
}
