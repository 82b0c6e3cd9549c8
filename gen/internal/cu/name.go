package cu

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu/lex"
	"github.com/cudagen/cudagen/internal/diag"
)

// A found is what a qualified or unqualified name stands for.
type found struct {
	entity *entity    // nil when it is not known
	text   string     // the name as written
	last   *lex.Token // its last identifier; nil when there is no name
	args   cursor     // the template arguments of the last identifier
	angled bool       // it has template arguments
	of     *entity    // what the last identifier stands for without its template arguments, of a function
	in     *scope     // that qualifies the last identifier; nil when there is none, or when it is not known
	plain  bool       // one identifier and nothing else
	reason *ctype.Reason
	failed bool // its qualifiers are known, and have no such member
}

func joinPath(path []string) string { return strings.Join(path, "::") }

// name reads a name at c and looks it up: C++ standard, [basic.lookup].
func (p *parser) name(c *cursor) found {
	p.work.step()
	f := found{}
	begin := c.i
	absolute := c.accept("::")
	var in *scope // that the qualifiers name; nil for an unqualified name
	if absolute {
		in = p.scope.root()
	}
	known := true // as far as qualifiers are
	parts := 0
	var owner *entity // whose member the last identifier is
	for {
		c.accept("template")
		l := c.peek()
		if l.Kind != lex.Ident {
			break
		}
		f.last, f.entity, f.angled, f.of, f.in = l, nil, false, nil, in
		parts++
		c.next()
		if known {
			if in == nil {
				f.entity = p.scope.lookup(l.Text)
				if c.peek().Is("::") {
					f.entity = p.scope.beyondParameter(l.Text, f.entity)
				}
			} else {
				f.entity = in.within(l.Text)
			}
			f.entity = p.ofToolkit(l.Text, f.entity)
		}
		qualified := c.i - 1
		if e := f.entity; e != nil && p.depends != nil {
			p.on(p.depends, e.at)
			p.addAll(p.depends, e.depends)
		}
		if e := f.entity; c.peek().Is("<") && (e == nil || e.template != nil || e.obscure != "" || e.function != nil) {
			if args, ok := c.angles(); ok {
				f.args, f.angled = args, true
				switch {
				case e != nil && e.template != nil:
					f.entity, f.reason = p.instantiate(e.template, args, l)
				case e != nil && e.concept != nil:
					f.entity, f.reason = p.conceptValue(e.concept, args, l)
				case e == nil && qualified > begin:
					f.entity, f.reason = p.standard(join(c.list[begin:qualified+1]), args, l)
				case e != nil && e.function != nil:
					// The call deduces what the arguments here do not say.
				default:
					if e != nil && e.function != nil {
						f.of = e
					}
					f.entity = nil
				}
				if f.reason != nil {
					f.entity, known = nil, false
				}
			}
		}
		if !c.peek().Is("::") || c.ahead(1).Kind != lex.Ident {
			break
		}
		c.next()
		owner = f.entity
		in = p.scopeOf(f.entity)
		known = in != nil
	}
	f.text = join(c.list[begin:min(c.i, c.stop)])
	f.failed = f.entity == nil && f.reason == nil && f.of == nil && lacksMembers(owner)
	f.plain = parts == 1 && !absolute && !f.angled
	return f
}

// ofToolkit returns e, or, when e is what CUDA's own headers declare as name, and these are
// among the included ones, the type that the name stands for without them: generated Go has
// the same types, whether a -I finds the headers or not.
func (u *unit) ofToolkit(name string, e *entity) *entity {
	if e == nil || e.typ == nil || e.at.Origin == nil || !u.inToolkit(e.at) {
		return e
	}
	known := ctype.Known(name)
	if known == nil {
		return e
	}
	switch ctype.Unqualified(known).(type) {
	case *ctype.Vector, *ctype.Library:
		return &entity{typ: known, at: e.at, depends: e.depends}
	}
	return e
}

// inToolkit reports whether at is in one of CUDA's own headers.
func (u *unit) inToolkit(at lex.Place) bool {
	if len(u.toolkit) == 0 {
		return false
	}
	name := filepath.ToSlash(at.File().Name)
	return slices.ContainsFunc(u.toolkit, func(folder string) bool { return strings.HasPrefix(name, folder) })
}

