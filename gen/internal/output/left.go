package output

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/build/constraint"
	"go/format"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cudagen/cudagen/internal/diag"
	"github.com/cudagen/cudagen/internal/record"
	"github.com/cudagen/cudagen/internal/source"
)

// A Leftover is a file that an earlier run wrote and that nothing needs.
type Leftover struct {
	Path   string
	Reason string // for people, of the path: "was generated from a .cu file that no longer exists"
	Kept   string // why it is not removed: "it was edited"; empty when it is
}

// String says for people what l is, and what to do about it.
func (l Leftover) String() string { return l.Message().Text }

// Message says what l is, and what to do about it.
func (l Leftover) Message() diag.Message {
	if l.Kept == "" {
		return diag.Stale.New(l.Path + " " + l.Reason + ": generating removes it")
	}
	return diag.Stale.Errorf("%s %s, and is not removed, because %s: %w", l.Path, l.Reason, l.Kept, diag.Do("delete it if you do not need it"))
}

// A Stale is a file that was not made of what there is.
type Stale struct {
	Path   string
	Reason string // "kernels.cu changed"
}

func (s Stale) String() string { return s.Path + " is stale: " + s.Reason }

// left returns what is left over in the folders of products and in the others of common, sorted
// by path: the files of sources that are gone, images that products no longer have, and Go files
// that several sources had in common.
//
// A file is removed only if cudagen wrote it, as its record and its content show, nobody
// changed it since, and no other Go file embeds it.
func left(products []Product, common Common) ([]Leftover, error) {
	var left []Leftover
	for _, path := range common.Obsolete {
		left = append(left, shares(path))
	}
	current := make(map[string]*Product)
	for i := range products {
		current[source.Absolute(products[i].Place.Record)] = &products[i]
	}
	for _, folder := range folders(products, common.Folders...) {
		beside, err := record.Beside(folder)
		if err != nil {
			return nil, err
		}
		r := &remains{folder, beside, current, make(map[string]bool)}
		for i := range products {
			r.made[source.Absolute(products[i].Place.Path)] = true
		}
		if common.Clean {
			left = append(left, r.clean()...)
			continue
		}
		for i := range beside {
			if g := &beside[i]; slices.Contains(common.Replaced, g.Path) {
				left = append(left, r.all(g, fmt.Sprintf("is output of %s for an earlier -o", g.Source))...)
			} else {
				left = append(left, r.of(g)...)
			}
		}
		left = append(left, r.shared()...)
	}
	slices.SortFunc(left, func(x, y Leftover) int { return cmp.Compare(x.Path, y.Path) })
	return left, nil
}

// shared returns the file that sources of the folder shared, when all of them are gone.
func (r *remains) shared() []Leftover {
	path := filepath.Join(r.folder, source.SharedGo)
	there := func(g record.Generated) bool { return !g.Gone() || r.product(&g) != nil }
	content, err := os.ReadFile(path)
	if err != nil || !generated(record.Unix(content)) || len(r.beside) == 0 || slices.ContainsFunc(r.beside, there) {
		return nil
	}
	for name := range r.products {
		if filepath.Dir(name) == source.Absolute(r.folder) {
			return nil // Join knows
		}
	}
	return []Leftover{shares(path)}
}

// shares returns the file at path, which declares what sources no longer share.
func shares(path string) Leftover {
	l := Leftover{Path: path, Reason: sharesNothing}
	if content, err := os.ReadFile(path); err == nil && edited(content, false) {
		l.Kept = wasEdited
	}
	return l
}

// folders returns the folders of products and more, each once.
func folders(products []Product, more ...string) (list []string) {
	for _, p := range products {
		more = append(more, filepath.Dir(p.Place.Record))
	}
	known := make(map[string]bool)
	for _, folder := range more {
		if absolute := source.Absolute(folder); !known[absolute] {
			known[absolute] = true
			list = append(list, folder)
		}
	}
	return list
}

// remains are the output of earlier runs in a folder, and that of this run.
type remains struct {
	folder   string
	beside   []record.Generated
	products map[string]*Product // by the absolute path of the record
	made     map[string]bool     // absolute paths of the sources of this run
}

// product returns the product that g was, or nil.
func (r *remains) product(g *record.Generated) *Product {
	return r.products[source.Absolute(g.Path)]
}

// Why files are left over, or stay.
const (
	sourceGone = "was generated from a .cu file that no longer exists"
	wasEdited  = "it was edited"

	sharesNothing = "declares types for several .cu files, and they share none"
)

