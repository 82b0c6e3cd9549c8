package templates

import (
	"go/token"
	"regexp"
	"slices"
	"strconv"

	"github.com/cudagen/cudagen/gen/model"
	"github.com/cudagen/cudagen/internal/diag"
)

// A vector is what a vector type of CUDA is made of.
type vector struct {
	Elem model.GoType // of each component
	Len  int64        // components
}

// vectorName matches the vector types of package vec: the type of their components, and how many
// there are.
var vectorName = regexp.MustCompile(`^(U?(?:Char|Short|Int|Long|LongLong)|Float|Double|B?Float16x)([1-4])$`)

// componentNames are the Go types of components: CUDA C++ Programming Guide, Built-in Vector Types.
var componentNames = map[string]string{
	"Char": "int8", "UChar": "uint8", "Short": "int16", "UShort": "uint16", "Int": "int32", "UInt": "uint32",
	"Long": "int64", "ULong": "uint64", "LongLong": "int64", "ULongLong": "uint64", "Float": "float32", "Double": "float64",
	"Float16x": "Float16", "BFloat16x": "BFloat16",
}

// vectorOf returns what the vector type t is made of, and nil for any other type.
func vectorOf(t model.GoType) *vector {
	m := vectorName.FindStringSubmatch(t.Name)
	if t.Kind != model.Vec || m == nil {
		return nil
	}
	n, err := strconv.ParseInt(m[2], 10, 64)
	if err != nil {
		return nil
	}
	elem := model.GoType{Kind: model.Basic, Name: componentNames[m[1]], Size: t.Size / n, Align: t.Align}
	if token.IsExported(elem.Name) {
		elem.Kind = model.Vec
	}
	return &vector{elem, n}
}

// unused returns name, or name with a number, so that no argument of a kernel has it.
func unused(of any, name string) (string, error) {
	var k model.Kernel
	switch of := of.(type) {
	case model.Kernel:
		k = of
	case *model.Kernel:
		k = *of
	default:
		return "", diag.BadTemplate.Errorf("unused is for the names of a kernel's arguments, and not of %T", of)
	}
	if !token.IsIdentifier(name) {
		return "", diag.BadTemplate.Errorf("%q is not a Go name", name)
	}
	taken := func(name string) bool {
		return slices.ContainsFunc(k.Args, func(a model.Arg) bool { return a.Name == name })
	}
	free := name
	for n := 2; taken(free); n++ {
		free = name + strconv.Itoa(n)
	}
	return free, nil
}