// renamesToolkit reports whether a typedef of t gives a class of CUDA's own headers the name
// that it has, as in C: typedef struct float3 float3.
func (u *unit) renamesToolkit(name *lex.Token, t ctype.Type) bool {
	old := u.scope.declared(name.Text)
	stands := u.ofToolkit(name.Text, old)
	return stands != old && stands.typ.Demangled() == t.Demangled()
}

// toolkitOf returns the folders of CUDA's own headers, with a slash at their ends, if these are among the
// headers that were found. CCCL's may be a copy of the user's.
func toolkitOf(headers []string) (folders []string) {
	for _, header := range headers {
		for _, own := range toolkitHeaders {
			if root, ok := strings.CutSuffix(filepath.ToSlash(header), own.header); ok && (root == "" || strings.HasSuffix(root, "/")) {
				for _, folder := range own.folders {
					folders = append(folders, root+folder)
				}
			}
		}
	}
	return folders
}

// toolkitHeaders has the headers by which the folders of CUDA's own headers are known, which are in the
// folder that an #include names the header from.
var toolkitHeaders = []struct {
	header  string
	folders []string
}{
	{"crt/host_defines.h", []string{""}},
	{"cuda/std/__cccl/version.h", []string{"cuda/", "nv/"}},
	{"cub/version.cuh", []string{"cub/"}},
	{"thrust/version.h", []string{"thrust/"}},
}

// lacksMembers reports whether e is a type of which all members are known, so that one which
// was not found is not there.
func lacksMembers(e *entity) bool {
	if e == nil || e.typ == nil {
		return false
	}
	switch t := ctype.Unqualified(e.typ).(type) {
	case *ctype.Basic, *ctype.Pointer, *ctype.Reference, *ctype.Array, *ctype.Function:
		return true
	case *ctype.Struct:
		return t.Complete && t.Unsupported == nil
	}
	return false
}

// scopeOf returns the scope whose members a :: behind e names, nil when it is not
// known.
func (p *parser) scopeOf(e *entity) *scope {
	switch {
	case e == nil:
		return nil
	case e.namespace != nil:
		return e.namespace
	case e.typ != nil:
		t := ctype.Unqualified(e.typ)
		if s, ok := t.(*ctype.Struct); ok && !s.Complete {
			p.complete(s)
		}
		return p.members[t]
	}
	return nil
}

// known returns the type that the libraries give to a name that the source does not
// declare, nil when they give it none.
func (p *parser) known(f found) ctype.Type {
	name := strings.TrimPrefix(f.text, "::")
	if f.angled {
		return p.knownTemplate(f)
	}
	bare, std := name, false
	for _, prefix := range []string{"std::", "cuda::std::", "thrust::"} {
		if rest, ok := strings.CutPrefix(name, prefix); ok {
			bare, std = rest, true
		}
	}
	if strings.Contains(bare, "::") {
		return nil
	}
	if !std {
		return ctype.Known(bare)
	}
	if bare == "byte" {
		return ctype.Byte(strings.Split(strings.TrimSuffix(name, "::byte"), "::"))
	}
	if a := ctype.Standard(bare); a != nil && standardNames(bare) {
		a.Name = name
		return a
	}
	return nil
}

// standardNames reports whether namespace std has the C library's type name.
func standardNames(name string) bool {
	return strings.HasSuffix(name, "_t") && !strings.HasPrefix(name, "u_") && !strings.HasPrefix(name, "cuda")
}

// knownConstant returns the constant of the C++ library that f names, nil when it names
// none: C++ standard, [span.syn].
func knownConstant(f found) *constant {
	switch strings.TrimPrefix(f.text, "::") {
	case "std::dynamic_extent", "cuda::std::dynamic_extent":
		return &constant{value{bits: -1, wide: true, unsigned: true}, ctype.Builtin(ctype.UnsignedLong)}
	}
	return nil
}

