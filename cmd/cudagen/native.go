package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/cudagen/cudagen/runtime/cuda"
)

// nativeArchs returns the targets that "native" stands for: the machine code of this
// machine's GPUs, sm_90 say, each once, the lowest first. Without a GPU it is an error
// that says what to write in its place.
func nativeArchs() ([]string, error) {
	infos, err := cuda.Devices()
	if err != nil {
		return nil, fmt.Errorf("native: the GPUs here cannot be asked (write their architecture, sm_90 say): %w", err)
	}
	return archsOf(infos)
}

func archsOf(infos []cuda.DeviceInfo) ([]string, error) {
	if len(infos) == 0 {
		return nil, errors.New("native: there is no GPU here: write the architecture of the GPU that is meant, sm_90 say, or compute_75 for PTX that every GPU since compute capability 7.5 takes")
	}
	var numbers []int
	for _, info := range infos {
		numbers = append(numbers, 10*info.Major+info.Minor)
	}
	slices.Sort(numbers)
	var archs []string
	for _, number := range slices.Compact(numbers) {
		archs = append(archs, fmt.Sprintf("sm_%d", number))
	}
	return archs, nil
}
