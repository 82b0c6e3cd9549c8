package image

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

var ptxVersionLine = regexp.MustCompile(`(?m)^[ \t]*\.version[ \t]+([0-9]+\.[0-9]+)`)

// TooNew says what it takes to load PTX that this driver, of the CUDA version major.minor,
// refuses. generated says that the image is cudagen's.
func TooNew(name, text string, generated bool, major, minor int) string {
	ours := fmt.Sprintf("this driver (CUDA %d.%d)", major, minor)
	if most, ok := ptxOfCUDA(major, minor); ok {
		ours += " takes PTX " + most + " at most"
	} else {
		ours += " takes no PTX so new"
	}
	remedy := fmt.Sprintf("compile it with the nvcc of CUDA %d.%d or older", major, minor)
	if generated {
		remedy = fmt.Sprintf("generate it again with -ptx-version min, or with the nvcc of CUDA %d.%d or older", major, minor)
	}
	m := ptxVersionLine.FindStringSubmatch(text)
	if m == nil {
		return fmt.Sprintf("%s is too new, and %s: %s", name, ours, remedy)
	}
	if needed, ok := cudaOfPTX(m[1]); ok {
		remedy = "update to a driver of CUDA " + needed + " or newer, or " + remedy
	}
	return fmt.Sprintf("%s is PTX %s, and %s: %s", name, m[1], ours, remedy)
}

// ptx12 are the newest versions of PTX that drivers of CUDA 12.0 to 12.9 take.
//
// PTX ISA, Release Notes: PTX Release History.
var ptx12 = [...]string{"8.0", "8.1", "8.2", "8.3", "8.4", "8.5", "8.5", "8.6", "8.7", "8.8"}

// ptxOfCUDA returns the newest version of PTX that drivers of a CUDA version take. Since
// CUDA 13.0 both count alike.
func ptxOfCUDA(major, minor int) (string, bool) {
	switch {
	case major == 12 && minor < len(ptx12):
		return ptx12[minor], true
	case major == 13:
		return fmt.Sprintf("9.%d", minor), true
	}
	return "", false
}

// cudaOfPTX returns the first CUDA version, from 12.0 on, whose drivers take a version of
// PTX.
func cudaOfPTX(version string) (string, bool) {
	if minor, ok := strings.CutPrefix(version, "9."); ok {
		return "13." + minor, true
	}
	if i := slices.Index(ptx12[:], version); i >= 0 {
		return fmt.Sprintf("12.%d", i), true
	}
	return "", false
}
