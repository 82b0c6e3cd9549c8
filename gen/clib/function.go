package clib

import (
	"cmp"
	"fmt"
	"go/token"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu"
	"github.com/cudagen/cudagen/gen/internal/directive"
	"github.com/cudagen/cudagen/gen/internal/layout"
	"github.com/cudagen/cudagen/gen/model"
	"github.com/cudagen/cudagen/internal/diag"
	"github.com/cudagen/cudagen/internal/goname"
)

// A role says what a parameter is in Go.
type role int

// The roles.
const (
	unknown   role = iota
	plain          // a number or an enumerator: the same
	object         // a handle
	created        // where the function writes a new handle: a result
	stream         // the stream: the first argument
	memory         // a pointer to memory of the device: a cuda.Slice
	address        // a pointer that nothing checks: a cuda.Ptr
	hostSlice      // a pointer to elements in the memory of the host: a Go slice
	value          // a pointer to one value in the memory of the host: that value
	out            // a pointer to where the function writes one value in the memory of the host: a result
	text           // a pointer to characters: a string
)

// roles are those that directives give, by their verbs.
var roles = map[string]role{"len": memory, "ptr": address, "host": hostSlice, "value": value, "out": out, "text": text}

// A function is one that the Go package has. With a mode it stands for two: scalars lie in the memory of the host, or of
// the device.
type function struct {
	*cu.Function
	goName     string
	fixed      bool   // a directive gives the name
	about      string // what the doc comment says behind the name
	params     []*param
	receiver   int    // index of the parameter whose method it is; -1 for none
	created    int    // index of the parameter where it writes the handle that it makes; -1 for none
	made       *param // that, or its result, as one; nil if it makes no handle
	stream     bool
	mode       *handle // whose scalars may be in the memory of the device; nil for none
	onDevice   bool    // they are
	conditions []condition
	keeping    []cu.Directive // keep and hold, to be read when all parameters have their roles
	settled    *function      // it with the roles that its parameters have in the end, for expressions; nil while they are not known
	keeps      []keeping
	asks       []question
	result     result
}

// A param is a parameter of a function.
type param struct {
	cu.FunctionParam
	role     role
	goName   string       // of the argument
	goType   model.GoType // of the value, or of the element
	align    int64        // that C expects of the value or element in the memory of the host
	handle   *handle      // of an object
	need     string       // Go: how many elements there must be, or, of a result, are copied from the memory of the host
	nullable bool
	asks     bool           // need is what another function tells
	optional bool           // it may be the zero Slice if no element is needed
	far      bool           // what C writes there is an address
	holder   *param         // the handle that goes on using the memory; nil for none
	slot     string         // what the memory is called there
	scalar   bool           // the mode of the handle says where it lies
	pos      token.Position // of the directive that gives the role
}

// What package runtime/clib has room for.
const (
	maxObjects = 8  // handles of a call
	maxHeld    = 4  // pieces of memory that an object holds
	maxKept    = 10 // numbers that an object keeps
)

// A condition is what must hold of the arguments.
type condition struct {
	source, goExpr, hint string
	reads                []reading
	asks                 bool // another function
}

// A reading is a number that a condition is about.
type reading struct {
	name string // in C
	text string // in Go: an int64
}

// A keeping is a number that the object which a function makes, or whose method it is, keeps from then on.
type keeping struct {
	keeper *param // the handle
	index  int
	goExpr string
	after  bool // it is about what C writes
}

// A result says what a function returns.
type result int

// The results.
const (
	nothing result = iota
	failure        // a status
	number
	characters
	handleMade // NULL if none was made
)

// selected returns the functions that the package has, in the order of the header.
func (p *packager) selected() []*cu.Function {
	return slices.DeleteFunc(slices.Clone(p.file.Functions), func(f *cu.Function) bool {
		chosen := f.Pos.Filename == p.file.Name || len(f.Directives) > 0
		for _, b := range p.description.blocks {
			if b.matches(f.Name) {
				chosen = true
			}
		}
		if p.description.plumbing(f.Name) {
			if len(f.Directives) > 0 && f.Directives[0].Verb != "ignore" {
				p.errs.Add(f.Directives[0].Pos, diag.StrayDirective.Errorf("generated code calls %s by itself, and Go code does not: it takes no directives", f.Name).About(f.Name))
			}
			return true
		}
		if p.outdone(f.Name) {
			return true
		}
		return !chosen || slices.ContainsFunc(p.directivesOf(f), func(d cu.Directive) bool { return d.Verb == "ignore" })
	})
}

