package link

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cudagen/cudagen/internal/ptx"
)

// nvJitLink returns success, and an image without one of the inputs, if two inputs define a name or
// declare it differently. It prints why to the standard error, and its log is empty: seen in 12.9,
// 13.0 and 13.5. 12.9 does so for undefined names, too. So inputs are compared before the link, and
// the image with them after it (docs/decisions, "Why does package link not trust nvJitLink?").

// names are what the inputs of a link define and use, as far as it can be read.
type names struct {
	list  []name
	units []ptx.Unit // the inputs that are PTX
	all   bool       // they are all inputs
}

// A name is a function or variable that an input shares with others.
type name struct {
	text    string
	input   string
	defined bool
	weak    bool
	needed  bool  // the image must have it
	size    int64 // of a variable; 0 if it is not known

	prototype string // of a function, as cubins have it; empty if it is not known
}

// namesOf reads the names of inputs. Inputs that it cannot read are an error unless the options
// allow it.
func namesOf(o Options, inputs []Input) (*names, error) {
	n := &names{}
	for _, in := range inputs {
		var err error
		switch {
		case in.Kind == PTX:
			err = n.ofPTX(in)
		case in.Kind == Cubin:
			err = n.ofCubin(in)
		case len(inputs) == 1, in.Kind == LTOIR && !slices.ContainsFunc(inputs, func(in Input) bool { return in.Kind != LTOIR }):
		case !o.Unchecked:
			err = misused("nvJitLink does not report names that %s, %s, and other inputs both define, and leaves code out: link PTX or cubins, LTO-IR alone, or set Unchecked", in.Name, in.Kind)
		}
		if err != nil {
			return nil, fmt.Errorf("linking %s: %w", o.Name, err)
		}
	}
	n.all = len(n.units) == len(inputs)
	return n, nil
}

func (n *names) ofPTX(in Input) error {
	module, err := ptx.Parse(in.Name, in.Data)
	if err != nil {
		return err
	}
	n.units = append(n.units, ptx.Unit{Name: in.Name, Text: in.Data})
	for _, f := range module.Funcs {
		if f.Linkage == ptx.Local || f.Linkage == ptx.Extern && ptx.IsDriverFunction(f.Name) || f.Body == nil && f.Linkage != ptx.Extern {
			continue
		}
		n.list = append(n.list, name{text: f.Name, input: in.Name, defined: f.Body != nil, weak: f.Linkage == ptx.Weak, needed: f.Entry && f.Body != nil, prototype: prototypeOf(f)})
	}
	for _, v := range module.Vars {
		if v.Linkage == ptx.Local || v.Space == "shared" {
			continue
		}
		size, _ := v.Size()
		defined := v.Linkage != ptx.Extern
		n.list = append(n.list, name{text: v.Name, input: in.Name, defined: defined, weak: v.Linkage != ptx.Visible, needed: defined, size: size})
	}
	return nil
}

// The values that NVIDIA adds to ELF's: a variable of a device, and a kernel.
//
// CUDA Binary Utilities, ELF symbols.
const (
	typeVariable = 13
	otherKernel  = 0x10
	otherShared  = 0x40
)

// ofCubin reads the symbols of a cubin.
func (n *names) ofCubin(in Input) error {
	file, symbols, err := symbolsOf(in.Data)
	if err != nil {
		return fmt.Errorf("%s: %w", in.Name, err)
	}
	prototypes := prototypesOf(file)
	for i, s := range symbols {
		bind, kind := elf.ST_BIND(s.Info), elf.ST_TYPE(s.Info)
		if bind != elf.STB_GLOBAL && bind != elf.STB_WEAK || strings.HasPrefix(s.Name, ".") || strings.HasPrefix(s.Name, "__UFT") || strings.HasPrefix(s.Name, "__UDT") {
			continue
		}
		function := kind == elf.STT_FUNC
		if !function && kind != elf.STT_OBJECT && kind != typeVariable || s.Other&0xf0 == otherShared || function && ptx.IsDriverFunction(s.Name) {
			continue
		}
		one := name{text: s.Name, input: in.Name, defined: s.Section != elf.SHN_UNDEF, weak: bind == elf.STB_WEAK}
		one.needed = !one.defined || !function || s.Other&otherKernel != 0 // used, a variable, a kernel
		if function {
			one.prototype = prototypes[uint32(i)+1] // elf.File.Symbols leaves out the first, which is none
		} else {
			one.size = int64(s.Size)
		}
		n.list = append(n.list, one)
	}
	return nil
}

// versionField is where an ELF header has e_version. cubins of CUDA 12 have the version of the
// toolkit there, which package elf refuses.
const versionField = 0x14

