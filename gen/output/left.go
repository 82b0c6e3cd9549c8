package output

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cudagen/cudagen/gen/record"
	"github.com/cudagen/cudagen/gen/source"
)

// A Leftover is a file that an earlier run wrote and that nothing needs any more.
type Leftover struct {
	Path   string
	Reason string // for people, of the path: "was generated from a .cu file that no longer exists"
	Kept   string // why it is not removed: "it was edited"; empty when it is
}

// Left returns what is left over in the folders of places, sorted by path: the files of
// sources that are gone, and machine code of an earlier -arch. images are the paths of the
// images of the places' sources.
//
// A file is removed only if cudagen wrote it, as its record and its content show, nobody
// changed it since, and no other Go file embeds it.
func Left(places []source.Place, images []string) ([]Leftover, error) {
	var left []Leftover
	for _, folder := range folders(places) {
		all, err := Beside(folder)
		if err != nil {
			return nil, err
		}
		for i := range all {
			left = append(left, all[i].left(all, places, images)...)
		}
	}
	slices.SortFunc(left, func(x, y Leftover) int { return cmp.Compare(x.Path, y.Path) })
	return left, nil
}

const sourceGone = "was generated from a .cu file that no longer exists"

// left returns what is left of g, one of all in its folder.
func (g *Generated) left(all []Generated, places []source.Place, images []string) (left []Leftover) {
	folder := filepath.Dir(g.Path)
	gone := g.Gone()
	own := slices.ContainsFunc(places, func(p source.Place) bool { return filepath.Clean(p.Record) == filepath.Clean(g.Path) })
	for _, image := range g.Record.Images {
		path := filepath.Join(folder, filepath.FromSlash(image.File))
		reason := sourceGone
		if !gone {
			reason = fmt.Sprintf("is an image of %s for an earlier -arch", g.Source)
		}
		content, err := os.ReadFile(path)
		if err != nil || !gone && (!own || slices.Contains(images, path)) {
			continue
		}
		l := Leftover{Path: path, Reason: reason}
		if user := embeds(folder, image.File, g, all); user != "" {
			l.Kept = user + " uses it"
		} else if record.HashImage(content) != image.SHA256 {
			l.Kept = "it was edited"
		}
		left = append(left, l)
	}
	if !gone || own {
		return left
	}
	for _, path := range g.Go {
		l := Leftover{Path: path, Reason: sourceGone}
		if content, err := os.ReadFile(path); err != nil || edited(content) {
			l.Kept = "it was edited"
		}
		left = append(left, l)
	}
	l := Leftover{Path: g.Path, Reason: sourceGone}
	if content, err := os.ReadFile(g.Path); err != nil || !bytes.Equal(content, g.Record.Encode()) {
		l.Kept = "it was edited"
	}
	left = append(left, l)
	deps := strings.TrimSuffix(g.Path, recordEnd) + depsEnd
	if content, err := os.ReadFile(deps); err == nil {
		targets, _, _ := bytes.Cut(content, []byte(":"))
		if bytes.Contains(targets, []byte(filepath.Base(makeName(g.Path)))) {
			left = append(left, Leftover{Path: deps, Reason: sourceGone})
		}
	}
	if slices.ContainsFunc(left, func(l Leftover) bool { return l.Kept != "" }) {
		// The record says what the others are: it stays as long as they do.
		for i := range left {
			if left[i].Path == g.Path && left[i].Kept == "" {
				left[i].Kept = "it describes the files that stay"
			}
		}
	}
	return left
}

// embeds returns the name of a file in folder that needs the image of g with the given name:
// a record of another source or a Go file that is not g's; "" for none.
func embeds(folder, image string, g *Generated, all []Generated) string {
	for i := range all {
		other := &all[i]
		if other.Path != g.Path && !other.Gone() && slices.ContainsFunc(other.Record.Images, func(o record.Image) bool { return o.File == image }) {
			return filepath.Base(other.Path)
		}
	}
	files, _ := filepath.Glob(filepath.Join(escapeGlob(folder), "*.go"))
	for _, path := range files {
		if slices.Contains(g.Go, path) {
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
	return strings.Contains(patterns, name)
}

// edited reports whether a Go file that begins as cudagen's do has something that cudagen
// does not write: code in another form than gofmt's, a function, or a method of another type
// than its own.
func edited(content []byte) bool {
	formatted, err := format.Source(content)
	if err != nil || !bytes.Equal(formatted, content) {
		return true
	}
	file, err := parser.ParseFile(token.NewFileSet(), "", content, parser.SkipObjectResolution|parser.ParseComments)
	if err != nil {
		return true
	}
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if ok && f.Recv == nil && f.Name.Name != "_" && !strings.HasPrefix(f.Name.Name, "Load") {
			return true
		}
	}
	return false
}

// Remove removes those of left that are not kept, and returns their paths.
func Remove(left []Leftover) (removed []string, err error) {
	for _, l := range left {
		if l.Kept != "" {
			continue
		}
		if err := os.Remove(l.Path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return removed, fmt.Errorf("%s: cannot be removed: %s", l.Path, source.Describe(err))
		}
		removed = append(removed, l.Path)
	}
	return removed, nil
}