// outdone reports whether there is another function that is preferred to the one called name.
func (p *packager) outdone(name string) bool {
	other := name + p.description.prefer
	return other != name && slices.ContainsFunc(p.file.Functions, func(f *cu.Function) bool { return f.Name == other })
}

// directivesOf returns the directives of f: those of blocks, and those above its declarations.
func (p *packager) directivesOf(f *cu.Function) (list []cu.Directive) {
	for _, b := range p.description.blocks {
		if b.matches(f.Name) {
			list = append(list, b.directives...)
		}
	}
	return append(list, f.Directives...)
}

// function reads what directives say about c. Of several about the same parameter the last one counts, also for the expressions
// of others: so they are read twice.
func (p *packager) function(c *cu.Function) *function {
	if c.Reason != nil {
		message := c.Reason.Message.About(c.Name)
		if message.Remedy.IsZero() {
			message.Add(diag.NotUnderstood.Errorf(": %w", diag.Do("leave the function out: //cudagen:ignore")))
		}
		p.errs.Add(c.Pos, message)
		return nil
	}
	errs, constants := slices.Clone(p.errs), maps.Clone(p.constants)
	settled := p.directed(c, nil)
	p.errs, p.constants = errs, constants
	f := p.directed(c, settled)
	p.finish(f)
	if len(p.errs) > len(errs) {
		return nil
	}
	return f
}

// directed returns c with what directives say. Their expressions see the parameters as those of settled are, if that is not nil.
func (p *packager) directed(c *cu.Function, settled *function) *function {
	f := &function{Function: c, receiver: -1, created: -1, settled: settled}
	for _, one := range c.Params {
		f.params = append(f.params, p.param(c.Name, one))
	}
	f.made = p.madeHandle(c)
	p.name(f)
	f.methodOf()
	for _, d := range p.directivesOf(c) {
		if d.Args == "" && !slices.Contains([]string{"stream", "ignore", "doc"}, d.Verb) {
			p.errorf(d.Pos, f, diag.DirectiveArguments, "%s names no parameter, and has no effect so", d.Verb)
			continue
		}
		p.apply(f, d)
	}
	return f
}

// madeHandle returns the result of c as a parameter, if that is a handle which c makes.
func (p *packager) madeHandle(c *cu.Function) *param {
	if c.Result == nil {
		return nil
	}
	h := p.handleFor(c.Result)
	if h == nil || !p.description.makes(c.Name) {
		return nil
	}
	if _, pointer := ctype.Unqualified(c.Result).(*ctype.Pointer); !pointer {
		p.errorf(c.Pos, &function{Function: c}, diag.ParameterKind, "returns a handle, %s, that is no pointer, so that nothing says whether it was made: %w", c.Result, diag.Do("leave the function out: //cudagen:ignore"))
	}
	return &param{FunctionParam: cu.FunctionParam{Name: "its result", Type: c.Result}, role: created, handle: h}
}

// param says of a parameter of a function what its type says.
func (p *packager) param(function string, c cu.FunctionParam) *param {
	one := &param{FunctionParam: c}
	if h := p.handleFor(c.Type); h != nil {
		one.role, one.handle = object, h
		p.word(h, c.Type)
		return one
	}
	switch t := ctype.Unqualified(c.Type).(type) {
	case *ctype.Pointer:
		if s, ok := ctype.Unqualified(t.Elem).(*ctype.Struct); ok && s.Name == "CUstream_st" {
			one.role = stream
		} else if h := p.handleFor(t.Elem); h != nil && !isConst(t.Elem) && c.Extent <= 1 && p.description.makes(function) {
			one.role, one.handle = created, h
			p.word(h, t.Elem)
		}
	case *ctype.Basic, *ctype.Enum:
		one.role = plain
	}
	return one
}

// handleFor returns the handle of type t, which may be written otherwise; nil for none.
func (p *packager) handleFor(t ctype.Type) *handle {
	if h := p.description.handleOf(typeName(t)); h != nil {
		return h
	}
	pointer, ok := ctype.Unqualified(t).(*ctype.Pointer)
	if !ok {
		return nil
	}
	pointee, _ := ctype.Unqualified(pointer.Elem).(*ctype.Struct)
	for _, h := range p.description.handles {
		if h.spelled == ctype.Unqualified(t).Demangled() && h.opaque || pointee != nil && h.pointsTo(pointee.QualifiedName()) {
			return h
		}
	}
	return nil
}

