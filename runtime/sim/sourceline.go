package sim

import (
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
)

// toolkit matches the paths of headers that come with a compiler.
var toolkit = regexp.MustCompile(`(^|/)(cuda[^/]*|nvidia|cu13|targets|clang|NVIDIA[^/]*)/(.*/)?include/|(^|/)(crt|cooperative_groups|cub|thrust|nv)/|(^|/)(sm_[0-9]+_|cuda_|device_|common_|math_functions)[^/]*$`)

// users returns at, or the place at which the function that has it was inlined, if that is not the
// user's but the toolkit's. fields are those of the .loc.
//
// PTX ISA, Debugging Directives: .loc, inlined_at.
func (d *decoder) users(at source, path string, fields []string) source {
	n := slices.Index(fields, "inlined_at")
	if n < 0 || len(fields) < n+3 {
		return at
	}
	file, fileErr := strconv.Atoi(fields[n+1])
	line, lineErr := strconv.Atoi(fields[n+2])
	if fileErr != nil || lineErr != nil || d.mod.files[file] == "" || line == 0 {
		return at
	}
	site := source{filepath.Base(d.mod.files[file]), line}
	if outer, known := d.inlined[site]; known && outer != site && toolkit.MatchString(d.mod.files[file]) {
		site = outer
	}
	if !toolkit.MatchString(path) {
		return at
	}
	if d.inlined == nil {
		d.inlined = make(map[source]source)
	}
	d.inlined[at] = site
	return site
}
