// Package inspect takes what cudagen reads from a CUDA C++ file, gives a report, and knows no
// compiler. The report has the kernels of the file, the offsets of their parameters and of the fields
// in them, their Go names and types, and the exported variables, as JSON or as a table.
//
// A report is made from a gen.Reading, from which package gen also generates code. Compare compares it
// with what a compiler made of the file. It writes no Go. Start with New.
//
// Its tests compare cudagen with compilers on random input: layouts of random types (cases_test.go),
// and parsing of random classes with members of every kind (classes_test.go).
package inspect

import (
	"cmp"
	"fmt"
	"go/token"
	"slices"
	"strings"

	"github.com/cudagen/cudagen/gen"
	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu"
	"github.com/cudagen/cudagen/gen/internal/directive"
	"github.com/cudagen/cudagen/gen/internal/layout"
	"github.com/cudagen/cudagen/internal/diag"
)

// A Status reports whether Go can use a kernel or a variable.
type Status string

// The statuses of a kernel; a variable is OK or Unsupported.
const (
	OK          Status = "ok"
	Template    Status = "template"    // its parameters depend on an instantiation
	Unsupported Status = "unsupported" // Reason says why
)

// A Report describes one file. Its fields have the order and the names of the JSON form;
// later versions only add fields.
type Report struct {
	File    string   `json:"file"` // as given
	Kernels []Kernel `json:"kernels"`

	Variables []Variable `json:"variables,omitempty"` // with an export directive, in source order

	// Accepted is false if generating fails with any compiler. Kernels that a compiler
	// may describe do not make it false.
	Accepted bool      `json:"accepted"`
	Errors   []Message `json:"errors"`   // other than those of kernels and variables, in source order
	Warnings []Message `json:"warnings"` // also those of kernels, in source order

	// Notes say templates and instances that are not wrapped, and why. They are left out of the
	// JSON when there are none.
	Notes []Message `json:"notes,omitempty"`

	Understood bool      `json:"-"` // the file could be read and parsed
	Refused    []Message `json:"-"` // all errors of generating, also those of kernels and variables
}

// A Message is an error or a warning with its position.
type Message struct {
	File   string `json:"file"`
	Line   int    `json:"line"`   // from 1; 0 when it is about the whole file
	Column int    `json:"column"` // in bytes, from 1; 0 when it is about the whole line or file
	Text   string `json:"message"`

	Code diag.Code `json:"code"` // of cudagen explain

	Fix string `json:"-"` // what Text says to do, or ""

	Edit *diag.Edit `json:"edit,omitempty"` // that does it: New in place of Old, which stands at the position
}

// String returns m as compilers print it: file:line:col: message.
func (m Message) String() string {
	return token.Position{Filename: m.File, Line: m.Line, Column: m.Column}.String() + ": " + m.Text
}

// A Variable is an exported variable. Size and Align are in bytes.
type Variable struct {
	Name      string `json:"name"`      // unqualified C++ name
	Namespace string `json:"namespace"` // a::b; empty at file scope
	Space     string `json:"space"`     // __constant__, __device__ or __managed__
	Status    Status `json:"status"`
	Reason    string `json:"reason"` // empty when Status is OK
	Line      int    `json:"line"`   // where the name stands
	Size      int64  `json:"size"`   // this and what follows is empty unless Status is OK
	Align     int64  `json:"align"`
	CType     string `json:"ctype"`
	GoType    string `json:"gotype"`

	Path   string    `json:"path"` // of the file that Line belongs to
	Column int       `json:"column"`
	GoName string    `json:"goName"` // of the field that holds it
	Errors []Message `json:"errors"` // what is wrong with it, in source order

	Source *cu.Variable `json:"-"` // what it was made from
}

