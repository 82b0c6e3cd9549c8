package gen

import (
	"context"
	"errors"
	"go/scanner"
	"go/token"
	"os"

	"github.com/cudagen/cudagen/gen/compile"
)

// mayFallBack reports whether NVRTC may compile if nvcc finds no host compiler: unless the user has
// named the compiler, or flags that are for nvcc.
func (o *Options) mayFallBack() bool {
	return o.FindCompiler == nil && o.Compiler == "" && len(o.CompilerFlags) == 0 && os.Getenv("NVCC") == ""
}

// fallBack compiles with NVRTC if nvcc found no host compiler. Without NVRTC, or if NVRTC refuses
// the source, the error is nvcc's.
func fallBack(ctx context.Context, o Options, p *pipeline, err error) (*pipeline, error) {
	var noHost *compile.HostCompilerError
	if !errors.As(err, &noHost) {
		return p, err
	}
	find := func() (compile.Compiler, error) { return compile.Find("nvrtc", os.Getenv) }
	again, failed := compiled(ctx, o, find)
	if failed != nil {
		return p, err
	}
	again.notes = scanner.ErrorList{{
		Pos: token.Position{Filename: again.units[0].place.Path},
		Msg: "nvcc finds no C++ compiler for the host, so NVRTC compiles: install g++, name one with -ccbin, or choose NVRTC with -compiler nvrtc",
	}}
	return again, nil
}
