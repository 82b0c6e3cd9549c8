// Package nvrtclib calls NVRTC, NVIDIA's run-time compilation library, through
// purego: no cgo, no GPU, no driver, no host compiler.
//
// Find finds the library, Open opens it, and Library.Compile compiles one program. It adds
// the most common headers of the C library, because NVRTC has none. Other headers are
// passed by NVRTC's options, or in memory.
//
// With -tags cudagen_nodriver, and on systems without NVRTC, Open returns an error and the
// package does not import purego.
//
// NVRTC (Runtime Compilation) User Guide.
package nvrtclib

import (
	"fmt"
	"go/scanner"
	"strings"

	"github.com/cudagen/cudagen/internal/diag"
)

// A Program is the input of a compilation.
type Program struct {
	Source  string
	Name    string            // what messages and __FILE__ call the source
	Headers map[string]string // contents of headers, by the name in #include; found before files
	Options []string          // NVRTC's, one argument each, --gpu-architecture among them

	// Names are name expressions: C++ expressions for kernels, such as "app::scale<float,
	// 4>", or for addresses of variables. Templates are instantiated.
	Names []string

	// Cubin asks for machine code in place of PTX. It needs a real architecture (sm_90).
	Cubin bool
}

// A Result is the output of a compilation.
type Result struct {
	Code    []byte            // PTX text, without a zero byte at its end, or a cubin
	Symbols map[string]string // the name in Code of each of Program.Names
	Log     string            // warnings, or ""
}

// A CompileError reports errors in the source.
type CompileError struct {
	// Errors has a position for every error: NVRTC gives lines, and no columns. File
	// names are NVRTC's: Program.Name, the name of a header in memory, or a path.
	// The list is empty when NVRTC blames no line.
	Errors scanner.ErrorList
	Log    string // everything that NVRTC said
}

func newCompileError(log string) *CompileError {
	errs, _ := diag.Parse(log, func(name string) string { return name }, nil)
	return &CompileError{Errors: errs, Log: log}
}

// Error returns the errors, one on each line.
func (e *CompileError) Error() string {
	if len(e.Errors) == 0 {
		return "NVRTC: " + strings.TrimSpace(e.Log)
	}
	lines := make([]string, len(e.Errors))
	for i, err := range e.Errors {
		lines[i] = err.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap returns Errors, or nil when there are none.
func (e *CompileError) Unwrap() error { return e.Errors.Err() }

// A CallError reports that a function of NVRTC failed for a reason other than errors in
// the source, such as an unknown option.
type CallError struct {
	Library  string // its path
	Function string // nvrtcCompileProgram
	Result   string // NVRTC_ERROR_INVALID_OPTION
	Log      string // what NVRTC said besides, or ""
}

func (e *CallError) Error() string {
	text := fmt.Sprintf("%s: %s: %s", e.Library, e.Function, e.Result)
	if log := strings.TrimSpace(e.Log); log != "" {
		text += ": " + log
	}
	return text
}

// A NotFoundError reports that NVRTC was not found, the places that were searched, and
// how to install it.
type NotFoundError struct {
	Searched []string // in order
}

// InstallHint tells in one line how to install NVRTC.
var InstallHint = diag.Do("run %s, which needs no root, or install a CUDA toolkit 12.0 or newer, or set NVRTC_LIB to the library's path", diag.Call("toolchain install"))

func (e *NotFoundError) Error() string {
	return fmt.Sprintf("no NVRTC in %s: %s", strings.Join(e.Searched, ", "), InstallHint)
}

// DiagnosticCode returns diag.NoCompiler.
func (e *NotFoundError) DiagnosticCode() diag.Code { return diag.NoCompiler }
