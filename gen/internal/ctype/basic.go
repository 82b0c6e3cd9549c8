package ctype

// A Kind says which builtin type a Basic is.
type Kind uint8

// The builtin types.
const (
	Void Kind = iota
	Bool
	Char
	SignedChar
	UnsignedChar
	Char8
	Char16
	Char32
	WChar
	Short
	UnsignedShort
	Int
	UnsignedInt
	Long
	UnsignedLong
	LongLong
	UnsignedLongLong
	Float
	Double
	LongDouble
	Int128
	UnsignedInt128
	NullPtr
)

// A Basic is a builtin scalar type or void. Its size is its alignment.
type Basic struct {
	Kind     Kind
	Name     string // canonical: "unsigned long long"
	Size     int64  // bytes; 0 for void
	Unsigned bool   // an integer type that has no negative values
}

// basics holds the builtin types by kind. Sizes are those of the data model LP64,
// which CUDA's device code shares with its Linux hosts: Itanium C++ ABI, Data
// Layout; CUDA C++ Programming Guide, C++ Language Support. char is signed there
// (x86-64) or not (AArch64), which changes no layout. long double is double in device
// code: CUDA C++ Programming Guide, C++ Language Support, Long double.
var basics = [...]Basic{
	Void:             {Void, "void", 0, false},
	Bool:             {Bool, "bool", 1, true},
	Char:             {Char, "char", 1, false},
	SignedChar:       {SignedChar, "signed char", 1, false},
	UnsignedChar:     {UnsignedChar, "unsigned char", 1, true},
	Char8:            {Char8, "char8_t", 1, true},
	Char16:           {Char16, "char16_t", 2, true},
	Char32:           {Char32, "char32_t", 4, true},
	WChar:            {WChar, "wchar_t", 4, false},
	Short:            {Short, "short", 2, false},
	UnsignedShort:    {UnsignedShort, "unsigned short", 2, true},
	Int:              {Int, "int", 4, false},
	UnsignedInt:      {UnsignedInt, "unsigned int", 4, true},
	Long:             {Long, "long", 8, false},
	UnsignedLong:     {UnsignedLong, "unsigned long", 8, true},
	LongLong:         {LongLong, "long long", 8, false},
	UnsignedLongLong: {UnsignedLongLong, "unsigned long long", 8, true},
	Float:            {Float, "float", 4, false},
	Double:           {Double, "double", 8, false},
	LongDouble:       {LongDouble, "long double", 8, false},
	Int128:           {Int128, "__int128", 16, false},
	UnsignedInt128:   {UnsignedInt128, "unsigned __int128", 16, true},
	NullPtr:          {NullPtr, "decltype(nullptr)", 8, false},
}

// Builtin returns the type of kind k.
func Builtin(k Kind) *Basic { return &basics[k] }

// Integer reports whether t is an integer type; bool and the character types are.
func (t *Basic) Integer() bool {
	switch t.Kind {
	case Void, Float, Double, LongDouble, NullPtr:
		return false
	}
	return true
}

// floating reports whether values of t are floating-point numbers that template arguments may be.
func (t *Basic) floating() bool { return t.Kind == Float || t.Kind == Double }
