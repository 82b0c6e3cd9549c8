package ptx

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A linkWriter writes the module that a linker has resolved.
type linkWriter struct {
	*linker
	out     strings.Builder
	files   map[string]int // numbers of the source files, by what stands behind the number in .file
	labels  map[string]bool
	written map[*item]bool
}

// write returns the module.
func (l *linker) write() ([]byte, error) {
	w := &linkWriter{linker: l, files: make(map[string]int), labels: make(map[string]bool), written: make(map[*item]bool)}
	head := w.head()
	w.checkJoinable()
	if len(l.errs) > 0 {
		return nil, l.sorted()
	}
	l.rename()
	if len(l.errs) > 0 {
		return nil, l.sorted()
	}
	w.out.WriteString(head)
	numbers, labels := w.sourceFiles(), w.sectionLabels()
	w.declarations()
	if err := w.variables(); err != nil {
		return nil, err
	}
	for _, u := range l.units {
		for _, it := range u.items {
			if it.fn != nil && it.fn.Body != nil && l.isKept(it) {
				w.out.WriteString("\n" + w.text(it, it.end, numbers[u.index], labels[u.index]) + "\n")
			}
		}
	}
	w.debugging(numbers, labels)
	return []byte(w.out.String()), nil
}

// head returns what the module begins with: comments, version, target and address size. The
// version is the highest, the target that which all units can run on.
func (w *linkWriter) head() string {
	first := w.units[0]
	version := first.module.Version
	comments, _, _ := strings.Cut(first.text, ".version")
	target := first
	for _, u := range w.units {
		if len(u.module.Target) == 0 || u.module.AddressSize == 0 {
			w.notLinkable(u, "PTX without .target or .address_size")
			return ""
		}
		if version.Less(u.module.Version) {
			version = u.module.Version
		}
		if u.module.AddressSize != first.module.AddressSize {
			w.notLinkable(u, fmt.Sprintf("code for addresses of %d bits, beside %d in %s,", u.module.AddressSize, first.module.AddressSize, first.name))
		}
		switch higher, ok := higherTarget(target.module.Target, u.module.Target); {
		case !ok:
			w.notLinkable(u, fmt.Sprintf("code for %s, beside %s in %s,", strings.Join(u.module.Target, ", "), strings.Join(target.module.Target, ", "), target.name))
		case higher:
			target = u
		}
	}
	return fmt.Sprintf("%s.version %s\n.target %s\n.address_size %d\n\n", comments, version, strings.Join(target.module.Target, ", "), first.module.AddressSize)
}

// virtualTarget matches a target: a number, and a letter for one architecture or family alone.
//
// PTX ISA, PTX Module Directives: .target.
var virtualTarget = regexp.MustCompile(`^sm_(\d+)([af]?)$`)

// higherTarget reports whether the target b includes a and is another one. ok is false if neither
// includes the other.
func higherTarget(a, b []string) (higher, ok bool) {
	if slices.Equal(a, b) {
		return false, true
	}
	if len(a) == 0 || len(b) == 0 || !slices.Equal(a[1:], b[1:]) {
		return false, false
	}
	m, n := virtualTarget.FindStringSubmatch(a[0]), virtualTarget.FindStringSubmatch(b[0])
	if m == nil || n == nil {
		return false, false
	}
	x, errX := strconv.Atoi(m[1])
	y, errY := strconv.Atoi(n[1])
	switch {
	case errX != nil || errY != nil:
		return false, false
	case x <= y && m[2] == "":
		return true, true
	case y <= x && n[2] == "":
		return false, true
	}
	return false, false
}

func (w *linkWriter) notLinkable(u *linkUnit, what string) {
	w.fail(&LinkError{Problem: NotLinkable, Unit: u.name, Detail: what})
}

// checkJoinable reports directives that cannot be joined with those of other units.
func (w *linkWriter) checkJoinable() {
	for _, u := range w.units {
		for _, it := range u.items {
			text := u.text[it.begin:it.end]
			switch {
			case it.kind == "section" && !debugStrings.MatchString(text) && !emptySection.MatchString(text):
				w.notLinkable(u, "PTX with debug information (compile without -G)")
			case it.kind == "alias":
				w.notLinkable(u, "an alias of a function, "+u.module.Aliases[0].Name+",")
			case len(it.vars) > 1:
				w.notLinkable(u, "a declaration of several variables, of "+it.vars[0].Name+" and others,")
			case it.fn != nil && it.fn.Body != nil && innerFile.MatchString(text):
				w.notLinkable(u, "a .file in the function "+it.fn.Name)
			}
			for _, d := range it.declarations() {
				if d.isDynamicShared() && len(d.v.Dims) > 0 && !slices.Contains(d.v.Dims, -1) {
					w.notLinkable(u, "dynamic shared memory of a fixed size, "+d.name()+",")
				}
			}
		}
	}
}

// debugStrings matches the only section that belongs to line information.
var debugStrings = regexp.MustCompile(`^\.section\s+\.debug_str\b`)

