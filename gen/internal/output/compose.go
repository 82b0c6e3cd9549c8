package output

import (
	"go/format"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cudagen/cudagen/internal/diag"
	"github.com/cudagen/cudagen/internal/record"
	"github.com/cudagen/cudagen/internal/source"
)

// compose returns the shared file with the given declarations.
func (j *joining) compose(shared map[string]section) ([]byte, error) {
	var imports, texts []string
	for _, name := range slices.Sorted(maps.Keys(shared)) {
		s := shared[name]
		imports = append(imports, s.imports...)
		texts = append(texts, s.text)
	}
	slices.SortFunc(imports, byPath)
	imports = slices.Compact(imports)
	known := make(map[string]string)
	for _, spec := range imports {
		name := specName(spec)
		if other, twice := known[name]; twice {
			return nil, source.NewError(filepath.Join(j.folder, source.SharedGo), diag.TypesDiffer.Errorf("the types that its sources share need both %s and %s, and Go knows them by one name: %w", other, spec, diag.Do("generate one of the sources into a package of its own")))
		}
		known[name] = spec
	}
	var b strings.Builder
	b.WriteString(record.Marker)
	if tags := j.tags(shared); tags != "" {
		b.WriteString("\n" + tags + "\n")
	}
	b.WriteString("\n// Types that several .cu files of this package use.\n\npackage " + j.parts[0].syntax.Name.Name + "\n\n")
	b.WriteString(importBlock(imports) + "\n\n")
	b.WriteString(strings.Join(texts, "\n\n") + "\n")
	return format.Source([]byte(b.String()))
}

// tags returns the build constraint of the shared file: that of the parts that need it when
// it is the same for all, otherwise none.
func (j *joining) tags(shared map[string]section) string {
	tags := make(map[string]bool)
	for name := range shared {
		for _, p := range j.claimants(name) {
			text := ""
			if p.tags != nil {
				text = "//go:build " + p.tags.String()
			}
			tags[text] = true
		}
	}
	if len(tags) != 1 {
		return ""
	}
	return slices.Collect(maps.Keys(tags))[0]
}

// byPath orders import specs by their paths.
func byPath(x, y string) int {
	return strings.Compare(x[strings.Index(x, `"`):], y[strings.Index(y, `"`):])
}

// specName returns the name by which a file knows what spec imports.
func specName(spec string) string {
	if name, _, named := strings.Cut(spec, " "); named {
		return name
	}
	path := strings.Trim(spec, `"`)
	return path[strings.LastIndex(path, "/")+1:]
}

// importBlock returns the declaration of imports as package emit writes it: the standard
// library first.
func importBlock(specs []string) string {
	var groups [2][]string
	for _, spec := range specs {
		_, path, _ := strings.Cut(spec, `"`)
		first, _, _ := strings.Cut(path, "/")
		group := 0
		if strings.Contains(first, ".") {
			group = 1
		}
		groups[group] = append(groups[group], spec)
	}
	switch {
	case len(specs) == 0:
		return ""
	case len(specs) == 1:
		return "import " + specs[0]
	}
	return "import (\n" + strings.TrimSpace(strings.Join(groups[0], "\n")+"\n\n"+strings.Join(groups[1], "\n")) + "\n)"
}

// removeDeclaration returns the Go file of the source at path without the declaration of the type name,
// and without the imports that only it needed: what package emit makes when the type is not
// in the model.
func removeDeclaration(path string, code []byte, name string) ([]byte, error) {
	f, err := parse(path, code)
	if err != nil {
		return nil, err
	}
	s := f.sections[name]
	rest := string(code[:s.begin]) + string(code[s.end:])
	f, err = parse(path, []byte(rest))
	if err != nil {
		return nil, err
	}
	used := f.imports(f.syntax.Decls)
	var specs []string
	for _, spec := range f.syntax.Imports {
		if text := importText(spec); importName(spec) == "_" || slices.Contains(used, text) {
			specs = append(specs, text)
		}
	}
	slices.SortFunc(specs, byPath)
	if len(f.syntax.Imports) == len(specs) {
		return format.Source([]byte(rest))
	}
	block := f.syntax.Decls[0]
	rest = rest[:f.offset(block.Pos())] + importBlock(specs) + rest[f.offset(block.End()):]
	return format.Source([]byte(rest))
}
