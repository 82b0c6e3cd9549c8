package doctor

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
	encoder.SetEscapeHTML(false) // T & in a compiler's messages stays readable
	return encoder.Encode(r)
}

// WriteText writes r as text: a table of what was found, then the problems with their
// remedies.
func (r *Report) WriteText(w io.Writer) error {
	var b strings.Builder
	table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, c := range r.Compilers {
		if c.Found == "" {
			fmt.Fprintf(table, "%s\tnot found\n", c.Name)
			continue
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", c.Name, orDash(c.Version), c.makes(), c.Found)
	}
	writeTool(table, "host compiler", r.HostCompiler)
	writeTool(table, "ptxas", r.PTXAS)
	switch d := r.Driver; {
	case !d.Installed:
		fmt.Fprintln(table, "driver\tnot found")
	case d.Error != "":
		fmt.Fprintf(table, "driver\t%s\tdoes not work\n", orDash(d.Version))
	default:
		fmt.Fprintf(table, "driver\t%s\tCUDA %s\n", orDash(d.Version), d.CUDA)
	}
	for _, d := range r.Devices {
		fmt.Fprintf(table, "device %d\t%s\tcompute capability %s\t%.1f GiB, %s\n", d.Ordinal, d.Name, d.ComputeCapability, float64(d.MemoryBytes)/(1<<30), d.UUID)
	}
	if r.Simulator != "" {
		fmt.Fprintf(table, "simulator\t%s\n", r.Simulator)
	}
	table.Flush() // to a strings.Builder, which takes everything
	for _, p := range r.Problems {
		fmt.Fprintf(&b, "\n%s: %s: %s\n", p.Severity, p.Subject, p.Message)
		if p.Remedy != "" {
			fmt.Fprintf(&b, "  to fix it: %s\n", p.Remedy)
		}
	}
	if !r.CanCompile {
		fmt.Fprint(&b, "\nno compiler here can compile a kernel\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// makes describes what a compiler made.
func (c Compiler) makes() string {
	switch {
	case c.MachineCode:
		return "makes PTX and machine code"
	case c.PTX:
		return "makes PTX"
	}
	return "does not work"
}

func writeTool(w io.Writer, name string, tool *Tool) {
	if tool != nil {
		fmt.Fprintf(w, "%s\t%s\t%s\n", name, orDash(tool.Version), tool.Path)
	}
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}
