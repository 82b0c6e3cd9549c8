// Package cufiles takes the arguments of a command, finds the .cu files that they mean, and knows no
// C++: files, folders, dir/... and patterns such as *.cu, which go generate does not expand. In
// folders it goes by the records of earlier runs. Start with Expand.
package cufiles

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cudagen/cudagen/internal/diag"
	"github.com/cudagen/cudagen/internal/include"
	"github.com/cudagen/cudagen/internal/record"
	"github.com/cudagen/cudagen/internal/source"
)

// A Skipped is a .cu file that a folder has and that is not generated.
type Skipped struct {
	Path   string
	Reason string // for people: "it has no kernel"
}

// A File is a .cu file that is to be generated.
type File struct {
	Path   string
	Record string // path of the record that a folder has of it; empty for none, and for a file that was named
	Was    string // path of the source that Record has, which is not there any more and had the same content; empty if it is Path
	Named  bool   // an argument names it, itself or by a pattern
}

// Expand returns the files that args mean, each once, in their order, those of a folder sorted:
//
//   - A file means itself. So does a missing one such as missing.cu: reading it is the error.
//   - A folder means the sources of the records in it, wherever these lie, and its .cu files with
//     their records, wherever in the module these lie. Of those without a record it does not mean
//     the ones that have no kernel or that another one includes. A source is there once for each of
//     its records.
//   - dir/... means, in dir and the folders below, the sources of all records, and the .cu files
//     with their records, or without one if they have a directive of cudagen. As for the go command,
//     folders are left out whose names begin with _ or . or are testdata or vendor, and those of
//     other modules.
//   - A pattern of package path/filepath means the .cu files that it matches.
//
// A .cu file without a record that has the content of a source which is gone is that source, renamed: the
// record of that one is its record.
//
// An argument that means no file is an error, and so is a record that cannot be read.
func Expand(args []string) (*Expansion, error) {
	all := new(Expansion)
	var errs []error
	for _, arg := range args {
		some := new(Expansion)
		var err error
		dir, tree := strings.CutSuffix(filepath.ToSlash(arg), "...")
		switch {
		case tree && (dir == "" || strings.HasSuffix(dir, "/")):
			err = some.below(filepath.Clean(filepath.FromSlash(dir)))
		case isFolder(arg):
			err = some.in(filepath.Clean(arg))
		case !source.Exists(arg) && strings.ContainsAny(arg, "*?["):
			var paths []string
			paths, err = matching(arg)
			some.name(paths...)
		case !source.Exists(arg) && filepath.Ext(arg) == "":
			err = source.NewError(arg, diag.NoFile.New("there is no such .cu file, folder or command"))
		default:
			some.name(filepath.Clean(arg))
		}
		if err == nil && len(some.Files) == 0 {
			err = nothing(arg, some)
		}
		errs = append(errs, err)
		all.add(some)
	}
	all.Skipped = slices.DeleteFunc(all.Skipped, func(s Skipped) bool {
		return slices.ContainsFunc(all.Files, func(f File) bool { return f.Path == s.Path })
	})
	return all, errors.Join(errs...)
}

// name adds files that an argument names.
func (e *Expansion) name(paths ...string) {
	for _, path := range paths {
		e.Files = append(e.Files, File{Path: path, Named: true})
	}
}

// add adds what some has, each file once. A file that is named, too, means what the name does.
func (e *Expansion) add(some *Expansion) {
	for _, f := range some.Files {
		at := slices.IndexFunc(e.Files, func(other File) bool {
			return other.Path == f.Path && (other.Named || f.Named || source.Absolute(other.Record) == source.Absolute(f.Record))
		})
		switch {
		case at < 0:
			e.Files = append(e.Files, f)
		case f.Named && !e.Files[at].Named:
			e.Files[at] = f
			e.Files = append(e.Files[:at+1], slices.DeleteFunc(e.Files[at+1:], func(other File) bool { return other.Path == f.Path })...)
		}
	}
	e.Folders = append(e.Folders, some.Folders...)
	e.Visited = append(e.Visited, some.Visited...)
	e.Skipped = append(e.Skipped, some.Skipped...)
}

