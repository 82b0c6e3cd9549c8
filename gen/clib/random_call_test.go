//go:build linux && !cudagen_nodriver && (amd64 || arm64)

package clib_test

import (
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"strings"
)

// A randomCall is a call of a function, and what must come of it.
type randomCall struct {
	f         *randomFunction
	device    bool // scalars are in the memory of the device
	arguments []*randomArgument
	status    int32
	result    []byte // of a function that returns a number, or characters

	values map[string]int64 // of names in expressions
	class  string           // "ok", or of the error
	kept   map[int][]int64  // what handles keep afterwards, by the index of the argument

	seen []string // by C, of each argument
	want []string // lines of the program
	text string   // Go
}

// A randomArgument is what a call has for a parameter.
type randomArgument struct {
	value    []byte
	elements [][]byte
	after    [][]byte // what C writes
	length   int64    // of a slice
	zero     bool     // the zero Slice, or nil
	place    uint64   // where memory of the device is
	need     int64
	same     int // index of the parameter whose handle it is
	numbers  [2][]byte
}

// call draws a call of f; nil if there is none whose lengths can be had.
func (l *library) call(f *randomFunction, device bool) *randomCall {
	for range 200 {
		c := &randomCall{f: f, device: device}
		for _, p := range f.parameters {
			c.arguments = append(c.arguments, c.draw(p))
		}
		if l.r.IntN(6) == 0 && f.returns == l.status {
			c.status = []int32{7, -3, 1 << 30, math.MinInt32}[l.r.IntN(4)]
		}
		if f.result != nil {
			c.result = f.result.random(l.r)
		} else if l.r.IntN(4) > 0 {
			c.result = []byte(strings.Repeat("word", l.r.IntN(4)))
		}
		if c.evaluate(true) {
			return c
		}
	}
	return nil
}

// onDevice reports whether p lies in the memory of the device.
func (c *randomCall) onDevice(p *randomParameter) bool {
	return p.role == rMemory || c.device && p.role >= rMode
}

// onHost reports whether p is a slice or a pointer in Go.
func (c *randomCall) onHost(p *randomParameter) bool {
	switch p.role {
	case rHost:
		return true
	case rValue:
		return !p.constant || p.nullable
	case rModeSlice, rUpdate:
		return !c.device
	}
	return false
}

// draw draws what a call has for p, without lengths.
func (c *randomCall) draw(p *randomParameter) *randomArgument {
	r := c.f.l.r
	a := &randomArgument{place: 64 * uint64(r.IntN(1<<10)), same: len(c.arguments)}
	switch p.role {
	case rPlain:
		if a.value = p.typ.random(r); p.typ.number && r.IntN(8) > 0 {
			a.value = p.typ.little(r)
		}
	case rObject:
		for i, other := range c.f.parameters[:len(c.arguments)] {
			if other.role == rObject && other.handle == p.handle && r.IntN(4) == 0 {
				a.same = c.arguments[i].same
				*a = *c.arguments[a.same]
				return a
			}
		}
		a.value = place(r.Uint64())[:p.handle.size]
		for i := range a.numbers {
			a.numbers[i] = c.f.l.types[5].little(r)
		}
	case rCreated:
		a.value = place(r.Uint64())[:p.handle.size]
	case rAddress:
		if a.value = place(a.place); r.IntN(4) == 0 {
			a.value = null
		}
	case rOutAddress:
		a.after = [][]byte{place(a.place)}
		if r.IntN(4) == 0 {
			a.after = [][]byte{null}
		}
	case rText:
		if a.value = []byte(strings.Repeat("né%", r.IntN(4))); len(a.value) == 0 {
			a.zero = p.nullable
		}
	case rValue, rMode, rOut, rModeOut, rUpdate:
		a.zero = p.role == rValue && p.nullable && r.IntN(2) == 0
		a.elements, a.after = [][]byte{p.typ.random(r)}, [][]byte{p.typ.random(r)}
		if p.typ.number && r.IntN(2) == 0 {
			a.after[0] = p.typ.little(r)
		}
		a.length = 1
	}
	return a
}