// A Kernel is a __global__ function that is defined in the file or, with Options.All, in
// an included file. Each instance of a template that a directive requests is a separate
// kernel.
type Kernel struct {
	Name       string  `json:"name"`      // unqualified C++ name
	Namespace  string  `json:"namespace"` // a::b; empty at file scope
	Symbol     string  `json:"symbol"`    // name in the image; empty when only the image can tell
	Status     Status  `json:"status"`
	Reason     string  `json:"reason"`     // empty when Status is OK
	Line       int     `json:"line"`       // where the name stands
	ParamBytes int64   `json:"paramBytes"` // where the last parameter ends: no tail padding
	Params     []Param `json:"params"`     // empty unless Status is OK

	Path         string   `json:"path"` // of the file that Line belongs to
	Column       int      `json:"column"`
	Included     bool     `json:"included"`     // in a file that the file includes
	Qualified    string   `json:"qualified"`    // C++ name with namespaces and template arguments, as demanglers write it
	TemplateArgs []string `json:"templateArgs"` // of an instance or an explicit specialisation, as demanglers write them

	// Demangled is what demanglers make of the symbol: a::k(float const*, int). It is empty
	// unless Status is OK, and of instances, specialisations and extern "C" kernels, whose symbols
	// say other things.
	Demangled string `json:"demangled"`

	Generated bool      `json:"generated"` // Go gets a method for it, if Status is OK
	GoName    string    `json:"goName"`    // of the method; empty unless Generated and Status is OK
	Errors    []Message `json:"errors"`    // what is wrong with it, in source order

	LaunchBounds []int64    `json:"-"`
	kind         string     // Reason without the names of parameters
	Unclear      bool       `json:"-"` // generating asks a compiler about it
	Source       *cu.Kernel `json:"-"` // what it was made from
}

// A Param is one parameter of a kernel. Offset, Size and Align are in bytes.
type Param struct {
	Name   string `json:"name"` // empty for an unnamed one
	Offset int64  `json:"offset"`
	Size   int64  `json:"size"`
	Align  int64  `json:"align"`
	CType  string `json:"ctype"`
	GoType string `json:"gotype"` // in the parameter block

	GoName  string `json:"goName"`  // of the argument; this and the next are empty unless Kernel.GoName is set
	GoField string `json:"goField"` // of the parameter block

	// Fields are the data members of a parameter of class type, empty but not nil when it has
	// none. They are nil, and left out of the JSON, when the type is not a class, or a library
	// class of which cudagen knows only the size.
	Fields []Field `json:"fields,omitzero"`
}

// Options configure a report.
type Options struct {
	All bool // also the kernels of included files
}

// New returns the report on reading, with kernels in source order. Call it before the
// gen.Reader of reading reads another file.
func New(reading *gen.Reading, o Options) *Report {
	r := &Report{File: reading.Path, Kernels: []Kernel{}, Understood: reading.File != nil, Accepted: len(reading.Errors) == 0, Refused: messages(reading.Errors)}
	if reading.File == nil {
		r.Errors, r.Warnings = r.Refused, []Message{}
		return r
	}
	file := reading.File
	own := make(map[diag.Error]bool) // errors of kernels and variables
	for _, k := range file.Kernels {
		if !k.Defined || !o.All && k.Included && !k.Own {
			continue
		}
		r.Kernels = append(r.Kernels, kernel(k, reading, own))
	}
	slices.SortStableFunc(r.Kernels, func(a, b Kernel) int {
		return cmp.Or(compareMain(file.Name, a.Path, b.Path), cmp.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line))
	})
	for _, v := range file.Variables {
		if selected := reading.Variables[v]; selected != nil {
			r.Variables = append(r.Variables, variable(v, selected, own))
		}
	}
	r.Errors = messages(slices.DeleteFunc(slices.Clone(reading.Errors), func(e *diag.Error) bool { return own[*e] }))
	r.Warnings, r.Notes = messages(file.Warnings), messages(reading.Notes)
	return r
}

func messages(list diag.List) []Message {
	all := make([]Message, len(list))
	for i, e := range list {
		all[i] = message(e)
	}
	return all
}

func message(e *diag.Error) Message {
	return Message{e.Pos.Filename, e.Pos.Line, e.Pos.Column, e.Message.Error(), e.Code, e.Remedy.Error(), e.Remedy.Edit.OrNil()}
}

// reasons joins what is wrong with a kernel or variable, also without the names of parameters, and notes it in own.
func reasons(list diag.List, own map[diag.Error]bool) (reason, kind string) {
	var texts, kinds []string
	for _, e := range list {
		own[*e] = true
		texts, kinds = append(texts, e.Reason()), append(kinds, e.Text)
	}
	return strings.Join(texts, "; "), strings.Join(kinds, "; ")
}

func variable(v *cu.Variable, selected *gen.SelectedVariable, own map[diag.Error]bool) Variable {
	r := Variable{
		Name: v.Name, Namespace: strings.Join(v.Namespace, "::"), Space: v.Space, Status: Unsupported,
		Line: v.Pos.Line, Path: v.Pos.Filename, Column: v.Pos.Column, Errors: messages(selected.Errors), Source: v,
	}
	r.Reason, _ = reasons(selected.Errors, own)
	if m := selected.Model; m != nil {
		r.Status, r.CType, r.GoType, r.GoName = OK, m.CType, m.Type.String(), m.GoName
		r.Size, r.Align = selected.Size, selected.Align
	}
	return r
}

