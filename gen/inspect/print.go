package inspect

import (
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

// WriteTable writes r for people: each kernel with its place, its parameters below, then
// the variables.
func (r *Report) WriteTable(w io.Writer) error {
	var b strings.Builder
	for i := range r.Kernels {
		if i > 0 {
			b.WriteByte('\n')
		}
		r.Kernels[i].writeTable(&b)
	}
	if len(r.Kernels) == 0 {
		fmt.Fprintf(&b, "%s: no kernel (a __global__ function) is defined in this file\n", r.File)
	}
	for i := range r.Variables {
		if i == 0 {
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
		fmt.Fprintf(b, ", %d bytes, aligned to %d, %s, %s\n", v.Size, v.Align, v.CType, v.GoType)
	} else {
		fmt.Fprintf(b, "\n  %s\n", v.Reason)
	}
}

func (k *Kernel) writeTable(b *strings.Builder) {
	name := k.Name
	if k.Namespace != "" {
		name = k.Namespace + "::" + name
	}
	fmt.Fprintf(b, "%s:%d: %s: %s", k.Path, k.Line, name, k.Status)
	if k.Status == OK {
		fmt.Fprintf(b, ", %d bytes", k.ParamBytes)
	}
	if len(k.LaunchBounds) > 0 {
		fmt.Fprintf(b, ", launch bounds %s", strings.Trim(strings.Join(strings.Fields(fmt.Sprint(k.LaunchBounds)), ", "), "[]"))
	}
	b.WriteByte('\n')
	if k.Reason != "" {
		for reason := range strings.SplitSeq(k.Reason, "; ") {
			fmt.Fprintf(b, "  %s\n", reason)
		}
	}
	for _, w := range k.Source.Warnings {
		fmt.Fprintf(b, "  warning: %s\n", strings.TrimPrefix(w.Msg, k.Name+": "))
	}
	if len(k.Params) == 0 {
		return
	}
	table := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "  offset\tsize\talign\tname\tC type\tGo type")
	for _, p := range k.Params {
		name := p.Name
		if name == "" {
			name = "-"
		}
		fmt.Fprintf(table, "  %d\t%d\t%d\t%s\t%s\t%s\n", p.Offset, p.Size, p.Align, name, p.CType, p.GoType)
	}
	table.Flush() // to a strings.Builder, which takes everything
}
