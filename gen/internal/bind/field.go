package bind

import (
	"fmt"
	"go/token"

	"github.com/cudagen/cudagen/gen/internal/emit"
	"github.com/cudagen/cudagen/gen/internal/layout"
	"github.com/cudagen/cudagen/gen/model"
	"github.com/cudagen/cudagen/internal/diag"
	"github.com/cudagen/cudagen/internal/goname"
)

// fieldNames chooses the names of the fields and methods of a struct.
type fieldNames struct {
	class  *layout.Class
	claims []goname.Claim
	take   []func(m *model.Struct, names []string)
	cNames []string
}

// add adds the claim of the field m.Fields[at], which C++ calls cName.
func (f *fieldNames) add(c goname.Claim, cName string, at int) {
	f.claim(c, cName, func(m *model.Struct, names []string) {
		m.Fields[at].GoName = names[0]
		if cName != "" {
			m.Fields[at].Note = goname.Renamed(cName, names[0])
		}
	})
}

func (f *fieldNames) claim(c goname.Claim, cName string, take func(m *model.Struct, names []string)) {
	f.claims, f.take, f.cNames = append(f.claims, c), append(f.take, take), append(f.cNames, cName)
}

// accessed adds the claim of m.Fields[at], the index-th member, which methods read and write.
func (f *fieldNames) accessed(member *layout.Member, index, at int) {
	f.add(f.methods(member, index, true), member.Name, at)
}

// ofMember returns the claim to the name of the index-th member. Base classes may have members of the same name:
// that of the class that declares it stands in front then. A type that a compiler tells of has no such classes: the last form
// is that with the byte at which the member lies.
func (f *fieldNames) ofMember(member *layout.Member, index int) goname.Claim {
	c := goname.Field(member.Name, index)
	same := 0
	for i := range f.class.Members {
		if f.class.Members[i].Name == member.Name {
			same++
		}
	}
	if member.Name != "" && same > 1 {
		c.Forms = append(c.Forms, []string{goname.Verbatim(member.Of.String(), member.Name)}, []string{goname.Verbatim(member.Name, fmt.Sprint(member.Offset))})
	}
	return c
}

// methods returns the claim to the names X and SetX of methods that read and write the member, and to
// that of the field with its bytes, if it has one of its own.
func (f *fieldNames) methods(member *layout.Member, index int, raw bool) goname.Claim {
	c := f.ofMember(member, index)
	for i, form := range c.Forms {
		c.Forms[i] = append(form, "Set"+form[0])
		if raw {
			c.Forms[i] = append(c.Forms[i], emit.RawName(form[0]))
		}
	}
	return c
}

// embedded adds the claim of the unnamed member m.Fields[at]. It is embedded if nothing else has the
// names that this promotes, the first of which is that of its type.
func (f *fieldNames) embedded(promoted []string, index, at int) {
	c := goname.Claim{Forms: [][]string{promoted, {promoted[0]}, {goname.Verbatim(fmt.Sprint(index))}}}
	f.claim(c, "", func(m *model.Struct, names []string) {
		m.Fields[at].GoName, m.Fields[at].Embedded = names[0], len(names) == len(promoted) && names[0] == promoted[0]
	})
}

// bits adds the claim of the bit-field m.BitFields[at], whose bits are in m.Fields[run].
func (f *fieldNames) bits(member *layout.Member, at, run int) {
	cName := member.Name
	f.claim(f.methods(member, at, false), cName, func(m *model.Struct, names []string) {
		one := &m.BitFields[at]
		one.GoName, one.Note = names[0], goname.Renamed(cName, names[0])
		if !m.Union {
			one.Storage = m.Fields[run].GoName // which has its name: the claim of the run comes first
		}
	})
}

// settle gives the fields and bit-fields of m their names.
func (f *fieldNames) settle(m *model.Struct, pos token.Position, errs *diag.List) {
	names, clashes := goname.Settle(f.claims)
	for _, c := range clashes {
		errs.Add(pos, diag.GoName.Errorf("struct %s: the members %s and %s have the same Go name: %w", m.CName, f.cNames[c.Claim], f.cNames[c.Other], diag.Do("rename one of them")))
		names[c.Claim] = f.claims[c.Claim].Forms[0]
	}
	for i, take := range f.take {
		take(m, names[i])
	}
}
