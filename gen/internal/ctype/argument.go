package ctype

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// A TemplateArg is one argument of a template: a type, a value of an arithmetic or
// enumeration type or of a class, a null pointer, or an entity. For a pack there are as many as it has.
type TemplateArg struct {
	Type    Type  // of the value, when IsValue; of an entity it may be nil
	Value   int64 // an unsigned long is held as an int64 holds its bits, a floating-point number as its own bits; of a null pointer 0
	IsValue bool
	Entity  *Entity // the function, variable or member that the argument names; nil otherwise

	// Elems are the elements of a value that is an array, and the base classes and fields of one that is of a
	// class, each a value.
	Elems []TemplateArg
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
	text := a.Demangled()
	if !a.IsValue {
		text = Readable(text)
	} else {
		switch t := Unqualified(a.Type).(type) {
		case *Basic:
			if t.floating() {
				text = "(" + t.Name + ")" + strconv.FormatFloat(a.Float(), 'x', -1, 64)
				if f := a.Float(); math.IsInf(f, 0) || math.IsNaN(f) {
					text = fmt.Sprintf("__builtin_bit_cast(%s, 0x%xull)", t.Name, uint64(a.Value))
					if t.Kind == Float {
						text = strings.Replace(text, "ull", "u", 1)
					}
				}
			}
		case *Enum:
		case *Struct:
			text = Readable(t.Demangled()) + a.braced()
		case *Array:
			return a.braced()
		default:
			return "nullptr"
		}
	}
	return strings.ReplaceAll(text, AnonymousNamespace+"::", "")
}

// braced returns all elements of a as C++ source can say them.
func (a *TemplateArg) braced() string {
	parts := make([]string, len(a.Elems))
	for i := range a.Elems {
		parts[i] = a.Elems[i].source()
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// Demangled returns the argument as demanglers write it: "float", "4u", "(char)4". Of a class and of an
// array the last elements are left out as long as they are zero: Itanium C++ ABI, Mangling: expressions.
func (a *TemplateArg) Demangled() string {
	switch {
	case a.Entity != nil:
		return a.Entity.Demangled()
	case !a.IsValue:
		return a.Type.Demangled()
	}
	switch t := Unqualified(a.Type).(type) {
	case *Struct, *Array:
		return a.object()
	case *Basic:
		return a.number(t)
	}
	return "(" + a.Type.Demangled() + ")" + strconv.FormatInt(a.Value, 10)
}

// number returns the value a of the type t as demanglers write it.
func (a *TemplateArg) number(t *Basic) string {
	number := a.Number()
	switch {
	case t.Kind == Bool:
		return strconv.FormatBool(a.Value != 0)
	case t.floating():
		number = fmt.Sprintf("[%0*x]", 2*t.Size, uint64(a.Value))
	case t.Unsigned && t.Size == 8:
		number = strconv.FormatUint(uint64(a.Value), 10)
	}
	if suffix, ok := literalSuffixes[t.Kind]; ok {
		return number + suffix
	}
	return "(" + t.Name + ")" + number
}

// object returns the value a of a class or an array as demanglers write it.
func (a *TemplateArg) object() string {
	elems := a.Elems
	for len(elems) > 0 && elems[len(elems)-1].isZero() {
		elems = elems[:len(elems)-1]
	}
	if text, ok := a.Text(); ok {
		return quoted(text)
	}
	parts := make([]string, len(elems))
	for i := range elems {
		parts[i] = elems[i].Demangled()
	}
	return Unqualified(a.Type).Demangled() + "{" + strings.Join(parts, ", ") + "}"
}

// isZero reports whether all of the value a is zero.
func (a *TemplateArg) isZero() bool {
	for i := range a.Elems {
		if !a.Elems[i].isZero() {
			return false
		}
	}
	return a.Value == 0
}

// floatBits matches a floating-point number as demanglers write it, and arrayType the type before the elements of an array.
var (
	floatBits = regexp.MustCompile(`\((float|double)\)\[([0-9a-f]+)\]`)
	arrayType = regexp.MustCompile(`[\w:<>]+(?: [\w:<>]+)* (?:\[\d+\])+\{`)
)

// Readable returns arguments that demanglers wrote with the numbers and arrays in it as C++ has them.
func Readable(arguments string) string {
	arguments = floatBits.ReplaceAllStringFunc(arguments, func(text string) string {
		found := floatBits.FindStringSubmatch(text)
		bits, _ := strconv.ParseUint(found[2], 16, 64)
		kind := Double
		if found[1] == "float" {
			kind = Float
		}
		arg := TemplateArg{Type: Builtin(kind), Value: int64(bits), IsValue: true}
		return arg.source()
	})
	return arrayType.ReplaceAllString(arguments, "{")
}

// Number returns the value a, which is no class and no array, in decimal.
func (a *TemplateArg) Number() string {
	if t, ok := Unqualified(a.Type).(*Basic); ok && t.floating() {
		return strconv.FormatFloat(a.Float(), 'g', -1, int(8*t.Size))
	}
	return strconv.FormatInt(a.Value, 10)
}

// Float returns the value a of a floating-point type.
func (a *TemplateArg) Float() float64 {
	if Unqualified(a.Type).(*Basic).Kind == Float {
		return float64(math.Float32frombits(uint32(a.Value)))
	}
	return math.Float64frombits(uint64(a.Value))
}

// Text returns the text of a value that is an array of char, without the zeros behind it. ok is false for others, and
// if characters are negative.
func (a *TemplateArg) Text() (text string, ok bool) {
	array, ok := Unqualified(a.Type).(*Array)
	if !ok || !a.IsValue || Unqualified(array.Elem) != Type(Builtin(Char)) {
		return "", false
	}
	var b []byte
	for _, one := range a.Elems {
		if one.Value < 0 {
			return "", false
		}
		b = append(b, byte(one.Value))
	}
	return strings.TrimRight(string(b), "\x00"), true
}

// escapes are the characters that demanglers write with a letter in a string.
var escapes = map[byte]string{'\a': `\a`, '\b': `\b`, '\f': `\f`, '\n': `\n`, '\r': `\r`, '\t': `\t`, '\v': `\v`, '"': `\"`, '\\': `\\`}

// quoted returns text as demanglers write an array of char. A string ends where a digit would belong to a number before it.
func quoted(text string) string {
	var b strings.Builder
	number := false
	for i := range len(text) {
		c := text[i]
		if number && strings.IndexByte("0123456789abcdefABCDEF", c) >= 0 {
			b.WriteString(`""`)
		}
		escape, ok := escapes[c]
		number = !ok && (c < ' ' || c == 0x7f)
		switch {
		case ok:
			b.WriteString(escape)
		case number && c < 8:
			fmt.Fprintf(&b, `\%d`, c)
		case number:
			fmt.Fprintf(&b, `\x%X`, c)
		default:
			b.WriteByte(c)
		}
	}
	return `"` + b.String() + `"`
}
