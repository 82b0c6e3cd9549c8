package inspect

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/cudagen/cudagen/internal/record"
)

// WriteRecord writes a record as text: what was compiled, by which compiler, and which
// witnesses proved the offset of each parameter and field, and the size of each variable.
func WriteRecord(w io.Writer, r *record.Record) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: compiled by %s\n", r.Source, r.Compiler)
	for _, image := range r.Images {
		fmt.Fprintf(&b, "  %s: ", image.File)
		switch {
		case image.Targets != nil:
			fmt.Fprintf(&b, "machine code for %s\n", strings.Join(image.Targets, ", "))
		case image.CompiledVersion == "":
			fmt.Fprintf(&b, "PTX %s for %s and newer\n", image.Version, image.Target)
		default:
			checked := ""
			if image.Checked {
				checked = "; ptxas took it"
			}
			fmt.Fprintf(&b, "PTX %s for %s and newer (the compiler wrote %s%s)\n", image.Version, image.Target, image.CompiledVersion, checked)
		}
	}
	for _, k := range r.Kernels {
		fmt.Fprintf(&b, "\n%s: %d bytes, symbol %s\n", k.Name, k.Bytes, k.Symbol)
		table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
		if len(k.Params) > 0 {
			fmt.Fprintln(table, "  offset\tsize\talign\tname\tC type\tproved by")
		}
		for _, p := range k.Params {
			fmt.Fprintf(table, "  %d\t%d\t%d\t%s\t%s\t%s\n", p.Offset, p.Size, p.Align, cmp.Or(p.Name, "-"), p.Type, strings.Join(p.Witnesses, ", "))
		}
		table.Flush() // to a strings.Builder, which takes everything
	}
	for i, v := range r.Variables {
		if i == 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "%s %s: %d bytes, aligned to %d, symbol %s, %s, proved by %s\n", v.Space, v.Name, v.Size, v.Align, v.Symbol, v.Type, strings.Join(v.Witnesses, ", "))
	}
	for _, s := range r.Structs {
		fmt.Fprintf(&b, "\nstruct %s: %d bytes, aligned to %d\n", cmp.Or(s.Name, "without a name"), s.Size, s.Align)
		table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
		for _, f := range s.Fields {
			fmt.Fprintf(table, "  %d\t%d\t%s\t%s\t%s\n", f.Offset, f.Size, cmp.Or(f.Name, "-"), f.Type, strings.Join(f.Witnesses, ", "))
		}
		table.Flush()
	}
	for _, k := range r.Refused {
		fmt.Fprintf(&b, "\nleft out: %s\n", k.Reason)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