// spell finds how the types of handles are spelled without typedefs.
func (p *packager) spell() {
	note := func(t ctype.Type) {
		for _, h := range p.description.handles {
			if tagged, ok := ctype.Unqualified(t).(*ctype.Struct); ok && typeName(t) == h.pointee {
				h.tag = tagged.QualifiedName()
			}
			if typeName(t) == h.name {
				h.spelled = ctype.Unqualified(t).Demangled()
				if pointer, ok := ctype.Unqualified(t).(*ctype.Pointer); ok {
					_, h.opaque = ctype.Unqualified(pointer.Elem).(*ctype.Struct)
				}
			}
		}
	}
	for _, f := range p.file.Functions {
		if pointer, ok := ctype.Unqualified(cmp.Or[ctype.Type](f.Result, ctype.Builtin(ctype.Void))).(*ctype.Pointer); ok {
			note(pointer.Elem)
		}
		for _, one := range f.Params {
			note(one.Type)
			for pointer, ok := ctype.Unqualified(one.Type).(*ctype.Pointer); ok; pointer, ok = ctype.Unqualified(pointer.Elem).(*ctype.Pointer) {
				note(pointer.Elem)
			}
		}
	}
}

// word refuses a handle that C does not pass as an integer.
func (p *packager) word(h *handle, t ctype.Type) {
	switch bare := ctype.Unqualified(t).(type) {
	case *ctype.Pointer, *ctype.Enum:
		return
	case *ctype.Basic:
		if bare.Integer() && bare.Size <= 8 {
			return
		}
	}
	if !slices.ContainsFunc(p.errs, func(e *diag.Error) bool { return e.Pos == h.pos }) {
		p.errs.Add(h.pos, diag.ParameterKind.Errorf("handle %s is a %s: handles are integers and pointers", h.name, t))
	}
}

// typeName returns the name that t is written with.
func typeName(t ctype.Type) string {
	for {
		switch u := t.(type) {
		case *ctype.Qualified:
			t = u.Type
			continue
		case *ctype.Alias:
			return u.Name
		case *ctype.Struct:
			return u.QualifiedName()
		case *ctype.Enum:
			return u.QualifiedName()
		case *ctype.Basic:
			return u.Name
		}
		return ""
	}
}

// isConst reports whether t is const.
func isConst(t ctype.Type) bool {
	for {
		switch u := t.(type) {
		case *ctype.Alias:
			t = u.Type
		case *ctype.Qualified:
			if u.Const {
				return true
			}
			t = u.Type
		default:
			return false
		}
	}
}

// apply does what d says about f.
func (p *packager) apply(f *function, d cu.Directive) {
	switch d.Verb {
	case "doc":
		f.about = d.Args
	case "name":
		if !token.IsExported(d.Args) || !token.IsIdentifier(d.Args) {
			p.errorf(d.Pos, f, diag.GoName, "%s is not an exported Go name", d.Args)
		}
		f.goName, f.fixed = d.Args, true
	case "require":
		p.require(f, d)
	case "functions":
		p.errorf(d.Pos, f, diag.StrayDirective, "functions stands above a declaration: %w", diag.Do("put an empty line below it"))
	case "keep", "hold":
		f.keeping = append(f.keeping, d)
	case "ignore":
	case "stream":
		if d.Args != "" {
			p.errorf(d.ArgsPos, f, diag.DirectiveArguments, "stream takes no words, found %s", d.Args)
		}
		f.stream = true
	case "len", "host":
		p.lengths(f, d)
	case "value", "out", "ptr", "text", "nullable", "optional", "mode", "update":
		for _, word := range fields(d.Args) {
			name, more, long := strings.Cut(word, "=")
			switch {
			case long && d.Verb == "mode":
				p.length(f, d, word)
			case long && (d.Verb != "out" || more != "ptr" && !strings.HasPrefix(more, "host(")):
				p.errorf(d.ArgsPos, f, diag.DirectiveArguments, "%s takes names of parameters, found %s", d.Verb, word)
			default:
				if one := p.named(f, d, name); one != nil {
					p.give(f, one, d)
					if d.Verb != "nullable" && d.Verb != "optional" {
						p.far(f, one, d, more)
					}
				}
			}
		}
	default:
		p.errorf(d.Pos, f, diag.UnknownDirective, "unknown directive %q%w", d.Verb, directive.Nearest(d.Verb, verbs()))
	}
}

