package ptx

import (
	"cmp"
	"fmt"
	"go/token"
	"regexp"
	"slices"
	"strings"
)

// A Unit is one of the PTX texts that Link makes one module of.
type Unit struct {
	Name string // in positions and errors
	Text []byte

	NoEntries bool // leave out its kernels
}

// Link makes one PTX module of units that refer to each other's functions and variables with
// .extern. It resolves names as nvlink does for relocatable device code: a .visible definition
// comes before .weak ones, of which the first counts, and names without linkage belong to their
// unit. Functions that no kernel and no variable refers to are left out.
//
// The text depends on nothing but the units.
//
// Syntax errors are a go/scanner.ErrorList; names that cannot be resolved a LinkErrors.
//
// PTX ISA, Linking Directives; CUDA C++ Programming Guide, Separate Compilation.
func Link(units []Unit) ([]byte, error) {
	l, err := newLinker(units)
	if err != nil {
		return nil, err
	}
	l.resolve()
	l.reach()
	l.checkDefined()
	if len(l.errs) > 0 {
		return nil, l.sorted()
	}
	return l.write()
}

// Conflicts returns an error for names that units define twice or declare differently and, if the
// units are all that is linked, for those that are used and not defined: LinkErrors as those of Link.
func Conflicts(units []Unit, all bool) error {
	l, err := newLinker(units)
	if err != nil {
		return err
	}
	l.resolve()
	if all {
		l.reach()
		l.checkDefined()
	}
	if len(l.errs) > 0 {
		return l.sorted()
	}
	return nil
}

// Undefined returns an error for the functions and variables that the kernels of a module need and
// that it declares but does not define: LinkErrors as those of Link.
func Undefined(name string, text []byte) error {
	return Conflicts([]Unit{{Name: name, Text: text}}, true)
}

// IsDriverFunction reports whether the driver defines the device function called name.
//
// The names are those that ptxas of CUDA 13.0 takes without a definition: system calls, and the
// functions of CUDA graphs on the device.
//
// PTX Writer's Guide to Interoperability, System Calls; CUDA C++ Programming Guide, Device Graph
// Launch.
func IsDriverFunction(name string) bool { return driverFunction.MatchString(name) }

var driverFunction = regexp.MustCompile(`^(?:vprintf|vfprintf|malloc|free|__assertfail|__cuda_syscall\w*|cudaGraph[A-Z]\w*|cnp[A-Z]\w*)$`)

// A LinkProblem says what is wrong with a name.
type LinkProblem int

// The problems.
const (
	NotDefined   LinkProblem = iota // a name is used, and no unit defines it
	DefinedTwice                    // two units define it
	Differs                         // two units declare it differently
	NotLinkable                     // a unit has what Link cannot join
)

// A LinkError is a name that cannot be resolved.
type LinkError struct {
	Problem LinkProblem
	Symbol  string
	Func    bool   // Symbol is a function, not a variable
	Unit    string // that refers to Symbol, defines it again or declares it differently
	Other   string // that defines Symbol
	Detail  string // how the declarations differ, or what cannot be joined

	In string // of a name that is not defined: the function or variable that uses it

	// Source is the place in the source where a name is used, or a function defined again, if the
	// PTX has line information.
	Source token.Position
}

func (e *LinkError) Error() string {
	kind := "variable"
	if e.Func {
		kind = "function"
	}
	switch e.Problem {
	case NotDefined:
		at := e.Unit
		if e.Source.IsValid() {
			at = e.Source.String()
		}
		return fmt.Sprintf("%s: undefined reference to device %s %s in %s", at, kind, e.Symbol, e.In)
	case DefinedTwice:
		return fmt.Sprintf("%s: multiple definition of device %s %s, first defined in %s", e.Unit, kind, e.Symbol, e.Other)
	case Differs:
		return fmt.Sprintf("%s: device %s %s is declared differently than in %s: %s", e.Unit, kind, e.Symbol, e.Other, e.Detail)
	}
	return fmt.Sprintf("%s: %s cannot be linked", e.Unit, e.Detail)
}

// LinkErrors are all errors of a Link, sorted by unit, problem and name.
type LinkErrors []*LinkError

// Error returns the errors, one on each line.
func (l LinkErrors) Error() string {
	lines := make([]string, len(l))
	for i, e := range l {
		lines[i] = e.Error()
	}
	return strings.Join(lines, "\n")
}

