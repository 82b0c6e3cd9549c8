package witness

import (
	_ "embed"
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/cudagen/cudagen/internal/ptx"
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

// A TypeQuery asks a compiler for a class.
type TypeQuery struct {
	Name   string   // qualified, as that of a kernel
	Fields []string // public ones whose offsets are wanted; bit-fields have none
}

// Queries is what a probe asks.
type Queries struct {
	Kernels []KernelQuery
	Types   []TypeQuery

	// Described are the qualified names, as those of kernels, of classes and enumerations whose
	// debug information is wanted, whether a kernel has them or not: that of the variable
	// DescribedBy is a pointer to it.
	Described []string
}

// DescribedBy returns the symbol of the variable for Queries.Described[i].
func DescribedBy(i int) string { return fmt.Sprintf("cudagen_probe_described_%d", i) }

// Answers is what the compiler says, in the order of the Queries.
type Answers struct {
	Kernels [][]Answer // by kernel and parameter
	Types   []TypeAnswer
}

// An Answer is what the compiler says of one parameter.
type Answer struct {
	Object
	Target Object // of a pointer or reference: what it points at
}

// An Object is what the compiler says of a type. Sizes are 0 for void, functions, and
// classes that are only declared.
type Object struct {
	Size, Align int64 // bytes
	Kind        Kind  // Unknown for a pointer to a member; that of char is Signed or Unsigned, as the host has it
	Under       Kind  // of an enumeration: the kind of its underlying type; Unknown otherwise
}

// A TypeAnswer is what the compiler says of a type.
type TypeAnswer struct {
	Size, Align int64   // bytes
	Offsets     []int64 // bytes, of the Fields of the query
}

//go:embed probe.h
var probeHeader string

// Names of the variables that hold the answers. The number of the query follows.
const (
	kernelAnswer = "cudagen_probe_kernel_"
	typeAnswer   = "cudagen_probe_type_"
)

// Source returns text to append to a CUDA source, or to a file that includes it, which
// makes the compiler answer q. It needs no header, names nothing but what q names, is
// C++11, and means the same to nvcc, NVRTC and clang.
//
// A name that cannot be said there, or is not unique, is an error of the compiler in the
// line of its query: each has a line of its own.
func (q *Queries) Source() string {
	var b strings.Builder
	b.WriteString("\n" + probeHeader)
	for i, k := range q.Kernels {
		fmt.Fprintf(&b, "extern \"C\" __attribute__((device)) cudagen_probe::answer<decltype(%s)> %s%d {};\n", k.Address(), kernelAnswer, i)
	}
	for i, t := range q.Types {
		fmt.Fprintf(&b, "extern \"C\" __attribute__((device)) cudagen_probe::word %s%d[] = {sizeof(%s), alignof(%[3]s)", typeAnswer, i, t.Name)
		for _, field := range t.Fields {
			fmt.Fprintf(&b, ", CUDAGEN_PROBE_OFFSET(%s, %s)", field, t.Name)
		}
		b.WriteString("};\n")
	}
	for i, name := range q.Described { // with a value: clang leaves out what has none
		fmt.Fprintf(&b, "extern \"C\" __attribute__((device)) %s *%s = nullptr;\n", name, DescribedBy(i))
	}
	return b.String()
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
			err = fmt.Errorf("its probe has %d words", len(words))
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
		words, err := answer(found, fmt.Sprint(typeAnswer, i))
		if err == nil && len(words) != 2+len(t.Fields) {
			err = fmt.Errorf("its probe has %d words", len(words))
		}
		if err != nil {
			return nil, fmt.Errorf("type %s: %w", t.Name, err)
		}
		a := TypeAnswer{Size: int64(words[0]), Align: int64(words[1])}
		for _, offset := range words[2:] {
			a.Offsets = append(a.Offsets, int64(offset))
		}
		answers.Types = append(answers.Types, a)
	}
	return answers, nil
}

// answer returns the words of a variable.
func answer(found map[string]*ptx.Var, name string) ([]uint64, error) {
	const wordSize, maxBytes = 8, 1 << 20
	v := found[name]
	if v == nil {
		return nil, fmt.Errorf("the compiler has not answered its probe (there is no variable %s)", name)
	}
	bytes, ok := v.Size()
	width := int64(v.Type.Size())
	if !ok || width == 0 || bytes%wordSize != 0 || bytes > maxBytes || int64(len(v.Init)) > bytes/width {
		return nil, fmt.Errorf("its probe %s has an unexpected type", name)
	}
	image := make([]byte, bytes) // initial values that are not given are zero
	for i, value := range v.Init {
		imm, ok := value.(ptx.Imm)
		if !ok {
			return nil, fmt.Errorf("its probe %s does not hold numbers", name)
		}
		put(image[int64(i)*width:], int(width), imm.Value)
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
		return Object{}, fmt.Errorf("its probe says %d, which is not understood", words[:4])
	}
	return Object{Size: int64(words[0]), Align: int64(words[1]), Kind: kind, Under: under}, nil
}