// evaluate finds the lengths that the call needs, and what comes of it. With lengths it also chooses those of slices. It returns false if a
// number is too large.
func (c *randomCall) evaluate(lengths bool) bool {
	c.values = map[string]int64{"R_SEVEN": 7, "R_MINUS": -5, "R_MANY": 200}
	for i, p := range c.f.parameters {
		a := c.arguments[i]
		switch p.role {
		case rPlain:
			if n, ok := p.typ.integer(a.value); ok && p.typ.number {
				c.values[p.name], c.values["go.thrice("+p.name+")"] = n, 3*n
			}
		case rObject:
			made := make(map[string]int64)
			for j, n := range a.numbers {
				made[fmt.Sprint("n", j)], _ = c.f.l.types[5].integer(n)
			}
			for _, k := range p.handle.maker.kept {
				c.values[p.name+"."+k.name], _ = k.number.of(made)
			}
		}
	}
	for i, p := range c.f.parameters {
		if !c.length(p, c.arguments[i], lengths) {
			return false
		}
	}
	c.class = "ok"
	for _, n := range c.f.conditions {
		switch v, ok := n.of(c.values); {
		case !ok:
			return false
		case v == 0 && c.class == "ok":
			c.class = "invalid"
		}
	}
	for i, p := range c.f.parameters {
		if wrong := c.wrong(p, c.arguments[i]); c.class == "ok" && wrong != "" {
			c.class = wrong
		}
	}
	if c.class == "ok" && c.status != 0 {
		c.class = fmt.Sprint("status ", c.status)
	}
	return c.keep()
}

// length finds how long the slice for p has to be.
func (c *randomCall) length(p *randomParameter, a *randomArgument, choose bool) bool {
	r := c.f.l.r
	if p.need == nil {
		a.need = 1
		return true
	}
	need, ok := p.need.of(c.values)
	if a.need = need; !ok || !c.onDevice(p) && need > 40 {
		return false
	}
	if !choose {
		if p.role == rHost || p.role == rModeSlice {
			return a.length <= int64(len(a.elements))
		}
	} else {
		a.length = max(0, need) + int64(r.IntN(4)/3)
		if c.onDevice(p) {
			a.zero = p.nullable && r.IntN(3) == 0 || p.optional && need <= 0 && r.IntN(2) == 0
		} else if p.role == rOutHost {
			a.length, a.zero = max(0, need), r.IntN(4) == 0
		} else {
			a.zero = p.nullable && r.IntN(3) == 0 || need <= 0 && r.IntN(2) == 0
		}
		if a.zero {
			a.length = 0
		}
		if !c.onDevice(p) {
			for range a.length {
				one := p.typ.random(r)
				if p.typ.number && r.IntN(8) > 0 {
					one = p.typ.little(r)
				}
				a.elements, a.after = append(a.elements, one), append(a.after, p.typ.random(r))
			}
		}
	}
	c.values["len("+p.name+")"] = a.length
	if p.role == rHost && p.typ.number {
		sum, all := int64(0), true
		for _, e := range a.elements[:a.length] {
			n, ok := p.typ.integer(e)
			sum, all = sum+max(n, 0), all && ok
		}
		if delete(c.values, "sum("+p.name+")"); all {
			c.values["sum("+p.name+")"] = sum
		}
	}
	return true
}

// wrong returns the class of the error that the argument for p is; "" for none.
func (c *randomCall) wrong(p *randomParameter, a *randomArgument) string {
	switch {
	case !c.onDevice(p) && p.role != rHost && p.role != rModeSlice:
	case !a.zero && a.length < a.need:
		return "short"
	case !a.zero || p.role == rHost && p.nullable || c.onDevice(p) && p.nullable:
	case a.need > 0:
		return "short"
	case c.onDevice(p) && !p.optional:
		return "invalid"
	}
	return ""
}

// keep finds what handles keep afterwards.
func (c *randomCall) keep() bool {
	c.kept = make(map[int][]int64)
	for i, p := range c.f.parameters {
		a := c.arguments[i]
		switch {
		case p.role == rObject && a.same == i:
			for _, k := range p.handle.kept {
				c.kept[i] = append(c.kept[i], c.values[p.name+"."+k])
			}
		case p.role == rCreated && c.class == "ok":
			c.kept[i] = slices.Repeat([]int64{math.MaxInt64}, len(p.handle.kept))
		case p.role == rOut && p.typ.number && c.class == "ok":
			if n, ok := p.typ.integer(a.after[0]); ok {
				c.values[p.name] = n
			}
		}
	}
	if c.class != "ok" {
		return true
	}
	for _, k := range c.f.kept {
		n, ok := k.number.of(c.values)
		if !ok {
			return false
		}
		of, handle := c.arguments[k.handle].same, c.f.parameters[k.handle].handle
		c.kept[of][slices.Index(handle.kept, k.name)] = n
		for i, p := range c.f.parameters {
			if p.role == rObject && c.arguments[i].same == of {
				c.values[p.name+"."+k.name] = n
			}
		}
	}
	return true
}