// named returns the parameter of f called name. That a directive of a block names what f has not is no error, if another
// function of the block has it.
func (p *packager) named(f *function, d cu.Directive, name string) *param {
	for _, one := range f.params {
		if one.Name == name {
			p.found[mention{d.Pos, name}] = true
			return one
		}
	}
	if key := (mention{d.Pos, name}); !p.found[key] {
		p.found[key] = false
	}
	return nil
}

// give gives one the role that d names.
func (p *packager) give(f *function, one *param, d cu.Directive) {
	switch t, pointer := ctype.Unqualified(one.Type).(*ctype.Pointer); {
	case !pointer:
		p.errorf(d.Pos, f, diag.ParameterKind, "%s %s: its type is %s, which is no pointer", d.Verb, one.Name, one.Type)
	case d.Verb == "nullable":
		one.nullable = true
	case d.Verb == "optional":
		one.optional = true
	case isConst(t.Elem) && (d.Verb == "out" || d.Verb == "update"):
		p.errorf(d.Pos, f, diag.ParameterKind, "%s %s: its type is %s, to which C does not write", d.Verb, one.Name, one.Type)
	case d.Verb == "mode" || d.Verb == "update":
		one.scalar, one.pos, one.need = true, d.Pos, "1"
		if one.role = value; !isConst(t.Elem) && d.Verb == "mode" {
			one.role = out
		}
	default:
		one.role, one.pos, one.scalar, one.handle, one.need, one.asks = roles[d.Verb], d.Pos, false, nil, "", false
	}
}

// far says of one, a result, where what C writes there leads: nowhere, or what stands behind = in d.
func (p *packager) far(f *function, one *param, d cu.Directive, to string) {
	one.far = to != ""
	if source, copied := strings.CutPrefix(to, "host"); copied {
		e := &expression{packager: p, function: f, pos: d.ArgsPos, source: source}
		one.need = e.integer()
		one.asks = e.asks
	}
}

// lengths reads: PARAMETER=EXPRESSION ….
func (p *packager) lengths(f *function, d cu.Directive) {
	for _, word := range fields(d.Args) {
		p.length(f, d, word)
	}
}

// length reads: PARAMETER=EXPRESSION.
func (p *packager) length(f *function, d cu.Directive, word string) {
	name, source, ok := strings.Cut(word, "=")
	if !ok || source == "" {
		p.errorf(d.ArgsPos, f, diag.DirectiveArguments, "%s wants PARAMETER=ELEMENTS, found %s", d.Verb, word)
		return
	}
	one := p.named(f, d, name)
	if one == nil {
		return
	}
	p.give(f, one, d)
	e := &expression{packager: p, function: f, pos: d.ArgsPos, source: source}
	one.need = e.integer()
	one.asks = e.asks
	if one.scalar {
		one.role = hostSlice
	}
}

// require reads: CONDITION HINT.
func (p *packager) require(f *function, d cu.Directive) {
	words := fields(d.Args)
	if len(words) == 0 {
		p.errorf(d.Pos, f, diag.DirectiveArguments, "require wants a condition")
		return
	}
	if len(words) > 1 && strings.ContainsAny(words[1][:1], "&|<>=!+-*/%?:") {
		p.errorf(d.ArgsPos, f, diag.DirectiveArguments, "require: a condition has no blanks, but in parentheses; found %s", words[1])
		return
	}
	e := &expression{packager: p, function: f, pos: d.ArgsPos, source: words[0], optional: true}
	if goExpr := e.condition(); !e.absent {
		f.conditions = append(f.conditions, condition{words[0], goExpr, strings.Join(words[1:], " "), e.reads, e.asks})
	}
}

// fields splits s at the blanks that are not inside of parentheses.
func fields(s string) (list []string) {
	depth, begin := 0, -1
	for i := 0; i <= len(s); i++ {
		switch {
		case i == len(s) || depth == 0 && (s[i] == ' ' || s[i] == '\t'):
			if begin >= 0 {
				list, begin = append(list, s[begin:i]), -1
			}
			continue
		case s[i] == '(':
			depth++
		case s[i] == ')':
			depth--
		}
		if begin < 0 {
			begin = i
		}
	}
	return list
}