// of returns the leftovers of g.
func (r *remains) of(g *record.Generated) []Leftover {
	product := r.product(g)
	if product != nil {
		images := r.images(g, fmt.Sprintf("is an image of %s for an earlier -arch", g.Source), func(path string) bool {
			name := filepath.Base(path)
			return name == filepath.Base(product.Place.PTX) || product.machine() && name == filepath.Base(product.Place.Fatbin)
		})
		goFiles := goFiles(g, fmt.Sprintf("is the Go file of %s for an earlier -o", g.Source), filepath.Base(product.Place.Go))
		images = append(images, r.more(g, fmt.Sprintf("was made for %s by a template that is not given", g.Source), product.More)...)
		return append(images, slices.DeleteFunc(goFiles, func(l Leftover) bool { return product.otherBuild(l.Path) })...)
	}
	if !g.Gone() {
		return nil
	}
	left := r.all(g, sourceGone)
	if heir := r.heir(g); heir != "" {
		for i := range left {
			left[i].Kept = cmp.Or(left[i].Kept, heir+" has its kernels, and no output")
		}
	}
	return left
}

// heir returns the path of a .cu file that nothing generates and that seems to be the source of g, renamed;
// "" for none.
func (r *remains) heir(g *record.Generated) string {
	module, err := record.InModule(r.folder)
	if err != nil {
		return "" // the folder is gone by now
	}
	return module.Heir(g, func(path string) bool { return r.made[path] })
}

// all returns all files of g.
func (r *remains) all(g *record.Generated, reason string) []Leftover {
	left := r.images(g, reason, func(string) bool { return false })
	left = append(left, goFiles(g, reason, "")...)
	left = append(left, r.more(g, reason, nil)...)
	deps := strings.TrimSuffix(g.Path, source.RecordEnd) + source.DepsEnd
	if content, err := os.ReadFile(deps); err == nil {
		targets, _, _ := bytes.Cut(content, []byte(":"))
		if bytes.Contains(targets, []byte(filepath.Base(makeName(g.Path)))) {
			left = append(left, Leftover{Path: deps, Reason: reason})
		}
	}
	for i := range left {
		if l := &left[i]; l.Kept == "" {
			l.Kept = r.claimed(l.Path, g)
		}
	}
	l := Leftover{Path: g.Path, Reason: reason}
	if content, err := os.ReadFile(g.Path); err != nil || !record.Same(content, g.Record.Encode()) {
		l.Kept = wasEdited
	} else if slices.ContainsFunc(left, func(l Leftover) bool { return l.Kept != "" }) {
		l.Kept = "it says what the files are that stay"
	}
	return append(left, l)
}

// claimed returns why the file at path, which g has, belongs to another record as well; "" if it does not.
func (r *remains) claimed(path string, g *record.Generated) string {
	for i := range r.beside {
		other := &r.beside[i]
		if other.Path != g.Path && (r.product(other) != nil || !other.Gone()) && slices.Contains(other.Written(), path) {
			return filepath.Base(other.Path) + " has it, too"
		}
	}
	return ""
}

// more returns the files that emitters wrote for g and that are there, but for the current ones.
func (r *remains) more(g *record.Generated, reason string, current []source.File) (left []Leftover) {
	if p := r.product(g); p != nil && p.Go == nil {
		return nil // it is not known what templates write
	}
	for _, e := range g.Record.Emitters {
		for _, o := range e.Outputs {
			path := filepath.Join(r.folder, o.File)
			content, err := os.ReadFile(path)
			if err != nil || slices.ContainsFunc(current, func(f source.File) bool { return filepath.Base(f.Path) == o.File }) || r.needed(path) {
				continue
			}
			l := Leftover{Path: path, Reason: reason}
			if record.HashInput(content) != o.SHA256 {
				l.Kept = wasEdited
			}
			left = append(left, l)
		}
	}
	return left
}

// needed reports whether the file at path is written for a source of this run.
func (r *remains) needed(path string) bool {
	for _, p := range r.products {
		for _, f := range p.More {
			if source.Absolute(f.Path) == source.Absolute(path) {
				return true
			}
		}
	}
	return false
}

