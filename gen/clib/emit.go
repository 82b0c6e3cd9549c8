package clib

import (
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/model"
)

// code returns the Go file, without what begins it.
func (p *packager) code() ([]byte, error) {
	e := &emitter{packager: p, shapes: make(map[string]string)}
	e.library()
	for _, h := range p.description.handles {
		e.handle(h)
	}
	e.statusType()
	for _, one := range p.types.enums {
		e.enum(one)
	}
	for _, s := range p.types.structs {
		e.printf("%s\nvar _ [%d]byte = [unsafe.Sizeof(%s{})]byte{}\n", s.text(), s.size, s.goName)
	}
	for _, f := range p.functions {
		e.function(f)
	}
	e.records()
	e.simulated()
	return withImports(p.pkg, e.b.String())
}

// withImports returns the Go file with body, and imports what that uses.
func withImports(pkg, body string) ([]byte, error) {
	file, err := parser.ParseFile(token.NewFileSet(), "", "package "+pkg+"\n"+body, 0)
	if err != nil {
		return nil, err
	}
	var own, ours strings.Builder
	for _, one := range []string{"errors", "strconv", "unsafe", "github.com/cudagen/cudagen/runtime/clib", "github.com/cudagen/cudagen/runtime/cuda", model.VecPath} {
		to := &own
		if strings.Contains(one, ".") {
			to = &ours
		}
		if slices.ContainsFunc(file.Unresolved, func(id *ast.Ident) bool { return id.Name == path.Base(one) }) {
			fmt.Fprintf(to, "%q\n", one)
		}
	}
	return format.Source(fmt.Appendf(nil, "package %s\n\nimport (\n%s\n%s)\n%s", pkg, own.String(), ours.String(), body))
}

// An emitter prints Go.
type emitter struct {
	*packager
	b      strings.Builder
	shapes map[string]string // fields of the types for arguments, by their names
}

func (e *emitter) printf(format string, args ...any) { fmt.Fprintf(&e.b, format, args...) }

// symbol is the Go variable for the C function called name.
func symbol(name string) string { return "c_" + name }

func (e *emitter) library() {
	d := e.description
	e.printf("\nvar library = clib.Library{Name: %q", d.name)
	for _, system := range []string{"linux", "windows"} {
		if files := d.files[system]; len(files) > 0 {
			e.printf(", %s: %#v", strings.ToUpper(system[:1])+system[1:], files)
		}
	}
	if d.of != "" {
		e.printf(", Of: %q", d.of)
	}
	if v := d.release; len(v.constants) > 0 {
		var numbers []string
		for _, name := range v.constants {
			numbers = append(numbers, strconv.FormatInt(e.constants[name], 10))
		}
		e.printf(", Version: %q", strings.Join(numbers, "."))
		if v.property != "" {
			e.printf(", Property: %q", v.property)
		}
	}
	e.printf("}\n\nvar (\n")
	for _, name := range e.symbols() {
		silent := ""
		if e.description.plumbing(name) && e.silent(name) {
			silent = ", Silent: true"
		} else if e.description.plumbing(name) && e.number(name) != "" {
			silent = ", Number: true"
		}
		e.printf("%s = clib.Function{Library: &library, Symbol: %q%s}\n", symbol(name), name, silent)
	}
	e.printf(")\n")
}

// symbols returns the C functions that the package calls, sorted, each once.
func (p *packager) symbols() (names []string) {
	for _, f := range p.functions {
		names = append(names, f.Name)
	}
	for _, h := range p.description.handles {
		names = append(names, h.destroy, h.stream, h.mode)
	}
	names = append(names, p.description.status.text)
	slices.Sort(names)
	return slices.DeleteFunc(slices.Compact(names), func(s string) bool { return s == "" })
}

func (e *emitter) handle(h *handle) {
	kind := "kind" + h.goName
	e.printf("\nvar %s = clib.Kind{Name: %q, Failed: failed", kind, h.name)
	for _, one := range []struct{ field, name string }{{"Destroy", h.destroy}, {"Stream", h.stream}, {"Mode", h.mode}} {
		if one.name != "" {
			e.printf(", %s: &%s", one.field, symbol(one.name))
		}
	}
	if h.mode != "" {
		e.printf(", Host: %d, Device: %d", e.constants[h.host], e.constants[h.device])
	}
	e.printf(`}

// %[1]s is a %[2]s. It belongs to a device. Calls with it run one after the other; for several goroutines make one each.
// The caller must close it, before the device.
type %[1]s struct{ object clib.Object }

func (h *%[1]s) of() *clib.Object {
	if h == nil {
		return nil
	}
	return &h.object
}

// Close destroys h, when no call uses it. It may be called more than once.
func (h *%[1]s) Close() error { return h.of().Close() }

// Device returns the device of h.
func (h *%[1]s) Device() *cuda.Device { return h.of().Device() }

// State returns what SetState has set.
func (h *%[1]s) State() any { return h.of().State() }

// SetState keeps a value with h, for functions of Simulated. If it has a method Close() error, closing h calls that.
func (h *%[1]s) SetState(v any) { h.of().SetState(v) }
`, h.goName, h.name)
}

