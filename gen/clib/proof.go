package clib

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"go/token"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu"
	"github.com/cudagen/cudagen/internal/compile"
	"github.com/cudagen/cudagen/internal/diag"
	"github.com/cudagen/cudagen/internal/source"
)

// proofFile is what the compiler calls the code of a proof.
const proofFile = "cudagen_proof"

// elements is C++ for the type at the end of arrays, without const and volatile.
const elements = `template <class T> struct cudagen_elem { typedef T type; };
template <class T> struct cudagen_elem<const T> : cudagen_elem<T> {};
template <class T> struct cudagen_elem<volatile T> : cudagen_elem<T> {};
template <class T, decltype(sizeof(0)) N> struct cudagen_elem<T[N]> : cudagen_elem<T> {};
`

// A proof is C++ that only compiles if everything is as it was read.
type proof struct {
	text  strings.Builder
	about []subject // of each line of text
}

// A subject is what a line of a proof is about.
type subject struct {
	pos  token.Position
	name string
	typ  string // of a function: the one that it has to have
}

// assert adds a line that only compiles if condition holds.
func (p *proof) assert(pos token.Position, name, condition string, args ...any) {
	fmt.Fprintf(&p.text, "static_assert(%s, \"%s\");\n", fmt.Sprintf(condition, args...), name)
	p.about = append(p.about, subject{pos: pos, name: name})
}

// function adds a line that only compiles if there is a function called name of this type.
func (p *proof) function(pos token.Position, name, result, params string) {
	typ := fmt.Sprintf("%s (*)(%s)", result, params)
	p.assert(pos, name, "sizeof(cudagen_takes<%s>(&%s)) == 1", typ, name)
	p.about[len(p.about)-1].typ = typ
}

// prove has the compiler confirm what the Go code relies on: the types of all functions, the sizes of handles, the values of
// enumerators and constants, and the layouts of structs. It returns the compiler's name and version.
func (p *packager) prove(ctx context.Context, o Options, compiler compile.Compiler) (string, error) {
	proof := p.proof()
	options := source.Options{Include: o.Include, Define: o.Define, Std: cmp.Or(o.Std, source.DefaultStd)}
	suffix := fmt.Sprintf("\ntemplate <class T> char cudagen_takes(T);\n"+elements+"#line 1 %q\n%s", proofFile, proof.text.String())
	flags := append(options.Flags(), "-x", "cu", "-U__CUDA_ARCH__", "-w") // see hostView; the toolkit's own headers get warnings by that
	out, err := compiler.Compile(ctx, compile.Request{Source: o.Source, Arch: "compute_75", Flags: flags, Suffix: suffix})
	if err == nil {
		return out.Compiler, nil
	}
	var list diag.List
	if !errors.As(err, &list) {
		return "", err
	}
	for _, one := range list {
		if line := one.Pos.Line - 1; path.Base(one.Pos.Filename) == proofFile && line >= 0 && line < len(proof.about) {
			asked := proof.about[line]
			message := diag.LayoutsDisagree.Errorf("%s is not what cudagen reads: the compiler says: %s", asked.name, one.Text)
			if asked.typ != "" {
				message = diag.LayoutsDisagree.Errorf("%s is no function that can be called as a %s: the compiler says: %s", asked.name, asked.typ, strings.ReplaceAll(one.Text, `function template "cudagen_takes" matches`, "that type matches"))
			}
			*one = diag.Error{Pos: asked.pos, Message: message}
		}
	}
	return "", list.Sorted().Err()
}

