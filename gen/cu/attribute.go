package cu

import (
	"strings"

	"github.com/cudagen/cudagen/gen/ctype"
)

// An attribute is one attribute of a declaration, in whatever form it is written.
type attribute struct {
	name   *lexeme
	kind   string // the name without underscores around it; alignas and __align__ are "aligned"
	values []lexeme
	empty  bool // it has no parentheses
}

// attributeWords are the words that are attributes together with the parentheses
// behind them. CUDA C++ Programming Guide, Execution Configuration and
// Language Extensions; <host_defines.h>; GCC manual, Attribute Syntax.
var attributeWords = map[string]bool{
	"__attribute__": true, "__attribute": true, "__declspec": true, "alignas": true, "_Alignas": true,
	"__align__": true, "__builtin_align__": true,
	"__launch_bounds__": true, "__cluster_dims__": true, "__block_size__": true, "__maxnreg__": true,
	"__grid_constant__": true, "__nv_pure__": true, "__noinline__": true, "noexcept": true,
}

// functionSpecifiers are words in the declaration of a function that do not change its
// parameters.
var functionSpecifiers = map[string]bool{
	"inline": true, "__inline__": true, "__inline": true, "__forceinline__": true, "__forceinline": true,
	"static": true, "constexpr": true, "consteval": true, "explicit": true, "extern": true,
	"__host__": true, "__device__": true, "__noinline__": true, "__nv_pure__": true,
}

// attributes reads the attributes at c, none or many.
func (p *parser) attributes(c *cursor) []attribute {
	var found []attribute
	for {
		l := c.peek()
		switch {
		case l.is("[") && c.ahead(1).is("["):
			inside, ok := c.group()
			if !ok {
				c.i++ // never the same lexeme again
				return found
			}
			inner := newCursor(inside, l.pos)
			if list, ok := inner.group(); ok {
				found = append(found, attributeList(list)...)
			}
		case l.kind == tokIdent && attributeWords[l.text]:
			c.next()
			var inside []lexeme
			parenthesised := c.peek().is("(")
			if parenthesised {
				inside, _ = c.group()
			}
			if strings.HasPrefix(l.text, "__attribute") {
				if len(inside) > 1 {
					inside = inside[1 : len(inside)-1]
				}
				found = append(found, attributeList(inside)...)
			} else if l.text == "__declspec" {
				found = append(found, attributeList(inside)...)
			} else {
				found = append(found, attribute{l, attributeKind(l.text), inside, !parenthesised})
			}
		default:
			return found
		}
	}
}

// attributeList takes apart what stands between the parentheses of __attribute__ and
// the brackets of [[…]].
func attributeList(list []lexeme) []attribute {
	var found []attribute
	for _, one := range split(list, false) {
		c := newCursor(one, list[0].pos)
		name := c.peek()
		for c.ahead(1).is("::") {
			c.i += 2
			name = c.peek()
		}
		if !c.more() {
			continue
		}
		c.next()
		inside, ok := c.group()
		found = append(found, attribute{name, attributeKind(name.text), inside, !ok})
	}
	return found
}

// attributeKind returns the name of an attribute without the underscores that GCC
// allows around it.
func attributeKind(name string) string {
	switch kind := strings.Trim(name, "_"); kind {
	case "alignas", "Alignas", "align", "builtin_align":
		return "aligned"
	default:
		return kind
	}
}

// harmless are the attributes that change neither the layout of a type nor that of
// parameters.
var harmless = map[string]bool{
	"maybe_unused": true, "unused": true, "used": true, "deprecated": true, "nodiscard": true, "noreturn": true,
	"grid_constant": true, "visibility": true, "device_builtin": true, "may_alias": true,
}

// alignment returns the strictest alignment that attributes ask for, 0 when they ask
// for none, and why they are not understood.
func (p *parser) alignment(attributes []attribute) (align int64, reason *ctype.Reason) {
	for i := range attributes {
		a := &attributes[i]
		if a.kind != "aligned" {
			if !harmless[a.kind] {
				return 0, &ctype.Reason{Pos: a.name.pos, Text: "has attribute " + a.name.text + ", which is not understood"}
			}
			continue
		}
		v, failure := p.evaluate(a.values, a.name.pos, p.scope)
		if failure != nil {
			return 0, &ctype.Reason{Pos: failure.pos, Text: "has an alignment that is not understood: " + failure.text}
		}
		n, ok := v.int64()
		const widest = 1 << 28
		if !ok || n < 0 || n > widest || n&(n-1) != 0 {
			return 0, &ctype.Reason{Pos: a.name.pos, Text: "has an alignment that is not a power of two"}
		}
		align = max(align, n)
	}
	return align, nil
}
