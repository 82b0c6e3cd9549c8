package gen

import (
	"path/filepath"

	"github.com/cudagen/cudagen/internal/record"
	"github.com/cudagen/cudagen/internal/source"
)

// Recorded returns o with what decides the output in place of its own, as the record at path has it:
// the source, the targets, the flags, the place and the names. Its paths are relative to the working
// folder if path is. It keeps o.Emitters: emitters are the names of those that ran, as the record
// has them.
//
// Errors are those of ReadRecord.
func (o Options) Recorded(path string) (recorded Options, emitters []string, err error) {
	r, err := record.Read(path)
	if err != nil {
		return o, nil, err
	}
	folder := filepath.Dir(path)
	resolve := func(name string) string {
		if name = filepath.FromSlash(name); filepath.IsAbs(name) {
			return name
		}
		return filepath.Join(folder, name)
	}
	o.Sources = []string{resolve(r.Source)}
	o.Archs, o.Link = r.Options.Arch, nil
	for _, name := range r.Options.Link {
		o.Link = append(o.Link, resolve(name))
	}
	o.SourceOptions, o.CompilerFlags = source.SplitFlags(r.Options.Flags)
	for i, name := range o.Include {
		o.Include[i] = resolve(name)
	}
	o.PTXVersion = r.Options.PTXVersion
	o.Package = r.Options.Package
	o.Name, o.Tags, o.Embed = r.Options.Name, r.Options.Tags, r.Options.Embed
	o.Output = source.GoOf(path, r.Options.Go)
	if place, err := source.Places(o.Sources, ""); err == nil && source.Absolute(place[0].Go) == source.Absolute(o.Output) {
		o.Output = ""
	}
	for _, e := range r.Emitters {
		emitters = append(emitters, e.Name)
	}
	return o, emitters, nil
}

// recordOutput records the options that decide nothing that is compiled.
func (u *unit) recordOutput() {
	o := &u.record.Options
	o.Name, o.Tags, o.Embed = u.options.Name, u.options.Tags, ""
	if u.bound.DefaultName {
		o.Name = ""
	}
	if u.options.Embed == EmbedSource {
		o.Embed = EmbedSource
	}
	o.Go = u.place.GoName()
	o.Package = u.options.Package
	if committed, err := record.Read(u.place.Record); err == nil {
		o.Package = committed.Options.KeptPackage(o.Package, u.bound.Model.Package, u.bound.FolderPackage)
	}
}
