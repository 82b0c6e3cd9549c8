package record

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cudagen/cudagen/internal/fresh"
	"github.com/cudagen/cudagen/internal/source"
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

// Differences returns the reasons, for people, why the files beside r, which is at path, and those that they were made of, are
// not what it says. What other options or another version of cudagen would write, it does not see.
func (r *Record) Differences(path string) (reasons []string) {
	if inputs, err := fresh.Read(path); err != nil {
		reasons = append(reasons, err.Error())
	} else {
		reasons = inputs.Changed()
	}
	file := func(name string, same func(content []byte) bool) {
		content, err := os.ReadFile(filepath.Join(filepath.Dir(path), filepath.FromSlash(name)))
		if err != nil {
			reasons = append(reasons, name+" is missing")
		} else if !same(content) {
			reasons = append(reasons, name+" was edited")
		}
	}
	for _, image := range r.Images {
		file(image.File, func(content []byte) bool { _, same := image.Content(content); return same })
	}
	for _, e := range r.Emitters {
		for _, o := range e.Outputs {
			file(o.File, func(content []byte) bool { return HashInput(content) == o.SHA256 })
		}
	}
	file(filepath.Base(source.GoOf(path, r.Options.Go)), func(content []byte) bool { _, _, edited, _ := Sum(content); return !edited })
	return reasons
}
