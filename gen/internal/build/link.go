package build

import (
	"bytes"
	"errors"
	"fmt"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/cudagen/cudagen/gen/internal/image"
	"github.com/cudagen/cudagen/internal/compile"
	"github.com/cudagen/cudagen/internal/diag"
	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/internal/record"
	"github.com/cudagen/cudagen/internal/source"
)

// linked returns the paths of the files that are linked with the unit: without its own source.
func (u *unit) linked() []string {
	own := source.Absolute(u.place.Path)
	return slices.DeleteFunc(slices.Clone(u.options.Link), func(path string) bool { return source.Absolute(path) == own })
}

// linkedInputs returns the hashes of the user's own files that the linked files are made from, and
// of those themselves. Folders are those of included files.
func (u *unit) linkedInputs(folders []string) (list []record.Input, err error) {
	for _, path := range u.linked() {
		inputs, err := record.Inputs(source.Absolute(path), source.Absolute(filepath.Dir(u.place.Record)), os.ReadFile, folders...)
		if err != nil {
			return nil, source.Unreadable(path, err)
		}
		list = append(list, inputs...)
	}
	return list, nil
}

// compileOne compiles the unit for one target, of PTX or machine code, and links other files with it.
//
// All units are compiled to PTX, which is linked as PTX, and machine code is made of the result:
// the image is one module, as that of a single file.
func (u *unit) compileOne(jobs *jobs, request compile.Request, ptxOnly bool) (*compile.Output, error) {
	if !request.Relocatable {
		out, err := jobs.compile(request)
		if err == nil && ptxOnly {
			err = u.checkDefined(out.Code)
		}
		return out, err
	}
	assembler, ok := jobs.compiler.(compile.Assembler)
	if !ptxOnly && !ok {
		return nil, diag.Linking.Errorf("%s: -dlink: %s makes PTX of linked files and no machine code for %s: NVRTC has no assembler for PTX (%w)", u.place.Path, jobs.compiler.Name(), request.Arch, diag.Do("use -compiler nvcc, or targets such as compute_75"))
	}
	outputs, err := u.compileUnits(jobs, request)
	if err != nil {
		return nil, err
	}
	out := *outputs[0]
	units := make([]ptx.Unit, len(outputs))
	for i, o := range outputs {
		units[i] = ptx.Unit{Name: u.unitPath(i), Text: o.Code, NoEntries: i > 0}
		if i > 0 {
			out.Warnings, out.Includes, out.Log = slices.Concat(out.Warnings, o.Warnings), slices.Concat(out.Includes, o.Includes), out.Log+o.Log
			out.Reproducible = out.Reproducible && o.Reproducible
		}
	}
	out.Warnings.Sort()
	slices.Sort(out.Includes)
	out.Includes = slices.Compact(out.Includes)
	if out.Code, err = ptx.Link(units); err != nil {
		return nil, u.explainLink(err)
	}
	if ptxOnly {
		return &out, nil
	}
	err = jobs.inTurn(&request, func() error {
		code, err := assembler.Assemble(jobs.ctx, request, out.Code)
		if err == nil {
			out.Code, out.Log = code.Code, out.Log+code.Log
		}
		return err
	})
	return &out, err
}

// compileUnits compiles the unit's source and the linked files to PTX.
func (u *unit) compileUnits(jobs *jobs, request compile.Request) ([]*compile.Output, error) {
	paths := u.linked()
	outputs, errs := make([]*compile.Output, len(paths)+1), make([]error, len(paths)+1)
	var wait sync.WaitGroup
	for i := range outputs {
		one := request
		if i > 0 {
			one.Source, one.Suffix = paths[i-1], ""
		}
		wait.Go(func() { outputs[i], errs[i] = jobs.compile(one) })
	}
	wait.Wait()
	var all diag.List
	for _, err := range errs {
		if list, ok := err.(diag.List); ok {
			all = append(all, list...)
		} else if err != nil {
			return nil, err
		}
	}
	if len(all) > 0 {
		return nil, all
	}
	return outputs, nil
}

