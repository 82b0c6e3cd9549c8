// Package compare takes a selection and what a compiler says, tells where they differ, and does not
// know what follows from that: it knows what compilers are asked about types, and compares the
// kernels, variables and types of a source, as package layout lays them out, with what one image says,
// with debug information, and with the answers to a probe. A difference names what it is about, and
// both values. Where package cu does not understand a type, Tell makes it of what the compiler states,
// and TypeReader of what the record keeps of that.
//
// It runs no compiler and reads neither source nor images. Which comparisons are needed is up to
// package proof. Start with Block, Fields and Kinds, which compare the parameters of a kernel, and
// QuestionsOf and ReadAnswers.
package compare

import (
	"fmt"
	"strings"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/internal/diag"
)

// A Kernel is what the source says of a kernel.
type Kernel struct {
	Name   string // for messages
	Params []Param
}

// A Param is a parameter of a Kernel. Its name may be empty.
type Param struct {
	Name string
	Type ctype.Type
}

// A Difference is one thing that the source and a compiler state differently.
type Difference struct {
	Kernel   string
	Where    string // parameter 2 (p), field pos.x; empty when it is about the kernel
	What     string // offset, size, alignment, kind …
	Source   string // a number of bytes or bits, a kind, a name
	Compiler string
	Said     string // where the compiler says it: byCompiler or InImage
}

// Where a compiler says something.
const (
	byCompiler = "by the compiler" // debug information, probe
	InImage    = "in the image"
)

// Message reports d.
func (d Difference) Message() diag.Message {
	m := diag.LayoutsDisagree.Errorf("%s is %s by the source and %s %s", d.What, d.Source, d.Compiler, d.Said).About(d.Kernel)
	if d.Where != "" {
		m = m.Before(strings.TrimPrefix(d.Where, ", ") + ": ")
	}
	return m
}

// An Error is all that source and compiler state differently about a kernel, at least
// one thing.
type Error []Difference

func (e Error) Error() string {
	lines := make([]string, len(e))
	for i, d := range e {
		lines[i] = d.Message().Error()
	}
	return strings.Join(lines, "\n")
}

// DiagnosticCode returns diag.LayoutsDisagree.
func (e Error) DiagnosticCode() diag.Code { return diag.LayoutsDisagree }

// A comparison collects the differences of one kernel.
type comparison struct {
	kernel string
	param  string // where it is: parameter 2 (p)
	found  Error
	seen   map[pair]bool // what was compared, or is being
}

// differ notes a difference at path when source and compiler are not the same.
func differ[T comparable](c *comparison, path path, what string, source, compiler T) {
	if source == compiler {
		return
	}
	c.found = append(c.found, Difference{c.kernel, c.param + path.String(), what, fmt.Sprint(source), fmt.Sprint(compiler), byCompiler})
}

func (c *comparison) err() error {
	if len(c.found) == 0 {
		return nil
	}
	return c.found
}

// describe returns how messages name a parameter.
func describe(i int, name string) string {
	if name == "" {
		return fmt.Sprintf("parameter %d", i)
	}
	return fmt.Sprintf("parameter %d (%s)", i, name)
}

// A path leads from a parameter to a part of it, as C has it: pos[].x, next->id.
type path string

// pointee ends a path to what a pointer points at.
const pointee = "->"

func (p path) field(name string) path {
	if name == "" {
		name = "(unnamed)"
	}
	if p == "" || strings.HasSuffix(string(p), pointee) {
		return p + path(name)
	}
	return p + "." + path(name)
}

func (p path) element() path { return p + "[]" }
func (p path) target() path  { return p + pointee }

// String returns the path as the end of a sentence's subject: ", field pos.x".
func (p path) String() string {
	target, behind := strings.CutSuffix(string(p), pointee)
	text := ""
	if target != "" && p != "" {
		text = ", field " + target
	}
	if behind {
		text += ", what it points at"
	}
	return text
}
