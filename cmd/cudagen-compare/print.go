package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/cudagen/cudagen/gen/inspect"
)

// printResults prints what is to be looked at, then the counts, and returns the exit code.
func printResults(w io.Writer, results []result) int {
	outcomes := make(map[inspect.Outcome]int)
	statuses := make(map[inspect.Status]int) // in files that do not compile
	reasons := make(map[string]int)
	failed, compiled, described := 0, 0, 0
	var fields inspect.Finding // the sums of what was compared
	for _, r := range results {
		if r.failed != nil {
			failed++
			line, _, _ := strings.Cut(r.failed.Error(), "\n")
			fmt.Fprintf(w, "%s: not understood: %v\n", r.file, line)
		}
		if !r.compiled {
			if r.report != nil {
				for i := range r.report.Kernels {
					k := &r.report.Kernels[i]
					statuses[k.Status]++
					if k.Status == inspect.Unsupported {
						fmt.Fprintf(w, "%s:%d: %s: refused (not compiled): %s\n", k.Path, k.Line, k.Name, k.Reason)
					}
				}
			}
			continue
		}
		compiled++
		if r.described {
			described++
		}
		for _, f := range r.findings {
			outcomes[f.Outcome]++
			fields.Classes, fields.Fields, fields.Unseen = fields.Classes+f.Classes, fields.Fields+f.Fields, fields.Unseen+f.Unseen
			place := r.file
			if f.Path != "" {
				place = fmt.Sprintf("%s:%d", f.Path, f.Line)
			}
			switch f.Outcome {
			case inspect.Wrong, inspect.Missed:
				for line := range strings.SplitSeq(cmp.Or(f.Text, "only the image has it"), "\n") {
					fmt.Fprintf(w, "%s: %s: %s: %s\n", place, f.Kernel, f.Outcome, line)
				}
			case inspect.Refused:
				reasons[f.Kind]++
				fmt.Fprintf(w, "%s: %s: %s: %s\n", place, f.Kernel, f.Outcome, f.Text)
			}
		}
	}
	fmt.Fprintf(w, "%d files, %d compiled, %d not understood\n", len(results), compiled, failed)
	total := 0
	for _, n := range outcomes {
		total += n
	}
	fmt.Fprintf(w, "%d kernels: %d right, %d wrong, %d missed, %d refused, %d templates, %d not in the image\n", total,
		outcomes[inspect.Right], outcomes[inspect.Wrong], outcomes[inspect.Missed], outcomes[inspect.Refused], outcomes[inspect.Skipped], outcomes[inspect.Absent])
	fmt.Fprintf(w, "%d parameters of class type: %d fields compared in %d files; %d more parameters have no debug information, nor has anything in %d files\n",
		fields.Classes, fields.Fields, described, fields.Unseen, compiled-described)
	for _, reason := range slices.SortedFunc(maps.Keys(reasons), func(a, b string) int { return cmp.Or(reasons[b]-reasons[a], cmp.Compare(a, b)) }) {
		fmt.Fprintf(w, "  refused %4d: %s\n", reasons[reason], reason)
	}
	if len(statuses) > 0 {
		fmt.Fprintf(w, "in files that do not compile: %d ok, %d unsupported, %d templates\n",
			statuses[inspect.OK], statuses[inspect.Unsupported], statuses[inspect.Template])
	}
	if outcomes[inspect.Wrong]+outcomes[inspect.Missed] > 0 {
		return exitWrong
	}
	return exitOK
}