// finish decides what follows from all directives of f, and what they do not say.
func (p *packager) finish(f *function) {
	for i, one := range f.params {
		if one.role == created {
			if f.made != nil {
				p.errorf(f.Pos, f, diag.ParameterKind, "makes two handles, %s and %s: %w", f.made.Name, one.Name, diag.Do("leave the function out: //cudagen:ignore"))
			}
			f.created, f.made = i, one
		}
		if one.scalar {
			p.scalar(f, one)
		}
		p.mayLack(f, one)
		p.typed(f, i)
	}
	if count := len(slices.DeleteFunc(slices.Clone(f.params), func(one *param) bool { return one.role != object })); count > maxObjects {
		p.errorf(f.Pos, f, diag.ParameterKind, "uses %d handles, and a call can have %d", count, maxObjects)
	}
	f.methodOf()
	p.shaped(f)
	p.holds(f)
	f.stream = f.made == nil && (f.stream || f.accesses())
	if f.result = p.resultOf(f); f.made != nil && (f.result == number || f.result == characters) {
		p.errorf(f.Pos, f, diag.ParameterKind, "makes a handle and returns %s, of which nothing says that it is a status: %w", f.Result, diag.Do("write //cudagen:status %s", f.Result))
	}
	if (f.stream || f.mode != nil) && !f.ordered() {
		p.errorf(f.Pos, f, diag.ParameterKind, "works with memory of the device and takes no stream: %w", diag.Do("say which function sets the stream of a handle, //cudagen:handle TYPE stream=FUNCTION, or leave it out, //cudagen:ignore"))
	}
	for _, d := range f.keeping {
		if d.Verb == "keep" {
			p.keep(f, d)
		}
	}
}

// mayLack refuses nullable and optional where they have no effect.
func (p *packager) mayLack(f *function, one *param) {
	switch {
	case one.nullable && (one.role == object || one.role == created || one.role == stream):
		p.errorf(f.Pos, f, diag.ParameterKind, "nullable %s: a handle and a stream are always there", one.Name)
	case one.optional && one.role != memory && one.role != address && !one.scalar:
		p.errorf(f.Pos, f, diag.ParameterKind, "optional %s: only memory of the device, of which //cudagen:len says how much, can be left out where no element is needed", one.Name)
	}
}

// shaped refuses what Go functions have no form for.
func (p *packager) shaped(f *function) {
	streams := 0
	for _, one := range f.params {
		switch {
		case one.role == stream:
			streams++
		case one.role == out && f.made != nil:
			p.errorf(cmp.Or(one.pos, f.Pos), f, diag.ParameterKind, "makes a handle and tells %s, which is not supported: %w", one.Name, diag.Do("leave the function out: //cudagen:ignore"))
		case one.Extent > 1 && (one.role == out && !one.far || one.role == value):
			p.errorf(cmp.Or(one.pos, f.Pos), f, diag.ParameterKind, "parameter %s is an array of %d elements, and no single value: %w", one.Name, one.Extent, diag.Do("write //cudagen:host %s=%d", one.Name, one.Extent))
		case one.align > maxAlign && (one.role == out || one.role == value):
			p.errorf(cmp.Or(one.pos, f.Pos), f, diag.ParameterKind, "parameter %s is aligned to %d bytes, and Go can align to %d: %w", one.Name, one.align, maxAlign, diag.Do("leave the function out: //cudagen:ignore"))
		}
	}
	if streams > 1 {
		p.errorf(f.Pos, f, diag.ParameterKind, "takes %d streams, and a call can have one: %w", streams, diag.Do("leave the function out: //cudagen:ignore"))
	}
}

// maxAlign is what package runtime/clib can align a value to.
const maxAlign = 16

// accesses reports whether f may work with memory of the device. One that only hands it over to a handle without a stream does not.
func (f *function) accesses() bool {
	for i, one := range f.params {
		switch {
		case one.role == stream, one.role == memory && (one.holder == nil || f.ordered()):
			return true
		case one.role == object && i != f.receiver && one.handle.memory && !slices.ContainsFunc(f.params, func(p *param) bool { return p.holder == one }):
			return true
		}
	}
	return false
}

// keep reads: NAME=EXPRESSION ….
func (p *packager) keep(f *function, d cu.Directive) {
	own := f.own()
	if own == nil {
		p.errorf(d.Pos, f, diag.ParameterKind, "keep: the function has no handle that could keep something")
		return
	}
	for _, word := range fields(d.Args) {
		name, source, ok := strings.Cut(word, "=")
		other := -1
		if of, rest, far := strings.Cut(name, "."); far {
			name = rest
			other = slices.IndexFunc(f.params, func(one *param) bool { return one.Name == of && one.role == object })
			ok = ok && other >= 0
		}
		if !ok || source == "" || identifier.FindString(name) != name || name == "" {
			p.errorf(d.ArgsPos, f, diag.DirectiveArguments, "keep wants NAME=NUMBER or HANDLE.NAME=NUMBER, found %s", word)
			continue
		}
		keeper := own
		if other >= 0 {
			keeper = f.params[other]
		}
		h := keeper.handle
		index := h.keep(name)
		if index >= maxKept {
			p.errorf(d.ArgsPos, f, diag.ParameterKind, "keep %s: a %s can keep %d numbers", name, h.name, maxKept)
			return
		}
		h.kept[index].set = true
		e := &expression{packager: p, function: f, pos: d.ArgsPos, source: source, outs: true}
		goExpr := e.integer()
		f.keeps = append(f.keeps, keeping{keeper, index, goExpr, e.after})
	}
}

