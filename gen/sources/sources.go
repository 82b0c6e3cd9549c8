// Package sources finds the .cu files that the arguments of a command mean: files, folders,
// dir/... and patterns such as *.cu, which go generate does not expand. It reads text and
// knows no C++. Start with Expand.
package sources

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cudagen/cudagen/gen/record"
	"github.com/cudagen/cudagen/gen/source"
	"github.com/cudagen/cudagen/internal/include"
)

// A Skipped is a .cu file that a folder has and that is not generated.
type Skipped struct {
	Path   string
	Reason string // for people: "it has no kernel"
}

// Expand returns the files that args mean, each once, in their order, those of a folder sorted:
//
//   - A file means itself. So does a missing one such as missing.cu: reading it is the error.
//   - A folder means its .cu files, without those that have no kernel and those that another
//     one includes.
//   - dir/... means, in dir and the folders below, the .cu files that have a directive of
//     cudagen or output beside them. As for the go command, folders are left out whose names
//     begin with _ or . or are testdata or vendor, and those of other modules.
//   - A pattern of package path/filepath means the .cu files that it matches.
//
// An argument that means no file is an error.
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
		case !exists(arg) && strings.ContainsAny(arg, "*?["):
			some.Files, err = matching(arg)
		case !exists(arg) && filepath.Ext(arg) == "":
			err = fmt.Errorf("%s: there is no such .cu file, folder or command", arg)
		default:
			some.Files = []string{filepath.Clean(arg)}
		}
		if err == nil && len(some.Files) == 0 {
			err = nothing(arg, some)
		}
		errs = append(errs, err)
		all.add(some)
	}
	all.Skipped = slices.DeleteFunc(all.Skipped, func(s Skipped) bool { return slices.Contains(all.Files, s.Path) })
	return all, errors.Join(errs...)
}

// add adds what some has, each file once.
func (e *Expansion) add(some *Expansion) {
	for _, path := range some.Files {
		if !slices.Contains(e.Files, path) {
			e.Files = append(e.Files, path)
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
		return fmt.Errorf("%s: there is nothing to generate: %s: %s", arg, e.Skipped[0].Path, e.Skipped[0].Reason)
	case len(e.modules) > 0:
		return fmt.Errorf("%s: there is no .cu file outside of %s, which have a go.mod: run cudagen there, or name them: %s", arg, strings.Join(e.modules, " and "), filepath.ToSlash(filepath.Join(e.modules[0], "...")))
	}
	return fmt.Errorf("%s: there is no .cu file", arg)
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
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
	Files   []string
	Folders []string  // that have output of earlier runs
	Skipped []Skipped // .cu files of folders
	Visited []string  // folders that were looked through

	modules []string // folders that are left out because they are modules
}

// A candidate is a .cu file in a folder.
type candidate struct {
	path      string
	content   []byte
	directive bool // it has one of cudagen's
	output    bool // cudagen has written files for it
	elsewhere string
}

// candidates returns the .cu files of a folder that the go command would not ignore, sorted.
func (e *Expansion) candidates(folder string) (list []candidate, err error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	e.Visited = append(e.Visited, folder)
	beside, err := record.Beside(folder)
	if err != nil {
		return nil, err
	}
	if len(beside) > 0 {
		e.Folders = append(e.Folders, folder)
	}
	for _, entry := range entries {
		name := entry.Name()
		path := filepath.Join(folder, name)
		if filepath.Ext(name) != ".cu" || strings.HasPrefix(name, "_") || strings.HasPrefix(name, ".") || isFolder(path) {
			continue
		}
		content, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%s: is a symbolic link that leads nowhere: mend or remove it", path)
		}
		if err != nil {
			return nil, err
		}
		c := candidate{path: path, content: content, directive: bytes.Contains(content, []byte("//cudagen:"))}
		for _, g := range beside {
			if filepath.Clean(g.Source) != path {
				continue
			}
			if strings.TrimSuffix(filepath.Base(g.Path), source.RecordEnd)+".cu" == name {
				c.output = true
			} else {
				c.elsewhere = g.Path
			}
		}
		list = append(list, c)
	}
	return list, nil
}

// in adds the .cu files in a folder that have kernels.
func (e *Expansion) in(folder string) error {
	list, err := e.candidates(folder)
	if err != nil {
		return err
	}
	includes := make(map[string]string)
	for _, c := range list {
		for _, d := range include.Directives(c.content) {
			if path := filepath.Join(folder, filepath.FromSlash(d.Name)); path != c.path {
				includes[path] = c.path
			}
		}
	}
	for _, c := range list {
		reason := c.unwanted()
		if from := includes[c.path]; from != "" && reason == "" && !c.directive && !c.output {
			reason = filepath.Base(from) + " includes it, and it has no directive"
		}
		e.sort(c.path, reason)
	}
	return nil
}

// unwanted returns why a folder does not mean c, or "".
func (c *candidate) unwanted() string {
	kernel := func(word string) bool { return bytes.Contains(c.content, []byte(word)) }
	switch {
	case c.output:
		return ""
	case c.elsewhere != "":
		return "its output is " + c.elsewhere + ", by -o"
	case !c.directive && !kernel("__global__") && !kernel("<<<"):
		return "it has no kernel"
	}
	return ""
}

// sort adds a file or, for a reason, skips it.
func (e *Expansion) sort(path, reason string) {
	if reason == "" {
		e.Files = append(e.Files, path)
	} else {
		e.Skipped = append(e.Skipped, Skipped{path, reason})
	}
}

// below adds the .cu files with directives or output in a folder and those below.
//
// Command go, Package lists and patterns.
func (e *Expansion) below(root string) error {
	return filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if !entry.IsDir() {
			return nil
		}
		if path != root && ignored(entry.Name()) {
			return fs.SkipDir
		}
		if path != root && exists(filepath.Join(path, "go.mod")) {
			e.modules = append(e.modules, path)
			return fs.SkipDir
		}
		list, err := e.candidates(path)
		for _, c := range list {
			reason := c.unwanted()
			if reason == "" && !c.directive && !c.output {
				reason = "it has neither a //cudagen: directive nor output: name it to generate it"
			}
			e.sort(c.path, reason)
		}
		return err
	})
}

// ignored reports whether dir/... leaves out the folders of a name.
func ignored(name string) bool {
	return name == "testdata" || name == "vendor" || strings.HasPrefix(name, "_") || strings.HasPrefix(name, ".")
}