// compareMain orders the main file before the ones that it includes.
func compareMain(main, a, b string) int {
	switch {
	case a == b:
		return 0
	case a == main:
		return -1
	case b == main:
		return 1
	}
	return 0
}

func kernel(k *cu.Kernel, reading *gen.Reading, own map[diag.Error]bool) Kernel {
	selected := reading.Kernels[k]
	errs := k.Errors
	if selected != nil {
		k, errs = selected.Kernel, selected.Errors
	}
	r := Kernel{
		Name: k.Name, Namespace: strings.Join(k.Namespace, "::"), Status: OK,
		Line: k.Pos.Line, Params: []Param{}, Path: k.Pos.Filename, Column: k.Pos.Column,
		Included: k.Included, Qualified: k.QualifiedName(), TemplateArgs: []string{}, Generated: selected != nil,
		Errors: messages(errs), LaunchBounds: k.LaunchBounds, Source: k,
	}
	if k.ExternC && !k.Static && !k.Anonymous {
		r.Symbol = k.Name
	}
	for i := range k.Args {
		r.TemplateArgs = append(r.TemplateArgs, k.Args[i].Demangled())
	}
	r.Reason, r.kind = reasons(errs, own)
	switch {
	case k.Template:
		r.Status = Template
		r.Reason = cmp.Or(r.Reason, "is a template: "+directive.Instantiations(k).Error())
		if instantiated(k, reading.File) {
			r.Reason = "is a template: its instances are listed beside it"
		}
	case r.Reason != "":
		r.Status, r.Unclear = Unsupported, selected != nil && selected.Unclear
	default:
		if err := r.lay(k, reading); err != nil {
			m := diag.MessageOf(err)
			r.Status, r.Reason, r.kind, r.ParamBytes, r.Params = Unsupported, m.Reason(), m.Text, 0, []Param{}
			r.Errors = append(r.Errors, message(diag.NewError(k.Pos, m.About(r.Name))))
		}
	}
	if r.Status == OK {
		r.name(k, selected)
	}
	return r
}

// instantiated reports whether directives ask for instances of k, which stand for it.
func instantiated(k *cu.Kernel, file *cu.File) bool {
	return slices.ContainsFunc(file.Kernels, func(other *cu.Kernel) bool { return other.Instance != nil && other.Instance.Template == k })
}

// lay computes where the parameters of k, and their fields, lie.
func (r *Kernel) lay(k *cu.Kernel, reading *gen.Reading) error {
	list := make([]ctype.Type, len(k.Params))
	for i, p := range k.Params {
		list[i] = p.Type
	}
	params, end, _, err := layout.Params(list)
	if err != nil {
		return err
	}
	r.ParamBytes = end
	for i, p := range k.Params {
		goType, err := reading.GoType(p.Type)
		if err != nil {
			return diag.MessageOf(err).In("parameter " + cmp.Or(p.Name, fmt.Sprint(i+1)) + ": ")
		}
		fields, err := fieldsOf(p.Type)
		if err != nil {
			return diag.MessageOf(err).In("parameter " + cmp.Or(p.Name, fmt.Sprint(i+1)) + ": ")
		}
		r.Params = append(r.Params, Param{
			Name: p.Name, Offset: params[i].Offset, Size: params[i].Size, Align: params[i].Align,
			CType: p.Type.String(), GoType: goType.String(), Fields: fields,
		})
	}
	return nil
}

// name says what k, which is understood, is called in Go and by demanglers.
func (r *Kernel) name(k *cu.Kernel, selected *gen.SelectedKernel) {
	if !k.ExternC && k.Args == nil {
		types := make([]string, len(k.Params))
		for i, p := range k.Params {
			types[i] = p.Type.Demangled()
		}
		r.Demangled = r.Qualified + "(" + strings.Join(types, ", ") + ")"
	}
	if selected == nil || selected.Model == nil {
		return
	}
	r.GoName = selected.Model.GoName
	for i := range r.Params {
		p := &selected.Model.Params[i]
		r.Params[i].GoName, r.Params[i].GoField, r.Params[i].GoType = p.GoName, p.Field, p.Type.String()
	}
}