// methodOf decides whose method f is: of its first handle, unless it makes one.
func (f *function) methodOf() {
	f.receiver = slices.IndexFunc(f.params, func(one *param) bool { return one.role == object })
	if f.made != nil || slices.ContainsFunc(f.params, func(one *param) bool { return one.role == created }) {
		f.receiver = -1
	}
}

// own returns the handle that f makes, or whose method it is; nil for none.
func (f *function) own() *param {
	if f.made == nil && f.receiver >= 0 {
		return f.params[f.receiver]
	}
	return f.made
}

// ordered reports whether the work of f comes behind what is queued on a stream: that of a parameter, or of its handle.
func (f *function) ordered() bool {
	return f.receiver >= 0 && f.params[f.receiver].handle.stream != "" ||
		slices.ContainsFunc(f.params, func(one *param) bool { return one.role == stream })
}

// scalar checks a parameter that the mode of the handle is about.
func (p *packager) scalar(f *function, one *param) {
	if f.receiver < 0 || f.params[f.receiver].handle.mode == "" {
		p.errorf(one.pos, f, diag.ParameterKind, "mode %s: there is no handle with a mode before it: %w", one.Name, diag.Do("write //cudagen:handle TYPE mode=FUNCTION,HOST,DEVICE"))
		return
	}
	f.mode = f.params[f.receiver].handle
}

// typed finds the Go type of the i-th parameter, and refuses one of which it is not known what it is.
func (p *packager) typed(f *function, i int) {
	one := f.params[i]
	var elem ctype.Type
	switch one.role {
	case object, created, stream:
		return
	case text:
		elem = ctype.Unqualified(one.Type).(*ctype.Pointer).Elem
		if bare, ok := ctype.Unqualified(elem).(*ctype.Basic); !ok || bare.Kind != ctype.Char || !isConst(elem) {
			p.errorf(one.pos, f, diag.ParameterKind, "text %s: its type is %s, and not const char *", one.Name, one.Type)
		}
		return
	case plain:
		elem = one.Type
	case unknown:
		p.unknown(f, one)
		return
	default:
		elem = ctype.Unqualified(one.Type).(*ctype.Pointer).Elem
	}
	bare := ctype.Unqualified(elem)
	if _, pointer := bare.(*ctype.Pointer); one.far && !pointer {
		p.errorf(one.pos, f, diag.ParameterKind, "out %[1]s: %[1]s is a %[2]s, where C cannot write an address", one.Name, one.Type)
		return
	}
	switch bare := bare.(type) {
	case *ctype.Basic:
		if bare.Kind == ctype.Void {
			if one.role == value || one.role == out {
				p.errorf(cmp.Or(one.pos, f.Pos), f, diag.ParameterKind, "parameter %s points to void, and nothing says how many bytes its value has: %w", one.Name, diag.Do("write //cudagen:host %s=BYTES", one.Name))
				return
			}
			elem = ctype.Builtin(ctype.UnsignedChar) // and lengths count bytes
		}
		if bare.Kind == ctype.LongDouble || bare.Kind == ctype.Int128 || bare.Kind == ctype.UnsignedInt128 {
			p.errorf(f.Pos, f, diag.ParameterKind, "parameter %s is a %s, which has no Go type", one.Name, bare.Name)
			return
		}
	case *ctype.Pointer:
		if one.role != memory && one.role != address && !one.far {
			p.errorf(cmp.Or(one.pos, f.Pos), f, diag.ParameterKind, "parameter %[1]s points to pointers in the memory of the host, which is not supported: %[2]w", one.Name,
				diag.Do("write //cudagen:out %[1]s=ptr or out %[1]s=host(ELEMENTS) if C writes one address there, of memory of the device or of the host, or leave the function out: //cudagen:ignore", one.Name))
			return
		}
		switch {
		case one.copied():
			elem = bare.Elem
		case one.far && opaque(bare.Elem):
			elem = &ctype.Pointer{Elem: ctype.Builtin(ctype.UnsignedChar)}
		}
	case *ctype.Struct:
		if one.role == address && opaque(bare) {
			elem = ctype.Builtin(ctype.UnsignedChar)
		}
	}
	if len(p.description.files["windows"]) > 0 && hasLong(elem) {
		p.errorf(cmp.Or(one.pos, f.Pos), f, diag.ParameterKind, "parameter %s has a long or a wchar_t, which has another size on Windows: %w", one.Name, diag.Do("leave windows= out, or the function"))
		return
	}
	goType, err := p.types.of(elem)
	if err != nil {
		p.errorf(cmp.Or(one.pos, f.Pos), f, diag.CodeOr(err, diag.NoLayout), "parameter %s: %w", one.Name, err)
		return
	}
	one.goType = goType
	if _, align, err := layout.Of(elem); err == nil {
		one.align = align
	}
}

