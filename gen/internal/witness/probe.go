package witness

import (
	_ "embed"
	"encoding/binary"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/cudagen/cudagen/internal/diag"
	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/internal/ptxdebug"
)

// A KernelQuery asks a compiler for the parameters of a kernel.
type KernelQuery struct {
	// Name is the qualified name with its template arguments, without unnamed namespaces,
	// as the end of the source can say it: app::step<float, 4>.
	Name string

	// Params are the types of the parameters, as the end of the source can say them, when
	// Name is overloaded. With nil it has to be the name of one function.
	Params []string
}

// Address returns the C++ expression for the kernel's address, as the end of the source
// can say it.
func (k *KernelQuery) Address() string {
	address := "&" + k.Name
	if k.Params != nil {
		address = "static_cast<void (*)(" + strings.Join(k.Params, ", ") + ")>(" + address + ")"
	}
	return address
}

// A TypeQuery asks a compiler for a class or an enumeration: for its debug information, and for
// what a probe can tell.
type TypeQuery struct {
	// Says is C++ for the type, as the end of the source can say it: a name, as that of a
	// kernel, or what ParamType, VariableType, MemberType and BaseType return.
	Says string

	// Before are declarations that Says needs, for BaseType.
	Before string

	Fields      []string // whose offsets are wanted; bit-fields and references have none
	Enumerators []string // whose values are wanted
}

// ParamType returns C++ for the class or enumeration at the end of the type of parameter i of k,
// behind pointers, references and arrays.
func ParamType(k *KernelQuery, i int) string {
	return fmt.Sprintf("cudagen_probe::leaf<cudagen_probe::parameter<%d, decltype(%s)>::type>::type", i, k.Address())
}

// VariableType is ParamType for a variable, or an enumerator, with a qualified name.
func VariableType(name string) string {
	return "cudagen_probe::leaf<decltype(" + name + ")>::type"
}

// MemberType is ParamType for a field of the class that Queries.Types[i] asks for.
func MemberType(i int, field string) string {
	return fmt.Sprintf("cudagen_probe::leaf<decltype(static_cast<%s%d *>(nullptr)->%s)>::type", namedType, i, field)
}

// BaseType returns C++ for a base of the class that Queries.Types[i] asks for, which Queries.Types[own] is
// about, and what has to be declared before. name is that of the base as debug information has it, without namespaces: "leaf<1UL, int>".
//
// A class has the names of its bases as members. So sole, which says that the class has no other base of the
// template, needs nothing else; and with it a private base is named, too. Otherwise the base is
// deduced from the class: numbers in name tell it from others, types have to be found out, because name has
// them without namespaces and by aliases. scoped says that arguments with :: are enumerators, for the same reason.
//
// C++ standard, [class.qual], [temp.local], [temp.deduct.call].
func BaseType(i, own int, name string, sole, scoped bool) (says, before string) {
	class := fmt.Sprint(namedType, i)
	template, arguments := SplitTemplate(name)
	if sole || len(arguments) == 0 {
		return class + "::" + template, ""
	}
	var params []string
	for n, argument := range arguments {
		if literal.MatchString(argument) {
			continue
		}
		kind := "class"
		if strings.HasPrefix(argument, "(") || strings.HasPrefix(argument, "&") || scoped && strings.Contains(argument, "::") {
			kind = "auto"
		}
		arguments[n] = fmt.Sprint("A", n)
		params = append(params, kind+" "+arguments[n])
	}
	base := class + "::" + template + "<" + strings.Join(arguments, ", ") + ">"
	if len(params) == 0 {
		return base, ""
	}
	function := "cudagen_probe_base_" + strconv.Itoa(own)
	before = fmt.Sprintf("template <%s> __attribute__((device)) cudagen_probe::said<%s> %s(%[2]s *);", strings.Join(params, ", "), base, function)
	return fmt.Sprintf("decltype(%s(static_cast<%s *>(nullptr)))::type", function, class), before
}

// literal matches the template arguments that mean the same everywhere.
var literal = regexp.MustCompile(`^(-?[0-9]+[uUlL]*|true|false)$`)

