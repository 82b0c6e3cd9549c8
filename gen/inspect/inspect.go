// Package inspect says what cudagen understands of a CUDA C++ file, without a
// compiler: its kernels, where their parameters lie, the Go types of these, and the
// variables that are exported.
//
// It joins gen/cu and gen/layout, and prints the result as JSON or as a table. It
// writes no Go and reads no image. Start with Report.
package inspect

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/cudagen/cudagen/gen/ctype"
	"github.com/cudagen/cudagen/gen/cu"
	"github.com/cudagen/cudagen/gen/directive"
	"github.com/cudagen/cudagen/gen/goname"
	"github.com/cudagen/cudagen/gen/layout"
	"github.com/cudagen/cudagen/gen/model"
)

// A Status says whether Go can have a kernel or a variable.
type Status string

// The statuses of a kernel; a variable is OK or Unsupported.
const (
	OK          Status = "ok"
	Template    Status = "template"    // its parameters depend on an instantiation
	Unsupported Status = "unsupported" // Reason says why
)

// A Report is what is known of one file. The order and the names of its fields are
// those of the JSON form.
type Report struct {
	File    string   `json:"file"` // as given
	Kernels []Kernel `json:"kernels"`

	Variables []Variable `json:"variables,omitempty"` // with an export directive, in source order
}

// A Variable is one in the memory of a device. Size and Align are in bytes.
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

	Path   string       `json:"-"` // of the file that Line belongs to
	Source *cu.Variable `json:"-"` // what it was made from
}

// A Kernel is one __global__ function that is defined in the file, or with
// Options.All in a file that it includes.
type Kernel struct {
	Name       string  `json:"name"`      // unqualified C++ name
	Namespace  string  `json:"namespace"` // a::b; empty at file scope
	Symbol     string  `json:"symbol"`    // name in the image; empty when only the image can tell
	Status     Status  `json:"status"`
	Reason     string  `json:"reason"`     // empty when Status is OK
	Line       int     `json:"line"`       // where the name stands
	ParamBytes int64   `json:"paramBytes"` // where the last parameter ends: no tail padding
	Params     []Param `json:"params"`     // empty unless Status is OK

	Path         string     `json:"-"` // of the file that Line belongs to
	LaunchBounds []int64    `json:"-"`
	Source       *cu.Kernel `json:"-"` // what it was made from
}

// A Param is one parameter of a kernel. Offset, Size and Align are in bytes.
type Param struct {
	Name   string `json:"name"` // empty for an unnamed one
	Offset int64  `json:"offset"`
	Size   int64  `json:"size"`
	Align  int64  `json:"align"`
	CType  string `json:"ctype"`
	GoType string `json:"gotype"`
}

// Options say what is reported.
type Options struct {
	All bool // also the kernels of included files
}

// New returns the report on file, with kernels in the order of their places.
func New(file *cu.File, o Options) *Report {
	r := &Report{File: file.Name, Kernels: []Kernel{}}
	types := goTypes{goname.NewTypes(goname.NewScope()), mappings(file)}
	for _, k := range file.Kernels {
		if !k.Defined || !o.All && k.Included {
			continue
		}
		r.Kernels = append(r.Kernels, kernel(k, types))
	}
	slices.SortStableFunc(r.Kernels, func(a, b Kernel) int {
		return cmp.Or(compareMain(file.Name, a.Path, b.Path), cmp.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line))
	})
	for _, v := range file.Variables {
		if !v.Included && len(directive.Exported(v)) > 0 {
			r.Variables = append(r.Variables, variable(v, types))
		}
	}
	return r
}

func variable(v *cu.Variable, types goTypes) Variable {
	r := Variable{
		Name: v.Name, Namespace: strings.Join(v.Namespace, "::"), Space: v.Space, Status: OK, Line: v.Pos.Line,
		Reason: directive.Unexportable(v), Path: v.Pos.Filename, Source: v,
	}
	if len(v.Errors) > 0 && r.Reason == "" {
		r.Reason = strings.TrimPrefix(v.Errors[0].Msg, v.Name+": ")
	}
	if r.Reason == "" {
		goType, err := layout.GoType(v.Type, types.of)
		if err == nil {
			r.CType, r.GoType = v.Type.String(), goType.String()
			r.Size, r.Align, err = layout.Of(v.Type)
		}
		if err != nil {
			r.Reason = err.Error()
		}
	}
	if r.Reason != "" {
		r.Status = Unsupported
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

func kernel(k *cu.Kernel, types goTypes) Kernel {
	r := Kernel{
		Name: k.Name, Namespace: strings.Join(k.Namespace, "::"), Status: OK,
		Line: k.Pos.Line, Params: []Param{}, Path: k.Pos.Filename, LaunchBounds: k.LaunchBounds, Source: k,
	}
	if k.ExternC && !k.Static && !k.Anonymous {
		r.Symbol = k.Name
	}
	var reasons []string
	for _, e := range k.Errors {
		reasons = append(reasons, strings.TrimPrefix(e.Msg, k.Name+": "))
	}
	switch {
	case k.Template:
		r.Status = Template
		reasons = append(reasons, "its types depend on its arguments: "+directive.Instantiations(k))
	case len(reasons) > 0:
		r.Status = Unsupported
	default:
		if err := r.lay(k, types); err != nil {
			r.Status, r.ParamBytes, r.Params = Unsupported, 0, []Param{}
			reasons = append(reasons, err.Error())
		}
	}
	r.Reason = strings.Join(reasons, "; ")
	return r
}

// lay computes where the parameters of k lie.
func (r *Kernel) lay(k *cu.Kernel, types goTypes) error {
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
		goType, err := layout.GoType(p.Type, types.of)
		if err != nil {
			return fmt.Errorf("parameter %s: %w", cmp.Or(p.Name, fmt.Sprint(i+1)), err)
		}
		r.Params = append(r.Params, Param{
			Name: p.Name, Offset: params[i].Offset, Size: params[i].Size, Align: params[i].Align,
			CType: p.Type.String(), GoType: goType.String(),
		})
	}
	return nil
}

// goTypes says which Go types the types of a file have.
type goTypes struct {
	names  *goname.Types
	mapped map[string]model.GoType // by qualified C++ name: type directives
}

// mappings returns what the type directives of file say. One that is not understood
// counts when Go is generated.
func mappings(file *cu.File) map[string]model.GoType {
	mapped := make(map[string]model.GoType)
	read := func(directives []cu.Directive) {
		for _, d := range directives {
			if cName, goType, problem := directive.Mapping(d); d.Verb == "type" && problem == "" {
				mapped[cName] = goType
			}
		}
	}
	read(file.Directives)
	for _, k := range file.Kernels {
		read(k.Directives)
	}
	for _, v := range file.Variables {
		read(v.Directives)
	}
	return mapped
}

// of returns the Go type that is generated for a struct or enumeration, or stands for it.
func (g goTypes) of(t ctype.Type) model.GoType {
	local := model.GoType{Kind: model.Local}
	switch t := t.(type) {
	case *ctype.Struct:
		if goType, ok := g.mapped[t.String()]; ok {
			return goType
		}
		local.Name, _ = g.names.Name(layout.Identity(t), t.Scope, t.Name+ctype.Arguments(t.Args))
	case *ctype.Enum:
		local.Name, _ = g.names.Name(layout.Identity(t), t.Scope, t.Name)
	}
	return local
}