// shorter returns the calls with one slice that is an element shorter than needed.
func (c *randomCall) shorter() (list []*randomCall) {
	for i, p := range c.f.parameters {
		if a := c.arguments[i]; !a.zero && a.need > 0 && (c.onDevice(p) || p.role == rHost || p.role == rModeSlice) {
			short, argument := *c, *a
			short.arguments = slices.Clone(c.arguments)
			argument.length = a.need - 1
			short.arguments[i] = &argument
			if short.evaluate(false) {
				list = append(list, &short)
			}
		}
	}
	return list
}

// refused reports whether C does not see the call.
func (c *randomCall) refused() bool { return c.class == "short" || c.class == "invalid" }

// A writing has what C sees and writes, in the order of the parameters.
type writing struct{ tape []byte }

func (w *writing) count(n int64)     { w.tape = append(w.tape, place(uint64(n))...) }
func (w *writing) write(what []byte) { w.tape = append(w.tape, what...) }

// saw returns what C says that it saw of an argument, and adds what it writes there.
func (c *randomCall) saw(w *writing, p *randomParameter, a *randomArgument) string {
	elements := func(reads, writes bool) (text string) {
		for i, e := range a.elements[:a.length] {
			if reads {
				text += hex.EncodeToString(e)
			}
			if writes {
				w.write(a.after[i])
			}
		}
		return text
	}
	switch {
	case c.onDevice(p) && a.zero:
		return hex.EncodeToString(null)
	case c.onDevice(p):
		return hex.EncodeToString(place(a.place))
	}
	switch p.role {
	case rPlain, rObject, rAddress:
		return hex.EncodeToString(a.value)
	case rStream:
		return "stream"
	case rCreated:
		w.write(a.value)
		return ""
	case rText:
		if a.zero {
			return "null"
		}
		return "text" + hex.EncodeToString(a.value)
	case rOut, rModeOut, rOutAddress:
		w.write(a.after[0])
		return ""
	case rOutHost:
		if a.zero {
			w.count(-1)
			return ""
		}
		w.count(a.length)
		return elements(false, true)
	case rHost, rModeSlice:
		if a.zero {
			return "null"
		}
		used := *a
		used.length = max(a.need, 0)
		a = &used
		w.count(a.length)
		return elements(true, !p.constant)
	}
	if a.zero {
		return "null"
	}
	return elements(true, !p.constant && p.role != rMode)
}

