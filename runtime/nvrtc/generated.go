package nvrtc

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/cudagen/cudagen/internal/include"
	"github.com/cudagen/cudagen/runtime/cuda"
)

// A Source is CUDA C++ that generated code embeds instead of images (cudagen -embed
// source).
type Source struct {
	Main   string            // name of the .cu file in Files
	Files  fs.FS             // the .cu file and the headers of the user that it includes
	SHA256 map[string]string // of every file, in hexadecimal, its line ends normalised

	IncludeDirs []string // folders in Files that are searched for headers
	Defines     []string // macros: NAME or NAME=VALUE
	Std         string   // C++ standard: c++17
	Flags       []string // for NVRTC

	// Kernels are C++ expressions for the addresses of the kernels, in the order of the
	// specifications given to LoadKernels: &app::scale<float, 4>.
	Kernels []string

	// Variables are C++ expressions for the addresses of the variables, in the order of
	// the specifications given to LoadKernels. NVRTC does not report the symbol of a
	// __managed__ variable: that in the specification must be correct.
	Variables []SourceVariable

	// Compiler compiled the source when Go was generated. The symbols in specifications
	// are from it.
	Compiler string
}

// A SourceVariable is a __device__, __constant__ or __managed__ variable of a Source.
type SourceVariable struct {
	Address string // &app::taps
	Managed bool
}

// LoadKernels compiles source for d with the default Compiler, or takes the result from
// its cache, and loads the kernels of specs and the variables as cuda.Device.LoadKernels
// does.
//
// NVRTC checks that the parameters of each kernel have the sizes and alignments with
// which the Go code was generated, and that each variable has its size. Equal symbols
// show that the parameters of kernels have the same types. A file that differs from the
// one from which the Go code was generated is an error, and nothing is compiled.
func LoadKernels(d *cuda.Device, source *Source, specs []cuda.Spec, variables ...cuda.Spec) (*cuda.Library, error) {
	if err := source.check(specs, variables); err != nil {
		return nil, err
	}
	c, err := Default()
	if err != nil {
		return nil, fmt.Errorf("cuda: load %s: it is compiled when it is loaded: %w", source.Main, err)
	}
	return c.LoadKernels(d, source, specs, variables...)
}

// LoadKernels is like the function LoadKernels, but uses c.
func (c *Compiler) LoadKernels(d *cuda.Device, source *Source, specs []cuda.Spec, variables ...cuda.Spec) (*cuda.Library, error) {
	if err := source.check(specs, variables); err != nil {
		return nil, err
	}
	if c.isUnmade() {
		return nil, fmt.Errorf("cuda: load %s: %w", source.Main, errUnmade())
	}
	text, headers, err := source.read()
	if err != nil {
		return nil, fmt.Errorf("cuda: load %s: %w", source.Main, err)
	}
	arch, err := ArchFor(d)
	if err != nil {
		return nil, err
	}
	compiled, err := c.Compile(context.Background(), text+source.proof(specs, variables), Options{
		Arch: arch, Name: source.Main, Headers: headers, Defines: source.Defines, Std: source.Std, Flags: source.Flags,
		LineInfo: d.IsSimulated(), // which names the line of a fault
		Kernels:  source.expressions(),
	})
	if err != nil {
		return nil, fmt.Errorf("cuda: load %s: %w", source.Main, err)
	}
	specs = slices.Clone(specs)
	for i := range specs {
		symbol := compiled.Symbols[source.Kernels[i]]
		if symbol != specs[i].Symbol && !local(symbol) {
			return nil, &cuda.Error{Op: "load kernel", Kernel: specs[i].Name, Device: d.String(), Err: cuda.ErrABI, Detail: source.otherSymbol(symbol, specs[i].Symbol)}
		}
		specs[i].Symbol = symbol
	}
	variables = slices.Clone(variables)
	for i, v := range source.Variables {
		if v.Managed {
			continue
		}
		symbol := compiled.Symbols[v.Address]
		if symbol != variables[i].Symbol && !local(symbol) {
			return nil, &cuda.Error{Op: "load variable " + variables[i].Name, Device: d.String(), Err: cuda.ErrABI, Detail: source.otherSymbol(symbol, variables[i].Symbol)}
		}
		variables[i].Symbol = symbol
	}
	return d.LoadKernels([]cuda.Image{compiled.Image}, specs, variables...)
}

// check returns what is wrong with s and the specifications before anything is read.
func (s *Source) check(specs, variables []cuda.Spec) error {
	var detail string
	switch {
	case s == nil || s.Files == nil:
		detail = "the source is nil or has no files: use what cudagen -embed source generates"
	case len(specs) != len(s.Kernels):
		detail = fmt.Sprintf("there are specifications of %d kernels, %d kernels in the source", len(specs), len(s.Kernels))
	case len(variables) != len(s.Variables):
		detail = fmt.Sprintf("there are specifications of %d variables, %d variables in the source", len(variables), len(s.Variables))
	default:
		return nil
	}
	return &cuda.Error{Op: "load kernels", Detail: detail, Err: cuda.ErrInvalidValue}
}

