package cu

import (
	"fmt"
	"slices"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu/lex"
)

// A function is what is known of the functions with one name in one scope.
type function struct {
	overloads []*overload
	owner     *scope // which declares them; nil for several
	many      bool   // more than are kept

	// Of functions of the C++ library.
	result  *operand // of one without parameters
	extreme string   // "<" of std::max and ">" of std::min; empty for others
}

// ofLibrary reports whether f is a function of the C++ library.
func (f *function) ofLibrary() bool { return f.result != nil || f.extreme != "" }

// mostOverloads limits the work on one name.
const mostOverloads = 64

// note adds what e declares to the functions of f, in the scope s.
func (f *function) note(e *entity, s *scope) *entity {
	made := &entity{function: f, at: e.at, order: e.order}
	switch {
	case f.ofLibrary() || e.function.ofLibrary():
		made.function = &function{many: true}
	case f.owner != s:
		made.function = &function{overloads: slices.Concat(f.overloads, e.function.overloads), many: f.many || e.function.many, owner: s}
	default:
		f.overloads = append(f.overloads, e.function.overloads...)
		f.many = f.many || e.function.many
	}
	if f := made.function; len(f.overloads) > mostOverloads {
		f.overloads, f.many = nil, true
	}
	return made
}

// An overload is one declaration of a function. What it says is read when it is called.
type overload struct {
	head       *templateHead // nil for no template
	whole      cursor        // the declaration
	parameters int           // index of the ( of the parameters
	body       int           // index of the { of the body; -1 when there is none
	constexpr  bool
	static     bool
	scope      *scope
	of         *ctype.Struct // whose member it is; nil for none
	order      int32         // counts the entities of the file
	private    bool          // or protected
	lambda     bool          // the function of a lambda, which is named by its variable
	operator   int           // index of the word operator in its name; -1 if it is not there

	holes  map[string]*ctype.Struct // what stands for the parameters of a template while they are deduced
	read   bool
	reason *ctype.Reason
	signed
}

// A signed has the parameters and the result of a function's declaration.
type signed struct {
	params []functionParam
	packs  []string   // the names of the parameters that are packs
	result ctype.Type // nil for auto
}

type functionParam struct {
	name     string
	typ      ctype.Type
	declared ctype.Type // typ with the qualifiers of the parameter itself
	fallback cursor     // the default argument
	pack     bool       // an element of a pack
	extent   int64      // the elements of the array that it was declared as; 0 for none
}

// entity returns what the name of the parameter, declared at at, stands for outside of a call.
func (p *functionParam) entity(at *lex.Token) *entity {
	return &entity{obscure: aVariable, at: at.At, variable: &variable{typ: p.declared}}
}

// takesCharacters reports whether o is a literal operator template that takes the characters of a number: C++ standard,
// [over.literal].
func (o *overload) takesCharacters() bool {
	if o.head == nil || len(o.head.params) != 1 {
		return false
	}
	param := o.head.params[0]
	return param.pack && param.kind == paramValue && param.typ.peek().Is("char")
}

// unclearObject reports whether it is not understood for which objects o may be called, or whether it is
// explicit: it depends on a condition, or on how the object is referred to.
func (o *overload) unclearObject() bool {
	for i := o.whole.i; i < o.operator; i++ {
		if o.whole.list[i].Is("explicit") && o.whole.list[i+1].Is("(") {
			return true
		}
	}
	return o.says("&") || o.says("&&") || o.says("requires")
}

// says reports whether word stands between the parameters of o and its body.
func (o *overload) says(word string) bool {
	c := o.whole.piece(o.parameters, o.whole.stop)
	c.group()
	for ; c.more() && c.i != o.body && !c.peek().Is(";") && !c.peek().Is("="); c.skip() {
		if c.peek().Is(word) {
			return true
		}
	}
	return false
}

// deleted reports whether o is deleted.
func (o *overload) deleted() bool {
	n := o.whole.stop
	return n >= 2 && o.body < 0 && slices.ContainsFunc(o.whole.list[o.parameters:n], func(l lex.Token) bool { return l.Is("delete") })
}

// explicit reports whether o is an explicit conversion function.
func (o *overload) explicit() bool {
	return slices.ContainsFunc(o.whole.list[o.whole.i:o.operator], func(l lex.Token) bool { return l.Is("explicit") })
}

// hole returns what stands for the parameter of the template called name: a class whose name
// nothing else has.
func (o *overload) hole(p *patterns, name string) *ctype.Struct {
	if o.holes == nil {
		o.holes = make(map[string]*ctype.Struct)
	}
	if o.holes[name] == nil {
		p.holes++
		o.holes[name] = &ctype.Struct{Name: fmt.Sprintf("%s#%d", name, p.holes)}
	}
	return o.holes[name]
}