// finish writes the call in Go, and the lines that must come of it.
func (c *randomCall) finish(number int) {
	f := c.f
	var b strings.Builder
	fmt.Fprintf(&b, "func() { // %s\n", f.name)
	var handles []string
	for i, p := range f.parameters {
		if a := c.arguments[i]; p.role == rObject && a.same == i {
			w := &writing{}
			w.write(a.value)
			w.write(make([]byte, 4))
			memory := ""
			if p.handle.other != "" {
				memory = ", at[float32](0, 3)"
			}
			fmt.Fprintf(&b, "begin(\"%x\")\nh%d := must(New%s(d, fill[int32](\"%x\"), fill[int32](\"%x\")%s))\n", w.tape, i, p.handle.goName, a.numbers[0], a.numbers[1], memory)
			handles = append(handles, fmt.Sprint("h", i))
		}
	}
	w := &writing{}
	saw := " " + f.name
	for i, p := range f.parameters {
		c.seen = append(c.seen, c.saw(w, p, c.arguments[i]))
		saw += " " + c.seen[i]
	}
	switch {
	case f.returns == f.l.status:
		w.write(place(uint64(uint32(c.status)))[:4])
	case f.result != nil:
		w.write(c.result)
	case f.returns == "const char *":
		if w.count(int64(len(c.result))); c.result == nil {
			w.tape = w.tape[:len(w.tape)-8]
			w.count(-1)
		}
		w.write(c.result)
	}
	fmt.Fprintf(&b, "begin(\"%x\")\n", w.tape)
	var arguments, results, has, values []string
	name := strings.ToUpper(f.name[2:3]) + f.name[3:]
	if c.device {
		name += "Device"
	}
	switch {
	case f.onStream(c.device):
		arguments = append(arguments, "s")
	case f.receiver < 0:
		arguments = append(arguments, "d")
	}
	result := func(value string) {
		results, values = append(results, fmt.Sprint("o", len(results))), append(values, value)
	}
	for i, p := range f.parameters {
		a := c.arguments[i]
		switch {
		case i == f.receiver:
			name = fmt.Sprintf("h%d.%s", i, name)
		case i == f.created || p.role == rStream:
		case p.role == rObject:
			arguments = append(arguments, fmt.Sprint("h", a.same))
		case c.onDevice(p) && a.zero:
			arguments = append(arguments, fmt.Sprintf("cuda.Slice[%s]{}", p.typ.goName))
		case c.onDevice(p):
			arguments = append(arguments, fmt.Sprintf("at[%s](%d, %d)", p.typ.goName, a.place, a.length))
		case p.role == rAddress && slices.Equal(a.value, null):
			arguments = append(arguments, fmt.Sprintf("cuda.Ptr[%s]{}", p.typ.goName))
		case p.role == rAddress:
			arguments = append(arguments, fmt.Sprintf("cuda.PtrAt[%s](base+%d)", p.typ.goName, a.place))
		case p.role == rText:
			arguments = append(arguments, fmt.Sprintf("%q", a.value))
		case p.role == rPlain:
			arguments = append(arguments, fmt.Sprintf("fill[%s](\"%x\")", p.typ.goName, a.value))
		case p.role == rOut, p.role == rModeOut, p.role == rOutAddress, p.role == rOutHost:
			if f.created < 0 {
				result(c.got(p, a))
			}
		case c.onHost(p):
			fmt.Fprintf(&b, "a%d := %s\n", i, c.onHostInGo(p, a))
			switch slice := p.role == rHost || p.role == rModeSlice; {
			case slice:
				arguments, has = append(arguments, fmt.Sprint("a", i)), append(has, fmt.Sprintf("slices.Clone(a%d)", i))
			case a.zero:
				arguments, has = append(arguments, fmt.Sprint("a", i)), append(has, fmt.Sprint("a", i))
			default:
				arguments, has = append(arguments, fmt.Sprint("&a", i)), append(has, fmt.Sprint("a", i))
			}
		default:
			arguments = append(arguments, fmt.Sprintf("fill[%s](\"%x\")", p.typ.goName, a.elements[0]))
		}
	}
	if f.created >= 0 {
		results = []string{"made"}
	} else if f.result != nil {
		value := hex.EncodeToString(c.result)
		if c.refused() {
			value = strings.Repeat("00", len(c.result))
		}
		result(value)
	} else if f.returns == "const char *" {
		value := "text" + hex.EncodeToString(c.result)
		if c.refused() {
			value = "text"
		}
		result(value)
	}
	fmt.Fprintf(&b, "%s := %s(%s)\n", strings.Join(append(slices.Clone(results), "err"), ", "), name, strings.Join(arguments, ", "))
	if f.created >= 0 {
		results = nil
	}
	for i, p := range f.parameters {
		if c.onHost(p) {
			values = append(values, c.afterwards(p, c.arguments[i]))
		}
	}
	shown := append(results, has...)
	made := "made"
	for i, p := range f.parameters {
		of := fmt.Sprint("h", i)
		if p.role == rCreated {
			of = made
		}
		for k, n := range c.kept[i] {
			shown, values = append(shown, fmt.Sprintf("clib.Kept(%s.of(), %d)", of, k)), append(values, hex.EncodeToString(place(uint64(n))))
		}
	}
	fmt.Fprintf(&b, "report(%s)\n", strings.Join(append([]string{fmt.Sprint(number), "err"}, shown...), ", "))
	closed := ""
	if f.created >= 0 {
		handles = append(handles, made)
	}
	fmt.Fprintf(&b, "finish(%s)\n}", strings.Join(append([]string{fmt.Sprint(number)}, handles...), ", "))
	for i, p := range f.parameters {
		if a := c.arguments[i]; p.role == rObject && a.same == i {
			closed += fmt.Sprintf(" r_%s_end %x", p.handle.short, a.value)
		}
	}
	if f.created >= 0 && c.class == "ok" {
		closed += fmt.Sprintf(" r_%s_end %x", f.parameters[f.created].handle.short, c.arguments[f.created].value)
	}
	c.text = b.String()
	if c.refused() {
		saw = ""
	} else {
		saw = c.prepared() + saw
	}
	values = append([]string{fmt.Sprintf("%d %s:%s |", number, c.class, saw)}, values...)
	c.want = []string{strings.Join(values, " "), fmt.Sprintf("%d closed:%s", number, closed)}
}

