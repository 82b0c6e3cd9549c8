package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cudagen/cudagen/gen"
	"github.com/cudagen/cudagen/internal/cufiles"
	"github.com/cudagen/cudagen/internal/diag"
	"github.com/cudagen/cudagen/internal/goname"
	"github.com/cudagen/cudagen/internal/source"
)

// A setting is a flag that decides what is generated, with its value. Records have it.
type setting struct{ flag, value string }

// compilerSetting is the flag of settings that are flags of the compiler.
const compilerSetting = "--"

// deciding are the flags that decide what is generated, and their variables. All others, such as -force,
// say how cudagen works.
var deciding = []struct{ flag, env string }{
	{"arch", "CUDAGEN_ARCH"}, {"I", "CUDAGEN_INCLUDE"}, {"D", "CUDAGEN_DEFINE"}, {"std", "CUDAGEN_STD"}, {"all", "CUDAGEN_ALL"},
	{"ptx-version", "CUDAGEN_PTX_VERSION"}, {"dlink", "CUDAGEN_DLINK"}, {"ccbin", "CUDAGEN_CCBIN"}, {"embed", "CUDAGEN_EMBED"},
	{"pkg", "CUDAGEN_PKG"}, {"name", ""}, {"tags", "CUDAGEN_TAGS"}, {"template", "CUDAGEN_TEMPLATE"}, {"o", ""},
}

// given returns the flags that decide something and that the command line or the environment gives.
// variables are those of them that the environment gives.
func given(flags *flag.FlagSet, compiler []string, getenv func(string) string) (given, variables map[string]bool) {
	set := make(map[string]bool)
	flags.Visit(func(f *flag.Flag) { set[f.Name] = true })
	given, variables = make(map[string]bool), make(map[string]bool)
	for _, d := range deciding {
		if set[d.flag] || d.env != "" && getenv(d.env) != "" {
			given["-"+d.flag], variables["-"+d.flag] = true, !set[d.flag]
		}
	}
	if len(compiler) > 0 || given["-ccbin"] {
		given[compilerSetting] = true
	}
	delete(given, "-ccbin")
	return given, variables
}

// settings returns what decides the output by o, but for the package, which may be that of the Go files
// beside it.
func settings(o *gen.Options, templates []string) (list []setting) {
	add := func(flag string, values ...string) {
		for _, value := range values {
			list = append(list, setting{flag, value})
		}
	}
	some := func(flag, value, otherwise string) {
		if value != "" && value != otherwise {
			add(flag, value)
		}
	}
	add("-arch", strings.Join(o.Archs, ","))
	for _, folder := range o.Include {
		add("-I", filepath.Clean(folder))
	}
	add("-D", o.Define...)
	some("-std", o.Std, gen.DefaultStd)
	if o.All {
		add("-all", "")
	}
	some("-ptx-version", o.PTXVersion, gen.MinPTXVersion)
	for _, path := range o.Link {
		if source.Absolute(path) != source.Absolute(o.Sources[0]) {
			add("-dlink", filepath.Clean(path))
		}
	}
	some("-embed", o.Embed, gen.EmbedImage)
	some("-name", o.Name, "")
	some("-tags", o.Tags, "")
	add("-template", templates...)
	if o.Output != "" {
		add("-o", filepath.Clean(o.Output))
	}
	add(compilerSetting, o.CompilerFlags...)
	return list
}

// of returns the values of a flag as one text; paths are absolute.
func of(list []setting, flag string) string {
	var values []string
	for _, s := range list {
		if s.flag != flag {
			continue
		}
		value := s.value
		if slices.Contains([]string{"-I", "-dlink", "-o", "-template"}, flag) && !strings.HasPrefix(value, source.BuiltinTemplate) {
			value = source.Absolute(value)
		}
		values = append(values, quoted([]string{value}))
	}
	return strings.Join(values, " ")
}

// differing returns the flags whose values are not the same in two lists, each once.
func differing(was, is []setting) (flags []string) {
	for _, s := range slices.Concat(was, is) {
		if !slices.Contains(flags, s.flag) && of(was, s.flag) != of(is, s.flag) {
			flags = append(flags, s.flag)
		}
	}
	return flags
}

