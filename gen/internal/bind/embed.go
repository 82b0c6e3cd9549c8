package bind

import (
	"bytes"
	"errors"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/cudagen/cudagen/gen/model"
	"github.com/cudagen/cudagen/internal/compile"
	"github.com/cudagen/cudagen/internal/diag"
	"github.com/cudagen/cudagen/internal/include"
	"github.com/cudagen/cudagen/internal/record"
	"github.com/cudagen/cudagen/internal/source"
)

// An Embed says what source is embedded in place of images.
type Embed struct {
	Inputs        []record.Input
	Compiler      record.Compiler
	Options       source.Options
	CompilerFlags []string
}

// An embedding finds the files that the generated package has to carry so that the source
// compiles anywhere. Paths are relative to the folder of the Go file, with slashes.
type embedding struct {
	place   *source.Place
	hashes  map[string]string // of the record's inputs
	folders []string          // of headers
	files   []model.EmbeddedFile
	errs    diag.List
}

// embedded returns what the generated package embeds in place of images. A file that cannot be
// embedded is an error here, because it would be one when the program runs on another machine.
func (o *Embed) embedded(place *source.Place) (*model.Embedded, error) {
	e := &embedding{place: place, hashes: make(map[string]string)}
	for _, input := range o.Inputs {
		e.hashes[input.Path] = input.SHA256
	}
	m := &model.Embedded{Main: place.Relative(place.Path), Defines: o.Options.Define, Std: o.Options.Std, Compiler: o.Compiler.String()}
	if m.Std == "" {
		m.Std = source.DefaultStd
	}
	for _, folder := range o.Options.Include {
		if _, inside := place.Inside(folder); !inside {
			return nil, diag.EmbeddedCode.Errorf("%s: -embed source: the folder of -I %s is not in the Go module, so its headers cannot be embedded: %w", place.Path, folder, diag.Do("copy them into it"))
		}
		e.folders = append(e.folders, place.Relative(folder))
		if filepath.IsLocal(e.folders[len(e.folders)-1]) {
			m.IncludeDirs = append(m.IncludeDirs, e.folders[len(e.folders)-1])
		}
	}
	if o.Compiler.Name == "clang" && len(o.CompilerFlags) > 0 {
		return nil, diag.NVRTCLacks.Errorf("%s: -embed source: %s are flags of clang, and NVRTC will compile the source: %w", place.Path, strings.Join(o.CompilerFlags, " "), diag.Do("leave them out, or use another -compiler"))
	}
	var err error
	if m.Flags, err = compile.LoadFlags(o.CompilerFlags); err != nil {
		return nil, diag.EmbeddedCode.Errorf("%s: -embed source: %w", place.Path, err)
	}
	if err := e.add(m.Main); err != nil {
		return nil, err
	}
	m.Files = e.files
	slices.SortFunc(m.Files, func(a, b model.EmbeddedFile) int { return strings.Compare(a.File, b.File) })
	e.errs.Sort()
	return m, e.errs.Err()
}

// add adds a file, and the files that it includes.
func (e *embedding) add(name string) error {
	if slices.ContainsFunc(e.files, func(f model.EmbeddedFile) bool { return f.File == name }) {
		return nil
	}
	path := e.path(name)
	if reason := e.obstacle(name); reason.Text != "" {
		return source.NewError(path, reason.Before("cannot be embedded (-embed source): "))
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return source.Unreadable(path, err)
	}
	if record.HashInput(content) != e.hashes[name] {
		return source.NewError(path, diag.FileChanged.Errorf("changed meanwhile: %w", diag.Do("run cudagen again")))
	}
	e.files = append(e.files, model.EmbeddedFile{File: name, SHA256: e.hashes[name]})
	e.conditions(path, name, content)
	for _, d := range include.Directives(content) {
		if d.Name == "" {
			e.refuse(path, content, d.Start, diag.EmbeddedCode.Errorf("#%s names its file by a macro, so the file to embed is not known: %w", d.Word, diag.Do("write its name")))
			continue
		}
		file := e.find(name, d.Name, d.Angled)
		switch {
		case file == "":
			continue // the toolkit's
		case d.Word != "include":
			e.refuse(path, content, d.Start, diag.EmbeddedCode.Errorf("#%s of an own header cannot be embedded: %w", d.Word, diag.Do("write #include")))
			continue
		}
		if err := e.add(file); err != nil {
			return err
		}
	}
	return nil
}

// hasInclude matches questions for a file.
var hasInclude = regexp.MustCompile(`\b__has_include(?:_next)?\s*\(\s*(["<])([^">\n]+)[">]`)

// conditions refuses questions for own headers: when the source is compiled, they have
// other names.
func (e *embedding) conditions(path, name string, content []byte) {
	for _, m := range hasInclude.FindAllSubmatchIndex(content, -1) {
		if asked := string(content[m[4]:m[5]]); e.find(name, asked, content[m[2]] == '<') != "" {
			e.refuse(path, content, m[0], diag.EmbeddedCode.Errorf("__has_include of the own header %s has no answer in embedded source: %w", asked, diag.Do("include it without asking")))
		}
	}
}

// find returns the input that name in an #include in the file called from means, or "".
func (e *embedding) find(from, name string, angled bool) string {
	folders := e.folders
	if !angled {
		folders = append([]string{path.Dir(from)}, folders...)
	}
	for _, folder := range folders {
		if file := path.Join(folder, name); e.hashes[file] != "" {
			return file
		}
	}
	return ""
}

// path returns the path of a file for messages.
func (e *embedding) path(name string) string {
	return e.place.Resolve(name)
}

// obstacle returns why the go command would not embed a file; it is empty if it would.
func (e *embedding) obstacle(name string) diag.Message {
	if !filepath.IsLocal(filepath.FromSlash(name)) {
		return diag.EmbeddedCode.New("it does not lie in the folder of " + e.place.Go + " or below")
	}
	if reason := source.BadName(name); reason.Text != "" {
		reason.Code = diag.EmbeddedCode
		return reason
	}
	path := e.path(name)
	if source.Module(path) != e.place.Module {
		return diag.EmbeddedCode.New("it lies in another Go module")
	}
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return diag.EmbeddedCode.New("it is a link, and the go command embeds files only")
	}
	return diag.Message{}
}

func (e *embedding) refuse(path string, content []byte, offset int, m diag.Message) {
	line := bytes.Count(content[:offset], []byte("\n")) + 1
	column := offset - bytes.LastIndexByte(content[:offset], '\n')
	e.errs.Add(token.Position{Filename: path, Offset: offset, Line: line, Column: column}, m.Before("-embed source: "))
}

// embed adds the embedded images to the model.
func (b *builder) embed(o *Embed) error {
	if o == nil {
		return nil
	}
	embedded, err := o.embedded(&b.selection.Place)
	var list diag.List
	if errors.As(err, &list) {
		b.errs = append(b.errs, list...)
		return nil
	}
	b.file.Embedded = embedded
	return err
}
