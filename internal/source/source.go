// Package source takes the path of a .cu file, gives those of the files beside it, and knows no C++.
// It also holds the options with which a source is read. The stages of generating hand its values on.
// It writes nothing.
package source

import (
	"errors"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unicode"

	"github.com/cudagen/cudagen/internal/diag"
)

// DefaultStd is the C++ standard that source is read in, and that nvcc uses by default.
const DefaultStd = "c++17"

// BuiltinTemplate begins the names of the templates that cudagen brings, in flags and in records.
const BuiltinTemplate = "builtin:"

// Options say how source is read. They are a compiler's options of the same names, and go
// to the compiler, too.
type Options struct {
	Include []string // folders of included files: -I
	Define  []string // macros: NAME or NAME=value: -D
	Std     string   // C++ standard: c++17; empty for that
	Arch    int      // compute capability times ten, as __CUDA_ARCH__ / 10 has it: 90; 0 for the lowest

	// All wraps the kernels of included files, too, and the instances that those make: not only
	// what the source itself defines, instantiates, launches or has directives for. Kernels in
	// CUDA's own headers are left out.
	All bool
}

// Flags returns the options as a compiler takes them, wherever it runs.
func (o *Options) Flags() []string { return o.flags(Absolute) }

// flags returns the options as a compiler takes them, with the folders of included files
// as place returns them.
func (o *Options) flags(place func(folder string) string) []string {
	var flags []string
	for _, folder := range o.Include {
		flags = append(flags, includeFlag, filepath.ToSlash(place(folder)))
	}
	for _, macro := range o.Define {
		flags = append(flags, defineFlag, macro)
	}
	if o.Std != "" && o.Std != DefaultStd {
		flags = append(flags, stdFlag+o.Std)
	}
	return flags
}

// Arch returns the number of a target, 75 for compute_75, and 0 when it has none. The compiler
// checks how targets are written.
func Arch(target string) int {
	_, number, _ := strings.Cut(target, "_")
	arch, err := strconv.Atoi(strings.TrimRight(number, "af"))
	if err != nil {
		return 0
	}
	return arch
}

// SharedGo is the name of the file that declares the types which several sources of a
// package use. No .cu file has output of this name, unless an option asks for it.
const SharedGo = "cudagen_shared.go"

// A Place is a .cu file and the files that are generated from it.
type Place struct {
	Path   string // as given
	Module string // the folder of the Go module that it is in, absolute

	Go, PTX, Fatbin, Record, Deps string // paths of what is generated
}

// Folder returns the folder of the Go file, absolute.
func (p *Place) Folder() string { return Absolute(filepath.Dir(p.Go)) }

// Stem returns what the names of generated files begin with: kernels for kernels.cu, and for
// -o kernels.go.
func (p *Place) Stem() string { return strings.TrimSuffix(filepath.Base(p.PTX), ptxEnd) }

// Relative returns path relative to the folder of the record, with slashes, as the record
// has it.
func (p *Place) Relative(path string) string {
	relative, err := filepath.Rel(Absolute(filepath.Dir(p.Record)), Absolute(path))
	if err != nil {
		return filepath.ToSlash(path)
	}
	return filepath.ToSlash(relative)
}

// Resolve returns the path of what the record calls name.
func (p *Place) Resolve(name string) string {
	return filepath.Join(filepath.Dir(p.Record), filepath.FromSlash(name))
}

// Inside returns path relative to the Go module, and whether it lies in there.
func (p *Place) Inside(path string) (relative string, inside bool) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return path, false
	}
	relative, err = filepath.Rel(p.Module, absolute)
	return relative, err == nil && filepath.IsLocal(relative)
}

// CompileFlags returns options as the compiler of p takes them, which runs in the module's
// folder. Folders inside the module are relative to it, so that they are the same in every
// checkout.
func (p *Place) CompileFlags(o *Options) []string {
	return o.flags(func(folder string) string {
		if relative, inside := p.Inside(folder); inside {
			return relative
		}
		return Absolute(folder)
	})
}