// opaque reports whether nothing says what is at an address of a t: void, or a struct that is not defined.
func opaque(t ctype.Type) bool {
	switch t := ctype.Unqualified(t).(type) {
	case *ctype.Basic:
		return t.Kind == ctype.Void
	case *ctype.Struct:
		return !t.Complete
	}
	return false
}

// copied reports whether the result is a copy of elements in the memory of the host.
func (p *param) copied() bool { return p.role == out && p.far && p.need != "" }

// hasLong reports whether t is or has a long that is written so: size_t and int64_t have 8 bytes everywhere.
func hasLong(t ctype.Type) bool {
	switch t := t.(type) {
	case *ctype.Alias:
		return !slices.Contains([]string{"size_t", "ssize_t", "ptrdiff_t", "intptr_t", "uintptr_t", "int64_t", "uint64_t", "intmax_t", "uintmax_t"}, strings.TrimPrefix(t.Name, "std::")) && hasLong(t.Type)
	case *ctype.Qualified:
		return hasLong(t.Type)
	case *ctype.Array:
		return hasLong(t.Elem)
	case *ctype.Pointer:
		return hasLong(t.Elem)
	case *ctype.Struct:
		return slices.ContainsFunc(t.Fields, func(f ctype.Field) bool { return hasLong(f.Type) })
	case *ctype.Enum:
		return t.Underlying != nil && hasLong(t.Underlying)
	case *ctype.Basic:
		return t.Kind == ctype.Long || t.Kind == ctype.UnsignedLong || t.Kind == ctype.WChar
	}
	return false
}

// unknown refuses one.
func (p *packager) unknown(f *function, one *param) {
	t, pointer := ctype.Unqualified(one.Type).(*ctype.Pointer)
	switch {
	case !pointer:
		p.errorf(f.Pos, f, diag.ParameterKind, "parameter %s is a %s by value, which is not supported: %w", one.Name, one.Type, diag.Do("leave the function out: //cudagen:ignore"))
	case isFunction(t.Elem):
		p.errorf(f.Pos, f, diag.ParameterKind, "parameter %s is the address of a function, which Go has none of: %w", one.Name, diag.Do("leave the function out: //cudagen:ignore"))
	case p.handleFor(t.Elem) != nil && !isConst(t.Elem):
		p.errorf(f.Pos, f, diag.ParameterKind, "parameter %s is a pointer to a handle (%s): %w", one.Name, one.Type,
			diag.Do("write //cudagen:makes %s if the function makes a handle there, or leave it out, //cudagen:ignore: an array of handles, and one that the function takes away, are not supported", f.Name))
	case one.Name == "":
		p.errorf(f.Pos, f, diag.ParameterKind, "a parameter that is a pointer (%s) has no name, and directives need one: %w", one.Type,
			diag.Do("declare %s again in %s, with names for its parameters, and directives above it", f.Name, filepath.Base(p.file.Name)))
	case undefined(t.Elem):
		p.errorf(f.Pos, f, diag.ParameterKind, "parameter %s is a pointer to %s, which is not defined: %w", one.Name, t.Elem,
			diag.Do("if it stands for an object of the library, write //cudagen:handle %s* destroy=FUNCTION, and otherwise //cudagen:ptr %s for an address", typeName(t.Elem), one.Name))
	default:
		p.errorf(f.Pos, f, diag.ParameterKind, "parameter %s is a pointer (%s), and nothing says to what: %w", one.Name, one.Type,
			diag.Do("%[2]s one of //cudagen:len %[1]s=ELEMENTS for memory of the device, host %[1]s=ELEMENTS for that of the host, value %[1]s or out %[1]s for one value there, text %[1]s, ptr %[1]s", one.Name, p.place(f)))
	}
}

