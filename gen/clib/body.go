package clib

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/cudagen/cudagen/gen/internal/ctype"
)

// function prints f.
func (e *emitter) function(f *function) {
	e.printf("\n// %s %s\n", f.goName, f.document())
	for _, line := range f.Doc {
		e.printf("// %s\n", line)
	}
	receiver := ""
	if f.receiver >= 0 {
		receiver = "(h *" + f.params[f.receiver].handle.goName + ") "
	}
	e.printf("func %s%s%s {\n", receiver, f.goName, f.signature(e.packager, ""))
	e.open(f)
	e.require(f, false)
	words := make([]word, len(f.params))
	e.words(f, words, false)
	e.ask(f, words)
	e.require(f, true)
	e.words(f, words, true)
	e.printf("if simulated, err := call.Check(Simulated.%s != nil); err != nil {\nreturn %s\n} else if simulated {\n", f.field(), f.failed(e.packager, "err"))
	e.simulate(f)
	e.printf("}\n")
	e.record(words)
	e.call(f, words)
	e.printf("}\n")
}

// require prints the conditions that do ask another function, or that do not.
func (e *emitter) require(f *function, asks bool) {
	for _, c := range f.conditions {
		if c.asks == asks {
			e.printf("call.Require(%s, %q, %q, %s)\n", bare(c.goExpr), c.source, c.hint, c.arguments())
		}
	}
}

// record prints a struct of words. Addresses of Go memory stay right in it when the goroutine's stack moves.
func (e *emitter) record(words []word) {
	texts := make([]string, len(words))
	for i, w := range words {
		texts[i] = w.text
	}
	e.printf("words := %s{%s}\n", e.shape(words), strings.Join(texts, ", "))
}

// shape returns the name of the type of records for words: words2n1p has two numbers, and one pointer.
func (e *emitter) shape(words []word) string {
	name, fields := "words", ""
	for i := 0; i < len(words); {
		end, typ, kind := i, "uintptr", "n"
		if words[i].pointer {
			typ, kind = "unsafe.Pointer", "p"
		}
		for ; end < len(words) && words[end].pointer == words[i].pointer; end++ {
			fields += fmt.Sprintf("w%d,", end)
		}
		fields = strings.TrimSuffix(fields, ",") + " " + typ + "\n"
		name += fmt.Sprint(end-i) + kind
		i = end
	}
	e.shapes[name] = fields
	return name
}

// records prints the types of records.
func (e *emitter) records() {
	e.printf("\n// Arguments as C takes them: n for a number, p for a pointer to Go memory.\ntype (\n")
	for _, name := range slices.Sorted(maps.Keys(e.shapes)) {
		e.printf("%s struct {\n%s}\n", name, e.shapes[name])
	}
	e.printf(")\n")
}

// document returns what the doc comment says behind the name of f.
func (f *function) document() string {
	text := "is " + f.Name + "."
	if f.about != "" {
		text = strings.TrimSuffix(f.about, ".") + ": " + f.Name + "."
	}
	if f.onDevice {
		text += " Scalars and results are in the memory of the device."
	}
	if len(f.Doc) > 0 {
		text += "\n//"
	}
	return text
}

// open prints what begins the body.
func (e *emitter) open(f *function) {
	replaces := ""
	if bits, object := f.replaces(); bits != 0 {
		replaces = fmt.Sprintf(", Replaces: %#x", bits)
		if object != 0 {
			replaces += fmt.Sprintf(", Replacing: %d", object)
		}
	}
	e.printf("call := clib.Call{Function: &%s%s}\n", symbol(f.Name), replaces)
	if f.made != nil {
		e.printf("h := new(%s)\n", f.made.handle.goName)
	}
	switch {
	case f.made == nil && f.stream || f.hasStream():
		e.printf("call.On(s)\n")
	case f.receiver < 0:
		e.printf("call.At(d)\n")
	}
	var objects []string
	for i, p := range f.params {
		if p.role == object && i == f.receiver {
			objects = append(objects, "h.of()")
		} else if p.role == object {
			objects = append(objects, p.goName+".of()")
		}
	}
	if len(objects) > 0 {
		e.printf("call.Lock(%s)\ndefer call.Unlock()\n", strings.Join(objects, ", "))
	}
	if f.receiver >= 0 {
		e.printf("h0 := call.Receiver(h.of(), &kind%s, %s)\n", f.params[f.receiver].handle.goName, f.modeName())
	}
}

// modeName returns where the handle must say that scalars are when f is called.
func (f *function) modeName() string {
	switch {
	case f.onDevice:
		return "clib.DeviceMode"
	case f.mode != nil || f.params[f.receiver].handle.mode != "" && f.hostMemory():
		return "clib.HostMode"
	}
	return "clib.AnyMode"
}

// hostMemory reports whether f uses memory of the host: some functions expect it there only if the handle says so.
func (f *function) hostMemory() bool {
	return slices.ContainsFunc(f.params, func(p *param) bool { return p.role == hostSlice || p.role == value || p.role == out })
}

