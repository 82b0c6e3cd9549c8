package main

import (
	"bytes"
	"fmt"
	"go/format"
	"regexp"
	"slices"
	"strings"
)

const driverPath = "github.com/cudagen/cudagen/runtime/internal/driver"

// banner begins every file that is generated.
const banner = "// Code generated from the interface Driver by runtime/internal/driver/generate. DO NOT EDIT.\n\n"

// A goFile is a Go file while it is written.
type goFile struct {
	text     bytes.Buffer
	imported []string
	at       int // where the imports come
}

func (f *goFile) print(text string, args ...any) { fmt.Fprintf(&f.text, text, args...) }

// imports imports those of paths that the file turns out to use.
func (f *goFile) imports(paths ...string) { f.imported, f.at = paths, f.text.Len() }

// format returns the file with its banner and imports.
func (f *goFile) format() ([]byte, error) {
	head, body := f.text.Bytes()[:f.at], f.text.Bytes()[f.at:]
	var std, own string
	for _, path := range f.imported {
		name := path[strings.LastIndex(path, "/")+1:]
		switch {
		case !bytes.Contains(body, []byte(name+".")):
		case strings.Contains(path, "."):
			own += fmt.Sprintf("%q\n", path)
		default:
			std += fmt.Sprintf("%q\n", path)
		}
	}
	imports := ""
	if std+own != "" {
		imports = "import (\n" + std + "\n" + own + ")\n\n"
	}
	return format.Source(slices.Concat([]byte(banner), head, []byte(imports), bytes.TrimRight(body, "\n"), []byte("\n")))
}

// exported finds the names of package driver's types in a type.
var exported = regexp.MustCompile(`(^|[^\w.])([A-Z]\w*)`)

// qualified returns typ as another package writes it, and unqualified as package driver.
func qualified(typ string) string { return exported.ReplaceAllString(typ, "${1}driver.$2") }

func unqualified(typ string) string { return typ }

// signature returns the method's parameters and results, as Driver names them.
func (r row) signature(write func(typ string) string) string {
	return r.parameters(write) + " " + r.resultList(write, false)
}

// named is signature with a name for each result.
func (r row) named(write func(typ string) string) string {
	return r.parameters(write) + " " + r.resultList(write, true)
}

func (r row) parameters(write func(typ string) string) string {
	return "(" + list(r.params, write) + ")"
}

// resultList gives the results names if the interface does, or if it must.
func (r row) resultList(write func(typ string) string, must bool) string {
	results := slices.Clone(r.results)
	if !r.noEntryPoint {
		results = append(results, variable{"", "Result"})
	}
	if len(results) == 1 && (!must || r.noEntryPoint) {
		return write(results[0].typ)
	}
	if must || results[0].name != "" {
		for i, name := range r.resultNames() {
			results[i].name = name
		}
	}
	return "(" + list(results, write) + ")"
}

// list writes variables; neighbours of one type share it.
func list(vars []variable, write func(typ string) string) string {
	var b strings.Builder
	for i, v := range vars {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(v.name)
		if v.name == "" || i+1 == len(vars) || vars[i+1].typ != v.typ {
			b.WriteString(" " + write(v.typ))
		}
	}
	return b.String()
}

// passOn returns the parameters' names, as a call passes them on.
func (r row) passOn() string {
	var names []string
	for _, v := range r.params {
		names = append(names, v.name)
	}
	return strings.Join(names, ", ")
}

// methods returns the rows of Driver.
func (t *table) methods() []row {
	return slices.DeleteFunc(slices.Clone(t.rows), func(r row) bool { return r.noMethod })
}

// writeSymbols writes the constants and the table of symbols.
func (t *table) writeSymbols(f *goFile) {
	f.print("package driver\n\n// The entry points.\nconst (\n")
	var last string
	for _, r := range t.rows {
		if r.noEntryPoint {
			continue
		}
		if f.print("%s", r.name); last == "" {
			f.print(" EntryPoint = iota")
		}
		f.print("\n")
		last = r.name
	}
	f.print("\nNumEntryPoints = int(%s) + 1\n)\n\nvar symbols = [NumEntryPoints]symbol{\n", last)
	for _, r := range t.rows {
		if !r.noEntryPoint {
			f.print("%s: {%q, %q, %d, %v},\n", r.name, "cu"+r.name, "cu"+r.name+r.suffix, r.since, r.required)
		}
	}
	f.print("}\n\n// results describes each Result: what the driver API calls it, and what it means.\n")
	f.print("var results = map[Result]struct{ name, description string }{\n")
	for _, r := range t.results {
		f.print("%s: {%q, %q},\n", r.constant, r.name, r.description)
	}
	f.print("}\n")
}

