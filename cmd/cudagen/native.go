package main

import (
	"fmt"
	"slices"

	"github.com/cudagen/cudagen/internal/diag"
	"github.com/cudagen/cudagen/runtime/cuda"
)

// nativeArchs returns the targets that "native" means: the architectures of this machine's
// GPUs, such as sm_90, without duplicates, in ascending order. Without a GPU it returns an
// error.
func nativeArchs() ([]string, error) {
	infos, err := cuda.Devices()
	if err != nil {
		return nil, diag.UnsupportedArch.Errorf("native: cannot query the GPUs (name their architecture instead, such as sm_90): %w", err)
	}
	return archsOf(slices.DeleteFunc(infos, func(info cuda.DeviceInfo) bool { return info.Simulated }))
}

func archsOf(infos []cuda.DeviceInfo) ([]string, error) {
	if len(infos) == 0 {
		return nil, diag.UnsupportedArch.Errorf("native: there is no GPU: %w", diag.Do("name an architecture such as sm_90, or compute_75 for PTX that runs on compute capability 7.5 and newer"))
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
