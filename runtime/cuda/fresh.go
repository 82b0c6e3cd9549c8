package cuda

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/cudagen/cudagen/internal/fresh"
)

// CheckFresh returns an error if generated code in folder was not made of the sources that lie there:
// if a .cu file or a header was edited, and go generate did not run since, programs run the old
// kernels. It compares the hashes of the sources with those in the records (kernels.cudagen.json),
// and needs no compiler and no device. A folder such as "../..." means those below it, too.
//
//	func TestFresh(t *testing.T) {
//		if err := cuda.CheckFresh("."); err != nil { // go test runs in the folder of the package
//			t.Error(err)
//		}
//	}
//
// Tests on devices of runtime/simtest need no such test: New does the same for the kernels that are
// loaded. Flags of go:generate lines and new headers that hide others are for cudagen -check.
//
// Sources that are not there are no error where they need not be: in a vendored package, in the module
// cache, outside of the module, and outside of any module, where a program was deployed. Inside of a
// module an error says that a source is missing, and also that folder has no record.
func CheckFresh(folder string) error {
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
func checkRecord(path string, images ...Image) error {
	r, err := fresh.Read(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("cuda: generated code cannot be compared with its source: %w", err)
	}
	for _, image := range images {
		if !r.Has(image.Name, image.SHA256) {
			return fmt.Errorf("cuda: the Go code that loads %s is of another run than %s: run go generate", image.Name, path)
		}
	}
	if changes := r.Changed(); len(changes) > 0 {
		return fmt.Errorf("cuda: the kernels of %s are not those of its source: %s: run go generate, or undo the change", path, strings.Join(changes, ", "))
	}
	return nil
}

// staleHook is called with the error of generated code that is loaded on any device, and stale.
var staleHook atomic.Pointer[func(error)]

// onStale calls report with the error of each load of stale generated code, on any device.
func onStale(report func(error)) { staleHook.Store(&report) }

// A loaded is generated code that was compared with its source: once in a process.
type loaded struct {
	once sync.Once
	err  error
}

var loads sync.Map // by record and image: *loaded

// checkStale tells who wants to know it that the generated code which calls the caller loads images that
// are not those of its source.
func (d *Device) checkStale(images []Image) {
	hook := staleHook.Load()
	if d.stale == nil && hook == nil || len(images) == 0 {
		return
	}
	_, file, _, ok := runtime.Caller(2)
	if !ok {
		return
	}
	stem := strings.TrimSuffix(images[0].Name, filepath.Ext(images[0].Name))
	if base := path.Base(filepath.ToSlash(file)); base != stem+"_cuda.go" && base != stem+".go" {
		return // somebody has written it
	}
	folder := folderOf(file)
	if folder == "" {
		return
	}
	path := filepath.Join(folder, stem+fresh.RecordEnd)
	value, _ := loads.LoadOrStore(path+"\x00"+images[0].SHA256, new(loaded))
	l := value.(*loaded)
	l.once.Do(func() { l.err = checkRecord(path, images...) })
	if l.err == nil {
		return
	}
	if d.stale != nil {
		d.stale(l.err)
	}
	if hook != nil {
		(*hook)(l.err)
	}
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
