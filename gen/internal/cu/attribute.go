package cu

import (
	"strings"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu/lex"
	"github.com/cudagen/cudagen/internal/diag"
)

// An attribute is one attribute of a declaration, in whatever form it is written.
type attribute struct {
	name   *lex.Token
	scope  *lex.Token // the word before ::, nil without
	kind   string     // the name without underscores around it; alignas and __align__ are "aligned"
	values cursor
	empty  bool // it has no parentheses
	gnu    bool // __attribute__((…)), or __align__(…), which stands for it
	unread bool // [[name]] without gnu::, where compilers do not know it
}

// attributeWords are the words that are attributes together with the parentheses
// behind them. CUDA C++ Programming Guide, Execution Configuration and
// Language Extensions; <host_defines.h>; GCC manual, Attribute Syntax.
var attributeWords = words(`__attribute__ __attribute __declspec alignas _Alignas __align__ __builtin_align__
	__launch_bounds__ __cluster_dims__ __block_size__ __maxnreg__ __grid_constant__ __nv_pure__ __noinline__ noexcept
	__device_builtin__ __device_builtin_texture_type__ __device_builtin_surface_type__ __cudart_builtin__ __local_maxnreg__`)

// functionSpecifiers are words in the declaration of a function that do not change its
// parameters.
var functionSpecifiers = words(`inline __inline__ __inline __forceinline__ __forceinline static constexpr consteval explicit extern
	__host__ __device__ __noinline__ __nv_pure__ virtual __extension__ auto`)

// spaceWords are the words of CUDA C++ that its own headers define as attributes, by the
// attribute: `#define __global__ __attribute__((global))`. <crt/host_defines.h>.
var spaceWords = map[string]string{
	"host": "__host__", "device": "__device__", "global": "__global__", "shared": "__shared__",
	"constant": "__constant__", "managed": "__managed__", "grid_constant": "__grid_constant__",
}

// isSpace reports whether l is one of CUDA's words for who calls a function and where a variable
// is, which may stand wherever an attribute may: int *__device__ f(); struct __device__ S.
func isSpace(l *lex.Token) bool {
	return l.Kind == lex.Ident && declaredSpaces[l.Text]
}

var declaredSpaces = words("__host__ __device__ __constant__ __managed__ __shared__")

// withWords returns list with CUDA's words where CUDA's headers, when they are among the
// included ones, have put attributes. It writes over list.
func withWords(list []lex.Token) []lex.Token {
	n := 0 // written
	for i := 0; i < len(list); i++ {
		word, ok := spaceWord(list[i:])
		if n < i {
			list[n] = list[i]
		}
		if ok {
			list[n].Text = word
			i += attributeTokens - 1
		}
		n++
	}
	return list[:n]
}

// attributeTokens is how many __attribute__((word)) has.
const attributeTokens = 6

// spaceWord returns the word of CUDA C++ that list begins with as an attribute.
func spaceWord(list []lex.Token) (word string, ok bool) {
	if len(list) < attributeTokens || !strings.HasPrefix(list[0].Text, "__attribute") ||
		!list[1].Is("(") || !list[2].Is("(") || !list[4].Is(")") || !list[5].Is(")") {
		return "", false
	}
	word, ok = spaceWords[strings.Trim(list[3].Text, "_")]
	return word, ok
}

// attributes reads the attributes at c, none or many.
func (p *parser) attributes(c *cursor) []attribute {
	var found []attribute
	for {
		l := c.peek()
		switch {
		case l.Is("[") && c.ahead(1).Is("["):
			inside, ok := c.group()
			if !ok {
				return found
			}
			if list, ok := inside.group(); ok {
				found = append(found, p.scoped(list)...)
			}
		case l.Kind == lex.Ident && attributeWords[l.Text]:
			c.next()
			inside, parenthesised := p.parenthesised(c)
			switch {
			case strings.HasPrefix(l.Text, "__attribute"):
				if list, ok := inside.group(); ok {
					found = append(found, ofGNU(p.attributeList(list))...)
				}
			case l.Text == "__declspec":
				for _, a := range ofGNU(p.attributeList(inside)) {
					if a.kind == "align" {
						a.kind = "aligned"
					}
					found = append(found, a)
				}
			default:
				standard := l.Text == "alignas" || l.Text == "_Alignas"
				found = append(found, attribute{name: l, kind: attributeKind(l.Text), values: inside, empty: !parenthesised, gnu: !standard})
			}
		default:
			return found
		}
	}
}

// ofGNU marks attributes as those of __attribute__.
func ofGNU(list []attribute) []attribute {
	for i := range list {
		list[i].gnu = true
	}
	return list
}

// scoped takes apart what stands between the brackets of [[…]]. Compilers ignore what they
// do not know there: of GCC's attributes those without gnu::.
func (p *parser) scoped(list cursor) []attribute {
	common := ""
	if list.peek().Is("using") && list.ahead(2).Is(":") { // [[using gnu: …]]
		common = list.ahead(1).Text
		list.i += 3
	}
	found := p.attributeList(list)
	for i := range found {
		a := &found[i]
		space := common
		if a.scope != nil {
			space = a.scope.Text
		}
		switch {
		case harmless[a.kind], space == "gnu", space == "__gnu__":
		case space == "" && a.kind == "no_unique_address":
		default:
			a.kind, a.unread = "", true
		}
	}
	return found
}