// arguments returns names and values of those that c is about.
func (c condition) arguments() string {
	var names, values []string
	for _, r := range c.reads {
		names = append(names, r.name)
		values = append(values, r.text)
	}
	return strings.Join(append([]string{strconv.Quote(strings.Join(names, " "))}, values...), ", ")
}

// A word is an argument of the C function.
type word struct {
	text     string
	pointer  bool // to Go memory
	floating bool // a number that goes into a floating-point register
}

// words prints what must happen before arguments of f are known, and puts them into words: those that another function is asked for, or the
// other ones.
func (e *emitter) words(f *function, words []word, asked bool) {
	for i, p := range f.params {
		if p.asks == asked {
			words[i] = e.word(f, i, p)
		}
	}
}

// word is words for one parameter.
func (e *emitter) word(f *function, i int, p *param) word {
	n := p.goName
	switch {
	case i == f.receiver:
		return word{text: "h0"}
	case i == f.created:
		e.printf("var created uintptr\n")
		return word{text: "unsafe.Pointer(&created)", pointer: true}
	case p.role == object:
		e.printf("at_%s := call.Object(%q, %s.of(), &kind%s)\n", n, p.Name, n, p.handle.goName)
		return word{text: "at_" + n}
	case p.role == stream:
		return word{text: "call.Stream()"}
	case p.scalar && f.onDevice:
		e.printf("at_%s := clib.Memory(&call, %q, %s, %s, %t)\n", n, p.Name, n, p.need, p.nullable)
		return word{text: "at_" + n}
	case p.role == memory:
		if p.optional && !p.nullable {
			e.printf("at_%s := clib.Optional(&call, %q, %s, %s)\n", n, p.Name, n, p.need)
		} else {
			e.printf("at_%s := clib.Memory(&call, %q, %s, %s, %t)\n", n, p.Name, n, p.need, p.nullable)
		}
		return word{text: "at_" + n}
	case p.role == address:
		return word{text: "uintptr(" + n + ".Address())"}
	case p.role == hostSlice:
		e.printf("at_%s := clib.Host(&call, %q, %s, %s, %d, %t)\n", n, p.Name, n, p.need, p.align, p.nullable)
		return word{text: "at_" + n, pointer: true}
	case p.role == text:
		e.printf("at_%s := call.Text(%q, %s, %t)\n", n, p.Name, n, p.nullable)
		return word{text: "at_" + n, pointer: true}
	case p.role == value && p.pointed():
		e.printf("at_%s := clib.Value(&call, %q, %s, %d, %t)\n", n, p.Name, n, p.align, p.nullable)
		return word{text: "at_" + n, pointer: true}
	case p.role == value || p.role == out:
		return e.place(p)
	default:
		if t, ok := ctype.Unqualified(p.Type).(*ctype.Basic); ok {
			switch t.Kind {
			case ctype.Float:
				return word{text: "clib.Float32(" + n + ")", floating: true}
			case ctype.Double:
				return word{text: "clib.Float64(" + n + ")", floating: true}
			case ctype.Bool:
				return word{text: "uintptr(clib.Bit(" + n + "))"}
			}
		}
		return word{text: "uintptr(" + n + ")"}
	}
}

// place prints where p, one value in the memory of the host, lies, and returns its address. Go aligns to 8 bytes, and C may
// want more.
func (e *emitter) place(p *param) word {
	n := p.goName
	switch {
	case p.copied():
		// The call may change what the number of elements follows from.
		e.printf("var %s uintptr\ncount_%[1]s := call.Count(%q, %s)\n", n, p.Name, p.need)
	case p.align > 8 && p.role == value:
		e.printf("var at_%s clib.Aligned[%s]\n*at_%[1]s.At() = %[1]s\n", n, p.goType)
		return word{text: "unsafe.Pointer(at_" + n + ".At())", pointer: true}
	case p.align > 8:
		e.printf("var at_%s clib.Aligned[%s]\n", n, p.goType)
		return word{text: "unsafe.Pointer(at_" + n + ".At())", pointer: true}
	case p.role == out:
		e.printf("var %s %s\n", n, p.goType)
	}
	return word{text: "unsafe.Pointer(&" + n + ")", pointer: true}
}

// failed returns the results of f with the error err.
func (f *function) failed(p *packager, err string) string {
	var list []string
	for _, t := range f.results(p) {
		zero := "*new(" + t + ")"
		switch {
		case strings.HasPrefix(t, "*"):
			zero = "nil"
		case t == "string":
			zero = `""`
		}
		list = append(list, zero)
	}
	return strings.Join(append(list, err), ", ")
}

