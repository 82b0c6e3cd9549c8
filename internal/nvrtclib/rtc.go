package nvrtclib

import (
	"embed"
	"sync"
)

//go:embed rtc
var standardHeaders embed.FS

// StandardHeaders returns the parts of the C library's headers that kernels use and
// NVRTC lacks, by the names under which they are included. The map is shared: it must
// not be changed.
//
// Types are nvcc's (int64_t is long on Linux), so that kernels have the same symbols.
// <cuda/std/cstdint> gives NVRTC others; a source that includes both is refused by
// NVRTC.
var StandardHeaders = sync.OnceValue(func() map[string]string {
	headers := make(map[string]string)
	entries, err := standardHeaders.ReadDir("rtc")
	if err != nil {
		panic(err) // a file system in this binary
	}
	for _, entry := range entries {
		text, err := standardHeaders.ReadFile("rtc/" + entry.Name())
		if err != nil {
			panic(err)
		}
		headers[entry.Name()] = string(text)
	}
	return headers
})
