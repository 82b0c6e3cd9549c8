// Package record reads and writes the record that is committed with the generated files
// (kernels.cudagen.json): the inputs, options and compiler of the output, and what was
// proved about each kernel's parameters, and how.
//
// It decides whether output is stale. It parses no CUDA C++ except include lines, and
// computes no layout. Start with Record.
package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"regexp"
	"strings"
)

// Format is the version of the record's format. It grows when a field changes its
// meaning or disappears, or when a new one must not be overlooked.
const Format = 1

// Witnesses of a layout.
const (
	Source = "source" // computed from the .cu file
	PTX    = "ptx"    // the parameters of the kernel in the compiled PTX
	Cubin  = "cubin"  // the parameters of the kernel in machine code
	Debug  = "debug"  // the compiler's debug information: kinds, sizes, fields and their offsets
	Probe  = "probe"  // what the compiler answers when it is asked: sizes, alignments, kinds, offsets and values

	Assertion = "assertion" // a static_assert that was compiled behind the source
)

// A Record is the content of a kernels.cudagen.json. Paths are relative to the
// folder that the record lies in and have slashes.
type Record struct {
	Format   int      `json:"format"`
	Source   string   `json:"source"` // the .cu file
	Inputs   []Input  `json:"inputs"` // sorted by path
	Options  Options  `json:"options"`
	Compiler Compiler `json:"compiler"`
	Images   []Image  `json:"images"`
	Kernels  []Kernel `json:"kernels"` // in source order
	Structs  []Struct `json:"structs,omitempty"`

	Enums     []Enum     `json:"enums,omitempty"`
	Constants []Constant `json:"constants,omitempty"` // that the Go code has or calculates with, sorted by name

	Variables []Variable `json:"variables,omitempty"` // that the Go code has, in source order

	// Types are those that the compiler has told, of kernels whose source is not
	// understood: Kernel.Resolved refers to them.
	Types   []Type    `json:"types,omitempty"`
	Refused []Refusal `json:"refused,omitempty"` // kernels that neither source nor compiler explain
}

// An Input is a file that the output was made from.
type Input struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"` // see HashInput
}

// Options are the options that decide what is compiled.
type Options struct {
	Arch  []string `json:"arch"`            // in the order given
	Flags []string `json:"flags,omitempty"` // handed to the compiler

	PTXVersion string `json:"ptxVersion,omitempty"` // keep, or a version; empty for the least
}

// A Compiler names the compiler of the images. It does not decide what is stale: people
// with different compilers need not rewrite each other's images.
type Compiler struct {
	Name    string   `json:"name"`
	Version string   `json:"version"`
	Command []string `json:"command,omitempty"`
}

// String returns name and version: "nvcc 13.0.88".
func (c Compiler) String() string { return c.Name + " " + c.Version }

// An Image is a compiled file.
type Image struct {
	File    string   `json:"file"`
	SHA256  string   `json:"sha256"`            // of its bytes
	Version string   `json:"version,omitempty"` // of PTX, the ISA's: 9.0
	Target  string   `json:"target,omitempty"`  // of PTX: sm_75
	Targets []string `json:"targets,omitempty"` // of a fatbin: sm_80, sm_90

	// The version that the compiler wrote, when it was lowered to Version, and whether
	// the ptxas that belongs to the compiler took the result.
	CompiledVersion string `json:"compiledVersion,omitempty"`
	Checked         bool   `json:"checked,omitempty"`
}

// A Kernel is one __global__ function.
type Kernel struct {
	Name   string  `json:"name"`   // qualified C++ name
	Symbol string  `json:"symbol"` // name in the images
	Bytes  int64   `json:"bytes"`  // size of the parameter block, without padding behind the last parameter
	Params []Param `json:"params"`

	// Resolved are, by parameter, indices into Record.Types; nil when the source says
	// the types.
	Resolved []int `json:"resolved,omitempty"`
}

// A Refusal is a kernel that was left out.
type Refusal struct {
	Name   string `json:"name"` // qualified C++ name
	Reason string `json:"reason"`
}

// A Type is a C++ type as a compiler told it. Numbers in Elem and Field.Type are indices
// into Record.Types.
type Type struct {
	Kind        string       `json:"kind"` // see package gen
	Name        string       `json:"name,omitempty"`
	Scope       []string     `json:"scope,omitempty"`
	Elem        int          `json:"elem,omitempty"`
	Len         int64        `json:"len,omitempty"`
	Size        int64        `json:"size,omitempty"`
	Align       int64        `json:"align,omitempty"`
	Qualifiers  string       `json:"qualifiers,omitempty"` // const volatile restrict
	Scoped      bool         `json:"scoped,omitempty"`
	Members     []Member     `json:"members,omitempty"`
	Enumerators []Enumerator `json:"enumerators,omitempty"`
	Unsupported string       `json:"unsupported,omitempty"`
}