// attributeList takes apart what stands between the parentheses of __attribute__ and
// the brackets of [[…]].
func (p *parser) attributeList(list cursor) []attribute {
	var found []attribute
	for _, one := range p.split(list, false) {
		name := one.peek()
		var scope *lex.Token
		for one.ahead(1).Is("::") {
			scope = name
			one.i += 2
			name = one.peek()
		}
		if !one.more() {
			continue
		}
		one.next()
		inside, ok := one.group()
		kind, underscored := strings.CutPrefix(name.Text, "__")
		if bare, both := strings.CutSuffix(kind, "__"); underscored && both { // __packed__ is packed
			kind = bare
		} else {
			kind = name.Text
		}
		found = append(found, attribute{name: name, scope: scope, kind: kind, values: inside, empty: !ok})
	}
	return found
}

// attributeKind returns the kind of an attribute that is a word of its own.
func attributeKind(word string) string {
	switch kind := strings.Trim(word, "_"); kind {
	case "alignas", "Alignas", "align", "builtin_align":
		return "aligned"
	default:
		return kind
	}
}

// harmless are the attributes that change neither the layout of a type nor that of
// parameters.
var harmless = words(`maybe_unused unused used deprecated nodiscard noreturn grid_constant visibility device_builtin may_alias
	warn_unused_result warn_unused always_inline noinline weak dllexport dllimport section nv_pure cudart_builtin noexcept
	device_builtin_texture_type device_builtin_surface_type device host shared constant managed global artificial hot cold
	no_instrument_function unavailable availability abi_tag trivial_abi preferred_name capability lockable`)

// alignment returns the strictest alignment that attributes ask for, 0 when they ask
// for none, and why they are not understood.
func (p *parser) alignment(attributes []attribute) (align int64, reason *ctype.Reason) {
	for i := range attributes {
		a := &attributes[i]
		if a.kind != "aligned" {
			if a.kind == "no_unique_address" {
				return 0, p.reasonf(a.name, diag.CompilersDiffer, "has attribute no_unique_address, with which nvcc itself has two opinions on the size of a parameter")
			}
			if !harmless[a.kind] {
				return 0, p.reasonf(a.name, diag.NotUnderstood, "has attribute %s, which %w", a.name.Text, a.whyNot())
			}
			continue
		}
		n, reason := p.alignmentValue(a)
		if reason != nil {
			return 0, reason
		}
		const widest = 1 << 28
		if n < 0 || n > widest || n&(n-1) != 0 {
			return 0, p.reasonf(a.name, diag.NotUnderstood, "has an alignment that is not a power of two")
		}
		align = max(align, n)
	}
	return align, nil
}

// whyNot says what is wrong with an attribute that is neither harmless nor known.
func (a *attribute) whyNot() diag.Message {
	if a.unread {
		return diag.NotUnderstood.Errorf("compilers ignore between [[ and ]] (%w)", diag.Do("write gnu:: before it, or alignas"))
	}
	return diag.NotUnderstood.New("is not understood")
}

// greatestAlignment is what aligned means without a number, on x86-64 and arm64: GCC
// manual, Common Type Attributes.
const greatestAlignment = 16

// aligned returns t with the alignment that the attributes of the typedef or alias called
// name give it: GCC manual, Common Type Attributes.
func (p *parser) aligned(name string, t ctype.Type, attributes []attribute) (ctype.Type, *ctype.Reason) {
	align, reason := p.alignment(attributes)
	switch {
	case reason != nil:
		return nil, reason
	case align == 0:
		return t, nil
	}
	for i := range attributes {
		if a := attributes[i].name; a.Is("alignas") || a.Is("_Alignas") {
			return nil, p.reasonf(a, diag.NotUnderstood, "has alignas, which a typedef or alias cannot have")
		}
	}
	return &ctype.Alias{Name: name, Type: t, Align: align}, nil
}

// alignmentValue returns the bytes of an alignment, which may be given as a type.
func (p *parser) alignmentValue(a *attribute) (int64, *ctype.Reason) {
	if a.empty && !a.name.Is("alignas") {
		return greatestAlignment, nil
	}
	if a.name.Is("alignas") {
		if c := a.values; p.typeAhead(c) {
			if t, reason := p.typeID(&c); reason == nil && !c.more() {
				_, align, err := p.sizeOf(t)
				if err != nil {
					return 0, p.reasonf(a.name, diag.CodeOf(err), "has an alignment that is not understood: %s", err)
				}
				return align, nil
			}
		}
	}
	v, failure := p.evaluate(a.values, p.scope)
	if failure != nil {
		return 0, p.reasonf(&failure.at, failure.Code, "has an alignment that is not understood: %w", failure)
	}
	n, ok := v.int64()
	if !ok {
		return -1, nil
	}
	return n, nil
}

// parenthesised steps over a group in parentheses at c, if there is one.
func (p *parser) parenthesised(c *cursor) (inside cursor, ok bool) {
	if !c.peek().Is("(") {
		return c.piece(c.i, c.i), false
	}
	return c.group()
}
