package cu

import (
	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/internal/diag"
)

// anonymousMember adds the unnamed class that spec defines to the fields of r: an
// anonymous union or struct.
func (u *unit) anonymousMember(r *record, spec *specified) {
	t, ok := spec.defined.(*ctype.Struct)
	if !ok || t.Name != "" {
		return
	}
	f := ctype.Field{Type: t, Pos: t.Pos}
	if t.Unsupported != nil {
		reject(r.typ, spec.at, t.Unsupported.Before("its anonymous member is not understood: "))
	}
	r.typ.Fields = append(r.typ.Fields, f)
	// The names in it are those of the class around it.
	if inner := u.members[t]; inner != nil {
		for name, e := range inner.names {
			u.scope.declare(name, e)
		}
	}
}

// fieldOf adds the field that one declares to r. spec is what stands before it.
func (p *parser) fieldOf(whole cursor, one *part, r *record, spec *specified) {
	t := r.typ
	if r.private {
		notPOD(t, ctype.PODNo)
	}
	c := whole.piece(one.begin, one.stop)
	field, reason := p.field(&c, one, r, spec)
	if reason == nil && c.more() {
		reason = p.reasonf(c.peek(), diag.NotUnderstood, "is not understood (unexpected %s)", c.peek().Describe())
	}
	switch {
	case reason != nil:
		what := "field " + field.Name
		if field.Name == "" {
			what = "a field"
		}
		if t.Unsupported == nil {
			reject(t, c.peek(), reason.Before(what+" "))
			t.Unsupported.Pos = reason.Pos
		}
	case field.Type != nil:
		t.Fields = append(t.Fields, field)
	}
}

// field reads one declarator of a field, with its initializer. The field's type is nil
// where a function is declared by another name of its type.
func (p *parser) field(c *cursor, one *part, r *record, spec *specified) (f ctype.Field, reason *ctype.Reason) {
	at := c.peek()
	f = ctype.Field{Pos: at.Pos()}
	if at.Doubtful || spec.at.Doubtful {
		return f, p.reasonf(at, diag.Macro, "is under a condition that could not be evaluated")
	}
	d, reason := p.namedDeclarator(c, spec.typ)
	f.Type = d.typ
	if d.name != nil {
		f.Name, f.Pos = d.name.Text, d.name.Pos()
	}
	if reason != nil {
		return f, reason
	}
	if _, function := ctype.Unqualified(d.typ).(*ctype.Function); function {
		p.method(*c, one, r)
		if spec.virtual {
			r.typ.Virtual = true
			notPOD(r.typ, ctype.PODNo)
		}
		f.Type, c.i = nil, c.stop
		return f, nil
	}
	attributes := append(spec.attributes[:len(spec.attributes):len(spec.attributes)], d.attributes...)
	if spec.defined != nil {
		attributes = d.attributes // the others belong to the class
	}
	if c.peek().Is(":") {
		if reason = p.bitField(c, one, &f); reason != nil {
			return f, reason
		}
		attributes = append(attributes, p.attributes(c)...)
	}
	if d.unsized != nil {
		return f, p.reasonf(&d.unsized.at, d.unsized.Code, "has an array bound that is not understood: %w", d.unsized)
	}
	kept := attributes[:0:0]
	for _, a := range attributes {
		switch {
		case a.kind == "packed":
			f.Packed = true
		case a.kind == "no_unique_address" && !isClass(elementOf(d.typ)): // C++ standard, [dcl.attr.nouniqueaddr]
		default:
			kept = append(kept, a)
		}
	}
	if f.Align, reason = p.alignment(kept); reason != nil {
		return f, reason
	}
	if reason = p.byValue(d.typ, at); reason != nil {
		return f, reason
	}
	if _, reference := ctype.Unqualified(d.typ).(*ctype.Reference); reference {
		notPOD(r.typ, ctype.PODNo)
	}
	if c.peek().Is("=") || c.peek().Is("{") {
		notPOD(r.typ, ctype.PODUnsure)
		p.defaults[fieldKey{r.typ, len(r.typ.Fields)}] = c.piece(c.i, one.stop)
		c.i = one.stop // the grammar has read it
	}
	return f, nil
}

// bitField reads the width of a bit-field.
func (p *parser) bitField(c *cursor, one *part, f *ctype.Field) *ctype.Reason {
	colon := c.next()
	v, failure := p.evaluate(c.piece(c.i, one.width), p.scope)
	if failure != nil {
		return p.reasonf(&failure.at, failure.Code, "is a bit-field whose width is not understood: %w", failure)
	}
	n, ok := v.int64()
	if !ok || n < 0 {
		return p.reasonf(colon, diag.NotUnderstood, "is a bit-field whose width is not positive")
	}
	f.BitField, f.Bits = true, n
	c.i = one.width
	return nil
}
