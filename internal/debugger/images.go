package debugger

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cudagen/cudagen/gen"
	"github.com/cudagen/cudagen/internal/debugwire"
	"github.com/cudagen/cudagen/internal/diag"
	"github.com/cudagen/cudagen/internal/leftover"
	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/internal/ptxdebug"
	"github.com/cudagen/cudagen/internal/record"
)

// An origin is where an image was generated: its record.
type origin struct {
	path   string // of the record
	record *record.Record
	module string // its folder
}

// originsOf returns the origins of the PTX images in packages, by the hash of their bytes.
func originsOf(packages []goPackage) map[string]*origin {
	found := make(map[string]*origin)
	for _, p := range packages {
		paths, _ := filepath.Glob(filepath.Join(record.EscapeGlob(p.dir), "*.cudagen.json"))
		for _, path := range paths {
			r, err := record.Read(path)
			if err != nil || r == nil {
				continue // what is wrong with it, cudagen says
			}
			for _, image := range r.Images {
				if text, err := os.ReadFile(filepath.Join(p.dir, image.File)); err == nil && strings.HasSuffix(image.File, ".ptx") {
					found[record.HashImage(text)] = &origin{path, r, p.module}
				}
			}
		}
	}
	return found
}

// changed returns an input of the image that is not what it was made of, or "".
func (o *origin) changed() string {
	for _, in := range o.record.Inputs {
		content, err := os.ReadFile(filepath.Join(filepath.Dir(o.path), filepath.FromSlash(in.Path)))
		if err != nil || record.HashInput(content) != in.SHA256 {
			return in.Path
		}
	}
	return ""
}

// compile makes the PTX of an origin with debug information.
func (o *origin) compile(ctx context.Context) (text []byte, err error) {
	if changed := o.changed(); changed != "" { // the program runs what was there before
		return nil, fmt.Errorf("%s changed since the kernels were generated: %w", changed, diag.Do("run go generate"))
	}
	options, _, err := gen.Options{}.Recorded(o.path)
	if err != nil {
		return nil, err
	}
	folder, err := leftover.Dir("", "cudagen-debug-")
	if err != nil {
		return nil, err
	}
	defer leftover.Remove(folder)
	stem := strings.TrimSuffix(filepath.Base(o.path), ".cudagen.json")
	options.Output = filepath.Join(folder, stem+"_cuda.go")
	options.Package, options.Emitters = "debugged", nil
	options.CompilerFlags = append(slices.Clone(options.CompilerFlags), "-G")
	if virtual := slices.DeleteFunc(slices.Clone(options.Archs), func(arch string) bool { return !strings.HasPrefix(arch, "compute_") }); len(virtual) > 0 {
		options.Archs = virtual
	}
	err = describing(func(compiler string) error {
		options.Compiler = compiler
		_, err := gen.GenerateAll(ctx, []gen.Options{options})
		return err
	})
	if err != nil {
		return nil, err
	}
	return os.ReadFile(filepath.Join(folder, stem+".ptx"))
}

// describing compiles with the first compiler that is installed and describes variables with -G. clang does not: its -G is another flag.
func describing(compile func(compiler string) error) error {
	for _, c := range []struct{ name, variable string }{{"nvcc", "NVCC"}, {"nvrtc", "NVRTC_LIB"}} {
		err := compile(c.name)
		if err == nil || diag.CodeOf(err) != diag.NoCompiler || os.Getenv(c.variable) != "" { // what the user names is not replaced
			return err
		}
	}
	return diag.NoCompiler.Errorf("no nvcc or NVRTC is here, and clang makes no variables: %w", diag.Do("run %s", diag.Call("toolchain install")))
}

// An image is one that a program has loaded.
type image struct {
	debugwire.Loaded
	info    *ptxdebug.Info // or nil
	origin  *origin        // or nil
	module  string         // folder to which names of files are relative
	params  map[string][]string
	kernels map[string]*debugwire.Kernel
	lines   []string // of the PTX
	paths   map[string]string
}

// newImage returns an image that was loaded.
func newImage(loaded debugwire.Loaded, o *origin, module string) *image {
	im := &image{Loaded: loaded, origin: o, module: module, params: make(map[string][]string), kernels: make(map[string]*debugwire.Kernel), paths: make(map[string]string)}
	if o != nil {
		im.module = o.module
	}
	im.info, _ = ptxdebug.Read("image.ptx", loaded.Text) // there may be none
	if m, err := ptx.Parse("image.ptx", loaded.Text); err == nil {
		for _, f := range m.Funcs {
			for _, p := range f.Params {
				im.params[f.Name] = append(im.params[f.Name], p.Name)
			}
		}
	}
	for n := range loaded.Kernels {
		im.kernels[loaded.Kernels[n].Name] = &loaded.Kernels[n]
	}
	im.lines = strings.Split(string(loaded.Text), "\n")
	return im
}

// path returns the path of a file that the image names.
func (im *image) path(name string) string {
	if known, ok := im.paths[name]; ok {
		return known
	}
	path := filepath.FromSlash(name)
	if !filepath.IsAbs(path) {
		path = filepath.Join(im.module, path)
		if beside := ""; im.origin != nil {
			beside = filepath.Join(filepath.Dir(im.origin.path), filepath.Base(name))
			if _, err := os.Stat(path); err != nil {
				path = beside
			}
		}
	}
	im.paths[name] = real(path)
	return im.paths[name]
}