// nothing is the error for an argument that means no file of what it was expanded to.
func nothing(arg string, e *Expansion) error {
	if arg == "..." {
		arg = "./..." // which filepath.Clean shortens
	}
	switch {
	case len(e.Skipped) > 0:
		return source.NewError(arg, diag.NoFile.Errorf("there is nothing to generate: %s: %s", e.Skipped[0].Path, e.Skipped[0].Reason))
	case len(e.modules) > 0:
		return source.NewError(arg, diag.NoFile.Errorf("there is no .cu file outside of %s, which have a go.mod: %w", strings.Join(e.modules, " and "), diag.Do("run cudagen there, or name them: %s", filepath.ToSlash(filepath.Join(e.modules[0], "...")))))
	}
	for _, folder := range e.Folders {
		beside, _ := record.Beside(folder) // what cannot be read is none
		for i := range beside {
			if beside[i].Gone() {
				return source.NewError(arg, diag.NoFile.Errorf("there is no .cu file, and %s is of %s, which is gone: %w", beside[i].Path, beside[i].Source, diag.Do("remove what was generated by %s", diag.Call("clean "+filepath.ToSlash(arg)))))
			}
		}
	}
	return source.NewError(arg, diag.NoFile.New("there is no .cu file"))
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// matching returns the .cu files that a pattern matches.
func matching(pattern string) ([]string, error) {
	paths, err := filepath.Glob(pattern)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", pattern, err)
	}
	return slices.DeleteFunc(paths, func(path string) bool { return filepath.Ext(path) != ".cu" || isFolder(path) }), nil
}

// An Expansion is what arguments mean.
type Expansion struct {
	Files   []File
	Folders []string  // that have output of earlier runs
	Skipped []Skipped // .cu files of folders, and records whose source is not there
	Visited []string  // folders that were looked through

	modules []string // folders that are left out because they are modules
}

// A candidate is a .cu file in a folder.
type candidate struct {
	path      string
	content   []byte
	directive bool // it has one of cudagen's
}

// A folder is what lies in one folder.
type folder struct {
	records    []record.Generated
	candidates []candidate // the .cu files that the go command would not ignore, sorted
	files      []File      // that it means
}

// look returns what lies in a folder.
func (e *Expansion) look(path string) (f folder, err error) {
	entries, err := os.ReadDir(path)
	if err != nil {
		return f, source.Unreadable(path, err)
	}
	e.Visited = append(e.Visited, path)
	if f.records, err = recordsIn(path, entries); err != nil {
		return f, err
	}
	if len(f.records) > 0 {
		e.Folders = append(e.Folders, path)
	}
	for _, entry := range entries {
		name := entry.Name()
		path := filepath.Join(path, name)
		if filepath.Ext(name) != ".cu" || strings.HasPrefix(name, "_") || strings.HasPrefix(name, ".") || isFolder(path) {
			continue
		}
		content, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			return f, source.NewError(path, diag.FileAccess.Errorf("is a symbolic link that leads nowhere: %w", diag.Do("mend or remove it")))
		}
		if err != nil {
			return f, source.Unreadable(path, err)
		}
		f.candidates = append(f.candidates, candidate{path: path, content: content, directive: bytes.Contains(content, []byte("//cudagen:"))})
	}
	return f, nil
}

// recordsIn returns the records in a folder with these entries.
func recordsIn(path string, entries []fs.DirEntry) ([]record.Generated, error) {
	names := slices.DeleteFunc(slices.Clone(entries), func(entry fs.DirEntry) bool {
		return !strings.HasSuffix(entry.Name(), source.RecordEnd) || isFolder(filepath.Join(path, entry.Name()))
	})
	if len(names) == 0 {
		return nil, nil
	}
	records, err := record.Beside(path)
	if err != nil || len(records) == len(names) {
		return records, err
	}
	for _, entry := range names {
		if _, err := record.Read(filepath.Join(path, entry.Name())); err != nil {
			return records, err
		}
	}
	return records, nil
}

