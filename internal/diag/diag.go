// Package diag has the diagnostics of cudagen: errors, warnings and notes, each with a code, and lists of
// them with positions. A diagnostic gets its code, and its remedy, where it is made:
//
//	return diag.UnknownType.Errorf("has unknown type %s (%w)", text, diag.Do("include its header"))
//
// An error that wraps it, as package fmt does with %w, has the same code and remedy.
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
	"strings"
)

// A Message is a text for people with its code. It is an error. The zero Message says nothing.
//
// It is printed as "saxpy: parameter n has unknown type T (include its header) (-keep-going leaves it out)": its Name,
// Part, Text and Aside.
type Message struct {
	Code   Code
	Name   string // of the kernel, variable or type that it is about, or ""
	Part   string // of that: "parameter n ", or ""
	Text   string // with the remedy
	Aside  string // what is said behind the text: " (-keep-going leaves it out)", or ""
	Remedy Remedy // what the text says to do

	wrapped error
}

func (m Message) Error() string {
	if m.Name != "" {
		return m.Name + ": " + m.Reason()
	}
	return m.Reason()
}

// Reason returns what m says without its Name.
func (m Message) Reason() string { return m.Part + m.Text + m.Aside }

// DiagnosticCode returns the code of m.
func (m Message) DiagnosticCode() Code { return m.Code }

// Unwrap returns what m wraps, and its remedy.
func (m Message) Unwrap() []error {
	var list []error
	if m.wrapped != nil {
		list = append(list, m.wrapped)
	}
	if !m.Remedy.IsZero() {
		list = append(list, m.Remedy)
	}
	return list
}

// With returns m with more behind its text.
func (m Message) With(more Message) Message {
	m.Text, m.Remedy = m.Text+more.Error(), cmp.Or(m.Remedy, more.Remedy)
	return m
}

// Add adds more behind what m says.
func (m *Message) Add(more Message) {
	m.Aside, m.Remedy = m.Aside+more.Error(), cmp.Or(m.Remedy, more.Remedy)
}

// Before returns m with more in front of its text.
func (m Message) Before(more string) Message {
	m.Text = more + m.Text
	return m
}

// About returns m as one about the kernel, variable or type called name.
func (m Message) About(name string) Message {
	m.Name = name
	return m
}

// In returns m as one about a part of a kernel: "parameter n ".
func (m Message) In(part string) Message {
	m.Part = part
	return m
}

// A Remedy is what to do about a diagnostic: "run cudagen -force". The zero Remedy says nothing. It is an error, so that a
// diagnostic that wraps it has it:
//
//	diag.ForeignFile.Errorf("exists: %w", diag.Do("move it away, or run %s", diag.Call("-force")))
type Remedy struct {
	Text string // with callMark in front of each Call: Error returns it without
	Edit Edit   // that does it; the zero Edit if it is not one word alone
}

// An Edit puts New in place of Old, which stands at the place of the diagnostic.
type Edit struct {
	Old string `json:"old"`
	New string `json:"new"`
}

// OrNil returns e, or nil for the zero Edit.
func (e Edit) OrNil() *Edit {
	if e == (Edit{}) {
		return nil
	}
	return &e
}

// By returns r with an edit that does it.
func (r Remedy) By(from, to string) Remedy {
	r.Edit = Edit{from, to}
	return r
}

const callMark = "\x00"

// A Call is a call of cudagen by its arguments: "-force kernels.cu". In a Remedy, In finds it.
type Call string

func (c Call) String() string { return "cudagen " + string(c) }

// Do returns the remedy that fmt.Sprintf makes. Arguments may be Calls, and Remedies.
func Do(format string, args ...any) Remedy {
	args = slices.Clone(args)
	for i, arg := range args {
		switch arg := arg.(type) {
		case Call:
			args[i] = callMark + arg.String()
		case Remedy:
			args[i] = arg.Text
		}
	}
	return Remedy{Text: fmt.Sprintf(format, args...)}
}

// Reread returns the remedy of which Error returned text: a call of cudagen stands behind "run ".
func Reread(text string) Remedy {
	return Remedy{Text: strings.ReplaceAll(text, "run cudagen ", "run "+callMark+"cudagen ")}
}

func (r Remedy) Error() string { return strings.ReplaceAll(r.Text, callMark, "") }

// IsZero reports whether r says nothing.
func (r Remedy) IsZero() bool { return r == Remedy{} }

