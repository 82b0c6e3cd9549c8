// Package compile takes a .cu file, gives PTX and machine code by running a CUDA compiler, and does
// not parse CUDA C++.
//
// It finds compilers, runs them, gives their messages positions in the user's files, and makes their
// output the same in every folder and for every user. Of PTX it knows only the parts that depend on
// the machine: file names, and names made from a hash of the path (neutral.go). Start with Find.
package compile

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/cudagen/cudagen/internal/diag"
)

// A Compiler makes PTX and machine code from CUDA C++. Any goroutine may call its methods
// concurrently.
type Compiler interface {
	// Name returns the compiler's name in options and records: "nvcc".
	Name() string

	// Version returns the compiler's version: "13.0.88". It runs the compiler at most
	// once per Compiler.
	Version(ctx context.Context) (string, error)

	// Compile compiles one file and leaves nothing behind on the disk.
	//
	// Errors in the source are a diag.List, not wrapped, sorted by
	// position. A missing host compiler is a *HostCompilerError, any other failure
	// of the compiler a *FailedError. When ctx is done, the compiler and everything
	// it started are killed, and the error is the context's cause, wrapped.
	Compile(ctx context.Context, req Request) (*Output, error)

	// String returns the program's path and how it was found.
	fmt.Stringer
}

// A Packer is a Compiler that can put machine code for several GPUs into one file.
type Packer interface {
	// Pack makes a fatbin, uncompressed, of the code for each of archs.
	Pack(ctx context.Context, archs []string, code [][]byte) ([]byte, error)
}

// An Assembler is a Compiler that can make machine code of PTX.
type Assembler interface {
	// Assemble makes machine code of PTX for the Arch of req, whose Source is for messages.
	Assemble(ctx context.Context, req Request, ptx []byte) (*Output, error)
}

// A Request is one file to compile for one target.
type Request struct {
	Source   string   // path of the .cu file, as the user gave it
	Dir      string   // the compiler runs here, and paths in the output are relative to it; empty for Source's own folder
	Arch     string   // compute_75: PTX; sm_90: machine code
	Flags    []string // more arguments, handed to the compiler as they are
	LineInfo bool     // relate instructions to source lines

	// Debug asks for PTX with the debug information of every type, for witnesses. A
	// Compiler that cannot make it returns ErrNoDebug.
	Debug bool

	// Declared says that only what is declared counts, with Debug: a Compiler may leave out the code of
	// kernels, and then also parameters and types that only that code makes it describe.
	Declared bool

	// Relocatable asks for PTX that refers to other files' functions and variables and that they
	// can refer to: also for machine code, which is made with Assembler when it is linked.
	Relocatable bool

	// Suffix is C++ that is compiled after the source, in a translation unit that
	// includes it. Its #line directives set the positions of messages about it.
	Suffix string

	// Trace, unless nil, is called with every command before it runs. With DryRun no
	// command runs: Compile returns ErrNotRun after the first command.
	Trace  func(command []string)
	DryRun bool
}

// ErrNotRun is the error of a Request with DryRun.
var ErrNotRun = errors.New("not run")

// ErrNoDebug is the error for a Request with Debug to a Compiler that cannot make debug
// information.
var ErrNoDebug = errors.New("the compiler has no debug information")

// An Output is the result of a Request.
type Output struct {
	Code     []byte    // PTX, or a cubin
	Arch     string    // of the Request
	Compiler string    // name and version: "nvcc 13.0.88"
	Warnings diag.List // with the user's positions
	Log      string    // everything the compiler printed, on both streams
	Command  []string  // what makes PTX of the source, with no path of this machine in it
	Declared bool      // it has no code of kernels: see Request
	Includes []string  // absolute paths of the files that were included, sorted; nil when the compiler does not tell

	// Reproducible says that Code does not depend on the folder, the user or the
	// process. It is false with debug information (-G), which is full of absolute
	// paths and left as it is.
	Reproducible bool
}

// A FailedError reports that a compiler failed without an error in the source.
type FailedError struct {
	Compiler string // what was run and how it was found
	Source   string // as the user gave it
	Reason   string // exit status, signal, or what is wrong with the output
	Log      string // everything the compiler printed
	Err      error  // the cause and the remedy, or nil
}

func (e *FailedError) Error() string {
	text := fmt.Sprintf("%s: %s: %s", e.Source, e.Compiler, e.Reason)
	if e.Log != "" {
		text += "\n" + strings.TrimRight(e.Log, "\n")
	}
	return text
}

// Unwrap returns the cause and the remedy, or nil.
func (e *FailedError) Unwrap() error { return e.Err }

// A HostCompilerError reports that nvcc found no C++ compiler for the host. nvcc needs
// one to preprocess, even for PTX.
type HostCompilerError struct {
	Compiler string // what was run and how it was found
	Log      string // everything the compiler printed
}

func (e *HostCompilerError) Error() string {
	return fmt.Sprintf("%s: nvcc needs a C++ compiler for the host but cannot run one: %v\n%s", e.Compiler, e.Unwrap(), strings.TrimRight(e.Log, "\n"))
}

// Unwrap returns the remedy.
func (e *HostCompilerError) Unwrap() error {
	return diag.Do("install g++, name one with -ccbin, or use -compiler nvrtc")
}

// DiagnosticCode returns diag.NoHostCompiler.
func (e *HostCompilerError) DiagnosticCode() diag.Code { return diag.NoHostCompiler }