// proof returns the proof of everything that the Go package has.
func (p *packager) proof() *proof {
	t := new(proof)
	asked := make(map[string]bool)
	for _, f := range p.functions {
		if !asked[f.Name] {
			t.function(f.Pos, f.Name, p.spelled(f.Result), p.spelledParams(f))
		}
		asked[f.Name] = true
	}
	for _, h := range p.description.handles {
		p.proveHandle(t, h)
	}
	for _, e := range p.types.enums {
		p.proveEnum(t, e)
	}
	for _, s := range p.types.structs {
		t.assert(s.Pos, s.name, "sizeof(%[1]s) == %[2]d && alignof(%[1]s) == %[3]d", s.says, s.size, s.align)
		for _, f := range s.fields {
			t.assert(s.Pos, s.name+"::"+f.name, "__builtin_offsetof(%[1]s, %[2]s) == %[3]d && sizeof(cudagen_elem<%[1]s>::type::%[2]s) == %[4]d", s.says, f.name, f.offset, f.typ.Size)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(p.constants)) {
		t.assert(token.Position{Filename: p.file.Name, Line: 1, Column: 1}, name, "static_cast<long long>(%s) == %s", name, literal(p.constants[name]))
	}
	if s := p.description.status; s.text != "" {
		t.function(s.pos, s.text, p.textType(s.text), p.textOf(s.text))
	}
	if v := p.description.release; v.property != "" {
		t.function(v.pos, v.property, p.statusType(), "libraryPropertyType, int *")
	}
	return t
}

// statusType returns the type of the status as C++ has it; void without one.
func (p *packager) statusType() string {
	name := cmp.Or(p.description.status.name, "void")
	return p.elaborated(name)
}

// proveHandle asks for the size of a handle, and for the types of the functions that package runtime/clib calls: with the handle,
// and a word.
func (p *packager) proveHandle(t *proof, h *handle) {
	t.assert(h.pos, h.name, "sizeof(%s) <= 8", h.name)
	if h.other != "" {
		t.assert(h.pos, h.other, "sizeof(%s) == sizeof(%s)", h.other, h.name)
	}
	for _, one := range []struct{ name, second string }{{h.destroy, ""}, {h.stream, ", cudaStream_t"}, {h.mode, fmt.Sprintf(", decltype(%s)", h.host)}} {
		if one.name != "" {
			t.function(h.pos, one.name, p.returned(one.name), p.taken(one.name, h)+one.second)
		}
	}
}

// taken returns the type of handles that the function called name takes, which may be one of those for h, or else that of h.
func (p *packager) taken(name string, h *handle) string {
	if f := p.declared(name); f != nil && len(f.Params) > 0 && p.handleFor(f.Params[0].Type) == h {
		return p.spelled(f.Params[0].Type)
	}
	return h.name
}

// returned returns what the function called name returns, as C++ has it: a status, a number that is no status, or nothing.
func (p *packager) returned(name string) string {
	if p.silent(name) {
		return "void"
	}
	return cmp.Or(p.number(name), p.statusType())
}

// number returns the type of the integer of 4 bytes that the function called name returns, if that is no status; "" for any other result.
func (p *packager) number(name string) string {
	f := p.declared(name)
	if f == nil || f.Result == nil || p.isStatus(f.Result) {
		return ""
	}
	if basic, ok := ctype.Unqualified(f.Result).(*ctype.Basic); ok && basic.Integer() && basic.Size == 4 {
		return p.spelled(f.Result)
	}
	return ""
}

// textOf returns the type of what the function called name, which describes a status, takes: the status, or a number of its size.
func (p *packager) textOf(name string) string {
	if f := p.declared(name); f != nil && len(f.Params) == 1 {
		if t, ok := ctype.Unqualified(f.Params[0].Type).(*ctype.Basic); ok && t.Integer() && t.Size == 4 {
			return p.spelled(t)
		}
	}
	return p.statusType()
}

// textType returns what that function returns: characters, which may be const.
func (p *packager) textType(name string) string {
	if f := p.declared(name); f != nil && f.Result != nil {
		if pointer, ok := ctype.Unqualified(f.Result).(*ctype.Pointer); ok && !isConst(pointer.Elem) {
			return "char *"
		}
	}
	return "const char *"
}

// declared returns the function called name; nil for none.
func (p *packager) declared(name string) *cu.Function {
	if at := slices.IndexFunc(p.file.Functions, func(f *cu.Function) bool { return f.Name == name }); at >= 0 {
		return p.file.Functions[at]
	}
	return nil
}

// silent reports whether the function called name returns nothing.
func (p *packager) silent(name string) bool {
	f := p.declared(name)
	if f == nil || f.Result == nil {
		return false
	}
	basic, ok := ctype.Unqualified(f.Result).(*ctype.Basic)
	return ok && basic.Kind == ctype.Void
}

func (p *packager) proveEnum(t *proof, e *enum) {
	scope := e.Scope
	switch {
	case e.outer != "" && e.Scoped:
		scope = []string{e.says}
	case e.outer != "":
		scope = []string{e.outer}
	case e.Scoped:
		scope = append(scope[:len(scope):len(scope)], e.Name)
	}
	for _, c := range e.Enumerators {
		name := strings.Join(append(scope[:len(scope):len(scope)], c.Name), "::")
		t.assert(c.Pos, c.Name, "static_cast<long long>(%s) == %s", name, literal(c.Value))
	}
	t.assert(e.Pos, e.name, "sizeof(%s) * 8 == %s", e.says, strings.TrimLeft(e.typ.Name, "uint"))
}

// spelledParams returns the types of the parameters of f as C++ has them.
func (p *packager) spelledParams(f *function) string {
	params := make([]string, len(f.params))
	for i, one := range f.params {
		params[i] = p.spelled(one.Type)
	}
	return strings.Join(params, ", ")
}

// spelled returns t as C++ has it, without typedefs.
func (p *packager) spelled(t ctype.Type) string { return p.elaborated(t.Demangled()) }

// elaborated puts struct or enum before the names of types in spelled that functions have, too: C++ standard, [basic.scope.hiding].
func (p *packager) elaborated(spelled string) string {
	return identifier.ReplaceAllStringFunc(spelled, func(name string) string {
		if !slices.ContainsFunc(p.file.Functions, func(f *cu.Function) bool { return f.Name == name }) {
			return name
		}
		if slices.ContainsFunc(p.file.Enums, func(e *ctype.Enum) bool { return e.Name == name }) {
			return "enum " + name
		}
		return "struct " + name
	})
}

var identifier = regexp.MustCompile(`[A-Za-z_][A-Za-z_0-9]*`)

// literal returns n as C++ source has it; the least number has no literal.
func literal(n int64) string {
	if n < 0 {
		return fmt.Sprintf("(%dLL - 1)", n+1)
	}
	return fmt.Sprintf("%dLL", n)
}