// SplitTemplate returns the name of a template and its arguments: of "leaf<1UL, f<int>>" leaf, and 1UL
// and f<int>. Of what is not an instance it returns no arguments.
func SplitTemplate(name string) (template string, arguments []string) {
	template, rest, ok := strings.Cut(name, "<")
	rest, closed := strings.CutSuffix(strings.TrimSpace(rest), ">")
	if !ok || !closed {
		return name, nil
	}
	depth, begin := 0, 0
	for i := 0; i < len(rest); i++ {
		switch rest[i] {
		case '<', '(', '[', '{':
			depth++
		case '>', ')', ']', '}':
			depth--
		case ',':
			if depth == 0 {
				arguments = append(arguments, strings.TrimSpace(rest[begin:i]))
				begin = i + 1
			}
		}
	}
	if rest = strings.TrimSpace(rest[begin:]); rest != "" {
		arguments = append(arguments, rest)
	}
	return strings.TrimSpace(template), arguments
}

// Queries is what a probe asks.
type Queries struct {
	Kernels []KernelQuery
	Types   []TypeQuery

	// Signatures asks for the debug information of all parameters of Kernels, too: compilers describe those of
	// a kernel with its code, and leave out what that does not use.
	Signatures bool

	// Constants are C++ expressions, as the end of the source can say them, whose values, as
	// integers of 64 bits, are wanted.
	Constants []string
}

// A QueryKind says which list of Queries a query is in.
type QueryKind uint8

// The kinds of queries. A type is asked for in two parts: what it is, and offsets and values.
const (
	KernelKind QueryKind = iota
	TypeKind
	TypePartsKind
	ConstantKind
)

// A QueryID names one query: the list that it is in, and where.
type QueryID struct {
	Kind  QueryKind
	Index int
}

// QueryFile is what compilers call the file with the queries in messages, when they cannot
// answer: the line is that of Queries.At.
const QueryFile = "cudagen_probe_query"

// At returns the query in a line of QueryFile.
func (q *Queries) At(line int) (id QueryID, ok bool) {
	i := line - 1
	switch {
	case i < 0:
		return id, false
	case i < len(q.Constants):
		return QueryID{ConstantKind, i}, true
	}
	if i -= len(q.Constants); i < len(q.Kernels) {
		return QueryID{KernelKind, i}, true
	}
	if i -= len(q.Kernels); i < 2*len(q.Types) {
		return QueryID{TypeKind + QueryKind(i%2), i / 2}, true
	}
	return id, false
}

// Answers is what the compiler states, in the order of the Queries.
type Answers struct {
	Kernels   [][]Answer // by kernel and parameter
	Types     []TypeAnswer
	Constants []int64
}

// An Answer is what the compiler states about one parameter.
type Answer struct {
	Object
	Target Object // of a pointer or reference: what it points at
}

// An Object is what the compiler states about a type. Sizes are 0 for void, functions, and
// classes that are only declared.
type Object struct {
	Size, Align int64 // bytes
	Kind        Kind  // Unknown for a pointer to a member; that of char is Signed or Unsigned, as the host has it
	Under       Kind  // of an enumeration: the kind of its underlying type; Unknown otherwise
}

// A TypeAnswer is what the compiler states about a class or an enumeration.
type TypeAnswer struct {
	Object
	Stored  int64   // bytes of a variable of a class: nvcc lays out some in another size than sizeof says
	Offsets []int64 // bytes, of the Fields of the query
	Values  []int64 // of the Enumerators of the query; those of an unsigned 64-bit type as an int64 holds their bits
}

//go:embed probe.h
var probeHeader string

// Names of the variables that hold the answers, and of types. The number of the query follows.
const (
	kernelAnswer    = "cudagen_probe_kernel_"
	kernelSignature = "cudagen_probe_signature_"
	typeAnswer      = "cudagen_probe_type_"
	partsAnswer     = "cudagen_probe_parts_"
	constantAnswer  = "cudagen_probe_constant_"
	constantValue   = "cudagen_probe_value_"
	describedType   = "cudagen_probe_described_"
	namedType       = "cudagen_probe_named_"
	storedType      = "cudagen_probe_stored_"
)

