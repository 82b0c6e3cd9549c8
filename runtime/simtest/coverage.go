package simtest

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/cudagen/cudagen/runtime/internal/sourcefile"
	"github.com/cudagen/cudagen/runtime/internal/watched"
)

// Cover writes to file which lines of the kernels were executed by the tests of this process that have
// ended: in lcov's format, which editors and genhtml read, if the name ends in .lcov or .info, else as a Go
// cover profile. It needs line information in the PTX, which cudagen asks for. The environment
// variable CUDAGEN_COVER does the same for all devices of New.
//
// The kernels' files are named by their paths. One that is not found from the test's folder, or in its module, is named as the image does,
// and the test's log says so.
func Cover(file string) Option { return func(c *config) { c.cover = file } }

// profiles is what was executed so far, by the file that it is written to.
var profiles struct {
	mu    sync.Mutex
	lines map[string]map[string]map[int]*watched.CoveredLine // by profile, source file, line
}

// covers adds lines to a profile and writes it.
func covers(t testing.TB, profile string, lines []watched.CoveredLine) {
	t.Helper()
	profiles.mu.Lock()
	defer profiles.mu.Unlock()
	if profiles.lines == nil {
		profiles.lines = make(map[string]map[string]map[int]*watched.CoveredLine)
	}
	if profiles.lines[profile] == nil {
		profiles.lines[profile] = make(map[string]map[int]*watched.CoveredLine)
	}
	files := profiles.lines[profile]
	for _, line := range lines {
		if files[line.File] == nil {
			files[line.File] = make(map[int]*watched.CoveredLine)
		}
		merge(files[line.File], line)
	}
	var text strings.Builder
	if ext := filepath.Ext(profile); ext == ".lcov" || ext == ".info" {
		writeLcov(&text, files)
	} else {
		writeGoProfile(&text, files)
	}
	for _, file := range slices.Sorted(maps.Keys(files)) {
		if sourcefile.Find(file) == "" {
			t.Logf("simtest: cover: %s is not found from here: %s names it as the image does, and tools may not find it; run the tests where the module has it", file, profile)
		}
	}
	if err := os.WriteFile(profile, []byte(text.String()), 0o666); err != nil {
		t.Errorf("simtest: cover: %v", err)
	}
}

func merge(lines map[int]*watched.CoveredLine, line watched.CoveredLine) {
	have := lines[line.Line]
	if have == nil {
		lines[line.Line] = &line
		return
	}
	have.Threads += line.Threads
	for n, b := range line.Branches {
		if n == len(have.Branches) {
			have.Branches = append(have.Branches, watched.CoveredBranch{})
		}
		have.Branches[n].Taken += b.Taken
		have.Branches[n].Passed += b.Passed
	}
}

// writeLcov writes tracefiles as geninfo does.
func writeLcov(w io.Writer, files map[string]map[int]*watched.CoveredLine) {
	for _, file := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(w, "TN:\nSF:%s\n", sourcePath(file))
		lines, hit, branches, taken := files[file], 0, 0, 0
		for _, n := range slices.Sorted(maps.Keys(lines)) {
			for i, b := range lines[n].Branches {
				for way, count := range []uint64{b.Taken, b.Passed} {
					text := fmt.Sprint(count)
					if b.Taken+b.Passed == 0 {
						text = "-"
					}
					fmt.Fprintf(w, "BRDA:%d,%d,%d,%s\n", n, i, way, text)
					branches++
					if count > 0 {
						taken++
					}
				}
			}
		}
		fmt.Fprintf(w, "BRF:%d\nBRH:%d\n", branches, taken)
		for _, n := range slices.Sorted(maps.Keys(lines)) {
			fmt.Fprintf(w, "DA:%d,%d\n", n, lines[n].Threads)
			if lines[n].Threads > 0 {
				hit++
			}
		}
		fmt.Fprintf(w, "LF:%d\nLH:%d\nend_of_record\n", len(lines), hit)
	}
}

// writeGoProfile writes a profile as go test -coverprofile does.
func writeGoProfile(w io.Writer, files map[string]map[int]*watched.CoveredLine) {
	fmt.Fprintln(w, "mode: count")
	for _, file := range slices.Sorted(maps.Keys(files)) {
		path := sourcePath(file)
		for _, n := range slices.Sorted(maps.Keys(files[file])) {
			fmt.Fprintf(w, "%s:%d.1,%d.1 1 %d\n", path, n, n+1, files[file][n].Threads)
		}
	}
}

// sourcePath returns the absolute path of the source file that an image calls name, or name if that is not found.
func sourcePath(name string) string {
	found := sourcefile.Find(name)
	if found == "" {
		return name
	}
	if abs, err := filepath.Abs(found); err == nil {
		return abs
	}
	return found
}

// coverFile is where coverage goes, or empty.
func (c config) coverFile() string { return cmp.Or(c.cover, os.Getenv("CUDAGEN_COVER")) }