func (e *emitter) statusType() {
	name := e.statusName
	if name == "" {
		e.printf("\nfunc failed(call *clib.Call, status int32) error { return nil }\n")
		return
	}
	if !slices.ContainsFunc(e.types.enums, func(one *enum) bool { return one.goName == name }) {
		e.printf("\n// %s is what functions of the library return: 0 if they have done it.\ntype %[1]s int32\n\nfunc (s %[1]s) String() string { return \"status \" + strconv.Itoa(int(s)) }\n", name)
	}
	e.printf("\n// Error returns the name of s.\nfunc (s %s) Error() string { return s.String() }\n", name)
	text := "nil"
	if e.description.status.text != "" {
		text = "&" + symbol(e.description.status.text)
	}
	e.printf("\nfunc failed(call *clib.Call, status int32) error { return call.Failed(%s(status), status, %s) }\n", name, text)
}

func (e *emitter) enum(one *enum) {
	e.printf("\n// %s is %s.\ntype %[1]s %[3]s\n", one.goName, one.name, one.typ.Name)
	if len(one.Enumerators) > 0 {
		e.printf("\n// Values of %s.\nconst (\n", one.goName)
		for i, c := range one.Enumerators {
			e.printf("%s %s = %s // %s\n", one.names[i], one.goName, value64(one, c), c.Name)
		}
		e.printf(")\n")
	}
	e.printf("\n// String returns the name of v in C.\nfunc (v %s) String() string { return clib.NameOf(names%[1]s[:], int64(v), %[1]q) }\n\nvar names%[1]s = [...]clib.Enumerator{\n", one.goName)
	for _, c := range one.Enumerators {
		e.printf("{%d, %q},\n", c.Value, c.Name)
	}
	e.printf("}\n")
}

// value64 returns the value of c as Go has it.
func value64(e *enum, c ctype.Enumerator) string {
	if strings.HasPrefix(e.typ.Name, "u") {
		return strconv.FormatUint(uint64(c.Value), 10)
	}
	return strconv.FormatInt(c.Value, 10)
}

// arguments returns the parameters of f in Go, without a receiver.
func (f *function) arguments() (list []argument) {
	switch {
	case f.made != nil && !f.hasStream():
		list = append(list, argument{"d", "*cuda.Device"})
	case f.stream || f.hasStream():
		list = append(list, argument{"s", "*cuda.Stream"})
	case f.receiver < 0:
		list = append(list, argument{"d", "*cuda.Device"})
	}
	for i, p := range f.params {
		if i == f.receiver || i == f.created {
			continue
		}
		if t := f.argument(p); t != "" {
			list = append(list, argument{p.goName, t})
		}
	}
	return list
}

// An argument is a parameter of a Go function.
type argument struct{ name, typ string }

func (f *function) hasStream() bool {
	return slices.ContainsFunc(f.params, func(p *param) bool { return p.role == stream })
}

// argument returns the type of the argument for p; "" if it has none.
func (f *function) argument(p *param) string {
	switch {
	case p.role == object:
		return "*" + p.handle.goName
	case p.scalar && f.onDevice, p.role == memory:
		return "cuda.Slice[" + p.goType.String() + "]"
	case p.role == address:
		return "cuda.Ptr[" + p.goType.String() + "]"
	case p.role == hostSlice:
		return "[]" + p.goType.String()
	case p.role == text:
		return "string"
	case p.role == value && p.pointed():
		return "*" + p.goType.String()
	case p.role == value, p.role == plain:
		return p.goType.String()
	}
	return ""
}

// pointed reports whether the argument for p, a value, is a pointer: the function may change it, or it may be nil.
func (p *param) pointed() bool {
	return p.nullable || !isConst(ctype.Unqualified(p.Type).(*ctype.Pointer).Elem)
}

// resultType returns the type of p, a result.
func (p *param) resultType() string {
	if p.copied() {
		return "[]" + p.goType.String()
	}
	return p.goType.String()
}

// results returns the types of what f returns, but for the error.
func (f *function) results(p *packager) (list []string) {
	if f.made != nil {
		return []string{"*" + f.made.handle.goName}
	}
	for _, one := range f.params {
		if one.role == out && !(one.scalar && f.onDevice) {
			list = append(list, one.resultType())
		}
	}
	switch f.result {
	case number:
		t, _ := p.types.of(f.Result)
		list = append(list, t.String())
	case characters:
		list = append(list, "string")
	}
	return list
}

// signature returns arguments and results as Go has them.
func (f *function) signature(p *packager, first string) string {
	var args []string
	if first != "" {
		args = append(args, first)
	}
	for _, a := range f.arguments() {
		args = append(args, a.name+" "+a.typ)
	}
	results := append(f.results(p), "error")
	if len(results) == 1 {
		return "(" + strings.Join(args, ", ") + ") error"
	}
	return "(" + strings.Join(args, ", ") + ") (" + strings.Join(results, ", ") + ")"
}

// field is the name of f in Simulated.
func (f *function) field() string {
	if f.receiver >= 0 {
		return f.params[f.receiver].handle.goName + f.goName
	}
	return f.goName
}

func (e *emitter) simulated() {
	e.printf("\n// Simulated has what the functions do on simulated devices; one that is nil returns an error there. What a function is handed was\n// checked. It queues its work on the stream. Set fields before the first call.\nvar Simulated struct {\n")
	for _, f := range e.functions {
		first := ""
		switch {
		case f.receiver >= 0:
			first = "h *" + f.params[f.receiver].handle.goName
		case f.made != nil:
			first = "h *" + f.made.handle.goName
		}
		signature := f.signature(e.packager, first)
		if f.made != nil {
			signature = strings.TrimSuffix(signature, "(*"+f.made.handle.goName+", error)") + "error"
		}
		e.printf("%s func%s\n", f.field(), signature)
	}
	e.printf("}\n")
}
