package build

import (
	"errors"
	"go/token"
	"os"

	"github.com/cudagen/cudagen/internal/compile"
	"github.com/cudagen/cudagen/internal/diag"
	"github.com/cudagen/cudagen/internal/parallel"
)

// fallBack compiles units with NVRTC if nvcc, of which errs are the errors, found no host compiler;
// a warning of the first unit says so. Without NVRTC, or if NVRTC fails, the errors are nvcc's.
func fallBack(failed *jobs, units []*unit, archs []string, errs []error) []error {
	var noHost *compile.HostCompilerError
	if !errors.As(parallel.Join(errs), &noHost) {
		return errs
	}
	nvrtc, err := compile.Find("nvrtc", os.Getenv)
	if err != nil {
		return errs
	}
	failed.wait()
	jobs := newJobs(failed.ctx, nvrtc, failed.trace)
	jobs.cache = failed.cache
	again := compileUnits(jobs, units, archs)
	if parallel.Join(again) != nil {
		return errs
	}
	units[0].warnings.Add(token.Position{Filename: units[0].place.Path},
		diag.NoHostCompiler.Errorf("nvcc finds no C++ compiler for the host, so NVRTC compiles: %w", diag.Do("install g++, name one with -ccbin, or choose NVRTC with -compiler nvrtc")))
	return again
}
