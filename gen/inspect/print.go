package inspect

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// WriteJSON writes r as one line of JSON.
func (r *Report) WriteJSON(w io.Writer) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false) // vec<float> and T & stay readable
	return encoder.Encode(r)
}

// A Table configures WriteTable.
type Table struct {
	Fields bool // a row for each field of a parameter of class type, too
}

// WriteTable writes r as text: each kernel with its position and its parameters, then the
// variables.
func (r *Report) WriteTable(w io.Writer, t Table) error {
	var b strings.Builder
	for i := range r.Kernels {
		if i > 0 {
			b.WriteByte('\n')
		}
		r.Kernels[i].writeTable(&b, t)
	}
	for i := range r.Variables {
		if i == 0 && len(r.Kernels) > 0 {
			b.WriteByte('\n')
		}
		r.Variables[i].writeLine(&b)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (v *Variable) writeLine(b *strings.Builder) {
	fmt.Fprintf(b, "%s:%d: %s %s: %s", v.Path, v.Line, v.Space, v.Source.QualifiedName(), v.Status)
	if v.Status == OK {
		fmt.Fprintf(b, ", %d bytes, aligned to %d, %s, %s, in Go %s\n", v.Size, v.Align, v.CType, v.GoType, v.GoName)
	} else {
		fmt.Fprintf(b, "\n  %s\n", v.Reason)
	}
}

func (k *Kernel) writeTable(b *strings.Builder, t Table) {
	fmt.Fprintf(b, "%s:%d: %s: %s", k.Path, k.Line, k.Qualified, k.Status)
	if k.Status == OK {
		fmt.Fprintf(b, ", %d bytes", k.ParamBytes)
	}
	if len(k.LaunchBounds) > 0 {
		fmt.Fprintf(b, ", launch bounds %s", strings.Trim(strings.Join(strings.Fields(fmt.Sprint(k.LaunchBounds)), ", "), "[]"))
	}
	switch {
	case k.GoName != "":
		fmt.Fprintf(b, ", in Go %s", k.GoName)
	case !k.Generated && !k.Included && k.Status == OK:
		b.WriteString(", not generated")
	}
	b.WriteByte('\n')
	if k.Reason != "" {
		for reason := range strings.SplitSeq(k.Reason, "; ") {
			fmt.Fprintf(b, "  %s\n", reason)
		}
	}
	if k.Unclear {
		b.WriteString("  generating asks a CUDA compiler about its types\n")
	}
	for _, w := range k.Source.Warnings {
		fmt.Fprintf(b, "  warning: %s\n", w.Reason())
	}
	if len(k.Params) == 0 {
		return
	}
	table := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "  offset\tsize\talign\tname\tC type\tGo type")
	for _, p := range k.Params {
		fmt.Fprintf(table, "  %d\t%d\t%d\t%s\t%s\t%s\n", p.Offset, p.Size, p.Align, cmp.Or(p.Name, "-"), p.CType, p.GoType)
		if t.Fields {
			p.writeFields(table)
		}
	}
	table.Flush() // to a strings.Builder, which takes everything
}

// writeFields writes a row for each field: its place in the parameter, its size, its name and
// type, and the class that declares it.
func (p *Param) writeFields(table io.Writer) {
	for i := range p.Fields {
		f := &p.Fields[i]
		fmt.Fprintf(table, "    +%s\t%s\t\t  .%s\t%s\tin %s\n", f.place(), f.extent(), f.Name, f.CType, f.Class)
	}
}