// checkDefined returns an error for functions and variables that PTX of one file needs and that
// only another file can define: such an image does not load.
func (u *unit) checkDefined(text []byte) error {
	if !bytes.Contains(text, []byte(".extern")) {
		return nil
	}
	return u.explainLink(ptx.Undefined(u.place.Path, text))
}

// unitPath returns the path of a file that is linked, as the user gave it.
func (u *unit) unitPath(i int) string {
	if i == 0 {
		return u.place.Path
	}
	return u.linked()[i-1]
}

// explainLink turns errors of names that cannot be resolved into those of the source.
func (u *unit) explainLink(err error) error {
	var problems ptx.LinkErrors
	if !errors.As(err, &problems) {
		return diag.OfCompiler.Of(err)
	}
	var list diag.List
	for _, p := range problems {
		pos := u.sourcePosition(p)
		list.Add(pos, u.linkMessage(p))
	}
	return list.Sorted() // several names of one line are several errors, and one of several images is one
}

// sourcePosition returns where the user finds what p is about.
func (u *unit) sourcePosition(p *ptx.LinkError) token.Position {
	pos := p.Source
	if !pos.IsValid() {
		return token.Position{Filename: p.Unit}
	}
	full := filepath.Join(u.place.Module, filepath.FromSlash(pos.Filename))
	for i := range len(u.linked()) + 1 {
		path := u.unitPath(i)
		if source.Absolute(path) == full || filepath.Base(path) == pos.Filename && path == p.Unit {
			pos.Filename = path
			return pos
		}
	}
	if _, err := os.Stat(full); err != nil {
		return token.Position{Filename: p.Unit} // a header of the toolkit
	}
	pos.Filename = full
	if working, err := os.Getwd(); err == nil && !filepath.IsAbs(u.place.Path) {
		if relative, err := filepath.Rel(working, full); err == nil {
			pos.Filename = relative
		}
	}
	return pos
}

func (u *unit) linkMessage(p *ptx.LinkError) diag.Message {
	kind := "variable"
	if p.Func {
		kind = "function"
	}
	name := fmt.Sprintf("device %s %s", kind, image.Name(p.Symbol))
	switch p.Problem {
	case ptx.NotDefined:
		in := image.Name(p.In)
		if p.Func && (strings.HasPrefix(p.Symbol, "cuda") || strings.HasPrefix(p.Symbol, "__cudaCDP")) {
			return diag.Linking.Errorf("%s needs %s of CUDA's device runtime, which starts kernels from kernels: cudagen does not link it (start the kernel from Go)", in, name)
		}
		if len(u.linked()) == 0 {
			return diag.Linking.Errorf("%s needs %s, which is declared here but not defined: %w", in, name, diag.Do("name the file that defines it with -dlink"))
		}
		return diag.Linking.Errorf("%s needs %s, which neither this file nor those of -dlink define: %w", in, name, diag.Do("add the file that defines it to -dlink"))
	case ptx.DefinedTwice:
		return diag.Linking.Errorf("%s is defined here and in %s, and both are linked: %w", name, p.Other, diag.Do("define it in one file, or make it static"))
	case ptx.Differs:
		return diag.Linking.Errorf("%s is not what %s declares: %s (%w)", name, p.Other, p.Detail, diag.Do("declare it the same in all linked files"))
	}
	return diag.Linking.New(p.Detail + " cannot be linked with -dlink")
}

// checkLink reports files that cannot be linked.
func (o *Options) checkLink() error {
	if o.Embed && len(o.Link) > 0 {
		return diag.Linking.New("-embed source and -dlink: a program that compiles its source links it with package link (docs/linking.md)")
	}
	seen := make(map[string]bool)
	for _, path := range o.Link {
		info, err := os.Stat(path)
		switch {
		case err != nil:
			return source.Unreadable(path, err)
		case !info.Mode().IsRegular():
			return source.NewError(path, diag.Linking.New("-dlink: not a file"))
		case filepath.Ext(path) != ".cu":
			return source.NewError(path, diag.Linking.New("-dlink: is not a .cu file: cudagen compiles what it links"))
		case seen[source.Absolute(path)]:
			return source.NewError(path, diag.Linking.New("-dlink names it twice"))
		}
		seen[source.Absolute(path)] = true
	}
	return nil
}
