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

// readAttributes reads the attributes at c, none or many.
func readAttributes(c *cursor) []attribute {
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
				found = append(found, scoped(list)...)
			}
		case l.Kind == lex.Ident && attributeWords[l.Text]:
			c.next()
			inside, parenthesised := parenthesised(c)
			switch {
			case strings.HasPrefix(l.Text, "__attribute"):
				if list, ok := inside.group(); ok {
					found = append(found, ofGNU(attributeList(list))...)
				}
			case l.Text == "__declspec":
				for _, a := range ofGNU(attributeList(inside)) {
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
func scoped(list cursor) []attribute {
	common := ""
	if list.peek().Is("using") && list.ahead(2).Is(":") { // [[using gnu: …]]
		common = list.ahead(1).Text
		list.i += 3
	}
	found := attributeList(list)
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
func attributeList(list cursor) []attribute {
	var found []attribute
	for _, one := range list.split(func(cursor, bool) bool { return false }) {
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

// parenthesised steps over a group in parentheses at c, if there is one.
func parenthesised(c *cursor) (inside cursor, ok bool) {
	if !c.peek().Is("(") {
		return c.piece(c.i, c.i), false
	}
	return c.group()
}

// alignment returns the strictest alignment that attributes ask for, 0 when they ask
// for none, and why they are not understood.
func (r resolver) alignment(attributes []attribute) (align int64, reason *ctype.Reason) {
	for i := range attributes {
		a := &attributes[i]
		if a.kind != "aligned" {
			if a.kind == "no_unique_address" {
				return 0, reasonf(a.name, diag.CompilersDiffer, "has attribute no_unique_address, with which nvcc itself has two opinions on the size of a parameter")
			}
			if !harmless[a.kind] {
				return 0, reasonf(a.name, diag.NotUnderstood, "has attribute %s, which %w", a.name.Text, a.whyNot())
			}
			continue
		}
		n, reason := r.alignmentValue(a)
		if reason != nil {
			return 0, reason
		}
		const widest = 1 << 28
		if n < 0 || n > widest || n&(n-1) != 0 {
			return 0, reasonf(a.name, diag.NotUnderstood, "has an alignment that is not a power of two")
		}
		align = max(align, n)
	}
	return align, nil
}

// fieldAlignment is alignment for a field, of whose alignments the largest counts, also of those in alignas(T...). Of a class
// nvcc takes the last.
func (r resolver) fieldAlignment(attributes []attribute) (align int64, reason *ctype.Reason) {
	var single []attribute
	for _, a := range attributes {
		if a.kind != "aligned" || !a.name.Is("alignas") || ellipsis(a.values) < 0 {
			single = append(single, a)
			continue
		}
		list, reason := r.expandAll([]cursor{a.values})
		if reason != nil {
			return 0, reason
		}
		for _, one := range list {
			a.values = one.cursor
			n, reason := r.in(one.scope).alignment([]attribute{a})
			if reason != nil {
				return 0, reason
			}
			align = max(align, n)
		}
	}
	n, reason := r.alignment(single)
	return max(align, n), reason
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
func (r resolver) aligned(name string, t ctype.Type, attributes []attribute) (ctype.Type, *ctype.Reason) {
	align, reason := r.alignment(attributes)
	switch {
	case reason != nil:
		return nil, reason
	case align == 0:
		return t, nil
	}
	for i := range attributes {
		if a := attributes[i].name; a.Is("alignas") || a.Is("_Alignas") {
			return nil, reasonf(a, diag.NotUnderstood, "has alignas, which a typedef or alias cannot have")
		}
	}
	return &ctype.Alias{Name: name, Type: t, Align: align}, nil
}

// alignmentValue returns the bytes of an alignment, which may be given as a type.
func (r resolver) alignmentValue(a *attribute) (int64, *ctype.Reason) {
	if a.empty && !a.name.Is("alignas") {
		return greatestAlignment, nil
	}
	if a.name.Is("alignas") {
		if c := a.values; r.typeAhead(c) {
			if t, reason := r.typeID(&c); reason == nil && !c.more() {
				_, align, err := r.sizeOf(t)
				if err != nil {
					return 0, reasonf(a.name, diag.CodeOf(err), "has an alignment that is not understood: %s", err)
				}
				return align, nil
			}
		}
	}
	v, failure := r.evaluate(a.values)
	if failure != nil {
		return 0, reasonf(&failure.at, failure.Code, "has an alignment that is not understood: %w", failure)
	}
	n, ok := v.int64()
	if !ok {
		return -1, nil
	}
	return n, nil
}