// simulate prints the call of a function in Simulated.
func (e *emitter) simulate(f *function) {
	var args []string
	if f.own() != nil {
		args = append(args, "h")
	}
	for _, a := range f.arguments() {
		args = append(args, a.name)
	}
	list := strings.Join(args, ", ")
	if f.made != nil {
		e.printf("call.Created(&h.object, &kind%s, 0)\n", f.made.handle.goName)
		e.printf("if err := Simulated.%s(%s); err != nil {\nreturn nil, errors.Join(err, h.Close())\n}\n", f.field(), list)
		e.keep(f)
		e.printf("return h, nil\n")
		return
	}
	if !f.remembers() {
		e.printf("return Simulated.%s(%s)\n", f.field(), list)
		return
	}
	var results []string
	for i := range f.results(e.packager) {
		results = append(results, fmt.Sprintf("r_%d", i))
	}
	all := strings.Join(append(results, "err"), ", ")
	e.printf("%s := Simulated.%s(%s)\nif err == nil {\n", all, f.field(), list)
	n := 0
	for _, p := range f.params {
		if p.role == out && !(p.scalar && f.onDevice) {
			if f.keepsResult() && !p.copied() && p.align <= 8 {
				e.printf("%s = r_%d\n", p.goName, n)
			}
			n++
		}
	}
	e.keep(f)
	e.printf("}\nreturn %s\n", all)
}

// remembers reports whether an object keeps or holds something behind f.
func (f *function) remembers() bool {
	replaced, _ := f.replaces()
	return len(f.keeps) > 0 || replaced != 0
}

// keepsResult reports whether what an object keeps depends on what C writes.
func (f *function) keepsResult() bool {
	return slices.ContainsFunc(f.keeps, func(k keeping) bool { return k.after })
}

// keep prints what the object of f keeps and holds.
func (e *emitter) keep(f *function) {
	for _, k := range f.keeps {
		e.printf("%s.object.Keep(%d, %s)\n", f.objectOf(k.keeper), k.index, k.goExpr)
	}
	for _, p := range f.params {
		if p.holder != nil {
			e.printf("%s.object.Hold(%d, %s.Owner())\n", f.objectOf(p.holder), p.holder.handle.hold(p.slot), p.goName)
		}
	}
}

// objectOf returns what Go calls a handle of f.
func (f *function) objectOf(handle *param) string {
	if handle == f.own() {
		return "h"
	}
	return handle.goName
}

// replaces returns the numbers of memory that an object holds from then on, as bits, and which object of the call that is; no bits for
// one that f makes.
func (f *function) replaces() (bits, number int) {
	var holder *param
	for _, p := range f.params {
		if p.holder != nil && p.holder.role == object {
			bits |= 1 << p.holder.handle.hold(p.slot)
			holder = p.holder
		}
	}
	if bits == 0 || f.receiver >= 0 && holder == f.params[f.receiver] {
		return bits, 0
	}
	for i, p := range f.params {
		if p.role == object && i != f.receiver {
			number++
		}
		if p == holder {
			break
		}
	}
	return bits, number
}

// call prints the call, and what follows it.
func (e *emitter) call(f *function, words []word) {
	call, assigned := f.do(words)
	if f.made != nil {
		if f.result == handleMade {
			e.printf("created, err := call.Made(%s)\nif err != nil {\nreturn nil, err\n}\n", call)
		} else {
			e.printf("if %s := %s; err != nil {\nreturn nil, err\n}\n", assigned, call)
		}
		e.printf("call.Created(&h.object, &kind%s, created)\n", f.made.handle.goName)
		e.keep(f)
		e.printf("return h, nil\n")
		return
	}
	keeps := f.remembers()
	var list []string
	copies := make(map[int]string) // by index in list: of what C has in its memory, if it has not failed
	for _, p := range f.params {
		if p.role != out || p.scalar && f.onDevice {
			continue
		}
		if p.copied() {
			copies[len(list)] = fmt.Sprintf("clib.Copied[%s](%s, count_%[2]s)", p.goType, p.goName)
			list = append(list, "nil")
		} else if p.align > 8 {
			list = append(list, "*at_"+p.goName+".At()")
		} else {
			list = append(list, p.goName)
		}
	}
	if len(list) == 0 && assigned == "err" && !keeps {
		e.printf("return %s\n", call)
		return
	}
	e.printf("%s := %s\n", assigned, call)
	if keeps {
		e.printf("if err == nil {\n")
		e.keep(f)
		e.printf("}\n")
	}
	switch f.result {
	case number:
		t, _ := e.types.of(f.Result)
		if t.Name == "bool" {
			list = append(list, "uint8(ret) != 0")
		} else {
			list = append(list, t.String()+"(ret)")
		}
	case characters:
		list = append(list, "clib.Characters(ret)")
	}
	list = append(list, "err")
	if len(copies) > 0 {
		e.printf("if err != nil {\nreturn %s\n}\n", strings.Join(list, ", "))
		for i, text := range copies {
			list[i] = text
		}
	}
	e.printf("return %s\n", strings.Join(list, ", "))
}

// do returns the call of the C function, and the variables that its results are assigned to.
func (f *function) do(words []word) (call, assigned string) {
	floats := uint64(0)
	for i, w := range words {
		if w.floating {
			floats |= 1 << i
		}
	}
	args := fmt.Sprintf("unsafe.Pointer(&words), %d, %#x", len(words), floats)
	switch f.result {
	case failure:
		return "call.Try(" + args + ", failed)", "err"
	case nothing:
		return "call.Try(" + args + ", nil)", "err"
	}
	return "call.Do(" + args + ")", "ret, err"
}