// undefined reports whether t is a struct of which only the name is known.
func undefined(t ctype.Type) bool {
	s, ok := ctype.Unqualified(t).(*ctype.Struct)
	return ok && !s.Complete && typeName(t) != ""
}

// place says where directives about f are written: above it, or, if another file declares it, in a block.
func (p *packager) place(f *function) string {
	if f.Pos.Filename == p.file.Name {
		return "write"
	}
	return fmt.Sprintf("write //cudagen:functions %s into %s, and below it", f.Name, filepath.Base(p.file.Name))
}

func isFunction(t ctype.Type) bool {
	_, is := ctype.Unqualified(t).(*ctype.Function)
	return is
}

// isStatus reports whether functions that return t return a status, maybe by another name.
func (p *packager) isStatus(t ctype.Type) bool {
	if name := typeName(t); name != "" && name == p.description.status.name {
		return true
	}
	e, ok := ctype.Unqualified(t).(*ctype.Enum)
	return ok && p.status != nil && layout.Identity(e) == layout.Identity(p.status)
}

// resultOf says what f returns.
func (p *packager) resultOf(f *function) result {
	if p.isStatus(f.Result) {
		return failure
	}
	switch {
	case p.handleFor(f.Result) == nil:
	case f.made == nil:
		p.errorf(f.Pos, f, diag.ParameterKind, "returns a handle, %s: %w", f.Result, diag.Do("write //cudagen:makes %s if it makes one, which the caller has to destroy, or leave it out, //cudagen:ignore: one that is there already, and that another call destroys, is not supported", f.Name))
		return nothing
	default:
		return handleMade
	}
	if len(p.description.files["windows"]) > 0 && hasLong(f.Result) {
		p.errorf(f.Pos, f, diag.ParameterKind, "returns a long, which has 4 bytes on Windows and 8 elsewhere: %w", diag.Do("leave windows= out, or the function"))
		return nothing
	}
	switch t := ctype.Unqualified(f.Result).(type) {
	case *ctype.Basic:
		switch {
		case t.Kind == ctype.Void:
			return nothing
		case t.Integer() && t.Size <= 8:
			return number
		}
	case *ctype.Enum:
		if _, err := p.types.declare(t); err != nil {
			p.errorf(f.Pos, f, diag.UnknownType, "returns %s: %w", f.Result, err)
		}
		return number
	case *ctype.Pointer:
		if elem, ok := ctype.Unqualified(t.Elem).(*ctype.Basic); ok && elem.Kind == ctype.Char {
			return characters
		}
		if undefined(t.Elem) {
			p.errorf(f.Pos, f, diag.ParameterKind, "returns %s, a pointer to what is not defined: %w", f.Result,
				diag.Do("if that stands for an object of the library, which it makes, write //cudagen:handle %s* destroy=FUNCTION and //cudagen:makes %s, or leave the function out: //cudagen:ignore", typeName(t.Elem), f.Name))
			return nothing
		}
	}
	p.errorf(f.Pos, f, diag.ParameterKind, "returns %s, which is not supported: %w", f.Result, diag.Do("leave the function out: //cudagen:ignore"))
	return nothing
}

// goFunction matches calls of the Go package in directives.
var goFunction = regexp.MustCompile(`\bgo\.(\w+)`)

// name chooses the Go name of f before clashes are known, and those of its arguments.
func (p *packager) name(f *function) {
	f.goName = p.trimmed(f.Name)
	taken := []string{"s", "d", "h", "h0", "call", "words", "ret", "err", "created", "simulated", "library", "failed", "clib", "cuda", "vec", "unsafe", "errors", "strconv"}
	for _, h := range p.description.handles {
		taken = append(taken, "kind"+h.goName)
	}
	for _, d := range p.directivesOf(f.Function) {
		for _, m := range goFunction.FindAllStringSubmatch(d.Args, -1) {
			taken = append(taken, m[1])
		}
	}
	claims := []goname.Claim{goname.Fixed(taken...)}
	for i, one := range f.params {
		claims = append(claims, goname.Local(one.Name, i))
	}
	names, _ := goname.Settle(claims)
	for i, one := range f.params {
		one.goName = one.Name + "Arg"
		if n := names[i+1]; n != nil {
			one.goName = n[0]
		}
	}
}
