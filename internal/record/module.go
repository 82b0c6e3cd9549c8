package record

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cudagen/cudagen/internal/fresh"
	"github.com/cudagen/cudagen/internal/source"
)

// A Module is what a Go module has of .cu files and of their output, in the folders that dir/... means.
type Module struct {
	records map[string][]Generated // by the absolute paths of their sources
	gone    []Generated            // those whose sources are not there
	files   []string               // absolute paths of the .cu files
}

// InModule looks through the Go module that has folder. Records that cannot be read are left out. Without a
// go.mod only the folder itself counts. The paths of records are relative to the working folder where that is
// shorter.
func InModule(folder string) (*Module, error) {
	root := source.Module(filepath.Join(folder, "x"))
	tree := source.Exists(filepath.Join(root, "go.mod"))
	m := &Module{records: make(map[string][]Generated)}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil && path == root:
			return err
		case err != nil: // a folder that cannot be read
			return nil
		case entry.IsDir() && path != root && (!tree || Ignored(entry.Name()) || source.Exists(filepath.Join(path, "go.mod"))):
			return fs.SkipDir
		case entry.IsDir():
			return nil
		case filepath.Ext(path) == ".cu":
			m.files = append(m.files, path)
			return nil
		case !strings.HasSuffix(path, source.RecordEnd):
			return nil
		}
		if r, err := Read(path); err == nil {
			made := filepath.Join(filepath.Dir(path), filepath.FromSlash(r.Source))
			g := Generated{Record: r, Path: short(path), Source: short(made)}
			m.records[made] = append(m.records[made], g)
			if !source.Exists(made) {
				m.gone = append(m.gone, g)
			}
		}
		return nil
	})
	return m, err
}

// Hash returns a hash of the records and of what their inputs are now.
func (m *Module) Hash() []byte {
	h := sha256.New()
	for _, path := range slices.Sorted(maps.Keys(m.records)) {
		for _, g := range m.records[path] {
			fmt.Fprintf(h, "%q %x\n", path, sha256.Sum256(g.Record.Encode()))
			for _, input := range g.Record.Inputs {
				content, err := fresh.ReadFile(filepath.Join(filepath.Dir(g.Path), filepath.FromSlash(input.Path)))
				fmt.Fprintf(h, "%q %t %x\n", input.Path, err == nil, sha256.Sum256(content))
			}
		}
	}
	return h.Sum(nil)
}

// Of returns the records of the source at path.
func (m *Module) Of(path string) []Generated { return m.records[source.Absolute(path)] }

// Renamed returns the records of sources that are not there and that had the content of the one at path,
// which has no record: what it was called before.
func (m *Module) Renamed(path string) []Generated {
	content, err := fresh.ReadFile(path)
	if err != nil || len(m.Of(path)) > 0 {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(m.gone), func(g Generated) bool { return !g.Had(content) })
}

// Heir returns the path of a .cu file without a record that has the content of g's source, which is gone, or
// its kernels; "" for none, and when one that is made now has the content.
func (m *Module) Heir(g *Generated, made func(path string) bool) (heir string) {
	for _, path := range m.files {
		now := made(path)
		if !now && (len(m.records[path]) > 0 || heir != "") {
			continue
		}
		content, err := fresh.ReadFile(path)
		switch {
		case err != nil:
		case now && g.Had(content):
			return ""
		case !now && (g.Had(content) || g.kernelsIn(content)):
			heir = short(path)
		}
	}
	return heir
}

// Had reports whether g's source had this content.
func (g *Generated) Had(content []byte) bool {
	return slices.ContainsFunc(g.Record.Inputs, func(input Input) bool {
		return input.Path == g.Record.Source && input.SHA256 == HashInput(content)
	})
}

// kernelsIn reports whether a source has a kernel for each of g's, by name.
func (g *Generated) kernelsIn(content []byte) bool {
	if !bytes.Contains(content, []byte("__global__")) || len(g.Record.Kernels) == 0 {
		return false
	}
	words := make(map[string]bool)
	for _, word := range strings.FieldsFunc(string(content), func(c rune) bool {
		return c != '_' && c < 0x80 && (c < '0' || '9' < c) && (c < 'A' || 'Z' < c) && (c < 'a' || 'z' < c)
	}) {
		words[word] = true
	}
	return !slices.ContainsFunc(g.Record.Kernels, func(k Kernel) bool {
		name, _, _ := strings.Cut(k.Name, "<")
		return !words[name[strings.LastIndex(name, ":")+1:]]
	})
}

// Ignored reports whether dir/... leaves out the folders of a name, as the go command does.
func Ignored(name string) bool {
	return name == "testdata" || name == "vendor" || strings.HasPrefix(name, "_") || strings.HasPrefix(name, ".")
}

// short returns an absolute path, or that from the working folder on if it is shorter.
func short(path string) string {
	here, err := os.Getwd()
	if err != nil {
		return path
	}
	if relative, err := filepath.Rel(here, path); err == nil && len(relative) < len(path) {
		return relative
	}
	return path
}