// only returns the settings of some flags.
func only(list []setting, flags ...string) []setting {
	return slices.DeleteFunc(slices.Clone(list), func(s setting) bool { return !slices.Contains(flags, s.flag) })
}

// without returns the settings but those of some flags.
func without(list []setting, flags ...string) []setting {
	return slices.DeleteFunc(slices.Clone(list), func(s setting) bool { return slices.Contains(flags, s.flag) })
}

// lineOf returns settings as a command line has them, around what it generates.
func lineOf(list []setting, paths ...string) string {
	var words, compiler []string
	for _, s := range list {
		switch {
		case s.flag == compilerSetting:
			compiler = append(compiler, s.value)
		case s.value == "":
			words = append(words, s.flag)
		default:
			words = append(words, s.flag, s.value)
		}
	}
	words = append(words, paths...)
	if compiler != nil {
		words = append(append(words, compilerSetting), compiler...)
	}
	return quoted(words)
}

// A planner finds out with which flags each file is generated.
//
// For a file that the command line names, the command line says everything. Where it says something
// else than the record, the record is changed, and a note says so; but a command line without any flag
// that decides what is compiled is an error then, because it would drop those of the record. For what a folder
// means, the record says everything, and a command line that contradicts it is an error. The line of a
// directive go:generate is in a file that is edited on purpose: it is never such an error, and its flags
// count for folders, too.
type planner struct {
	*options
	pkg   string // of the file with the go:generate line
	reads bool   // the command writes nothing

	plan    []gen.Options
	keys    []string // of plan: the settings
	notes   []string // what is said when it is done
	renamed []string // absolute paths of the records that sources had by other names
	kept    [][]setting
	keptFor map[string][]string // by the command line of kept: paths
	errs    diag.List

	goPackages source.GoPackages
}

// setPlan sets o.plan and o.notes for the files that the command line means. A command that only reads
// drops nothing of a record: without flags it takes those of the record. An error is an inputError.
func (o *options) setPlan(getenv func(string) string, reads bool) error {
	p := &planner{options: o, reads: reads, pkg: strings.TrimSuffix(getenv("GOPACKAGE"), "_test"), keptFor: make(map[string][]string)}
	files := o.files
	if o.packages && (o.Output != "" || o.Package != "") {
		return fmt.Errorf("-packages makes a package for each file, in a folder named after it: %w", diag.Do("leave out -o and -pkg"))
	}
	if len(files) != 1 && (o.Output != "" || o.Name != "") {
		o.plan = []gen.Options{o.Options} // package gen says that this cannot be
		return nil
	}
	for _, f := range files {
		var err error
		switch {
		case f.Named:
			err = p.named(f)
		case f.Record != "":
			err = p.recorded(f)
		default:
			p.add(p.with(f.Path), o.templates)
		}
		if err != nil {
			return &inputError{err}
		}
	}
	if len(p.errs) > 0 {
		return &inputError{p.errs}
	}
	for _, list := range p.kept {
		p.notes = append(p.notes, fmt.Sprintf("as recorded, with %s: %s", lineOf(list), few(p.keptFor[lineOf(list)])))
	}
	o.plan, o.notes, o.renamed = p.plan, p.notes, p.renamed
	if len(o.plan) > 0 {
		o.plan[0].Folders = o.Folders
	}
	return nil
}

// lost returns, by the paths of the records whose sources are gone and that may be removed, with which flags
// these were generated, where they are not the defaults. What another file takes over is not lost.
func (o *options) lost() map[string]string {
	p := &planner{options: o}
	lost := make(map[string]string)
	folders := slices.Clone(o.Folders)
	for _, some := range o.plan {
		if places, err := source.Places(some.Sources, some.Output); err == nil {
			for _, place := range places {
				folders = append(folders, filepath.Dir(place.Record))
			}
		}
	}
	slices.Sort(folders)
	for _, folder := range slices.Compact(folders) {
		entries, _ := os.ReadDir(folder) // what cannot be read, generating reports
		for _, entry := range entries {
			path := filepath.Join(folder, entry.Name())
			stem, record := strings.CutSuffix(path, source.RecordEnd)
			if !record || source.Exists(stem+".cu") || slices.Contains(o.renamed, source.Absolute(path)) {
				continue
			}
			old, _, was, err := p.record(path)
			if err != nil || source.Exists(old.Sources[0]) {
				continue
			}
			defaults := gen.Options{Sources: old.Sources, Archs: []string{defaultArch}}
			if list := without(was, "-o"); len(differing(list, settings(&defaults, nil))) > 0 {
				lost[path] = fmt.Sprintf(" of %s, which is gone: it was generated with %s", old.Sources[0], lineOf(list))
			}
		}
	}
	return lost
}