// A linker links units.
type linker struct {
	units   []*linkUnit
	globals map[string]*symbol // that units share, by name
	errs    LinkErrors
}

// A symbol is a function or variable: of one unit, or shared by name.
type symbol struct {
	name   string
	unit   *linkUnit      // that it belongs to alone; nil for a shared one
	places []*declaration // all declarations, in the order of the units
	chosen *declaration   // the definition; nil if there is none

	reached bool
	renamed string // its name in the result, if that is another one
}

// A declaration is one of a function or variable, or its definition.
type declaration struct {
	item *item
	fn   *Func // or
	v    *Var
}

func (d *declaration) linkage() Linkage {
	if d.fn != nil {
		return d.fn.Linkage
	}
	return d.v.Linkage
}

// defines reports whether d is a definition. Memory whose size the launch states is not defined by
// a unit.
func (d *declaration) defines() bool {
	if d.fn != nil {
		return d.fn.Body != nil
	}
	return d.v.Linkage != Extern
}

// isDynamicShared reports whether d declares the shared memory whose size the launch says.
//
// PTX ISA, State Spaces, Shared State Space; Variables, Array Declarations.
func (d *declaration) isDynamicShared() bool {
	return d.v != nil && d.v.Linkage == Extern && d.v.Space == "shared"
}

// resolve finds the definition of every name.
func (l *linker) resolve() {
	l.globals = make(map[string]*symbol)
	for _, u := range l.units {
		for _, it := range u.items {
			for _, d := range it.declarations() {
				l.declare(u, d)
			}
		}
	}
	for _, name := range sortedNames(l.globals) {
		l.choose(l.globals[name])
	}
	for _, u := range l.units {
		for _, name := range sortedNames(u.locals) {
			s := u.locals[name]
			for _, d := range s.places {
				if d.defines() && s.chosen == nil {
					s.chosen = d
				}
			}
		}
	}
}

func (l *linker) declare(u *linkUnit, d *declaration) {
	name, symbols := "", l.globals
	if d.fn != nil {
		name = d.fn.Name
	} else {
		name = d.v.Name
	}
	if d.linkage() == Local {
		symbols = u.locals
	}
	s := symbols[name]
	if s == nil {
		s = &symbol{name: name}
		if d.linkage() == Local {
			s.unit = u
		}
		symbols[name] = s
	}
	s.places = append(s.places, d)
}

// choose finds the definition of a shared name, and compares all declarations with it.
func (l *linker) choose(s *symbol) {
	for _, d := range s.places {
		switch {
		case !d.defines() || d.item.left:
		case s.chosen == nil, s.chosen.linkage() != Visible && d.linkage() == Visible, d.larger(s.chosen):
			s.chosen = d
		case d.linkage() == Visible:
			l.fail(&LinkError{
				Problem: DefinedTwice, Symbol: s.name, Func: d.fn != nil, Unit: d.item.unit.name, Other: s.chosen.item.unit.name,
				Source: d.item.unit.firstLine(d.item),
			})
		}
	}
	with := s.chosen
	if with == nil {
		with = s.places[0]
	}
	for _, d := range s.places {
		if d == with || d.item.left || d.isDynamicShared() && with.isDynamicShared() {
			continue
		}
		if how := difference(d, with); how != "" {
			l.fail(&LinkError{Problem: Differs, Symbol: s.name, Func: d.fn != nil, Unit: d.item.unit.name, Other: with.item.unit.name, Detail: how})
		}
	}
}

// larger reports whether d takes the place of another definition: of .common ones the largest
// counts.
//
// PTX ISA, Linking Directives: .common.
func (d *declaration) larger(than *declaration) bool {
	if d.linkage() != Common || than.linkage() != Common {
		return false
	}
	size, _ := d.v.Size()
	other, _ := than.v.Size()
	return size > other
}

