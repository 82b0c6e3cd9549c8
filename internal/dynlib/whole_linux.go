//go:build !cudagen_nodriver && (amd64 || arm64)

package dynlib

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
)

// whole returns an error if the ELF file at path is shorter than its segments say, as after a broken download: loading it
// would end the process by a signal. What it cannot read, the loader reports.
//
// System V ABI, ELF Header and Program Header.
func whole(path string) error {
	if !filepath.IsAbs(path) {
		return nil // a name that the loader looks for
	}
	file, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	const (
		headerSize = 64
		loaded     = 1 // PT_LOAD
	)
	size := uint64(info.Size())
	short := fmt.Errorf("%s is cut off: it has %d bytes, fewer than its header says: install it again", path, size)
	header := make([]byte, headerSize)
	n, _ := file.ReadAt(header, 0)
	if string(header[:6]) != "\x7fELF\x02\x01" {
		return nil // which the loader refuses
	}
	if n < headerSize {
		return short
	}
	le := binary.LittleEndian
	at, entry := le.Uint64(header[32:]), int(le.Uint16(header[54:]))
	table := make([]byte, entry*int(le.Uint16(header[56:])))
	if n, _ := file.ReadAt(table, int64(at)); n < len(table) {
		return short
	}
	for ; entry >= 56 && len(table) >= entry; table = table[entry:] {
		begin, length := le.Uint64(table[8:]), le.Uint64(table[32:])
		if le.Uint32(table) == loaded && (begin > size || length > size-begin) {
			return short
		}
	}
	return nil
}