// emptySection matches a section with nothing in it, as clang writes for line information.
var emptySection = regexp.MustCompile(`^\.section\s+[\w.]+\s*\{\s*\}$`)

// innerFile matches a .file or .section in a function.
var innerFile = regexp.MustCompile(`(?m)^\s*\.(?:file|section)\b`)

// rename gives names that belong to one unit others where two units have the same.
func (l *linker) rename() {
	taken := make(map[string]bool)
	for _, u := range l.units {
		for text := range u.words {
			taken[text] = true
		}
	}
	for _, u := range l.units {
		for _, name := range sortedNames(u.locals) {
			clash := l.globals[name] != nil || slices.ContainsFunc(l.units[:u.index], func(other *linkUnit) bool { return other.locals[name] != nil })
			if !clash {
				continue
			}
			if register := u.registerNamed(name); register != "" {
				l.fail(&LinkError{Problem: NotLinkable, Unit: u.name, Detail: "the register " + register + ", which hides " + name + " of this file,"})
				continue
			}
			for n := u.index + 1; ; n++ {
				renamed := name + "__unit" + strconv.Itoa(n)
				if !taken[renamed] {
					taken[renamed] = true
					u.locals[name].renamed = renamed
					break
				}
			}
		}
	}
}

// registerNamed returns the declaration of registers one of which has a name, if a function of the
// unit has it: its uses cannot be told from those of the symbol by their words.
func (u *linkUnit) registerNamed(name string) string {
	var in func(b *Block) string
	in = func(b *Block) string {
		for _, stmt := range b.Stmts {
			switch stmt := stmt.(type) {
			case *Var:
				if rest, ok := strings.CutPrefix(name, stmt.Name); ok && stmt.Count > 0 && strings.Trim(rest, "0123456789") == "" {
					return fmt.Sprintf("%s<%d>", stmt.Name, stmt.Count)
				}
			case *Block:
				if found := in(stmt); found != "" {
					return found
				}
			}
		}
		return ""
	}
	for _, f := range u.module.Funcs {
		if f.Body != nil {
			if found := in(f.Body); found != "" {
				return found
			}
		}
	}
	return ""
}

// sourceFiles numbers the source files of all units. It returns, for each unit, the number of a
// .file by its number in the unit.
func (w *linkWriter) sourceFiles() []map[int]int {
	numbers := make([]map[int]int, len(w.units))
	for i, u := range w.units {
		numbers[i] = make(map[int]int)
		for _, it := range u.items {
			if it.file == nil {
				continue
			}
			rest := fileRest(u.text[it.begin:it.end])
			n, known := w.files[rest]
			if !known {
				n = len(w.files) + 1
				w.files[rest] = n
			}
			numbers[i][it.file.Index] = n
		}
	}
	return numbers
}

var fileNumber = regexp.MustCompile(`^\.file\s+\d+\s+`)

// fileRest returns what stands behind the number in a .file.
func fileRest(text string) string { return text[len(fileNumber.FindString(text)):] }

// sectionLabel matches a label in a section.
var sectionLabel = regexp.MustCompile(`(?m)^\s*([\w$]+):`)

// sectionLabels returns, for each unit, new names of the labels of its sections that another unit
// has, too.
func (w *linkWriter) sectionLabels() []map[string]string {
	renamed := make([]map[string]string, len(w.units))
	for i, u := range w.units {
		renamed[i] = make(map[string]string)
		for _, it := range u.items {
			if it.kind != "section" {
				continue
			}
			for _, m := range sectionLabel.FindAllStringSubmatch(u.text[it.begin:it.end], -1) {
				name := m[1]
				for n := i + 1; w.labels[name]; n++ {
					name = m[1] + "__unit" + strconv.Itoa(n)
				}
				w.labels[name] = true
				renamed[i][m[1]] = name
			}
		}
	}
	return renamed
}

// declarations writes pragmas, what the driver defines, the prototypes of all functions, and
// dynamic shared memory.
func (w *linkWriter) declarations() {
	dynamic := make(map[*symbol]*declaration)
	seen := make(map[*symbol]bool)
	for _, u := range w.units {
		for _, it := range u.items {
			if it.kind == "pragma" {
				w.out.WriteString(u.text[it.begin:it.end] + "\n")
			}
			for _, d := range it.declarations() {
				s := w.symbolOf(u, d.name())
				switch {
				case s == nil || !s.reached && !d.isDynamicShared() || it.left:
				case d.isDynamicShared():
					if dynamic[s] == nil || dynamic[s].v.Alignment() < d.v.Alignment() {
						dynamic[s] = d
					}
				case d.fn == nil || d.fn.Entry:
				case s.chosen == nil && !seen[s]:
					seen[s] = true
					w.out.WriteString(w.text(it, it.end, nil, nil) + "\n")
				case s.chosen == d:
					w.out.WriteString(strings.TrimRight(w.text(it, bodyOf(it), nil, nil), " \t\r\n") + "\n;\n")
				}
			}
		}
	}
	for _, name := range sortedNames(w.globals) {
		if d := dynamic[w.globals[name]]; d != nil {
			w.out.WriteString(w.text(d.item, d.item.end, nil, nil) + "\n")
		}
	}
}