// prepared returns what C sees before the function: the stream and the mode of the handle.
func (c *randomCall) prepared() (text string) {
	f := c.f
	if f.receiver < 0 || f.parameters[f.receiver].handle != f.l.handles[0] {
		return ""
	}
	handle := hex.EncodeToString(c.arguments[f.receiver].value)
	if f.onStream(c.device) {
		text = " r_context_stream " + handle + " stream"
	}
	switch {
	case c.device:
		text += " r_context_mode " + handle + " c8000000"
	case f.modes() > 0 || slices.ContainsFunc(f.parameters, func(p *randomParameter) bool {
		return slices.Contains([]randomRole{rHost, rValue, rOut, rOutAddress, rOutHost}, p.role)
	}):
		text += " r_context_mode " + handle + " 07000000"
	}
	return text
}

// got returns what Go shows of a result.
func (c *randomCall) got(p *randomParameter, a *randomArgument) string {
	switch {
	case p.role == rOutHost && (c.refused() || c.status != 0 || a.zero): // C may have written no address when it failed
		return "nil"
	case c.refused() && p.role == rOutAddress:
		return hex.EncodeToString(null)
	case c.refused():
		text := ""
		for _, l := range p.typ.leaves {
			if l.address {
				text += hex.EncodeToString(null)
			} else {
				text += strings.Repeat("00", l.size)
			}
		}
		return text
	case p.role == rOutHost:
		return fmt.Sprintf("all%d-%x", a.length, slices.Concat(a.after[:a.length]...))
	}
	return hex.EncodeToString(a.after[0])
}

// onHostInGo returns a slice or a value in Go. It may be on the goroutine's stack.
func (c *randomCall) onHostInGo(p *randomParameter, a *randomArgument) string {
	slice := p.role == rHost || p.role == rModeSlice
	switch {
	case slice && a.zero:
		return "[]" + p.typ.goName + "(nil)"
	case a.zero:
		return "(*" + p.typ.goName + ")(nil)"
	case !slice:
		return fmt.Sprintf("fill[%s](\"%x\")", p.typ.goName, a.elements[0])
	}
	var texts []string
	for _, e := range a.elements[:a.length] {
		texts = append(texts, fmt.Sprintf("fill[%s](\"%x\")", p.typ.goName, e))
	}
	return fmt.Sprintf("[]%s{%s}", p.typ.goName, strings.Join(texts, ", "))
}

// afterwards returns what Go shows of a slice or a pointer after the call.
func (c *randomCall) afterwards(p *randomParameter, a *randomArgument) string {
	if a.zero {
		return "nil"
	}
	text := ""
	for i, e := range a.elements[:a.length] {
		if !c.refused() && !p.constant && int64(i) < a.need {
			e = a.after[i]
		}
		text += hex.EncodeToString(e)
	}
	if p.role == rHost || p.role == rModeSlice {
		text = fmt.Sprint("all", a.length, "-", text)
	}
	return text
}

// goCalls returns the Go code of the calls.
func (l *library) goCalls() string {
	var b strings.Builder
	b.WriteString("package main\n\nimport (\n\"fmt\"\n\"slices\"\n\"unsafe\"\n\n\"github.com/cudagen/cudagen/runtime/clib\"\n\"github.com/cudagen/cudagen/runtime/cuda\"\n\"github.com/cudagen/cudagen/runtime/cuda/vec\"\n)\n\nvar _ vec.Float2\nvar _ = slices.Clone[[]int]\nvar _ = clib.Kept\nvar _ cuda.Ptr[int8]\n\n// layouts returns what structs have where.\nfunc layouts() (text string) {\n")
	for _, s := range l.structs {
		fmt.Fprintf(&b, "text += fmt.Sprintf(\"%s %%d \", unsafe.Sizeof(%[1]s{}))\n", s.goName)
		for _, name := range s.fields {
			fmt.Fprintf(&b, "text += fmt.Sprintf(\"%%d \", unsafe.Offsetof(%s{}.%s))\n", s.goName, strings.ToUpper(name))
		}
	}
	b.WriteString("return text + \";\"\n}\n\nvar calls = []func(){\n")
	for _, c := range l.calls {
		b.WriteString(c.text + ",\n")
	}
	b.WriteString("}\n")
	return b.String()
}