// difference says how a declaration contradicts a definition, or another declaration.
func difference(d, definition *declaration) string {
	if (d.fn != nil) != (definition.fn != nil) {
		return "one is a function, the other a variable"
	}
	if d.fn != nil {
		if d.fn.Entry != definition.fn.Entry {
			return "one is a kernel"
		}
		return cmp.Or(differentVars("result", d.fn.Results, definition.fn.Results), differentVars("parameter", d.fn.Params, definition.fn.Params))
	}
	v, w := d.v, definition.v
	size, sized := v.Size()
	other, otherSized := w.Size()
	switch {
	case v.Space != w.Space:
		return fmt.Sprintf("in .%s and .%s memory", v.Space, w.Space)
	case slices.Contains(v.Attributes, "managed") != slices.Contains(w.Attributes, "managed"):
		return "one is managed memory"
	case sized && otherSized && size != other && v.Linkage != Common:
		return fmt.Sprintf("%d and %d bytes", size, other)
	case v.Alignment() > w.Alignment() && !definition.isDynamicShared():
		return fmt.Sprintf("aligned to %d and %d bytes", v.Alignment(), w.Alignment())
	}
	return ""
}

func differentVars(what string, list, others []*Var) string {
	if len(list) != len(others) {
		return fmt.Sprintf("%d and %d %ss", len(list), len(others), what)
	}
	for i, v := range list {
		size, _ := v.Size()
		other, _ := others[i].Size()
		if size != other || v.Alignment() != others[i].Alignment() || v.Space != others[i].Space {
			return fmt.Sprintf("%s %d has %d and %d bytes, aligned to %d and %d", what, i+1, size, other, v.Alignment(), others[i].Alignment())
		}
	}
	return ""
}

// reach finds the declarations to keep: kernels, variables, and the functions that they refer to.
func (l *linker) reach() {
	var pending []*item
	keep := func(s *symbol) {
		if !s.reached {
			s.reached = true
			if s.chosen != nil {
				pending = append(pending, s.chosen.item)
			}
		}
	}
	for _, u := range l.units {
		for _, it := range u.items {
			for _, d := range it.declarations() {
				if s := l.symbolOf(u, d.name()); s != nil && s.chosen == d && !it.left && (d.v != nil || d.fn.Entry) {
					keep(s)
				}
			}
		}
	}
	for len(pending) > 0 {
		it := pending[len(pending)-1]
		pending = pending[:len(pending)-1]
		for _, w := range it.words() {
			if s := l.symbolOf(it.unit, w.text); s != nil && !w.opcode {
				keep(s)
			}
		}
	}
}

func (d *declaration) name() string {
	if d.fn != nil {
		return d.fn.Name
	}
	return d.v.Name
}

// symbolOf returns what a name means in a unit, nil if it is not declared there.
func (l *linker) symbolOf(u *linkUnit, name string) *symbol {
	if s := u.locals[name]; s != nil {
		return s
	}
	if s := l.globals[name]; s != nil && u.declares[name] {
		return s
	}
	return nil
}

// checkDefined reports the names that are used and not defined, at each unit's first use.
func (l *linker) checkDefined() {
	reported := make(map[[2]string]bool)
	for _, u := range l.units {
		for _, it := range u.items {
			if !l.isKept(it) {
				continue
			}
			for _, w := range it.words() {
				s := l.symbolOf(u, w.text)
				if s == nil || w.opcode || s.chosen != nil || s.places[0].isDynamicShared() || reported[[2]string{u.name, s.name}] {
					continue
				}
				fn := s.places[0].fn != nil
				if fn && IsDriverFunction(s.name) {
					continue
				}
				reported[[2]string{u.name, s.name}] = true
				l.fail(&LinkError{Problem: NotDefined, Symbol: s.name, Func: fn, Unit: u.name, In: it.declarations()[0].name(), Source: u.sourceOf(it, w.begin)})
			}
		}
	}
}

// isKept reports whether an item is a definition that the result has.
func (l *linker) isKept(it *item) bool {
	if it.left {
		return false
	}
	return slices.ContainsFunc(it.declarations(), func(d *declaration) bool {
		s := l.symbolOf(it.unit, d.name())
		return s != nil && s.reached && s.chosen == d
	})
}

func (l *linker) fail(e *LinkError) { l.errs = append(l.errs, e) }

func (l *linker) sorted() LinkErrors {
	order := make(map[string]int)
	for i, u := range l.units {
		order[u.name] = i
	}
	slices.SortStableFunc(l.errs, func(a, b *LinkError) int {
		return cmp.Or(order[a.Unit]-order[b.Unit], int(a.Problem-b.Problem), strings.Compare(a.Symbol, b.Symbol))
	})
	return l.errs
}