// Source returns text to append to a CUDA source, or to a file that includes it, which
// makes the compiler answer q. It needs no header, names nothing but what q names, is
// C++11, and means the same to nvcc, NVRTC and clang. From C++14 on q may name what is private.
//
// A name that cannot be said there, or is not unique, is an error of the compiler in the
// line of its query: see At.
func (q *Queries) Source() string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n#line 1 %q\n", QueryFile)
	for i, c := range q.Constants { // the header undefines macros of the source
		fmt.Fprintf(&b, "enum : long long { %s%d = (long long)(%s) };\n", constantValue, i, c)
	}
	fmt.Fprintf(&b, "#line 1 \"cudagen_probe.h\"\n%s#line %d %q\n", probeHeader, len(q.Constants)+1, QueryFile)
	for i, k := range q.Kernels {
		fmt.Fprintf(&b, "CUDAGEN_PROBE_WHOLE(cudagen_probe::ahead<decltype(%[1]s)>) extern \"C\" __attribute__((device)) cudagen_probe::answer<decltype(%[1]s)> %[2]s%[3]d {};", k.Address(), kernelAnswer, i)
		if q.Signatures {
			fmt.Fprintf(&b, " CUDAGEN_PROBE_WHOLE(cudagen_probe::signature<decltype(%[1]s)>) extern \"C\" __attribute__((device)) cudagen_probe::signature<decltype(%[1]s)> *%[2]s%[3]d = static_cast<cudagen_probe::signature<decltype(%[1]s)> *>(nullptr) + 0;",
				k.Address(), kernelSignature, i)
		}
		b.WriteString("\n")
	}
	sets := 0 // of values
	values := func(variable string, list []string) {
		fmt.Fprintf(&b, "CUDAGEN_PROBE_VALUES(%s, %d, %d, %s)", variable, sets, len(list), strings.Join(list, ", "))
		sets++
	}
	for i, t := range q.Types {
		name := fmt.Sprint(namedType, i)
		fmt.Fprintf(&b, "%[3]sCUDAGEN_PROBE_NAME(%[1]d, %[2]s) CUDAGEN_PROBE_TYPE(%[1]d)\n", i, t.Says, t.Before)
		var parts []string
		for _, field := range t.Fields {
			parts = append(parts, fmt.Sprintf("CUDAGEN_PROBE_OFFSET(%s, %s)", field, name))
		}
		for _, enumerator := range t.Enumerators {
			parts = append(parts, fmt.Sprintf("(cudagen_probe::word)(%s::%s)", name, enumerator))
		}
		if parts != nil {
			values(fmt.Sprint(partsAnswer, i), parts)
		}
		b.WriteString("\n")
	}
	for i := range q.Constants {
		values(fmt.Sprint(constantAnswer, i), []string{fmt.Sprint("(cudagen_probe::word)", constantValue, i)})
		b.WriteString("\n")
	}
	return b.String()
}

// Described returns the description of the type that Queries.Types[i] asks for, or nil.
func (d *Debug) Described(i int) *Type {
	box := d.Variable(fmt.Sprint(describedType, i)) // a pointer to cudagen_probe::boxed
	if box == nil || box.Bare().Kind != Pointer {
		return nil
	}
	boxed := box.Bare().Elem.Bare()
	if boxed.Kind != Class || len(boxed.Fields) != 1 {
		return nil
	}
	return boxed.Fields[0].Type
}

// Signature returns the types of the parameters of the kernel that Queries.Kernels[i] asks for, if ok; compilers were asked for
// them with Signatures.
func (d *Debug) Signature(i int) (types []*Type, ok bool) {
	signature := d.Variable(fmt.Sprint(kernelSignature, i))
	if signature == nil || signature.Bare().Kind != Pointer {
		return nil, false
	}
	list := signature.Bare().Elem.Bare()
	if list.Kind != Class || len(list.Fields) != 1 {
		return nil, false
	}
	for list = list.Fields[0].Type.Bare(); len(list.Fields) == 3; list = list.Fields[2].Type.Bare() {
		types = append(types, list.Fields[0].Type)
	}
	return types, list.Kind == Class && len(list.Fields) == 0
}

// Of a row of words, as the struct row in probe.h has them.
const (
	rowWords   = 8
	targetWord = 4
)