// bodyOf returns where the body of a function begins.
func bodyOf(it *item) int {
	s := scan{src: it.unit.text[:it.end], off: it.begin}
	for l := s.next(); l.kind != eof; l = s.next() {
		if l.is("{") {
			return l.pos.Offset
		}
	}
	return it.end
}

// variables writes the variables, each behind those that its initial value refers to.
func (w *linkWriter) variables() error {
	var path []*item
	var visit func(it *item)
	visit = func(it *item) {
		if w.written[it] {
			return
		}
		if slices.Contains(path, it) {
			w.fail(&LinkError{Problem: NotLinkable, Unit: it.unit.name, Detail: "the initial value of " + it.vars[0].Name + ", which refers to itself through other variables,"})
			return
		}
		path = append(path, it)
		for _, word := range it.words() {
			s := w.symbolOf(it.unit, word.text)
			if s == nil || s.chosen == nil || s.chosen.v == nil || s.chosen.item == it && word.begin == it.vars[0].Pos.Offset {
				continue
			}
			visit(s.chosen.item)
		}
		path = path[:len(path)-1]
		if !w.written[it] {
			w.written[it] = true
			w.out.WriteString(w.text(it, it.end, nil, nil) + "\n")
		}
	}
	for _, u := range w.units {
		for _, it := range u.items {
			if len(it.vars) == 1 && w.isKept(it) {
				visit(it)
			}
		}
	}
	if len(w.errs) > 0 {
		return w.sorted()
	}
	return nil
}

// locationFile matches the numbers of files in the arguments of a .loc.
var (
	locationFile  = regexp.MustCompile(`^(\s*)(\d+)|(\binlined_at\s+)(\d+)`)
	locationLabel = regexp.MustCompile(`(\bfunction_name\s+)([\w$]+)`)
)

// text returns an item up to end, with the names, numbers of files and labels of the result.
func (w *linkWriter) text(it *item, end int, numbers map[int]int, labels map[string]string) string {
	u := it.unit
	var b strings.Builder
	copied := it.begin
	replace := func(begin, to int, text string) {
		b.WriteString(u.text[copied:begin])
		b.WriteString(text)
		copied = to
	}
	s := scan{src: u.text[:end], off: it.begin}
	words := it.words()
	for l := s.next(); l.kind != eof; l = s.next() {
		switch {
		case l.kind == dotted && l.text == "loc":
			begin := s.off
			text, _ := s.location()
			space := " "
			if c := u.text[begin]; c == '\t' {
				space = "\t"
			}
			replace(begin, s.off, space+relocate(text, numbers, labels))
		case l.kind == ident:
			for words[0].begin != l.pos.Offset {
				words = words[1:]
			}
			if symbol := w.symbolOf(u, l.text); symbol != nil && symbol.renamed != "" && !words[0].opcode {
				replace(l.pos.Offset, l.end, symbol.renamed)
			}
		}
	}
	b.WriteString(u.text[copied:end])
	return b.String()
}

// relocate returns the arguments of a .loc with other numbers of files and other labels.
func relocate(text string, numbers map[int]int, labels map[string]string) string {
	text = locationFile.ReplaceAllStringFunc(text, func(match string) string {
		m := locationFile.FindStringSubmatch(match)
		prefix, number := m[1]+m[3], m[2]+m[4]
		n, err := strconv.Atoi(number)
		if new, ok := numbers[n]; ok && err == nil {
			return prefix + strconv.Itoa(new)
		}
		return match
	})
	return locationLabel.ReplaceAllStringFunc(text, func(match string) string {
		m := locationLabel.FindStringSubmatch(match)
		if new, ok := labels[m[2]]; ok {
			return m[1] + new
		}
		return match
	})
}

// debugging writes what .loc refers to.
func (w *linkWriter) debugging(numbers []map[int]int, labels []map[string]string) {
	written := make(map[int]bool)
	for i, u := range w.units {
		for _, it := range u.items {
			if it.file == nil || written[numbers[i][it.file.Index]] {
				continue
			}
			n := numbers[i][it.file.Index]
			written[n] = true
			fmt.Fprintf(&w.out, "\t.file\t%d %s\n", n, fileRest(u.text[it.begin:it.end]))
		}
	}
	for i, u := range w.units {
		for _, it := range u.items {
			if it.kind != "section" || emptySection.MatchString(u.text[it.begin:it.end]) {
				continue
			}
			text := sectionLabel.ReplaceAllStringFunc(u.text[it.begin:it.end], func(match string) string {
				name := strings.TrimSuffix(strings.TrimSpace(match), ":")
				return strings.Replace(match, name, labels[i][name], 1)
			})
			w.out.WriteString("\t" + text + "\n")
		}
	}
}