// A Member is a member of a class in Types, its place in bits.
type Member struct {
	Name string `json:"name,omitempty"`
	Type int    `json:"type"`
	Bit  int64  `json:"bit"`
	Bits *int64 `json:"bits,omitempty"` // of a bit-field
}

// An Enumerator is a constant of an enumeration in Types.
type Enumerator struct {
	Name  string `json:"name"`
	Value int64  `json:"value"`
}

// A Param is one parameter of a kernel.
type Param struct {
	Name      string   `json:"name"`
	Type      string   `json:"type"` // C++ spelling
	Offset    int64    `json:"offset"`
	Size      int64    `json:"size"`
	Align     int64    `json:"align"`
	Witnesses []string `json:"witnesses"`
}

// A Variable is one in the memory of a device.
type Variable struct {
	Name      string   `json:"name"`   // qualified C++ name
	Symbol    string   `json:"symbol"` // name in the images
	Space     string   `json:"space"`  // __constant__, __device__ or __managed__
	Type      string   `json:"type"`   // C++ spelling
	Size      int64    `json:"size"`
	Align     int64    `json:"align"`
	Witnesses []string `json:"witnesses"`
}

// A Struct is a C++ class whose fields the Go code has.
type Struct struct {
	Name      string   `json:"name"`
	Size      int64    `json:"size"`
	Align     int64    `json:"align"`
	Witnesses []string `json:"witnesses,omitempty"` // of size and alignment
	Fields    []Field  `json:"fields"`
}

// An Enum is a C++ enumeration that the Go code has.
type Enum struct {
	Name      string      `json:"name"`
	Type      string      `json:"type"` // Go's, below it
	Constants []EnumConst `json:"constants,omitempty"`
	Witnesses []string    `json:"witnesses"`
}

// An EnumConst is an enumerator of an Enum, its value as Go has it.
type EnumConst struct {
	Name      string   `json:"name"`
	Value     string   `json:"value"`
	Witnesses []string `json:"witnesses"`
}

// A Constant is an integer constant of the source.
type Constant struct {
	Name      string   `json:"name"` // qualified C++ name
	Value     int64    `json:"value"`
	Witnesses []string `json:"witnesses"`
}

// A Field is one member of a struct.
type Field struct {
	Name      string   `json:"name"`
	Type      string   `json:"type"`
	Offset    int64    `json:"offset"`
	Size      int64    `json:"size"`
	Witnesses []string `json:"witnesses"`
}

// A FormatError is a record in a newer format than this cudagen reads.
type FormatError struct {
	Path   string
	Format int
}

func (e *FormatError) Error() string {
	return fmt.Sprintf("%s: the record has format %d, but this cudagen reads up to %d: update cudagen", e.Path, e.Format, Format)
}

// A DamagedError is a record that cannot be read. It can always be made anew.
type DamagedError struct {
	Path string
	Err  error
}

func (e *DamagedError) Error() string {
	return fmt.Sprintf("%s: damaged record: %v (run cudagen -force, or delete the file)", e.Path, e.Err)
}

// Unwrap returns what is wrong with the record.
func (e *DamagedError) Unwrap() error { return e.Err }

// Read reads the record in the file at path.
//
// Without such a file the error holds fs.ErrNotExist. Otherwise it is a
// *FormatError or a *DamagedError, or the file cannot be read.
func Read(path string) (*Record, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return Decode(path, text)
}

// Decode reads a record from text; path is for errors, which are Read's.
func Decode(path string, text []byte) (*Record, error) {
	// The format comes first: a newer one may look entirely different.
	var head struct {
		Format *int `json:"format"`
	}
	if err := json.Unmarshal(text, &head); err != nil {
		return nil, &DamagedError{path, err}
	}
	switch {
	case head.Format == nil || *head.Format < 1:
		return nil, &DamagedError{path, errors.New("it has no format number")}
	case *head.Format > Format:
		return nil, &FormatError{path, *head.Format}
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	var r Record
	if err := decoder.Decode(&r); err != nil {
		return nil, &DamagedError{path, err}
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, &DamagedError{path, errors.New("text after its end")}
	}
	if err := r.check(); err != nil {
		return nil, &DamagedError{path, err}
	}
	return &r, nil
}

// Encode returns the record as it is committed: indented, one field to a line, in
// an order that does not vary, with a newline at the end.
func (r *Record) Encode() []byte {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false) // vec<float> stays readable
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(r.filled()); err != nil {
		panic("record: " + err.Error()) // strings and integers always encode
	}
	return b.Bytes()
}