// knownTemplate returns the specialisation of a class template of the libraries, nil
// when it is not known.
func (p *parser) knownTemplate(f found) ctype.Type {
	end := strings.IndexByte(f.text, '<')
	name := strings.TrimPrefix(f.text[:end], "::")
	args := p.split(f.args, true)
	var types []ctype.Type
	for _, one := range args {
		t, reason := p.typeArgument(one)
		if reason != nil {
			break
		}
		types = append(types, t)
	}
	switch {
	case len(types) == 1 && len(args) == 1:
		if l := ctype.Complex(name, types[0]); l != nil {
			return l
		}
		return ctype.Smart(name, types[0])
	case (name == "std::array" || name == "cuda::std::array") && len(types) == 1 && len(args) == 2:
		v, failure := p.evaluate(args[1], p.scope)
		if n, ok := v.int64(); failure == nil && ok && n > 0 {
			return p.libraryClass(name, []ctype.TemplateArg{{Type: types[0]}, {Type: ctype.Builtin(ctype.UnsignedLong), Value: n, IsValue: true}},
				ctype.Field{Name: arrayMember(name), Type: &ctype.Array{Elem: types[0], Len: n}})
		}
	case (name == "std::pair" || name == "cuda::std::pair" || name == "thrust::pair") && len(types) == 2 && len(args) == 2:
		return p.libraryClass(name, []ctype.TemplateArg{{Type: types[0]}, {Type: types[1]}},
			ctype.Field{Name: "first", Type: types[0]}, ctype.Field{Name: "second", Type: types[1]})
	}
	return nil
}

// arrayMember returns the name of the only member of std::array: that of libstdc++, or of
// libcu++.
func arrayMember(name string) string {
	if name == "std::array" {
		return "_M_elems"
	}
	return "__elems_"
}

// libraryClass returns the class of the C++ library called name with these arguments.
// The standard says which members it has, and that they lie in this order: C++ standard,
// [array.overview], [pairs.pair].
func (p *parser) libraryClass(name string, args []ctype.TemplateArg, fields ...ctype.Field) ctype.Type {
	key := name + ctype.Arguments(args)
	if t := p.library[key]; t != nil {
		return t
	}
	path := strings.Split(name, "::")
	t := &ctype.Struct{Name: path[len(path)-1], Scope: path[:len(path)-1], Args: args, Fields: fields, Complete: true, POD: ctype.PODUnsure}
	for _, f := range fields {
		if reason := p.byValue(f.Type, p.peek()); reason != nil && t.Unsupported == nil {
			t.Unsupported = &ctype.Reason{Pos: reason.Pos, Message: reason.Before("its " + f.Name + " ")}
		}
	}
	p.library[key] = t
	return t
}

func (u *unit) hint(otherwise diag.Message) diag.Message {
	return cmp.Or(u.file.MissingHint(), otherwise)
}

// MissingHint returns what a message about something that is not declared adds: the headers that
// were not found, one of which may declare it. It is empty when all were found.
func (f *File) MissingHint() diag.Message {
	const most = 3
	if len(f.Missing) == 0 {
		return diag.Message{}
	}
	var names []string
	folders := ""
	for i, m := range f.Missing {
		if i == most {
			names = append(names, fmt.Sprintf("%d more", len(f.Missing)-most))
			break
		}
		if m.Angled {
			names = append(names, "<"+m.Path+">")
		} else {
			names = append(names, `"`+m.Path+`"`)
		}
		if m.Near != "" && !strings.Contains(folders+" ", " -I "+m.Near+" ") {
			folders += " -I " + m.Near
		}
	}
	list := names[0]
	if n := len(names); n > 1 {
		list = strings.Join(names[:n-1], ", ") + " or " + names[n-1]
	}
	remedy := diag.Remedy("add" + cmp.Or(folders, " -I"))
	return diag.Message{Text: " (perhaps from " + list + ", not found: " + string(remedy) + ")", Remedy: remedy}
}

// FolderOf returns a folder nearby that has a header which was not found; "" for none.
func (f *File) FolderOf(header string) string {
	for _, m := range f.Missing {
		if m.Path == header {
			return m.Near
		}
	}
	return ""
}

// ofLibrary reports whether name is one of the C++ libraries, whose headers are not read unless -I
// names their folders.
func ofLibrary(name string) bool {
	name = strings.TrimPrefix(name, "::")
	return strings.HasPrefix(name, "std::") || strings.HasPrefix(name, "cuda::") || strings.HasPrefix(name, "thrust::")
}

// libraryHint is unknownHint for types of the C++ libraries.
var libraryHint = diag.Hint("include its header, which the compiler reads, or leave the kernel out with //cudagen:ignore")

// unknownHint is for types that nothing declares: a directive type cannot help, because it
// needs the layout to verify the Go type.
var unknownHint = diag.Hint("include its header, or leave the kernel out with //cudagen:ignore")
