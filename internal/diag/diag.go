// Package diag has the diagnostics of cudagen: errors, warnings and notes, each with a code, and lists of
// them with positions. A diagnostic gets its code where it is made:
//
//	return diag.UnknownType.Errorf("parameter %s has unknown type %s", name, text)
//
// An error that wraps it, as package fmt does with %w, has the same code.
//
// The package also parses the errors and warnings that CUDA compilers print: nvcc, NVRTC, and the host
// compilers that nvcc runs. It runs no compiler. The pages of codes are in internal/explain.
package diag

import (
	"cmp"
	"errors"
	"fmt"
	"go/scanner"
	"go/token"
	"io"
	"slices"
)

// A Message is a text for people with its code. It is an error. The zero Message says nothing.
type Message struct {
	Code Code
	Text string
}

func (m Message) Error() string { return m.Text }

// DiagnosticCode returns the code of m.
func (m Message) DiagnosticCode() Code { return m.Code }

// With returns m with more behind its text.
func (m Message) With(more string) Message { return Message{m.Code, m.Text + more} }

// New returns the message text.
func (c Code) New(text string) Message { return Message{c, text} }

// Sprintf returns the message that fmt.Sprintf makes.
func (c Code) Sprintf(format string, args ...any) Message { return c.New(fmt.Sprintf(format, args...)) }

// Errorf returns the error that fmt.Errorf makes. Its code is c, whatever it wraps.
func (c Code) Errorf(format string, args ...any) error {
	return &coded{fmt.Errorf(format, args...), c}
}

// A coded error is one that wraps others and has a code of its own.
type coded struct {
	error
	code Code
}

func (e *coded) Unwrap() error        { return e.error }
func (e *coded) DiagnosticCode() Code { return e.code }

// CodeOf returns the code of the outermost error in err that has one, of the first if several are joined. Of
// other errors it returns OfCompiler.
func CodeOf(err error) Code { return CodeOr(err, OfCompiler) }

// CodeOr is CodeOf with another code for errors that have none.
func CodeOr(err error, other Code) Code {
	var diagnostic interface{ DiagnosticCode() Code }
	if errors.As(err, &diagnostic) {
		return cmp.Or(diagnostic.DiagnosticCode(), other)
	}
	return other
}

// FileOf returns the path of the file that err is about as a whole, or "" if it is about none.
func FileOf(err error) string {
	var whole interface{ DiagnosticFile() string }
	if errors.As(err, &whole) {
		return whole.DiagnosticFile()
	}
	return ""
}

// An Error is a diagnostic at a place of a source.
type Error struct {
	Pos  token.Position
	Msg  string
	Code Code
}

// NewError returns err as an Error at pos.
func NewError(pos token.Position, err error) *Error { return &Error{pos, err.Error(), CodeOf(err)} }

// Error returns e as compilers print it, "file:line:col: message", or the message alone when no place is known.
func (e *Error) Error() string {
	if e.Pos.Filename != "" || e.Pos.IsValid() {
		return e.Pos.String() + ": " + e.Msg
	}
	return e.Msg
}

// DiagnosticCode returns the code of e.
func (e *Error) DiagnosticCode() Code { return e.Code }

// Message returns what e says, without its place.
func (e *Error) Message() Message { return Message{e.Code, e.Msg} }

// A List is a list of Errors, and an error itself. It is used as a go/scanner.ErrorList is.
type List []*Error

// Add appends an Error at pos, which says what err says and has its code.
func (l *List) Add(pos token.Position, err error) { *l = append(*l, NewError(pos, err)) }

// Sort sorts l by file, line, column and message.
func (l List) Sort() {
	slices.SortStableFunc(l, func(a, b *Error) int {
		return cmp.Or(cmp.Compare(a.Pos.Filename, b.Pos.Filename), cmp.Compare(a.Pos.Line, b.Pos.Line),
			cmp.Compare(a.Pos.Column, b.Pos.Column), cmp.Compare(a.Msg, b.Msg))
	})
}

// Sorted returns what l says, sorted and each once: what is wrong with a template is wrong with each instance.
func (l List) Sorted() List {
	sorted := slices.Clone(l)
	sorted.Sort()
	return slices.CompactFunc(sorted, (*Error).same)
}

// same reports whether two Errors are printed alike.
func (e *Error) same(other *Error) bool { return e.Pos == other.Pos && e.Msg == other.Msg }

// Error returns the first Error, and how many more there are.
func (l List) Error() string {
	switch len(l) {
	case 0:
		return "no errors"
	case 1:
		return l[0].Error()
	}
	return fmt.Sprintf("%s (and %d more errors)", l[0], len(l)-1)
}

// DiagnosticCode returns the code of the first Error.
func (l List) DiagnosticCode() Code {
	if len(l) == 0 {
		return ""
	}
	return l[0].Code
}

// Err returns l, or nil when it is empty.
func (l List) Err() error {
	if len(l) == 0 {
		return nil
	}
	return l
}

// Of returns err with the code c, unless it has one: what a package that knows no codes has returned. A
// go/scanner.ErrorList becomes a List.
func (c Code) Of(err error) error {
	var errs scanner.ErrorList
	switch {
	case errors.As(err, &errs):
		return c.List(errs)
	case err == nil || CodeOr(err, "") != "":
		return err
	}
	return c.Errorf("%w", err)
}

// List returns errors of package go/scanner with the code c.
func (c Code) List(errs scanner.ErrorList) List {
	var list List
	for _, e := range errs {
		list = append(list, &Error{e.Pos, e.Msg, c})
	}
	return list
}

// Print prints err to w: a List one Error on a line, as go/scanner.PrintError does.
func Print(w io.Writer, err error) {
	list, several := err.(List)
	if !several && err != nil {
		fmt.Fprintln(w, err)
	}
	for _, e := range list {
		fmt.Fprintln(w, e)
	}
}
