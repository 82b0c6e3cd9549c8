package cu

import "strings"

// built is the name of what defines the macros of compilers.
const built = "<built-in>"

// everywhere are the macros that nvcc, for which source is read, always has as they are
// here.
var everywhere = func() map[string]bool {
	set := words("__CUDACC__ __CUDA_ARCH__ __NVCC__ __cplusplus __LINE__ __FILE__ __DATE__ __TIME__ __CHAR_BIT__ __SIZEOF_POINTER__ __SIZEOF_SIZE_T__")
	for _, limit := range limits {
		name, _, _ := strings.Cut(limit, " ")
		set[name] = true
	}
	return set
}()

// nowhere are macros that nvcc never has where files are read as on Linux.
var nowhere = words("__CUDACC_RTC__ _WIN32 _WIN64 WIN32 WIN64 _MSC_VER __APPLE__")

// own reports whether a file or the command line defines m.
func (m *macro) own() bool { return m.at.file != nil && m.at.file.name != built }

// environment notes that what is read depends on name, which is the macro m, or none when m
// is nil: nvcc may include a header by itself that defines it.
func (p *preprocessor) environment(name string, m *macro) {
	p.arch = p.arch || name == "__CUDA_ARCH__" || name == "__CUDA_ARCH_LIST__"
	known := nowhere[name]
	if m != nil {
		known = m.own() || everywhere[name]
	}
	if p.depends == "" && !known {
		p.depends = name
	}
}

// unguarded notes what the #ifndef at the beginning of a file tests, unless that is an
// include guard: it encloses the file, which defines the macro, without a value.
func (p *preprocessor) unguarded() {
	g := &p.guard
	if g.open == nil {
		return
	}
	if m := p.macros[g.macro]; !g.closed || g.spoiled || m == nil || !m.own() || len(m.body) > 0 {
		p.environment(g.macro, nil)
	}
}
