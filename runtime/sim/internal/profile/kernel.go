package profile

import (
	"cmp"
	"path/filepath"
	"slices"
	"sort"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/internal/sourcefile"
	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
)

// Describe returns what is known of the instructions of k, which was made of PTX for a target.
func Describe(k *bytecode.Kernel, target int) *driver.ProfiledKernel {
	functions := functionsOf(k)
	described := &driver.ProfiledKernel{Symbol: k.Name, Target: target, SharedBytes: k.SharedBytes, LocalBytes: k.LocalBytes}
	for pc := range k.Code {
		place := &k.Places[pc]
		described.Instructions = append(described.Instructions, driver.ProfiledInstruction{Text: place.Text, PTXLine: place.Line, Frames: framesOf(k, pc, functions)})
	}
	return described
}

// framesOf returns the frames of an instruction. A function that is called, and not inlined, has no callers: it may have several.
func framesOf(k *bytecode.Kernel, pc int, functions []*bytecode.Function) (frames []driver.SourceFrame) {
	place := &k.Places[pc]
	at := place.Source
	frame := func(function string) {
		f := driver.SourceFrame{Function: function, Line: at.Line}
		if at.File != "" {
			f.File = pathOf(at.File)
		}
		frames = append(frames, f)
	}
	for in := place.Within; in != nil; in = in.Within {
		frame(in.Function)
		at = in.At
	}
	if n := sort.Search(len(functions), func(i int) bool { return int(functions[i].Start) > pc }); n > 0 && pc < int(k.Start) {
		frame(functions[n-1].Name)
		at = bytecode.Source{}
	}
	frame(k.Name)
	return frames
}

// pathOf returns the path of the file that an image calls name, or the name if there is no such file. It is absolute: who reads a profile
// may stand in another folder.
func pathOf(name string) string {
	if found := sourcefile.Find(name); found != "" {
		if path, err := filepath.Abs(found); err == nil {
			return path
		}
	}
	return name
}

// functionsOf returns the device functions whose code k has, in the order of that.
func functionsOf(k *bytecode.Kernel) (functions []*bytecode.Function) {
	for _, f := range k.Functions {
		if f != nil {
			functions = append(functions, f)
		}
	}
	slices.SortFunc(functions, func(a, b *bytecode.Function) int { return cmp.Compare(a.Start, b.Start) })
	return functions
}
