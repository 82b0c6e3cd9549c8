package nvrtclib

import (
	"crypto/sha256"
	"embed"
	"os"
	"sync"

	"github.com/cudagen/cudagen/internal/leftover"
)

// standardHeaders are the parts of the C library's headers that kernels use and NVRTC
// lacks. Types are nvcc's (int64_t is long on Linux), so that kernels have the same
// symbols. <cuda/std/cstdint> gives NVRTC others; NVRTC refuses a source that includes
// both.
//
//go:embed rtc
var standardHeaders embed.FS

// writeStandardHeaders writes the standard headers to a new folder. They cannot be
// handed over in memory, where they would be found before the user's own files.
func writeStandardHeaders() (dir string, err error) {
	dir, err = leftover.Dir("", "cudagen-")
	if err != nil {
		return "", err
	}
	if err := os.CopyFS(dir, standardHeaders); err != nil {
		leftover.Remove(dir)
		return "", err
	}
	return dir, nil
}

// StandardHeadersSum returns a hash of the standard headers, for cache keys.
var StandardHeadersSum = sync.OnceValue(func() [sha256.Size]byte {
	var all []byte
	entries, err := standardHeaders.ReadDir("rtc")
	if err != nil {
		panic(err) // a file system in this binary
	}
	for _, entry := range entries {
		text, err := standardHeaders.ReadFile("rtc/" + entry.Name())
		if err != nil {
			panic(err)
		}
		sum := sha256.Sum256(text)
		all = append(append(all, entry.Name()+"\n"...), sum[:]...)
	}
	return sha256.Sum256(all)
})
