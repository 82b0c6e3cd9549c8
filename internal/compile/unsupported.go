package compile

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/cudagen/cudagen/internal/diag"
)

// An UnsupportedArchError reports that a compiler does not know an architecture.
type UnsupportedArchError struct {
	Source   string   // as the user gave it
	Compiler string   // name and version
	Arch     string   // as the user gave it: compute_76
	Has      []string // those that the compiler knows, ascending; empty if it does not tell
}

func (e *UnsupportedArchError) Error() string {
	text := fmt.Sprintf("%s: %s has no architecture %s", e.Source, e.Compiler, e.Arch)
	if len(e.Has) > 0 {
		text += ", only " + strings.Join(e.Has, ", ")
	}
	return text + ": " + e.Unwrap().Error()
}

// Unwrap returns the remedy.
func (e *UnsupportedArchError) Unwrap() error {
	return diag.Do("choose another with -arch, or another -compiler")
}

// DiagnosticCode returns diag.UnsupportedArch.
func (e *UnsupportedArchError) DiagnosticCode() diag.Code { return diag.UnsupportedArch }

// unknownArch matches what nvcc says of an architecture that it does not know.
var unknownArch = regexp.MustCompile(`Unsupported gpu architecture|is not defined for option 'gpu-(?:architecture|code)'`)

// unsupported returns an *UnsupportedArchError in place of a failure that is one.
func (c *nvcc) unsupported(ctx context.Context, unit *unit, err error) error {
	var failed *FailedError
	if !errors.As(err, &failed) || !unknownArch.MatchString(failed.Log) {
		return err
	}
	name := c.Name()
	if version, err := c.Version(ctx); err == nil {
		name += " " + version
	}
	e := &UnsupportedArchError{Source: unit.request.Source, Compiler: name, Arch: unit.request.Arch}
	option := "--list-gpu-arch"
	if unit.target.machine {
		option = "--list-gpu-code"
	}
	if log, err := c.run(ctx, "", "", []string{option}); err == nil {
		for _, arch := range strings.Fields(log) {
			if targetName.MatchString(arch) {
				e.Has = append(e.Has, arch)
			}
		}
		slices.SortFunc(e.Has, compareNumbers)
	}
	return e
}

// supported returns an *UnsupportedArchError if NVRTC, which knows the architectures has, does not
// know that of the unit.
func (c *nvrtc) supported(ctx context.Context, unit *unit, has []int) error {
	if slices.Contains(has, unit.target.number) {
		return nil
	}
	name := c.Name()
	if version, err := c.Version(ctx); err == nil {
		name += " " + version
	}
	e := &UnsupportedArchError{Source: unit.request.Source, Compiler: name, Arch: unit.request.Arch}
	kind, _, _ := strings.Cut(unit.request.Arch, "_")
	for _, number := range slices.Sorted(slices.Values(has)) {
		e.Has = append(e.Has, fmt.Sprintf("%s_%d", kind, number))
	}
	return e
}
