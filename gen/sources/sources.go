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

	"github.com/cudagen/cudagen/gen/output"
	"github.com/cudagen/cudagen/internal/include"
)

// A Skipped is a .cu file that a folder has and that is not generated.
type Skipped struct {
	Path   string
	Reason string // for people: "it has no kernel"
}

// Expand returns the files that args mean, in their order, those of a folder sorted:
//
//   - A file means itself, whether it is there or not.
//   - A folder means its .cu files, without those that have no kernel and those that another
//     one includes.
//   - dir/... means, in dir and the folders below, the .cu files that have a directive of
//     cudagen or output beside them. As for the go command, folders are left out whose names
//     begin with _ or . or are testdata or vendor, and those of other modules.
//   - A pattern of package path/filepath means the .cu files that it matches.
//
// An argument that means no file is an error.
func Expand(args []string) (files []string, skipped []Skipped, err error) {
	var errs []error
	for _, arg := range args {
		var some []string
		var not []Skipped
		var err error
		dir, tree := strings.CutSuffix(filepath.ToSlash(arg), "...")
		switch {
		case tree && (dir == "" || strings.HasSuffix(dir, "/")):
			some, not, err = below(filepath.Clean(filepath.FromSlash(dir)))
		case isFolder(arg):
			some, not, err = in(filepath.Clean(arg))
		case !exists(arg) && strings.ContainsAny(arg, "*?["):
			some, err = matching(arg)
		default:
			files = append(files, filepath.Clean(arg))
			continue
		}
		if err == nil && len(some) == 0 {
			err = nothing(arg, not)
		}
		errs = append(errs, err)
		skipped = append(skipped, not...)
		for _, path := range some {
			if !slices.Contains(files, path) {
				files = append(files, path)
			}
		}
	}
	skipped = slices.DeleteFunc(skipped, func(s Skipped) bool { return slices.Contains(files, s.Path) })
	return files, skipped, errors.Join(errs...)
}

// nothing is the error for an argument that means no file.
func nothing(arg string, skipped []Skipped) error {
	if len(skipped) == 0 {
		return fmt.Errorf("%s: there is no .cu file", arg)
	}
	return fmt.Errorf("%s: there is nothing to generate: %s: %s", arg, skipped[0].Path, skipped[0].Reason)
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

// A candidate is a .cu file in a folder.
type candidate struct {
	path      string
	content   []byte
	directive bool // it has one of cudagen's
	output    bool // cudagen has written files for it
	elsewhere string
}

// candidates returns the .cu files of a folder that the go command would not ignore, sorted.
func candidates(folder string) (list []candidate, err error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	beside, err := output.Beside(folder)
	if err != nil {
		return nil, err
	}
	for _, entry := range entries {
		name := entry.Name()
		path := filepath.Join(folder, name)
		if filepath.Ext(name) != ".cu" || strings.HasPrefix(name, "_") || strings.HasPrefix(name, ".") || isFolder(path) {
			continue
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		c := candidate{path: path, content: content, directive: bytes.Contains(content, []byte("//cudagen:"))}
		for _, g := range beside {
			if filepath.Clean(g.Source) != path {
				continue
			}
			if strings.TrimSuffix(filepath.Base(g.Path), ".cudagen.json")+".cu" == name {
				c.output = true
			} else {
				c.elsewhere = g.Path
			}
		}
		list = append(list, c)
	}
	return list, nil
}

// in returns the .cu files in a folder that have kernels.
func in(folder string) (files []string, skipped []Skipped, err error) {
	list, err := candidates(folder)
	if err != nil {
		return nil, nil, err
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
		files, skipped = c.sort(files, skipped, reason)
	}
	return files, skipped, nil
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

// sort adds c to the files or, for a reason, to those that are skipped.
func (c *candidate) sort(files []string, skipped []Skipped, reason string) ([]string, []Skipped) {
	if reason != "" {
		return files, append(skipped, Skipped{c.path, reason})
	}
	return append(files, c.path), skipped
}

// below returns the .cu files with directives or output in a folder and those below.
//
// Command go, Package lists and patterns.
func below(root string) (files []string, skipped []Skipped, err error) {
	err = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if !entry.IsDir() {
			return nil
		}
		if path != root && (ignored(entry.Name()) || exists(filepath.Join(path, "go.mod"))) {
			return fs.SkipDir
		}
		list, err := candidates(path)
		for _, c := range list {
			reason := c.unwanted()
			if reason == "" && !c.directive && !c.output {
				reason = "it has neither a //cudagen: directive nor output: name it to generate it"
			}
			files, skipped = c.sort(files, skipped, reason)
		}
		return err
	})
	return files, skipped, err
}

// ignored reports whether dir/... leaves out the folders of a name.
func ignored(name string) bool {
	return name == "testdata" || name == "vendor" || strings.HasPrefix(name, "_") || strings.HasPrefix(name, ".")
}
