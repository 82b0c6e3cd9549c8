package ctype

import (
	"strconv"
	"strings"
)

// A TemplateArg is one argument of a template: a type, a value of an integer or
// enumeration type, a null pointer, or an entity. For a pack there are as many as it has.
type TemplateArg struct {
	Type    Type  // of the value, when IsValue; of an entity it may be nil
	Value   int64 // an unsigned long is held as an int64 holds its bits; of a null pointer 0
	IsValue bool
	Entity  *Entity // the function, variable or member that the argument names; nil otherwise
}

// An Entity is a function, a variable or a member of a class that a template argument
// names.
type Entity struct {
	Scope   []string // enclosing namespaces and structs, from the outside in
	Name    string
	Args    []TemplateArg // as written, of an instance of a function template; nil otherwise
	Address bool          // &f; a parameter that is a reference has f itself
}

// QualifiedName returns the name of e with its scopes and template arguments.
func (e *Entity) QualifiedName() string {
	return strings.Join(append(e.Scope[:len(e.Scope):len(e.Scope)], e.Name+Arguments(e.Args)), "::")
}

// Demangled returns e as package image spells the entities in the names of kernels:
// "&ns::f<4>", without the types of the parameters.
func (e *Entity) Demangled() string {
	if e.Address {
		return "&" + e.QualifiedName()
	}
	return e.QualifiedName()
}

// Arguments returns template arguments between angle brackets as demanglers write them,
// "" when there are none: "<float, 4u>".
func Arguments(args []TemplateArg) string {
	return arguments(args, (*TemplateArg).Demangled)
}

// SourceArguments is Arguments as C++ source can say them: a null pointer is nullptr, and
// unnamed namespaces are left out.
func SourceArguments(args []TemplateArg) string {
	return arguments(args, (*TemplateArg).source)
}

func arguments(args []TemplateArg, spell func(*TemplateArg) string) string {
	if args == nil {
		return ""
	}
	parts := make([]string, len(args))
	for i := range args {
		parts[i] = spell(&args[i])
	}
	text := strings.Join(parts, ", ")
	if strings.HasSuffix(text, ">") {
		text += " "
	}
	return "<" + text + ">"
}

// literalSuffixes are what demanglers write behind a number of a type: Itanium C++ ABI,
// Mangling: expression literals.
var literalSuffixes = map[Kind]string{
	Int: "", UnsignedInt: "u", Long: "l", UnsignedLong: "ul", LongLong: "ll", UnsignedLongLong: "ull",
}

// source returns the argument as C++ source can say it.
func (a *TemplateArg) source() string {
	if a.IsValue {
		switch Unqualified(a.Type).(type) {
		case *Basic, *Enum:
		default:
			return "nullptr"
		}
	}
	return strings.ReplaceAll(a.Demangled(), AnonymousNamespace+"::", "")
}

// Demangled returns the argument as demanglers write it: "float", "4u", "(char)4".
func (a *TemplateArg) Demangled() string {
	switch {
	case a.Entity != nil:
		return a.Entity.Demangled()
	case !a.IsValue:
		return a.Type.Demangled()
	}
	basic, ok := Unqualified(a.Type).(*Basic)
	if !ok {
		return "(" + a.Type.Demangled() + ")" + strconv.FormatInt(a.Value, 10)
	}
	number := strconv.FormatInt(a.Value, 10)
	if basic.Unsigned && basic.Size == 8 {
		number = strconv.FormatUint(uint64(a.Value), 10)
	}
	if basic.Kind == Bool {
		return strconv.FormatBool(a.Value != 0)
	}
	if suffix, ok := literalSuffixes[basic.Kind]; ok {
		return number + suffix
	}
	return "(" + basic.Name + ")" + number
}