// expressions returns those whose symbols NVRTC is asked for. It keeps the variables among
// them even if no kernel uses them.
func (s *Source) expressions() []string {
	list := slices.Clone(s.Kernels)
	for _, v := range s.Variables {
		if !v.Managed {
			list = append(list, v.Address)
		}
	}
	return list
}

// otherSymbol says that NVRTC gives a thing another symbol.
func (s *Source) otherSymbol(now, then string) string {
	return fmt.Sprintf("its symbol is %s with NVRTC and %s with %s, by which the Go code was generated: generate it with -compiler nvrtc", now, then, s.Compiler)
}

// local reports whether a symbol is that of something which only its file knows: compilers
// name those after files and hashes.
func local(symbol string) bool {
	return strings.Contains(symbol, "_GLOBAL__N_") || strings.Contains(symbol, "_INTERNAL_")
}

// headerFolder is in front of the names of headers in memory, so that no header of the
// toolkit finds them instead of its own.
const headerFolder = "embedded/"

// read returns the source and its headers as NVRTC takes them, once they are what they
// were when Go was generated.
//
// NVRTC knows no folders in memory: it compares what stands behind #include with the
// names of headers. So that #include means what it means to compilers that read files,
// the names of files of s become theirs in headers, and those of others, which are the
// toolkit's, are put in brackets: with quotes NVRTC looks in the working folder.
func (s *Source) read() (text string, headers map[string]string, err error) {
	headers = make(map[string]string)
	for name, want := range s.SHA256 {
		content, err := fs.ReadFile(s.Files, name)
		if err != nil {
			return "", nil, err
		}
		content = bytes.ReplaceAll(content, []byte("\r\n"), []byte("\n"))
		sum := sha256.Sum256(content)
		if got := hex.EncodeToString(sum[:]); got != want {
			return "", nil, &cuda.Error{Op: "read " + name, Err: cuda.ErrABI,
				Detail: fmt.Sprintf("its SHA-256 is %.12s…, but the Go code was generated with %.12s…: run go generate again", got, want)}
		}
		headers[headerFolder+name] = s.rename(name, bytes.TrimPrefix(content, []byte("\ufeff")))
	}
	text, found := headers[headerFolder+s.Main]
	if !found {
		return "", nil, errors.New("it is not among its own files")
	}
	return text, headers, nil
}

// rename returns the content of the file called name with other names behind #include.
func (s *Source) rename(name string, content []byte) string {
	var b strings.Builder
	end := 0
	for _, d := range include.Directives(content) {
		if d.Name == "" {
			continue
		}
		b.Write(content[end:d.Start])
		if file := s.find(name, d); file != "" {
			b.WriteString(`"` + headerFolder + file + `"`)
		} else {
			b.WriteString("<" + d.Name + ">")
		}
		end = d.End
	}
	b.Write(content[end:])
	return b.String()
}

// find returns the file of s that an #include in the file called name means, or "".
//
// CUDA Compiler Driver NVCC, Command Option Description: --include-path.
func (s *Source) find(name string, d include.Directive) string {
	folders := s.IncludeDirs
	if !d.Angled {
		folders = append([]string{path.Dir(name)}, folders...)
	}
	for _, folder := range folders {
		if file := path.Join(folder, d.Name); s.SHA256[file] != "" {
			return file
		}
	}
	return ""
}

//go:embed proof.h
var proofHeader string

// proof returns C++ behind the source that does not compile unless the parameters of every
// kernel have the sizes and alignments in specs, and every variable its size.
func (s *Source) proof(specs []cuda.Spec, variables []cuda.Spec) string {
	var b strings.Builder
	b.WriteString("\n#line 1 \"cudagen-proof.h\"\n" + proofHeader)
	for i, spec := range specs {
		var numbers []string
		for _, p := range spec.Params {
			numbers = append(numbers, fmt.Sprint(p.Size, ", ", p.Align))
		}
		fmt.Fprintf(&b, "static_assert(cudagen_proof::same<cudagen_proof::params<decltype(%s)>::types, cudagen_proof::numbers<%s> >::value, \"kernel %s: its parameters are not those that the Go code was generated with: run go generate again\");\n",
			s.Kernels[i], strings.Join(numbers, ", "), cmp.Or(spec.Name, s.Kernels[i]))
	}
	for i, v := range variables {
		fmt.Fprintf(&b, "static_assert(sizeof(*%s) == %d, \"variable %s: it has not the size that the Go code was generated with: run go generate again\");\n",
			s.Variables[i].Address, v.Bytes(), v.Name)
	}
	return b.String()
}