// real returns path from the root on, without symbolic links if it is there.
func real(path string) string {
	if absolute, err := filepath.Abs(path); err == nil {
		path = absolute
	}
	if followed, err := filepath.EvalSymlinks(path); err == nil {
		return followed
	}
	return filepath.Clean(path)
}

// place returns the path and line of an instruction, or an empty path if the image does not say them.
func (im *image) place(k *debugwire.Kernel, pc int32) (path string, line int) {
	if pc < 0 || int(pc) >= len(k.Places) || k.Places[pc].File == 0 {
		return "", 0
	}
	return im.path(k.Files[k.Places[pc].File-1]), k.Places[pc].Line
}

// functionAt returns the name of the function of an instruction, empty for the kernel, and where it begins.
func functionAt(k *debugwire.Kernel, pc int32) (name string, start int32) {
	if pc >= k.Start {
		return "", k.Start
	}
	start = -1
	for _, f := range k.Functions {
		if f.Start <= pc && f.Start > start {
			name, start = f.Name, f.Start
		}
	}
	return name, start
}

// begins reports whether code of another line, or a function, begins at pc.
func begins(k *debugwire.Kernel, pc int32) bool {
	if pc == 0 || k.Places[pc].File != k.Places[pc-1].File || k.Places[pc].Line != k.Places[pc-1].Line {
		return true
	}
	_, start := functionAt(k, pc)
	return start == pc
}

// nearest returns the first line from line on in a file that has code, or 0.
func (im *image) nearest(path string, line int) (found int) {
	for _, k := range im.kernels {
		for pc := range k.Places {
			if at, l := im.place(k, int32(pc)); l >= line && (found == 0 || l < found) && at == path {
				found = l
			}
		}
	}
	return found
}

// ofLine returns where code of a line begins in a kernel.
func (im *image) ofLine(k *debugwire.Kernel, path string, line int) (pcs []int32) {
	for pc := range int32(len(k.Places)) {
		if at, l := im.place(k, pc); l == line && at == path && begins(k, pc) {
			pcs = append(pcs, pc)
		}
	}
	return pcs
}

// ofFunction returns where the body of a function begins in the code of a kernel, behind what fetches its parameters.
func (im *image) ofFunction(k *debugwire.Kernel, name string) (pc int32, ok bool) {
	start := int32(-1)
	if matches(k.Name, name) {
		start = k.Start
	}
	for _, f := range k.Functions {
		if matches(f.Name, name) {
			start = f.Start
		}
	}
	if start < 0 {
		return 0, false
	}
	in, _ := functionAt(k, start)
	for pc := start + 1; pc < int32(len(k.Places)); pc++ {
		if other, _ := functionAt(k, pc); other != in || k.Places[start].Line == 0 {
			break
		}
		if k.Places[pc].Line != k.Places[start].Line {
			return pc, true
		}
	}
	return start, true
}

// matches reports whether a symbol is that of a function called name: itself, or a function outside of classes whose mangled name has it.
func matches(symbol, name string) bool {
	return symbol == name || name != "" && strings.HasPrefix(symbol, "_Z") && strings.Contains(symbol, fmt.Sprintf("%d%s", len(name), name))
}

// why returns the reason why an image has no debug information, with what to do.
func (im *image) why(compiled error) string {
	reason := ""
	switch {
	case im.info != nil:
		return ""
	case im.Refused != "":
		reason = "the image with debug information is another one: " + im.Refused + ": run go generate"
	case im.origin == nil:
		reason = "no record of cudagen has the image: keep kernels.cudagen.json and kernels.ptx beside the generated Go file, or compile with -G"
	case compiled != nil:
		remedy := diag.RemedyOf(compiled).Error()
		reason = compiled.Error()
		if remedy != "" && !strings.Contains(reason, remedy) {
			reason += ": " + remedy
		}
	default:
		reason = `"debugInfo" is false`
	}
	names := []string{}
	for name := range im.kernels {
		names = append(names, name)
	}
	slices.Sort(names)
	return fmt.Sprintf("%s: lines, parameters, registers and shared arrays are known, and no other variables: %s", strings.Join(names[:min(3, len(names))], ", "), reason)
}

// notPTX returns what to do about an image that is not PTX, or nil.
func notPTX(text []byte) error {
	if bytes.HasPrefix(text, []byte("\x7fELF")) || bytes.HasPrefix(text, []byte("\x50\xed\x55\xba")) {
		return errors.New("the program loads an image without PTX, and there is nothing to debug in machine code: generate it with -arch compute_75, or another compute_XX")
	}
	return nil
}

// paramOf returns the recorded name and type of a parameter, or its name in the PTX.
func (im *image) paramOf(k *debugwire.Kernel, n int) (name, spelled string) {
	if im.origin != nil {
		for _, recorded := range im.origin.record.Kernels {
			if recorded.Symbol == k.Name && n < len(recorded.Params) {
				return cmp.Or(recorded.Params[n].Name, fmt.Sprint("param", n)), recorded.Params[n].Type
			}
		}
	}
	if names := im.params[k.Name]; n < len(names) {
		return names[n], ""
	}
	return fmt.Sprint("param", n), ""
}
