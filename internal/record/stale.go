package record

import (
	"slices"
	"strings"
)

// Stale returns the reasons, for people, why output made from this record's inputs
// and options is not what inputs and options give: "kernels.cu changed", "vec.h is
// new", "-arch was compute_75, is compute_80". None means that it is current.
func (r *Record) Stale(inputs []Input, options Options) []string {
	var reasons []string
	was := map[string]string{}
	for _, input := range r.Inputs {
		was[input.Path] = input.SHA256
	}
	for _, input := range inputs {
		hash, known := was[input.Path]
		switch {
		case !known:
			reasons = append(reasons, input.Path+" is new")
		case hash != input.SHA256:
			reasons = append(reasons, input.Path+" changed")
		}
		delete(was, input.Path)
	}
	for path := range was {
		reasons = append(reasons, path+" is no longer an input")
	}
	slices.Sort(reasons)
	if !slices.Equal(r.Options.Arch, options.Arch) {
		reasons = append(reasons, changed("-arch", strings.Join(r.Options.Arch, ","), strings.Join(options.Arch, ",")))
	}
	if !slices.Equal(r.Options.Flags, options.Flags) {
		reasons = append(reasons, changed("compiler flags", strings.Join(r.Options.Flags, " "), strings.Join(options.Flags, " ")))
	}
	if r.Options.PTXVersion != options.PTXVersion {
		reasons = append(reasons, changed("-ptx-version", r.Options.PTXVersion, options.PTXVersion))
	}
	if !slices.Equal(r.Options.Link, options.Link) {
		reasons = append(reasons, changed("-dlink", strings.Join(r.Options.Link, ","), strings.Join(options.Link, ",")))
	}
	return reasons
}

// changed says that an option was one thing and is another.
func changed(option, was, is string) string {
	if was == "" {
		was = "empty"
	}
	if is == "" {
		is = "empty"
	}
	return option + " was " + was + ", is " + is
}