// RecordFlags returns options as the record has them, and behind them more flags of the compiler.
// Folders are relative to the record's, but for those outside of the module whose path is absolute.
func (p *Place) RecordFlags(o *Options, compiler []string) []string {
	flags := o.flags(func(folder string) string {
		if _, inside := p.Inside(folder); inside || !filepath.IsAbs(folder) {
			return p.Relative(folder)
		}
		return folder
	})
	if o.All { // it decides which instances are compiled in
		flags = append(flags, allFlag)
	}
	if len(compiler) > 0 && isOwn(compiler[0]) {
		flags = append(flags, compilerFlags)
	}
	return append(flags, compiler...)
}

// SplitFlags returns the options of which RecordFlags made flags, with folders as the record has
// them, and the flags of the compiler.
func SplitFlags(flags []string) (o Options, compiler []string) {
	for len(flags) > 0 && isOwn(flags[0]) {
		flag := flags[0]
		flags = flags[1:]
		switch {
		case flag == compilerFlags:
			return o, flags
		case flag == allFlag:
			o.All = true
		case strings.HasPrefix(flag, stdFlag):
			o.Std = strings.TrimPrefix(flag, stdFlag)
		case len(flags) == 0: // without its value
			return o, []string{flag}
		case flag == includeFlag:
			o.Include, flags = append(o.Include, flags[0]), flags[1:]
		default:
			o.Define, flags = append(o.Define, flags[0]), flags[1:]
		}
	}
	return o, flags
}

// The flags of options in a record.
const (
	includeFlag   = "-I"
	defineFlag    = "-D"
	stdFlag       = "-std="
	allFlag       = "-all"
	compilerFlags = "--" // before flags of the compiler that begin as options do
)

// isOwn reports whether a flag in a record may be that of an option.
func isOwn(flag string) bool {
	return flag == includeFlag || flag == defineFlag || flag == allFlag || flag == compilerFlags || strings.HasPrefix(flag, stdFlag)
}

// Absolute returns path from the root on, or as it is when the working folder is gone.
func Absolute(path string) string {
	if from, err := filepath.Abs(path); err == nil {
		return from
	}
	return path
}

// Exists reports whether something lies at path, be it a symbolic link that leads nowhere.
func Exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// Module returns the folder of the go.mod above path, or path's own folder.
func Module(path string) string {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return filepath.Dir(path)
	}
	for dir := filepath.Dir(absolute); ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			return filepath.Dir(absolute)
		}
	}
}

// BadName returns why the go command embeds no file of that name, or none.
//
// Package embed, Directives; golang.org/x/mod/module, CheckFilePath.
func BadName(name string) diag.Message {
	for _, r := range name {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("/!#$%&()+,-.=@]^_{}~ ", r) {
			return diag.NoFile.Errorf("the go command takes no %q in the name of an embedded file: %w", r, diag.Do("rename it"))
		}
	}
	return diag.Message{}
}

// An Error is something wrong with a source, or with a file for one, as a whole.
type Error struct{ diag.FileError }

// NewError returns the Error that says why there is something wrong with the file at path.
func NewError(path string, why error) *Error { return &Error{*diag.InFile(path, why)} }

// Unreadable returns the Error for the file at path, which could not be read or written.
func Unreadable(path string, err error) *Error { return NewError(path, Describe(err)) }

// Describe returns the cause of a file error without the operation and the path, which the
// message around it has.
func Describe(err error) diag.Message {
	if errors.Is(err, fs.ErrNotExist) {
		return diag.NoFile.New("there is no such file")
	}
	var path *fs.PathError
	if errors.As(err, &path) {
		return diag.FileAccess.New(path.Err.Error())
	}
	return diag.MessageOf(err)
}

// Mistakes returns the source errors in err, with the path for a position where they have none.
func Mistakes(path string, err error) diag.List {
	var list diag.List
	var one *Error
	switch {
	case err == nil || errors.As(err, &list):
		return list
	case errors.As(err, &one):
		return diag.List{diag.NewError(token.Position{Filename: one.Path}, one.Message)}
	}
	return diag.List{diag.NewError(token.Position{Filename: path}, err)}
}
