package compile

import (
	"context"
	"errors"
	"path/filepath"
	"strings"

	"github.com/cudagen/cudagen/internal/diag"
)

// A backEnd is a kind of compiler, and how one is found. find returns a *NotFoundError
// when there is none.
type backEnd struct {
	name string
	find func(env func(string) string) (Compiler, error)
}

// backEnds are in the order in which they are looked for.
var backEnds = []backEnd{
	{"nvcc", FindNVCC},
	{"nvrtc", FindNVRTC},
	{"clang", FindClang},
}

// Names returns the names of the compilers that Find knows, in the order in which it
// tries them.
func Names() []string {
	var names []string
	for _, b := range backEnds {
		names = append(names, b.name)
	}
	return names
}

// Find returns the compiler of the given name or, when name is empty, the first of Names
// that is installed. It never replaces what the user has named: a named compiler that is
// not installed is an error, and so is a variable such as $NVCC whose program cannot be
// run.
//
// env is os.Getenv or, in tests, a replacement.
func Find(name string, env func(string) string) (Compiler, error) {
	var missing []error
	for _, b := range backEnds {
		if name != "" && name != b.name {
			continue
		}
		c, err := b.find(env)
		if err == nil {
			return c, nil
		}
		var none *NotFoundError
		if !errors.As(err, &none) || none.Named {
			return nil, err
		}
		missing = append(missing, err)
	}
	switch len(missing) {
	case 0:
		return nil, diag.NoCompiler.Errorf("unknown compiler %q: %w", name, diag.Do("choose one of %s", strings.Join(Names(), ", ")))
	case 1:
		return nil, missing[0]
	}
	return nil, &noCompilerError{missing}
}

var anyCompiler = diag.Do("run %s, which needs no root, or install a CUDA toolkit 12.0 or newer, or clang 19", diag.Call("toolchain install"))

// A noCompilerError reports that there is no compiler of any kind.
type noCompilerError struct{ missing []error }

// Error begins with the remedy; below it is where each compiler was looked for.
func (e *noCompilerError) Error() string {
	text := "there is no CUDA compiler: " + anyCompiler.Error()
	for _, err := range e.missing {
		var none *NotFoundError
		if errors.As(err, &none) {
			text += "\n  " + none.places()
		}
	}
	return text
}

// DiagnosticCode returns diag.NoCompiler.
func (e *noCompilerError) DiagnosticCode() diag.Code { return diag.NoCompiler }

// Unwrap returns the remedy and a *NotFoundError for each kind of compiler.
func (e *noCompilerError) Unwrap() []error { return append([]error{anyCompiler}, e.missing...) }

// Companion returns a compiler of the same toolkit and release as c (12.4, of which the
// parts have numbers of their own) that compiles in a fraction of the time, though not
// everything that c does: the NVRTC beside nvcc. It is nil when there is none.
func Companion(ctx context.Context, c Compiler) Compiler {
	n, ok := c.(*nvcc)
	if !ok {
		return nil
	}
	roots := n.toolkits()
	if len(roots) == 0 {
		return nil
	}
	found, err := FindNVRTC(func(name string) string {
		if name == "CUDA_HOME" {
			return filepath.FromSlash(roots[0])
		}
		return ""
	})
	if err != nil || !strings.HasPrefix(filepath.ToSlash(found.(*nvrtc).location.Path), roots[len(roots)-1]+"/") {
		return nil
	}
	ours, errOurs := c.Version(ctx)
	theirs, errTheirs := found.Version(ctx)
	if errOurs != nil || errTheirs != nil || release(ours) != release(theirs) {
		return nil
	}
	return found
}

// release returns the first two numbers of a version of the CUDA toolkit.
func release(version string) string {
	numbers := strings.SplitN(version, ".", 3)
	return strings.Join(numbers[:min(2, len(numbers))], ".")
}