// source returns the C code of l. In the wrong library some functions have parameters in the wrong order.
func (l *library) source(wrong bool) string {
	var b strings.Builder
	b.WriteString(sourceBegin + randomTypes)
	for _, s := range l.structs {
		b.WriteString(s.declared)
	}
	for i, t := range l.types {
		var see, give strings.Builder
		for _, leaf := range t.leaves {
			if leaf.address {
				fmt.Fprintf(&see, " see_at((*p)%s);", leaf.path)
				fmt.Fprintf(&give, " (*p)%s = give_at();", leaf.path)
			} else {
				fmt.Fprintf(&see, " see(&(*p)%s, %d);", leaf.path, leaf.size)
				fmt.Fprintf(&give, " give(&(*p)%s, %d);", leaf.path, leaf.size)
			}
		}
		fmt.Fprintf(&b, "static inline void see%d(const %s *p) { aligned(p, _Alignof(%[2]s));%s }\nstatic inline void give%[1]d(%[2]s *p) { aligned(p, _Alignof(%[2]s));%[4]s }\n", i, t.c, see.String(), give.String())
	}
	b.WriteString("const char *r_layouts(void)\n{\n\tused = 0;\n")
	for _, s := range l.structs {
		fmt.Fprintf(&b, "\tnote(\"%s %%zu \", sizeof(%s));\n", s.goName, s.c)
		for _, name := range s.fields {
			fmt.Fprintf(&b, "\tnote(\"%%zu \", offsetof(%s, %s));\n", s.c, name)
		}
	}
	b.WriteString("\treturn text;\n}\n")
	none := "\n"
	if l.status != "" {
		none = "return 0;\n"
	}
	for _, h := range l.handles {
		fmt.Fprintf(&b, "%s r_%s_end(%s h) { note(\" r_%[2]s_end \"); see(&h, sizeof h); %[4]s}\n", l.statusType(), h.short, h.ended(), none)
	}
	fmt.Fprintf(&b, "%s r_context_stream(r_context_t h, cudaStream_t s) { note(\" r_context_stream \"); see(&h, sizeof h); note(\" \"); see_stream(s); %[2]s}\n", l.statusType(), none)
	fmt.Fprintf(&b, "%s r_context_mode(r_context_t h, enum r_some m) { note(\" r_context_mode \"); see(&h, sizeof h); note(\" \"); see(&m, sizeof m); device = m == R_MANY; %[2]s}\n", l.statusType(), none)
	for _, f := range l.functions {
		b.WriteString(f.definition(wrong))
	}
	return b.String()
}

