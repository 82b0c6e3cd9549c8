package compile

import (
	"slices"
	"strings"

	"github.com/cudagen/cudagen/internal/diag"
)

// flagFiles are compiler flags that name a file with more flags.
//
// NVIDIA CUDA Compiler Driver NVCC, --options-file; Clang Compiler User's Manual, Configuration files.
var flagFiles = []string{"--options-file", "-options-file", "-optf", "--config"}

// CheckFlags returns an error for flags that name a file with more flags: no record says what is
// in it.
func CheckFlags(flags []string) error {
	for _, flag := range flags {
		if name, _, _ := strings.Cut(flag, "="); slices.Contains(flagFiles, name) || strings.HasPrefix(flag, "@") {
			return diag.FlagValue.Errorf("compiler flag %s: changes of the file that it names would not be noticed: %w", flag, diag.Do("write the flags that are in it behind --"))
		}
	}
	return nil
}