// Read reads the answers to q in a PTX module: that of the source which Source was
// appended to.
func (q *Queries) Read(module *ptx.Module) (*Answers, error) {
	found := make(map[string]*ptx.Var)
	for _, v := range module.Vars {
		found[v.Name] = v
	}
	answers := &Answers{}
	for i, k := range q.Kernels {
		words, err := answer(found, fmt.Sprint(kernelAnswer, i))
		if err == nil && (len(words) < 1+rowWords || words[0] != uint64(len(words)/rowWords-1) || len(words)%rowWords != 1) {
			err = diag.CompilerOutput.Errorf("its probe has %d words", len(words))
		}
		var params []Answer
		for at := 1; err == nil && at+rowWords < len(words); at += rowWords {
			var a Answer
			if a.Object, err = object(words[at:]); err == nil {
				a.Target, err = object(words[at+targetWord:])
			}
			params = append(params, a)
		}
		if err != nil {
			return nil, fmt.Errorf("kernel %s: %w", k.Name, err)
		}
		answers.Kernels = append(answers.Kernels, params)
	}
	for i, t := range q.Types {
		a, err := typeAnswerOf(found, i, &t)
		if err != nil {
			return nil, fmt.Errorf("type %s: %w", t.Says, err)
		}
		answers.Types = append(answers.Types, a)
	}
	for i, c := range q.Constants {
		words, err := answer(found, fmt.Sprint(constantAnswer, i))
		if err == nil && len(words) != 1 {
			err = diag.CompilerOutput.Errorf("its probe has %d words", len(words))
		}
		if err != nil {
			return nil, fmt.Errorf("constant %s: %w", c, err)
		}
		answers.Constants = append(answers.Constants, int64(words[0]))
	}
	return answers, nil
}

// typeAnswerOf returns the answer to q, which is Queries.Types[i].
func typeAnswerOf(found map[string]*ptx.Var, i int, q *TypeQuery) (a TypeAnswer, err error) {
	words, err := answer(found, fmt.Sprint(typeAnswer, i))
	if err == nil && len(words) != targetWord {
		err = diag.CompilerOutput.Errorf("its probe has %d words", len(words))
	}
	if err != nil {
		return a, err
	}
	if a.Object, err = object(words); err != nil {
		return a, err
	}
	if len(q.Fields)+len(q.Enumerators) > 0 {
		if words, err = answer(found, fmt.Sprint(partsAnswer, i)); err != nil {
			return a, err
		}
		if len(words) != len(q.Fields)+len(q.Enumerators) {
			return a, diag.CompilerOutput.Errorf("its probe has %d words", len(words))
		}
		for i, word := range words {
			if i < len(q.Fields) {
				a.Offsets = append(a.Offsets, int64(word))
			} else {
				a.Values = append(a.Values, int64(word))
			}
		}
	}
	name := fmt.Sprint(storedType, i)
	stored := found[name]
	if stored == nil {
		return a, noAnswer(name)
	}
	a.Stored, _ = stored.Size()
	return a, nil
}

// noAnswer says that a variable of the probe is not there.
func noAnswer(name string) error {
	return diag.CompilerOutput.Errorf("the compiler has not answered its probe (there is no variable %s)", name)
}

// answer returns the words of a variable.
func answer(found map[string]*ptx.Var, name string) ([]uint64, error) {
	const wordSize, maxBytes = 8, 1 << 20
	v := found[name]
	if v == nil {
		return nil, noAnswer(name)
	}
	bytes, ok := v.Size()
	width := int64(v.Type.Size())
	if !ok || width == 0 || bytes%wordSize != 0 || bytes > maxBytes || int64(len(v.Init)) > bytes/width {
		return nil, diag.CompilerOutput.Errorf("its probe %s has an unexpected type", name)
	}
	image := make([]byte, bytes) // initial values that are not given are zero
	for i, value := range v.Init {
		imm, ok := value.(ptx.Imm)
		if !ok {
			return nil, diag.CompilerOutput.Errorf("its probe %s does not hold numbers", name)
		}
		ptxdebug.Put(image[int64(i)*width:], int(width), imm.Value)
	}
	words := make([]uint64, bytes/wordSize)
	for i := range words {
		words[i] = binary.LittleEndian.Uint64(image[i*wordSize:])
	}
	return words, nil
}

// kindLetters are the letters that the probe has for kinds.
var kindLetters = map[uint64]Kind{
	0: Unknown, '?': Unknown, 'm': Unknown,
	'v': Void, 'b': Bool, 'i': Signed, 'n': Unsigned, 'f': Float, 'p': Pointer, 'r': Reference,
	'a': Array, 's': Class, 'u': Union, 'e': Enum, 'F': Function,
}

func object(words []uint64) (Object, error) {
	kind, known := kindLetters[words[2]]
	under, knownUnder := kindLetters[words[3]]
	if !known || !knownUnder || words[0] >= 1<<40 || words[1] >= 1<<40 {
		return Object{}, diag.CompilerOutput.Errorf("its probe says %d, which is not understood", words[:4])
	}
	return Object{Size: int64(words[0]), Align: int64(words[1]), Kind: kind, Under: under}, nil
}