// few returns some of the names in a list, and how many others there are.
func few(list []string) string {
	const most = 5
	if len(list) <= most {
		return strings.Join(list, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(list[:most-1], ", "), len(list)-most+1)
}

// with returns the options that the command line gives for the source at path.
func (p *planner) with(path string) gen.Options {
	o := *p.options
	o.Sources = []string{path}
	if o.packages {
		folder, base := filepath.Split(path)
		stem := strings.TrimSuffix(base, filepath.Ext(base))
		o.Package = goname.Package(stem)
		o.Output = filepath.Join(folder, o.Package, stem+"_cuda.go")
		return o.Options
	}
	if filepath.Dir(path) == "." && o.Output == "" {
		o.DefaultPackage = p.pkg // go generate names the package of its folder
	}
	return o.Options
}

// add adds a source to the plan: to the one with the same options, if there is one.
func (p *planner) add(o gen.Options, templates []string) {
	key := fmt.Sprintf("%q %q %q", settings(&o, templates), o.Package, o.DefaultPackage)
	if i := slices.Index(p.keys, key); i >= 0 {
		p.plan[i].Sources = append(p.plan[i].Sources, o.Sources...)
		return
	}
	p.plan, p.keys = append(p.plan, o), append(p.keys, key)
}

// refuse adds an error about a source.
func (p *planner) refuse(path, format string, args ...any) {
	p.errs.Add(token.Position{Filename: path}, diag.RecordedFlags.Errorf(format, args...))
}

// plain reports whether the command line has no flag that decides more than the place and the names of
// the output, and is not a go:generate line.
func (p *planner) plain() bool {
	for flag := range p.given {
		if flag != "-o" && flag != "-pkg" && flag != "-name" {
			return false
		}
	}
	return !p.generate
}

// record returns the options of the record at path, and its settings. The record is perhaps damaged: then
// package gen says so, or -force makes it anew.
func (p *planner) record(path string) (o gen.Options, templates []string, list []setting, err error) {
	o, emitters, err := p.Recorded(path)
	if err != nil {
		return o, nil, nil, err
	}
	r, err := gen.ReadRecord(path)
	if err != nil {
		return o, nil, nil, err
	}
	for _, name := range emitters {
		if slices.Contains(r.Programs(), name) {
			continue // flags do not name it
		}
		if local := filepath.FromSlash(name); !strings.HasPrefix(name, source.BuiltinTemplate) && !filepath.IsAbs(local) {
			name = filepath.Join(filepath.Dir(path), local)
		}
		templates = append(templates, name)
	}
	return o, templates, settings(&o, templates), nil
}

// named plans a file that the command line names.
func (p *planner) named(f cufiles.File) error {
	o := p.with(f.Path)
	drop := false
	defer func() {
		if !drop {
			p.add(o, p.templates)
		}
	}()
	places, err := source.Places(o.Sources, o.Output)
	if err != nil {
		return nil // package gen says that
	}
	is := settings(&o, p.templates)
	old, _, was, err := p.record(places[0].Record)
	if errors.Is(err, fs.ErrNotExist) {
		return p.elsewhere(&places[0], is, &o)
	}
	if err != nil || source.Absolute(old.Sources[0]) != source.Absolute(f.Path) {
		return nil
	}
	if p.reads && p.plain() {
		o = p.read(old, o)
		return nil
	}
	if r, err := gen.ReadRecord(places[0].Record); err == nil && r.Programs() != nil {
		switch {
		case p.plain() && p.check:
			p.made(f.Path, places[0].Record, r)
			drop = true
			return nil
		case p.plain():
			p.refuse(f.Path, "a Go program generated it, with its emitter %s: %w", few(r.Programs()), diag.Do("run that program again, or drop what the emitter writes by %s", p.call(is, f.Path)))
			return nil
		}
		p.notes = append(p.notes, fmt.Sprintf("%s: what a Go program wrote of it, with its emitter %s, is dropped", f.Path, few(r.Programs())))
	}
	was, is = without(was, "-o"), without(is, "-o")
	flags := differing(was, is)
	if pkg := packageOf(places[0].Go, old.Package); p.given["-pkg"] {
		if pkg != "" && pkg != o.Package {
			was, is, flags = append(was, setting{"-pkg", pkg}), append(is, setting{"-pkg", o.Package}), append(flags, "-pkg")
		}
	} else if others := cmp.Or(p.pkg, p.goPackages.Beside(places[0].Go)); old.Package != "" && others != "" && others != old.Package {
		was, flags = append(was, setting{"-pkg", pkg}), append(flags, "-pkg")
	} else {
		o.DefaultPackage = cmp.Or(old.Package, o.DefaultPackage)
	}
	p.changed(f.Path, o.Output, was, is, flags)
	return nil
}

// changed says that flags of the source at path are not those that its output has, or refuses it.
func (p *planner) changed(path, output string, was, is []setting, flags []string) {
	if len(flags) == 0 {
		return
	}
	var place []setting
	if output != "" {
		place = []setting{{"-o", output}}
	}
	if p.plain() && slices.ContainsFunc(flags, func(flag string) bool { return !p.given[flag] }) {
		p.refuse(path, "it was generated with %s, and the command line does not say so: %w", lineOf(was), diag.Do("keep them by %s, or drop them by %s", p.call(append(was, place...), path), p.call(append(is, place...), path)))
		return
	}
	var changes []string
	for _, flag := range flags {
		switch before, now := lineOf(only(was, flag)), lineOf(only(is, flag)); {
		case now == "":
			changes = append(changes, before+" is dropped")
			p.drops = true
		case before == "":
			changes = append(changes, now+" is new")
		default:
			changes = append(changes, now+" replaces "+before)
		}
	}
	p.notes = append(p.notes, fmt.Sprintf("%s: %s (before: %s)", path, strings.Join(changes, "; "), ownCommand()+" "+lineOf(append(was, place...), path)))
}

// call returns the command line that generates the source at path with some settings.
func (p *planner) call(list []setting, path string) diag.Call {
	return diag.Call(lineOf(list, path))
}

// read returns the options of a record for a command that only reads, with the names that is gives.
func (p *planner) read(was, is gen.Options) gen.Options {
	was.Sources, was.Output, was.DefaultPackage = is.Sources, cmp.Or(is.Output, was.Output), is.DefaultPackage
	was.Package, was.Name = cmp.Or(is.Package, was.Package), cmp.Or(is.Name, was.Name)
	return was
}

// elsewhere looks at the output that a source has at other places, where place has none yet, or that it had
// by another name. The command line gives the settings is and the options o.
func (p *planner) elsewhere(place *source.Place, is []setting, o *gen.Options) error {
	records, renamed, err := cufiles.Records(place.Path)
	if err != nil {
		return err
	}
	for _, path := range records {
		old, _, was, err := p.record(path)
		if err != nil {
			continue
		}
		if p.reads {
			if p.plain() {
				*o = p.read(old, *o)
			}
			return nil
		}
		beside := source.Absolute(filepath.Dir(path)) == place.Folder()
		if renamed {
			p.renamed = append(p.renamed, source.Absolute(path))
			p.Folders = append(p.Folders, filepath.Dir(path)) // its output there is left over
			if !p.given["-pkg"] {
				o.DefaultPackage = cmp.Or(old.Package, o.DefaultPackage)
			}
		}
		switch {
		case p.plain() && !p.given["-o"] && old.Output != "":
			p.refuse(place.Path, "its output is that of %s, and the command line has no -o: %w", path, diag.Do("generate it again by %s, or write %s by %s", p.call(was, place.Path), filepath.Base(place.Go), p.call(append(without(is, "-o"), setting{"-o", place.Go}), place.Path)))
			return nil
		case beside || renamed:
			was, is := without(was, "-o"), without(is, "-o")
			p.changed(place.Path, o.Output, was, is, differing(was, is))
		default:
			p.notes = append(p.notes, fmt.Sprintf("%s: %s has output of it, too: if nothing needs that, delete it and the files that it names", place.Path, path))
		}
	}
	return nil
}

// recorded plans a source by its record.
func (p *planner) recorded(f cufiles.File) error {
	o, templates, was, err := p.record(f.Record)
	if err != nil {
		return err
	}
	o.Sources = []string{f.Path}
	for i, path := range o.Link {
		if f.Was != "" && source.Absolute(path) == source.Absolute(f.Was) {
			o.Link[i] = f.Path
		}
	}
	command := p.with(f.Path)
	is := settings(&command, p.templates)
	if len(p.given) > 0 && p.generate {
		command.Output, command.Name, command.Package = o.Output, o.Name, cmp.Or(command.Package, o.Package)
		was, is = without(was, "-o", "-name"), without(is, "-o", "-name")
		p.changed(f.Path, o.Output, was, is, differing(was, is))
		p.add(command, p.templates)
		return nil
	}
	flags := slices.DeleteFunc(differing(was, is), func(flag string) bool { return !p.given[flag] })
	if pkg := packageOf(cmp.Or(o.Output, source.GoOf(f.Record, "")), o.Package); p.given["-pkg"] && pkg != "" && pkg != p.Package {
		was, is, flags = append(was, setting{"-pkg", pkg}), append(is, setting{"-pkg", p.Package}), append(flags, "-pkg")
	}
	if len(flags) > 0 {
		mine, theirs := only(is, flags...), only(was, flags...)
		p.refuse(f.Path, "%s has %s, and %s has %s: %w", p.giver(flags), lineOf(mine), f.Record, cmp.Or(lineOf(theirs), "nothing of it"), diag.Do("leave it out to keep that, or change the record by %s", p.call(append(without(was, flags...), mine...), f.Path)))
		return nil
	}
	if r, err := gen.ReadRecord(f.Record); err == nil && r.Programs() != nil && !p.reads {
		p.made(f.Path, f.Record, r)
		return nil
	}
	if o.Emitters, err = emitters(templates); err != nil {
		p.refuse(f.Path, "%s has an emitter that is not there: %v: %w", f.Record, err, diag.Do("restore it, or name %s with the flags to generate it with", f.Path))
		return nil
	}
	if f.Was != "" {
		if p.packages {
			o.Output, o.Package = command.Output, command.Package // named after the new name
			was = settings(&o, templates)
		}
		p.renamed = append(p.renamed, source.Absolute(f.Record))
		p.notes = append(p.notes, fmt.Sprintf("%s: generated with the flags recorded for %s, which is gone: %s", f.Path, f.Was, lineOf(was)))
	} else if list := without(was, "-o", "-name"); len(differing(list, without(is, "-o", "-name"))) > 0 {
		key := lineOf(list)
		if p.keptFor[key] == nil {
			p.kept = append(p.kept, list)
		}
		p.keptFor[key] = append(p.keptFor[key], f.Path)
	}
	p.add(o, templates)
	return nil
}

// made looks at the output of the source at path that a Go program generates, as the record r at recordPath has it: it stays as it
// is, and has to be current.
func (p *planner) made(path, recordPath string, r *gen.Record) {
	names := few(r.Programs())
	if differences := r.Differences(recordPath); len(differences) > 0 {
		p.refuse(path, "%s: %w", strings.Join(differences, ", "), diag.Do("run the Go program again that generates it, with its emitter %s", names))
		return
	}
	p.notes = append(p.notes, fmt.Sprintf("%s: a Go program generates it, with its emitter %s, and what it wrote is current", path, names))
}

// giver returns what gives flags: their variables, or the command line.
func (p *planner) giver(flags []string) string {
	var names []string
	for _, d := range deciding {
		if slices.Contains(flags, "-"+d.flag) && p.variables["-"+d.flag] {
			names = append(names, d.env)
		}
	}
	if len(names) < len(flags) {
		return "the command line"
	}
	return strings.Join(names, " with ")
}

// packageOf returns the package that a record has, or that of the Go file at path; "" if it is not known.
func packageOf(path, recorded string) string {
	if recorded != "" {
		return recorded
	}
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.PackageClauseOnly)
	if err != nil {
		return ""
	}
	return file.Name.Name
}