// writeWatchable writes the methods of watchable. The Watcher gets 0 for what is not a number.
func (t *table) writeWatchable(f *goFile) {
	f.print("package driver\n\n")
	f.imports("unsafe")
	for _, r := range t.rows {
		if !r.watched {
			continue
		}
		call := r.call
		if r.byHand { // C has a structure for several results
			call, _ = row{params: r.params, results: r.results[:min(1, len(r.results))]}.arguments(nil)
		}
		args := r.name
		for _, a := range call {
			if a.param >= 0 && t.isInteger(r.params[a.param].typ) {
				args += ", uintptr(" + r.params[a.param].name + ")"
			} else {
				args += ", 0"
			}
		}
		f.print("func (d *watchable) %s%s {\n", r.name, r.named(unqualified))
		names := strings.Join(r.resultNames(), ", ")
		f.print("d.around(func() Result { %s = d.Driver.%s(%s); return r }, %s)\nreturn %[1]s\n}\n\n", names, r.name, r.passOn(), args)
	}
}

// writeInContext writes the methods of inContext: those that are neither global nor
// called with a context anyway.
func (t *table) writeInContext(f *goFile) {
	f.print("package driver\n\n")
	f.imports("unsafe")
	for _, r := range t.rows {
		switch {
		case r.noEntryPoint || r.noMethod || r.global || r.context:
		case len(r.results) == 0:
			f.print("func (in inContext) %s%s Result {\nreturn in.around(func() Result { return in.Driver.%[1]s(%[3]s) })\n}\n\n", r.name, r.parameters(unqualified), r.passOn())
		default:
			names := strings.Join(r.resultNames(), ", ")
			f.print("func (in inContext) %s%s {\n", r.name, r.named(unqualified))
			f.print("r = in.around(func() (r Result) { %s = in.Driver.%s(%s); return r })\nreturn %[1]s\n}\n\n", names, r.name, r.passOn())
		}
	}
}

// writeIntercept writes the methods of drivertest's interceptor.
func (t *table) writeIntercept(f *goFile) {
	f.print("package drivertest\n\n")
	f.imports("unsafe", driverPath)
	for _, r := range t.methods() {
		call := fmt.Sprintf("return ic.next.%s(%s)\n}\n\n", r.name, r.passOn())
		if r.noEntryPoint {
			f.print("func (ic interceptor) %s%s {\n%s", r.name, r.signature(qualified), call)
			continue
		}
		f.print("func (ic interceptor) %s%s {\n", r.name, r.named(qualified))
		f.print("if r = ic.before(driver.%s.Name()); r != driver.Success {\nreturn %s\n}\n%s", r.name, strings.Join(r.resultNames(), ", "), call)
	}
	t.writeMarks(f, "contextual", func(r row) bool { return r.context })
	t.writeMarks(f, "global", func(r row) bool { return r.global })
}

// writeMarks writes the set of the entry points that are marked.
func (t *table) writeMarks(f *goFile, name string, marked func(r row) bool) {
	f.print("var %s = map[string]bool{\n", name)
	for _, r := range t.rows {
		if marked(r) {
			f.print("%q: true,\n", "cu"+r.name)
		}
	}
	f.print("}\n\n")
}

// writeEcho writes the methods of drivertest's Echo.
func (t *table) writeEcho(f *goFile) {
	f.print("package drivertest\n\n")
	f.imports("unsafe", driverPath)
	for _, r := range t.methods() {
		noted := fmt.Sprintf("ec.note(%q", r.name)
		for _, v := range r.params {
			noted += ", " + v.name
			if strings.HasPrefix(v.typ, "func(") {
				noted += " != nil" // functions cannot be compared
			}
		}
		noted += ")"
		var said []string
		for i, v := range r.results {
			said = append(said, t.example(v.typ, i))
		}
		f.print("func (ec *Echo) %s%s {\n", r.name, r.signature(qualified))
		if r.noEntryPoint {
			f.print("%s\nreturn %s\n}\n\n", noted, strings.Join(said, ", "))
		} else {
			f.print("return %s\n}\n\n", strings.Join(append(said, noted), ", "))
		}
	}
}

// example returns a value of type typ. Numbers differ by i and are not zero.
func (t *table) example(typ string, i int) string {
	switch typ {
	case "string":
		return `"said"`
	case "bool":
		return "true"
	case "unsafe.Pointer":
		return "unsafe.Pointer(&said)"
	case "[16]byte":
		return "[16]byte{1, 2}"
	}
	if t.isInteger(typ) || typ == "float32" {
		return fmt.Sprint(41 + i)
	}
	if strings.HasPrefix(typ, "[]") {
		return "nil"
	}
	return qualified(typ) + "{}" // a structure
}

// header returns the table of the fake driver, a list of macros in C.
func (t *table) header() []byte {
	var b bytes.Buffer
	b.WriteString(banner + "// ENTRY_POINT(name, symbol, since, global)\n")
	for _, r := range t.rows {
		if !r.noEntryPoint {
			global := 0
			if r.global {
				global = 1
			}
			fmt.Fprintf(&b, "ENTRY_POINT(cu%s, cu%[1]s%s, %d, %d)\n", r.name, r.suffix, r.since, global)
		}
	}
	return b.Bytes()
}