// filled returns a copy of r in this format, with [] instead of null for lists
// that are always written.
func (r *Record) filled() *Record {
	c := *r
	c.Format = Format
	c.Inputs = list(c.Inputs)
	c.Options.Arch = list(c.Options.Arch)
	c.Images = list(c.Images)
	c.Kernels = append([]Kernel{}, c.Kernels...)
	for i, kernel := range c.Kernels {
		c.Kernels[i].Params = append([]Param{}, kernel.Params...)
		for j, param := range kernel.Params {
			c.Kernels[i].Params[j].Witnesses = list(param.Witnesses)
		}
	}
	c.Variables = append([]Variable(nil), c.Variables...)
	for i, v := range c.Variables {
		c.Variables[i].Witnesses = list(v.Witnesses)
	}
	c.Structs = append([]Struct(nil), c.Structs...)
	for i, s := range c.Structs {
		c.Structs[i].Fields = append([]Field{}, s.Fields...)
		for j, field := range s.Fields {
			c.Structs[i].Fields[j].Witnesses = list(field.Witnesses)
		}
	}
	return &c
}

func list[T any](values []T) []T {
	if values == nil {
		return []T{}
	}
	return values
}

// check reports the first thing in r that cudagen would never have written, so
// that a merge gone wrong is not taken for an answer.
func (r *Record) check() error {
	if !local(r.Source) {
		return fmt.Errorf("source %q is not a relative path", r.Source)
	}
	for i, input := range r.Inputs {
		if !local(input.Path) || !isHash(input.SHA256) {
			return fmt.Errorf("input %q has no relative path or no SHA-256", input.Path)
		}
		if i > 0 && r.Inputs[i-1].Path >= input.Path {
			return fmt.Errorf("input %q is out of order", input.Path)
		}
	}
	for _, image := range r.Images {
		if !local(image.File) || !isHash(image.SHA256) {
			return fmt.Errorf("image %q has no relative path or no SHA-256", image.File)
		}
	}
	for _, kernel := range r.Kernels {
		if kernel.Name == "" || kernel.Symbol == "" {
			return errors.New("a kernel has no name or no symbol")
		}
		end := int64(0)
		for _, p := range kernel.Params {
			if p.Align <= 0 || p.Size < 0 || p.Offset < end || p.Offset%p.Align != 0 || p.Size > maxBytes || p.Offset > maxBytes {
				return fmt.Errorf("kernel %s: parameter %s cannot have offset %d, size %d and alignment %d",
					kernel.Name, p.Name, p.Offset, p.Size, p.Align)
			}
			end = p.Offset + p.Size
		}
		if kernel.Resolved != nil && len(kernel.Resolved) != len(kernel.Params) {
			return fmt.Errorf("kernel %s: %d types for %d parameters", kernel.Name, len(kernel.Resolved), len(kernel.Params))
		}
		if end != kernel.Bytes {
			return fmt.Errorf("kernel %s: parameters end at %d, not at %d", kernel.Name, end, kernel.Bytes)
		}
	}
	for _, v := range r.Variables {
		if v.Name == "" || v.Symbol == "" || v.Size <= 0 || v.Align <= 0 {
			return fmt.Errorf("variable %q cannot have symbol %q, size %d and alignment %d", v.Name, v.Symbol, v.Size, v.Align)
		}
	}
	return nil
}

// maxBytes is more than any parameter block holds (CUDA C++ Programming Guide,
// __global__ Function Parameters: 32,764), and far from overflow.
const maxBytes = 1 << 20

// local reports whether name is relative and clean. It may lead out of the record's
// folder, to a header beside it.
func local(name string) bool {
	for rest, ok := strings.CutPrefix(name, "../"); ok; rest, ok = strings.CutPrefix(name, "../") {
		name = rest
	}
	return name != "." && fs.ValidPath(name)
}

var sha256Hex = regexp.MustCompile(`^[0-9a-f]{64}$`)

func isHash(s string) bool { return sha256Hex.MatchString(s) }
