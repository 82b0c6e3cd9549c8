package model

import "go/token"

// An Emitter writes more files from models, or adds to the standard Go file. Templates are
// emitters. Its functions depend on the model alone, and several goroutines may call them.
type Emitter struct {
	Name    string // of the emitter, unique in a run: it stands in the record
	Version string // changes when the emitter may write something else: it stands in the record
	File    string // path of the file that it was read from; empty for none

	Emit   func(*File) ([]Output, error)    // nil if it writes no files
	Blocks func(*File) (*FileBlocks, error) // nil if it adds nothing to the Go file
}

// An Output is a file that an Emitter writes.
type Output struct {
	Name    string         // base name; it lies in the folder of the Go file
	Content []byte         // all of it
	Pos     token.Position // what says the name, for messages; zero if that is not known
}

// Blocks are texts that emitters add to the Go file at one place of it, by their names there.
type Blocks map[Block]string

// A Block is a place in the standard Go file that emitters may fill.
type Block string

// The blocks. What is filled into a header or a doc is text, which is printed as a comment. An
// extra is Go declarations.
const (
	FileHeader  Block = "file.header"  // behind the first line of the file
	FileExtra   Block = "file.extra"   // at the end of the file
	KernelDoc   Block = "kernel.doc"   // at the end of the comment of a kernel's type
	KernelExtra Block = "kernel.extra" // behind all that belongs to a kernel
	ArgsDoc     Block = "args.doc"     // at the end of the comment of a kernel's Args type
	StructExtra Block = "struct.extra" // behind the declaration of a struct: its methods
)

// FileBlocks is what one Emitter adds to the Go file.
type FileBlocks struct {
	File    Blocks
	Kernels map[string]Blocks // by Kernel.GoName
	Structs map[string]Blocks // by Struct.GoName
	Imports []Import          // that Go code in the blocks needs

	Pos map[Block]token.Position // what fills a block, for messages; nil if that is not known
}

// An Import is a package that Go code uses under a name.
type Import struct{ Name, Path string }
