package link

import (
	"bytes"
	"debug/elf"
	"strconv"

	"github.com/cudagen/cudagen/internal/jitlinklib"
	"github.com/cudagen/cudagen/runtime/cuda"
)

// A Kind is a kind of input.
type Kind int

// The kinds of inputs. The zero Kind is found out by the data.
const (
	Detect  Kind = iota
	PTX          // text
	Cubin        // machine code for one architecture
	Fatbin       // machine code, PTX and LTO-IR for several
	LTOIR        // intermediate code, for Options.LTO
	Object       // an object file of the host, with device code in it
	Archive      // an archive of such files: lib….a
)

var kinds = map[Kind]string{Detect: "unknown", PTX: "PTX", Cubin: "a cubin", Fatbin: "a fatbin", LTOIR: "LTO-IR", Object: "an object file", Archive: "an archive"}

func (k Kind) String() string {
	if name, ok := kinds[k]; ok {
		return name
	}
	return "kind " + strconv.Itoa(int(k))
}

func (k Kind) ofLibrary() jitlinklib.Kind {
	switch k {
	case Cubin:
		return jitlinklib.Cubin
	case Fatbin:
		return jitlinklib.Fatbin
	case LTOIR:
		return jitlinklib.LTOIR
	case Object:
		return jitlinklib.Object
	case Archive:
		return jitlinklib.Archive
	}
	return jitlinklib.PTX
}

// An Input is one of the codes that are linked.
type Input struct {
	Name string // in messages; empty means its number
	Kind Kind
	Data []byte // read before Link returns, and not kept
}

// Of returns an image as an input: one of nvrtc.Compile, say.
func Of(image cuda.Image) Input { return Input{Name: image.Name, Data: []byte(image.Data)} }

// known returns inputs with names and kinds.
func known(image string, inputs []Input) ([]Input, error) {
	if len(inputs) == 0 {
		return nil, misused("linking %s: there is nothing to link", image)
	}
	list := make([]Input, len(inputs))
	for i, in := range inputs {
		if in.Name == "" {
			in.Name = "input " + strconv.Itoa(i+1)
		}
		if len(in.Data) == 0 {
			return nil, misused("linking %s: %s is empty", image, in.Name)
		}
		if _, ok := kinds[in.Kind]; !ok {
			return nil, misused("linking %s: %s has %v", image, in.Name, in.Kind)
		}
		if in.Kind == Detect {
			in.Kind = detect(in.Data)
		}
		if in.Kind == Detect {
			return nil, misused("linking %s: %s is not PTX, a cubin, a fatbin, LTO-IR, an object file or an archive", image, in.Name)
		}
		list[i] = in
	}
	return list, nil
}

// The first bytes of files.
//
// fatbinary_section.h; nvJitLink, Inputs.
var (
	magicELF     = []byte("\x7fELF")
	magicFatbin  = []byte("\x50\xed\x55\xba")
	magicLTOIR   = []byte("\xed\x43\x4e\x7f")
	magicArchive = []byte("!<arch>\n")
)

// detect returns the kind of data.
func detect(data []byte) Kind {
	switch {
	case bytes.HasPrefix(data, magicFatbin):
		return Fatbin
	case bytes.HasPrefix(data, magicLTOIR):
		return LTOIR
	case bytes.HasPrefix(data, magicArchive):
		return Archive
	case bytes.HasPrefix(data, magicELF):
		if machine := 18; len(data) > machine+1 && elf.Machine(uint16(data[machine])|uint16(data[machine+1])<<8) == elf.EM_CUDA {
			return Cubin
		}
		return Object
	}
	head := data[:min(len(data), 1<<16)]
	if bytes.Contains(head, []byte(".version")) && !bytes.ContainsRune(bytes.TrimRight(head, "\x00"), 0) {
		return PTX
	}
	return Detect
}
