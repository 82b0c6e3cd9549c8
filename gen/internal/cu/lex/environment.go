package lex

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// An Assumption is what a macro was taken for outside of the files that were read.
type Assumption struct {
	Macro   string
	Defined bool   // false when nothing there defines it
	Body    string // what it stands for there, without blanks
}

// unsettledBody is the Body of what no definition is the same as: of macros with parameters
// or that are calculated, and of operators such as __has_include.
const unsettledBody = "("

// What defines macros besides files.
const (
	built    = "<built-in>"     // those of compilers
	commands = "<command line>" // those of options
)

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
func (m *Macro) own() bool { return m.At.Origin != nil && m.At.File().Name != built }

// redefinable reports whether a header that was not found may have defined m again, which is
// one of a file or the command line. Include guards are nobody else's.
func (p *Preprocessor) redefinable(m *Macro) bool { return p.unread > m.since && !p.guard.testing }

// environment notes that what is read depends on name, which is the macro m, or none when m
// is nil: nvcc may include a header by itself that defines it.
func (p *Preprocessor) environment(name string, m *Macro) {
	p.Arch = p.Arch || name == "__CUDA_ARCH__" || name == "__CUDA_ARCH_LIST__"
	if m != nil && m.own() && !p.redefinable(m) || m != nil && everywhere[name] || m == nil && nowhere[name] {
		return
	}
	if _, noted := p.depends[name]; noted {
		return
	}
	a := Assumption{Macro: name, Defined: m != nil && (!m.own() || m.At.File().Name == commands)}
	switch {
	case hasOperators[name] || a.Defined && (m.function || m.dynamic != nil):
		a.Defined, a.Body = true, unsettledBody
	case a.Defined:
		for _, l := range m.body {
			a.Body += l.Text
		}
	}
	p.depends[name] = a
}

// Assumptions returns what environment has noted.
func (p *Preprocessor) Assumptions() []Assumption {
	return slices.SortedFunc(maps.Values(p.depends), func(a, b Assumption) int { return cmp.Compare(a.Macro, b.Macro) })
}

// unguarded notes what the #ifndef at the beginning of a file tests, unless that is an
// include guard: it encloses the file, which defines the macro, without a value.
func (p *Preprocessor) unguarded() {
	g := &p.guard
	if g.open == nil {
		return
	}
	if m := p.Macros[g.macro]; !g.closed || g.spoiled || m == nil || !m.own() || len(m.body) > 0 {
		p.environment(g.macro, nil)
	}
}
