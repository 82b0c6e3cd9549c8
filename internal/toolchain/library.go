package toolchain

import (
	"encoding/csv"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/agnivade/levenshtein"

	"github.com/cudagen/cudagen/internal/cudalibs"
	"github.com/cudagen/cudagen/internal/diag"
	"github.com/cudagen/cudagen/internal/wheels"
)

// Libraries returns the names of the libraries that Install adds to a toolkit, sorted.
func Libraries() []string { return cudalibs.Names() }

// always are names of what every installation has.
var always = []string{"cccl", "crt", "cub", "cuda-cccl", "cuda-crt", "cuda-nvcc", "cuda-nvrtc", "cuda-runtime", "cudart", "cudacxx", "nvcc", "nvrtc", "nvvm", "runtime", "thrust"}

// elsewhere are NVIDIA's libraries that come without a CUDA toolkit, and their wheels.
var elsewhere = map[string]string{
	"cudnn": "nvidia-cudnn-cu13", "cusparselt": "nvidia-cusparselt-cu13", "cutensor": "cutensor-cu13",
	"cutlass": "nvidia-cutlass", "nccl": "nvidia-nccl-cu13", "nvshmem": "nvidia-nvshmem-cu13",
}

// libraries returns the libraries that people call names, with those whose headers they include,
// each once, sorted.
func libraries(names []string) ([]cudalibs.Library, error) {
	found := make(map[string]cudalibs.Library)
	for _, name := range names {
		l, ok := cudalibs.Find(name)
		switch bare := cudalibs.Bare(name); {
		case ok:
			found[l.Name] = l
			for _, need := range l.Needs {
				found[need], _ = cudalibs.Find(need)
			}
		case slices.Contains(always, bare):
		case elsewhere[bare] != "":
			return nil, diag.Flags.Errorf("%s does not belong to the CUDA toolkit: %w", name, diag.Do("install its wheel, %s, and name its folder of headers with -I", elsewhere[bare]))
		default:
			return nil, diag.Flags.Errorf("unknown library %q%w", name, nearest(bare))
		}
	}
	var list []cudalibs.Library
	for _, name := range Libraries() {
		if l, ok := found[name]; ok {
			list = append(list, l)
		}
	}
	return list, nil
}

// nearest returns a hint at the library whose name is most like got, or at all.
func nearest(got string) diag.Message {
	distance := func(name string) int { return levenshtein.ComputeDistance(got, name) }
	best := slices.MinFunc(Libraries(), func(a, b string) int { return distance(a) - distance(b) })
	if distance(best) <= len(got)/2 {
		return diag.Hint("did you mean %s?", best)
	}
	remedy := diag.Do("choose from %s", strings.Join(Libraries(), ", "))
	return diag.Message{Text: ": " + remedy.Error(), Remedy: remedy}
}

// lacking returns the wheels of a part that are not installed, or of which files are missing or have another size now, or nil.
func (in *installation) lacking(p part) (list []wheels.Wheel) {
	for _, name := range p.packages {
		if w := in.release[name]; !in.whole(w) {
			list = append(list, w)
		}
	}
	return list
}

// whole reports whether the files of a wheel are there, as far as their sizes tell. A file that another wheel has, too, may
// have that one's size.
func (in *installation) whole(w wheels.Wheel) bool {
	files, err := recorded(filepath.Join(in.final, filepath.FromSlash(w.Record())))
	if err != nil {
		return false
	}
	for name, size := range files {
		if info, err := os.Stat(filepath.Join(in.final, filepath.FromSlash(name))); err != nil || info.Size() != size && !in.another(name, info.Size()) {
			return false
		}
	}
	return true
}

// another reports whether some wheel that is installed has a file of a name and a size.
func (in *installation) another(name string, size int64) bool {
	records, _ := filepath.Glob(filepath.Join(in.final, "*.dist-info", "RECORD")) // the error is about the pattern
	return slices.ContainsFunc(records, func(path string) bool {
		files, err := recorded(path)
		other, there := files[name]
		return err == nil && there && other == size
	})
}

// recorded returns the sizes of the files that the record of a wheel names, by their names. The record itself has none.
//
// Python Packaging User Guide, Recording installed projects, The RECORD file.
func recorded(path string) (sizes map[string]int64, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	lines, err := csv.NewReader(file).ReadAll()
	sizes = make(map[string]int64)
	for _, line := range lines {
		if size, err := strconv.ParseInt(line[len(line)-1], 10, 64); err == nil {
			sizes[line[0]] = size
		}
	}
	return sizes, err
}

// merge moves the files of a tree into another: those by which compilers are found after the others, and
// the records of wheels last, once verify has found nothing wrong. What has no record is not there yet, and
// the next installation completes it. If merge fails, it removes what it added.
func merge(from, into string, verify func() error) (err error) {
	files, records, err := contents(from)
	if err != nil {
		return err
	}
	var added []string
	defer func() {
		if err != nil {
			for _, path := range slices.Backward(added) {
				os.Remove(path)
			}
		}
	}()
	move := func(names []string) error {
		for _, name := range names {
			path := filepath.Join(into, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				return err
			}
			_, missing := os.Lstat(path)
			if err := os.Rename(filepath.Join(from, name), path); err != nil {
				return err
			}
			if errors.Is(missing, fs.ErrNotExist) {
				added = append(added, path)
			}
		}
		return nil
	}
	if err := move(files); err != nil {
		return err
	}
	if err := verify(); err != nil {
		return err
	}
	return move(records)
}

// contents returns the names of the files in tree, those by which compilers are found last, and those of the
// records of wheels by themselves, the lists of their files last.
func contents(tree string) (files, records []string, err error) {
	err = filepath.WalkDir(tree, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name, err := filepath.Rel(tree, path)
		if err != nil {
			return err
		}
		if folder, _, _ := strings.Cut(filepath.ToSlash(name), "/"); strings.HasSuffix(folder, ".dist-info") {
			records = append(records, name)
		} else {
			files = append(files, name)
		}
		return nil
	})
	return lastly(files, func(name string) bool { return entries.MatchString(filepath.Base(name)) }),
		lastly(records, func(name string) bool { return filepath.Base(name) == "RECORD" }), err
}

// lastly returns names with those that match at the end.
func lastly(names []string, match func(name string) bool) []string {
	var first, last []string
	for _, name := range names {
		if match(name) {
			last = append(last, name)
		} else {
			first = append(first, name)
		}
	}
	return append(first, last...)
}
