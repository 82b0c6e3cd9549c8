package compile

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Virtual architectures: compute_75, compute_90a (one architecture only), compute_100f (its family).
//
// NVIDIA CUDA Compiler Driver NVCC, GPU Compilation, Virtual Architecture Feature List.
var virtualArch = regexp.MustCompile(`^compute_([1-9][0-9]{1,2})([af]?)$`)

// lowest returns the virtual architecture in archs with the smallest number. Of
// two with the same number it prefers the one without a suffix, whose PTX runs on
// every newer GPU.
func lowest(archs []string) (string, error) {
	best, bestNumber := "", 0
	for _, arch := range archs {
		m := virtualArch.FindStringSubmatch(arch)
		switch {
		case strings.HasPrefix(arch, "sm_"):
			return "", fmt.Errorf("architecture %s: machine code for one GPU is not made, only PTX (write compute_%s)", arch, arch[len("sm_"):])
		case m == nil:
			return "", fmt.Errorf("architecture %q: not a virtual architecture (write compute_XX, for example compute_75)", arch)
		}
		number, err := strconv.Atoi(m[1])
		if err != nil {
			return "", fmt.Errorf("architecture %q: %w", arch, err)
		}
		if best == "" || number < bestNumber || number == bestNumber && len(arch) < len(best) {
			best, bestNumber = arch, number
		}
	}
	if best == "" {
		return "", errors.New("no architecture to compile for (for example compute_75)")
	}
	return best, nil
}

// number reads decimal digits; none, or too many, give 0: unknown.
func number(digits string) int {
	n, err := strconv.Atoi(digits)
	if err != nil {
		return 0
	}
	return n
}