// goFiles returns the Go files of g but for the current one.
func goFiles(g *record.Generated, reason, current string) (left []Leftover) {
	for _, file := range g.Go {
		if filepath.Base(file.Path) == current {
			continue
		}
		l := Leftover{Path: file.Path, Reason: reason}
		if edited(file.Code, slices.ContainsFunc(g.Record.Emitters, func(e record.Emitter) bool { return e.Blocks })) {
			l.Kept = wasEdited
		}
		left = append(left, l)
	}
	return left
}

// otherBuild reports whether the Go file at path has another build constraint than that of p.
func (p *Product) otherBuild(path string) bool {
	content, err := os.ReadFile(path)
	return err != nil || p.Go == nil || buildLine(content) != buildLine(p.Go)
}

// buildLine returns the build constraint of a Go file; empty for none.
func buildLine(code []byte) string {
	for line := range strings.Lines(string(code)) {
		if strings.HasPrefix(line, "package ") {
			break
		}
		if constraint.IsGoBuild(line) {
			return strings.TrimSpace(line)
		}
	}
	return ""
}

// machine reports whether machine code is made.
func (p *Product) machine() bool {
	return slices.ContainsFunc(p.Archs, func(arch string) bool { return !strings.HasPrefix(arch, "compute_") })
}

// images returns the images of g that are there and not current.
func (r *remains) images(g *record.Generated, reason string, current func(path string) bool) (left []Leftover) {
	for _, image := range g.Record.Images {
		path := filepath.Join(r.folder, filepath.FromSlash(image.File))
		content, err := os.ReadFile(path)
		if err != nil || current(path) {
			continue
		}
		l := Leftover{Path: path, Reason: reason}
		if _, same := image.Content(content); !same {
			l.Kept = wasEdited
		} else if user := r.user(image.File, g); user != "" {
			l.Kept = user + " uses it"
		}
		left = append(left, l)
	}
	return left
}

// user returns the name of a file that needs an image of g: a record of another source, or a
// Go file that is not g's; "" for none.
func (r *remains) user(image string, g *record.Generated) string {
	for i := range r.beside {
		other := &r.beside[i]
		if other.Path != g.Path && !other.Gone() && slices.ContainsFunc(other.Record.Images, func(o record.Image) bool { return o.File == image }) {
			return filepath.Base(other.Path)
		}
	}
	files, _ := filepath.Glob(filepath.Join(record.EscapeGlob(r.folder), "*.go"))
	for _, path := range files {
		if slices.ContainsFunc(g.Go, func(f record.GoFile) bool { return f.Path == path }) {
			continue
		}
		content, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(content)) {
			if patterns, ok := strings.CutPrefix(strings.TrimSpace(line), "//go:embed "); ok && matches(patterns, image) {
				return filepath.Base(path)
			}
		}
	}
	return ""
}

// matches reports whether one of the patterns of a go:embed line may mean the file name.
func matches(patterns, name string) bool {
	for _, pattern := range append(strings.Fields(patterns), strings.Trim(strings.TrimSpace(patterns), "\"`")) {
		pattern = strings.TrimPrefix(strings.Trim(pattern, "\"`"), "all:")
		if ok, err := filepath.Match(pattern, name); ok || err != nil || pattern == "." {
			return true
		}
	}
	return strings.ContainsAny(patterns, "\"`") && strings.Contains(patterns, name)
}

// edited reports whether a Go file that begins as cudagen's do was changed since it was written. Of one of an older
// version, which has no sum, it sees code in another form than gofmt's, and functions that cudagen does not write;
// with extra, templates added functions.
func edited(content []byte, extra bool) bool {
	if _, _, changed, ok := record.Sum(content); ok {
		return changed
	}
	content = record.Unix(content)
	formatted, err := format.Source(content)
	if err != nil || !bytes.Equal(formatted, content) {
		return true
	}
	file, err := parser.ParseFile(token.NewFileSet(), "", content, parser.SkipObjectResolution|parser.ParseComments)
	if err != nil {
		return true
	}
	if extra {
		return false
	}
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if ok && f.Recv == nil && f.Name.Name != "_" && !strings.HasPrefix(f.Name.Name, "Load") {
			return true
		}
	}
	return false
}

// remove removes those of left that are not kept, and returns their paths.
func remove(left []Leftover) (removed []string, err error) {
	for _, l := range left {
		if l.Kept != "" {
			continue
		}
		if err := os.Remove(l.Path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return removed, diag.FileAccess.Errorf("%s: cannot be removed: %s", l.Path, source.Describe(err))
		}
		removed = append(removed, l.Path)
	}
	return removed, nil
}