// take adds the sources of the records in folders, and those of the candidates that have no output and
// that want gives no reason to leave out. root is where the folders lie.
func (e *Expansion) take(root string, folders []folder, want func(candidate) (reason string)) error {
	claimed := make(map[string]string) // records by the absolute paths of their sources
	for _, f := range folders {
		for i := range f.records {
			g := &f.records[i]
			claimed[source.Absolute(g.Source)] = g.Path
		}
	}
	var gone []record.Generated    // whose sources are not there
	taken := make(map[string]bool) // of them, by their absolute paths: those of sources that were renamed
	for _, f := range folders {
		gone = append(gone, slices.DeleteFunc(slices.Clone(f.records), func(g record.Generated) bool { return source.Exists(g.Source) })...)
	}
	var module *record.Module
	for i := range folders {
		f := &folders[i]
		for _, c := range f.candidates {
			if claimed[source.Absolute(c.path)] != "" {
				continue
			}
			records := slices.DeleteFunc(slices.Clone(gone), func(g record.Generated) bool { return !g.Had(c.content) })
			reason := ""
			if len(records) == 0 && !c.directive && !bytes.Contains(c.content, []byte("__global__")) && !bytes.Contains(c.content, []byte("<<<")) {
				reason = "it has no kernel"
			}
			if len(records) == 0 && reason == "" {
				if module == nil {
					var err error
					if module, err = record.InModule(root); err != nil {
						return err
					}
				}
				if records = module.Of(c.path); len(records) == 0 {
					records = module.Renamed(c.path)
				}
				if len(records) == 0 {
					reason = want(c)
				}
			}
			switch {
			case reason != "":
				e.Skipped = append(e.Skipped, Skipped{c.path, reason})
			case len(records) == 0:
				f.files = append(f.files, File{Path: c.path})
			}
			for _, g := range records {
				file := File{Path: c.path, Record: g.Path}
				if source.Absolute(g.Source) != source.Absolute(c.path) {
					file.Was, taken[source.Absolute(g.Path)] = filepath.Clean(g.Source), true
					e.Folders = append(e.Folders, filepath.Dir(g.Path))
				}
				f.files = append(f.files, file)
			}
		}
	}
	for _, f := range folders {
		for i := range f.records {
			g := &f.records[i]
			if source.Exists(g.Source) {
				f.files = append(f.files, File{Path: filepath.Clean(g.Source), Record: g.Path})
			} else if !g.Gone() && !taken[source.Absolute(g.Path)] {
				e.Skipped = append(e.Skipped, Skipped{g.Path, "its source " + filepath.Clean(g.Source) + " is not here"})
			}
		}
		slices.SortStableFunc(f.files, func(x, y File) int { return strings.Compare(x.Path, y.Path) })
		e.Files = append(e.Files, f.files...)
	}
	return nil
}

// in adds what a folder means.
func (e *Expansion) in(path string) error {
	f, err := e.look(path)
	if err != nil {
		return err
	}
	includes := make(map[string]string)
	for _, c := range f.candidates {
		for _, d := range include.Directives(c.content) {
			if included := filepath.Join(path, filepath.FromSlash(d.Name)); included != c.path {
				includes[included] = c.path
			}
		}
	}
	return e.take(path, []folder{f}, func(c candidate) string {
		if from := includes[c.path]; from != "" && !c.directive {
			return filepath.Base(from) + " includes it, and it has no directive"
		}
		return ""
	})
}

// below adds what root/... means.
//
// Command go, Package lists and patterns.
func (e *Expansion) below(root string) error {
	var folders []folder
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if path == root && errors.Is(err, fs.ErrNotExist) {
			return source.NewError(root, diag.NoFile.New("there is no such folder"))
		}
		if err != nil {
			return source.Unreadable(path, err)
		}
		if !entry.IsDir() {
			return nil
		}
		if path != root && record.Ignored(entry.Name()) {
			return fs.SkipDir
		}
		if path != root && source.Exists(filepath.Join(path, "go.mod")) {
			e.modules = append(e.modules, path)
			return fs.SkipDir
		}
		f, err := e.look(path)
		folders = append(folders, f)
		return err
	})
	if err != nil {
		return err
	}
	return e.take(root, folders, func(c candidate) string {
		if !c.directive {
			return "it has neither a //cudagen: directive nor output: name it to generate it"
		}
		return ""
	})
}

// Records returns the paths of the records that the source at path has in its Go module or, if it has none,
// those that it had by another name.
func Records(path string) (records []string, renamed bool, err error) {
	module, err := record.InModule(filepath.Dir(path))
	if err != nil {
		return nil, false, err
	}
	list := module.Of(path)
	if renamed = len(list) == 0; renamed {
		list = module.Renamed(path)
	}
	for _, g := range list {
		records = append(records, g.Path)
	}
	return records, renamed, nil
}