// symbolsOf returns the symbols of a cubin, without the first, which is none.
func symbolsOf(code []byte) (*elf.File, []elf.Symbol, error) {
	if len(code) < versionField+4 {
		return nil, nil, errors.New("too short for a cubin")
	}
	patched := bytes.Clone(code)
	binary.LittleEndian.PutUint32(patched[versionField:], uint32(elf.EV_CURRENT))
	file, err := elf.NewFile(bytes.NewReader(patched))
	if err != nil {
		return nil, nil, err
	}
	symbols, err := file.Symbols()
	if errors.Is(err, elf.ErrNoSymbols) {
		err = nil
	}
	return file, symbols, err
}

// prototypesOf returns the prototypes of a cubin's functions by their number in the symbol table:
// #ill for a function with an int as its result and two parameters of 64 bits. What follows a bar
// is about the function, and not part of its type.
//
// CUDA does not document the section .nv.prototype: pairs of the number of a symbol and the offset
// of a string, as ptxas of 13.0 writes it. What does not look like that is ignored.
func prototypesOf(file *elf.File) map[uint32]string {
	section, strings := file.Section(".nv.prototype"), file.Section(".strtab")
	if section == nil || strings == nil {
		return nil
	}
	pairs, err := section.Data()
	text, errText := strings.Data()
	if err != nil || errText != nil {
		return nil
	}
	prototypes := make(map[uint32]string)
	for ; len(pairs) >= 8; pairs = pairs[8:] {
		symbol, offset := binary.LittleEndian.Uint32(pairs), binary.LittleEndian.Uint32(pairs[4:])
		if int64(offset) >= int64(len(text)) || text[offset] != '#' {
			continue
		}
		one, _, _ := bytes.Cut(text[offset:], []byte{0})
		one, _, _ = bytes.Cut(one, []byte{'|'})
		prototypes[symbol] = string(one)
	}
	return prototypes
}

// prototypeOf returns the prototype of a function in PTX as a cubin has it, if it has integers of 32
// and 64 bits alone.
func prototypeOf(f *ptx.Func) string {
	letters := map[ptx.Type]string{"b32": "i", "b64": "l"}
	text := "#"
	if len(f.Results) == 0 {
		text += "v"
	}
	for _, v := range slices.Concat(f.Results, f.Params) {
		letter := letters[v.Type]
		if letter == "" || v.Space != "param" || len(v.Dims) > 0 || v.Vector > 0 || v.Align > 0 || len(f.Results) > 1 || f.Entry {
			return ""
		}
		text += letter
	}
	return text
}

// conflicts returns an error for names that two inputs define or declare differently, and for those
// that no input defines, if all can be read.
func (n *names) conflicts() error {
	if err := ptx.Conflicts(n.units, n.all); err != nil {
		return err
	}
	var errs []error
	strong, sized, typed := make(map[string]name), make(map[string]name), make(map[string]name)
	for _, one := range n.list {
		if one.defined && !one.weak {
			if first, twice := strong[one.text]; twice {
				errs = append(errs, fmt.Errorf("%s: multiple definition of %s, first defined in %s", one.input, one.text, first.input))
				continue
			}
			strong[one.text] = one
		}
		if one.prototype != "" {
			if first, known := typed[one.text]; known && first.prototype != one.prototype {
				errs = append(errs, fmt.Errorf("%s: the parameters or the result of %s are not those in %s", one.input, one.text, first.input))
			} else if !known {
				typed[one.text] = one
			}
		}
		if one.size == 0 {
			continue
		}
		if first, known := sized[one.text]; known && first.size != one.size {
			errs = append(errs, fmt.Errorf("%s: %s has %d bytes, and %d in %s", one.input, one.text, one.size, first.size, first.input))
		} else if !known {
			sized[one.text] = one
		}
	}
	return errors.Join(errs...)
}

// complete returns an error if an image lacks names that the inputs promise: a part of them was left
// out.
func (n *names) complete(image []byte) error {
	_, symbols, err := symbolsOf(image)
	if err != nil {
		return err
	}
	has := make(map[string]bool)
	for _, s := range symbols {
		if s.Section != elf.SHN_UNDEF {
			has[s.Name] = true
		}
	}
	var lacks []string
	for _, one := range n.list {
		if one.needed && !has[one.text] {
			lacks = append(lacks, one.text+" of "+one.input)
		}
	}
	if len(lacks) == 0 {
		return nil
	}
	return fmt.Errorf("the image lacks %s: no input defines it, or inputs declare a function or variable differently, or define it twice (the linker says so on the standard error)", strings.Join(lacks, ", "))
}