// definition returns f in C.
func (f *randomFunction) definition(wrong bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n{\n\tnote(\" %s\");\n", f.prototype(wrong), f.name)
	for _, p := range f.parameters {
		t := slices.Index(f.l.types, p.typ)
		body := ""
		see, give := fmt.Sprintf("see%d(%s);", t, p.name), fmt.Sprintf(" give%d((void *)%s);", t, p.name)
		if p.constant || p.role == rMode {
			give = ""
		}
		one := see + give
		elements := ""
		if p.typ != nil {
			if !p.constant {
				give = fmt.Sprintf(" give%d((%s *)%s + i);", t, p.typ.c, p.name)
			}
			elements = fmt.Sprintf("if (!%s) note(\"null\"); else for (size_t i = 0, n = count(); i < n; i++) { see%d((const %s *)%[1]s + i);%[4]s }", p.name, t, p.typ.c, give)
		}
		switch p.role {
		case rPlain:
			body = fmt.Sprintf("see%d(&%s);", t, p.name)
		case rStream:
			body = fmt.Sprintf("see_stream(%s);", p.name)
		case rObject:
			body = fmt.Sprintf("see(&%s, sizeof %[1]s);", p.name)
		case rCreated:
			body = fmt.Sprintf("give(%s, sizeof *%[1]s);", p.name)
		case rMemory, rAddress:
			body = fmt.Sprintf("see_at(%s);", p.name)
		case rHost:
			body = elements
		case rValue:
			body = fmt.Sprintf("if (!%s) note(\"null\"); else { %s }", p.name, one)
		case rText:
			body = fmt.Sprintf("see_text(%s);", p.name)
		case rOut:
			body = fmt.Sprintf("give%d(%s);", t, p.name)
		case rOutAddress:
			body = fmt.Sprintf("*%s = give_at();", p.name)
		case rOutHost:
			body = fmt.Sprintf("{ size_t n = count(); %s *all = n == SIZE_MAX ? NULL : more(n * sizeof *all); for (size_t i = 0; all && i < n; i++) give%d(all + i); *%s = all; }", p.typ.c, t, p.name)
		case rMode, rUpdate:
			body = fmt.Sprintf("if (device) see_at(%s); else { %s }", p.name, one)
		case rModeOut:
			body = fmt.Sprintf("if (device) see_at(%s); else give%d(%[1]s);", p.name, t)
		case rModeSlice:
			body = fmt.Sprintf("if (device) see_at(%s); else %s", p.name, elements)
		}
		fmt.Fprintf(&b, "\tnote(\" \");\n\t%s\n", body)
	}
	switch {
	case f.result != nil:
		fmt.Fprintf(&b, "\t%s result;\n\tgive%d(&result);\n\treturn result;\n", f.returns, slices.Index(f.l.types, f.result))
	case f.returns == "const char *":
		b.WriteString("\tsize_t n = count();\n\tchar *all = n == SIZE_MAX ? NULL : more(n + 1);\n\tif (all) give(all, n), all[n] = 0;\n\treturn all;\n")
	case f.returns != "void":
		b.WriteString("\tint result;\n\tgive(&result, sizeof result);\n\treturn result;\n")
	}
	b.WriteString("}\n")
	return b.String()
}

// sourceBegin begins the C library. It notes what it sees, and writes what is on a tape.
const sourceBegin = `#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef struct CUstream_st *cudaStream_t;
typedef struct __attribute__((aligned(8))) { float x, y; } float2;
typedef struct { float x, y, z; } float3;
typedef struct __attribute__((aligned(16))) { int x, y, z, w; } int4;
typedef struct __attribute__((aligned(16))) { double x, y; } double2;
typedef float2 cuComplex, cuFloatComplex;
typedef double2 cuDoubleComplex;

static char text[1 << 20];
static unsigned char tape[1 << 20];
static _Alignas(64) unsigned char memory[1 << 20];
static size_t used, given, taken;
static char *base;
static cudaStream_t stream;
static int device;

static void note(const char *format, ...)
{
	va_list list;
	va_start(list, format);
	used += vsnprintf(text + used, sizeof text - used, format, list);
	va_end(list);
}
static void see(const void *p, size_t n)
{
	for (size_t i = 0; i < n; i++) note("%02x", ((const unsigned char *)p)[i]);
}
static void see_at(const volatile void *p)
{
	uint64_t at = p ? (uint64_t)((char *)p - base) : UINT64_MAX;
	see(&at, sizeof at);
}
static void see_text(const char *p)
{
	note(p ? "text" : "null");
	if (p) see(p, strlen(p));
}
static void see_stream(cudaStream_t s) { note(s == NULL ? "none" : s == stream ? "stream" : "other"); }
static void aligned(const void *p, size_t to)
{
	if ((uintptr_t)p % to) note("(%zu bytes beside a multiple of %zu)", (size_t)((uintptr_t)p % to), to);
}
static void give(void *p, size_t n) { memcpy(p, tape + given, n); given += n; }
static size_t count(void) { uint64_t n; give(&n, sizeof n); return n; }
static void *give_at(void) { uint64_t n; give(&n, sizeof n); return n == UINT64_MAX ? NULL : base + n; }
static void *more(size_t n) { void *p = memory + taken; taken += (n + 63) / 64 * 64; return p; }

void r_base(void *at, cudaStream_t s) { base = at; stream = s; }
void r_tape(const unsigned char *from, size_t n) { memcpy(tape, from, n); used = given = taken = device = 0; text[0] = 0; }
const char *r_seen(void) { return text; }
`