// In returns text, in which r stands as it is printed, with its Calls as the user calls cudagen: command is
// "go tool cudagen".
func (r Remedy) In(text, command string) string {
	return strings.Replace(text, r.Error(), strings.ReplaceAll(r.Text, callMark+"cudagen ", command+" "), 1)
}

// Hint returns what a message says behind its text: a remedy in parentheses.
func Hint(format string, args ...any) Message { return Do(format, args...).Hint() }

// Hint returns r as what a message says behind its text.
func (r Remedy) Hint() Message { return Message{Text: " (" + r.Error() + ")", Remedy: r} }

// RemedyOf returns the first remedy that err wraps; the zero Remedy if there is none.
func RemedyOf(err error) (r Remedy) {
	errors.As(err, &r)
	return r
}

// A FileError is something wrong with a file as a whole.
type FileError struct {
	Path string
	Message
}

// InFile returns err as a FileError.
func InFile(path string, err error) *FileError { return &FileError{path, MessageOf(err)} }

func (e *FileError) Error() string { return e.Path + ": " + e.Message.Error() }

// DiagnosticFile returns the path of e, and what is wrong.
func (e *FileError) DiagnosticFile() (string, Message) { return e.Path, e.Message }

// MessageOf returns what err says, with its code and remedy. It wraps nothing.
func MessageOf(err error) Message {
	m, is := err.(Message)
	if !is {
		m = Message{Text: err.Error(), Remedy: RemedyOf(err)}
	}
	m.Code, m.wrapped = CodeOf(err), nil
	return m
}

// New returns the message text.
func (c Code) New(text string) Message { return Message{Code: c, Text: text} }

// Errorf returns the error that fmt.Errorf makes. Its code is c, whatever it wraps.
func (c Code) Errorf(format string, args ...any) Message {
	err := fmt.Errorf(format, args...)
	m := Message{Code: c, Text: err.Error(), Remedy: RemedyOf(err)}
	switch err.(type) {
	case interface{ Unwrap() error }, interface{ Unwrap() []error }:
		m.wrapped = err
	}
	return m
}

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

// FileOf returns the path of the file that err is about as a whole, or "" if it is about none, and what err says
// of it. That begins with the path only where err wraps the error about the file.
func FileOf(err error) (path string, m Message) {
	type ofFile interface{ DiagnosticFile() (string, Message) }
	if whole, is := err.(ofFile); is {
		return whole.DiagnosticFile()
	}
	if whole := ofFile(nil); errors.As(err, &whole) {
		path, m = whole.DiagnosticFile()
		if said, is := whole.(error); is && said.Error() == err.Error() { // err adds nothing to it
			return path, m
		}
	}
	return path, MessageOf(err)
}

// An Error is a diagnostic at a place of a source.
type Error struct {
	Pos token.Position
	Message
}

// NewError returns err as an Error at pos.
func NewError(pos token.Position, err error) *Error { return &Error{pos, MessageOf(err)} }

// Error returns e as compilers print it, "file:line:col: message", or the message alone when no place is known.
func (e *Error) Error() string {
	if e.Pos.Filename != "" || e.Pos.IsValid() {
		return e.Pos.String() + ": " + e.Message.Error()
	}
	return e.Message.Error()
}

// A List is a list of Errors, and an error itself. It is used as a go/scanner.ErrorList is.
type List []*Error

// Add appends an Error at pos, which says what err says and has its code.
func (l *List) Add(pos token.Position, err error) { *l = append(*l, NewError(pos, err)) }

// Sort sorts l by file, line, column and message.
func (l List) Sort() {
	slices.SortStableFunc(l, func(a, b *Error) int {
		return cmp.Or(cmp.Compare(a.Pos.Filename, b.Pos.Filename), cmp.Compare(a.Pos.Line, b.Pos.Line),
			cmp.Compare(a.Pos.Column, b.Pos.Column), cmp.Compare(a.Message.Error(), b.Message.Error()))
	})
}

// Sorted returns what l says, sorted and each once: what is wrong with a template is wrong with each instance.
func (l List) Sorted() List {
	sorted := slices.Clone(l)
	sorted.Sort()
	return slices.CompactFunc(sorted, (*Error).same)
}

// same reports whether two Errors are printed alike.
func (e *Error) same(other *Error) bool {
	return e.Pos == other.Pos && e.Message.Error() == other.Message.Error()
}

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
		list.Add(e.Pos, c.New(e.Msg))
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
