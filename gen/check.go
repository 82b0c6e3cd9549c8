package gen

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/cudagen/cudagen/gen/record"
)

// A CheckResult says what Generate would change.
type CheckResult struct {
	Stale []string // for people: "kernels.ptx is stale: kernels.cu changed"
	Left  []string // paths of outputs whose source is gone
	Diff  string   // unified: of the files that would be written, as far as that is known without compiling
}

// OK reports that the output is current.
func (r *CheckResult) OK() bool { return len(r.Stale) == 0 && len(r.Left) == 0 && r.Diff == "" }

// Check compares what is committed beside the sources with what Generate would write.
// It needs no compiler, writes nothing, and runs nothing.
//
// When images are stale, only compiling tells what would be in them: then the
// differences in Go are those that the source alone decides, if it agrees with the
// committed images at all.
func Check(o Options) (*CheckResult, error) {
	p, err := newPipeline(o)
	if err != nil {
		return nil, err
	}
	stale, err := p.committedImages()
	if err != nil {
		return nil, err
	}
	result := new(CheckResult)
	for _, u := range stale {
		for _, reason := range u.reasons {
			result.Stale = append(result.Stale, fmt.Sprintf("%s is stale: %s", u.out.ptx, reason))
		}
	}
	err = p.print()
	switch {
	case err != nil && len(stale) == 0:
		return nil, err
	case err == nil:
		if result.Diff, err = differences(p.outputs); err != nil {
			return nil, err
		}
	}
	result.Left, err = p.left()
	return result, err
}

// differences returns how the files on the disk differ from what is to be written.
func differences(files []outputFile) (string, error) {
	var b strings.Builder
	for _, f := range files {
		old, err := os.ReadFile(f.path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", &InputError{f.path, describe(err)}
		}
		b.Write(diff.Diff(f.path, old, f.path+" (generated)", f.content))
	}
	return b.String(), nil
}

// left returns the outputs in the folders of the units whose source is not there any
// more, sorted.
func (p *pipeline) left() ([]string, error) {
	var paths, folders []string
	for _, u := range p.units {
		if folder := filepath.Dir(u.out.record); !slices.Contains(folders, folder) {
			folders = append(folders, folder)
		}
	}
	for _, folder := range folders {
		records, err := filepath.Glob(filepath.Join(escapeGlob(folder), "*.cudagen.json"))
		if err != nil {
			return nil, err
		}
		for _, path := range records {
			r, err := record.Read(path)
			if err != nil {
				continue // it is somebody else's, or reported where its source is generated
			}
			if _, err := os.Stat(filepath.Join(folder, filepath.FromSlash(r.Source))); !errors.Is(err, fs.ErrNotExist) {
				continue
			}
			paths = append(paths, path)
			base := strings.TrimSuffix(path, ".cudagen.json")
			names := []string{base + "_cuda.go"}
			for _, image := range r.Images {
				names = append(names, filepath.Join(folder, filepath.FromSlash(image.File)))
			}
			for _, name := range names {
				if _, err := os.Stat(name); err == nil {
					paths = append(paths, name)
				}
			}
		}
	}
	slices.Sort(paths)
	return paths, nil
}
