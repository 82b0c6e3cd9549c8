// Package stale takes the folder of generated code, or the Go file that loads images, and says whether they were made of
// the sources that lie beside them. It knows no device: who wants to hear of it is for others.
package stale

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"

	"github.com/cudagen/cudagen/internal/fresh"
)

// Check is cuda.CheckFresh.
func Check(folder string) error {
	root, tree := strings.CutSuffix(filepath.ToSlash(folder), "...")
	if tree = tree && (root == "" || strings.HasSuffix(root, "/")); !tree {
		root = folder
	}
	root = filepath.Clean(filepath.FromSlash(root))
	var errs []error
	found := false
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		name := filepath.Base(path)
		switch {
		case err != nil:
			return err
		case entry.IsDir() && path != root && (!tree || name == "testdata" || name == "vendor" || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_")):
			return fs.SkipDir
		case entry.IsDir() || !strings.HasSuffix(name, fresh.RecordEnd):
			return nil
		}
		found = true
		errs = append(errs, checkRecord(path))
		return nil
	})
	if _, module := moduleAround(root); !found && module != "" && (err == nil || errors.Is(err, fs.ErrNotExist)) {
		return fmt.Errorf("cuda: CheckFresh: there is no record (*%s) in %s: name the folder of the generated Go file", fresh.RecordEnd, folder)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("cuda: CheckFresh: %w", err)
	}
	return errors.Join(errs...)
}

// checkRecord returns an error if the sources of the record at path are not those that it was made of,
// or that the images are not those that it has.
func checkRecord(path string, images ...fresh.Image) error {
	r, err := fresh.Read(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("cuda: generated code cannot be compared with its source: %w", err)
	}
	for _, image := range images {
		if !r.Has(image.File, image.SHA256) {
			return fmt.Errorf("cuda: the Go code that loads %s is of another run than %s: run go generate", image.File, path)
		}
	}
	if changes := r.Changed(); len(changes) > 0 {
		return fmt.Errorf("cuda: the kernels of %s are not those of its source: %s: run go generate, or undo the change", path, strings.Join(changes, ", "))
	}
	return nil
}

// A loaded is generated code that was compared with its source: once in a process.
type loaded struct {
	once sync.Once
	err  error
}

var loads sync.Map // by record and image: *loaded

// Loaded returns the error of images, at least one, that are not those of their source. file is the Go file that loads
// them, by its name in the program: only generated ones are looked at.
func Loaded(file string, images []fresh.Image) error {
	stem := strings.TrimSuffix(images[0].File, filepath.Ext(images[0].File))
	if base := path.Base(filepath.ToSlash(file)); base != stem+"_cuda.go" && base != stem+".go" {
		return nil // somebody has written it
	}
	folder := folderOf(file)
	if folder == "" {
		return nil
	}
	path := filepath.Join(folder, stem+fresh.RecordEnd)
	value, _ := loads.LoadOrStore(path+"\x00"+images[0].SHA256, new(loaded))
	l := value.(*loaded)
	l.once.Do(func() { l.err = checkRecord(path, images...) })
	return l.err
}

// folderOf returns the folder of a Go file by its name in the program, or "" if it is not here. With
// -trimpath the name begins with the path of its module.
func folderOf(file string) string {
	folder := filepath.Dir(filepath.FromSlash(file))
	if filepath.IsAbs(folder) {
		return folder
	}
	here, err := os.Getwd()
	if err != nil {
		return ""
	}
	root, module := moduleAround(here)
	rest, inside := strings.CutPrefix(filepath.ToSlash(folder), module)
	if module == "" || !inside || rest != "" && rest[0] != '/' {
		return ""
	}
	return filepath.Join(root, filepath.FromSlash(rest))
}

// moduleAround returns the folder and the path of the Go module that a folder lies in; "" for none.
// It does without golang.org/x/mod, which every program would contain.
//
// Go Modules Reference, module directive.
func moduleAround(folder string) (root, module string) {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return "", ""
	}
	for dir := folder; ; dir = filepath.Dir(dir) {
		if text, err := os.ReadFile(filepath.Join(dir, "go.mod")); err == nil {
			for line := range strings.Lines(string(text)) {
				line, _, _ = strings.Cut(line, "//")
				if words := strings.Fields(line); len(words) == 2 && words[0] == "module" {
					return dir, strings.Trim(words[1], "\"`")
				}
			}
			return "", ""
		}
		if dir == filepath.Dir(dir) {
			return "", ""
		}
	}
}
