package debug

import (
	"fmt"

	"github.com/cudagen/cudagen/internal/debugwire"
	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
	"github.com/cudagen/cudagen/runtime/sim/internal/stops"
)

// differs says why an image cannot stand for another one: their kernels and variables must be the same.
func differs(image, other []byte) string {
	a, err := ptx.Parse(bytecode.ImageName, image)
	if err != nil {
		return err.Error()
	}
	b, err := ptx.Parse(bytecode.ImageName, other)
	if err != nil {
		return err.Error()
	}
	have := interfaceOf(b)
	for name, is := range interfaceOf(a) {
		if have[name] != is {
			return fmt.Sprintf("%s is %q there and %q here", name, have[name], is)
		}
	}
	return ""
}

// interfaceOf returns what programs see of a module: the layout of its kernels' parameters, and its variables.
func interfaceOf(m *ptx.Module) map[string]string {
	is := make(map[string]string)
	for _, f := range m.Funcs {
		if !f.Entry || f.Body == nil {
			continue
		}
		offsets, end, _ := ptx.Offsets(f.Params)
		is[f.Name] = fmt.Sprint("kernel with parameters at ", offsets, ", of ", end, " bytes")
	}
	for _, v := range m.Vars {
		if size, ok := v.Size(); ok && v.Linkage == ptx.Visible {
			is[v.Name] = fmt.Sprintf("variable of %d bytes in .%s", size, v.Space)
		}
	}
	return is
}

// describe describes a kernel.
func describe(k *bytecode.Kernel) debugwire.Kernel {
	d := debugwire.Kernel{Name: k.Name, Start: k.Start}
	for _, f := range k.Functions {
		if f != nil {
			d.Functions = append(d.Functions, debugwire.Function{Name: f.Name, Start: f.Start})
		}
	}
	files := make(map[string]int)
	for _, p := range k.Places {
		place := debugwire.Place{PTX: p.Line, Line: p.Source.Line}
		if name := p.Source.File; name != "" {
			if files[name] == 0 {
				d.Files = append(d.Files, name)
				files[name] = len(d.Files)
			}
			place.File = files[name]
		}
		d.Places = append(d.Places, place)
	}
	if k.Names != nil {
		for _, r := range k.Names.Registers {
			d.Registers = append(d.Registers, debugwire.RegisterName{Name: r.Name, Type: string(r.Type), Index: r.Index, Function: nameOf(r.Function), Line: r.Line})
		}
		for _, v := range k.Names.Variables {
			d.Variables = append(d.Variables, debugwire.Variable{Name: v.Name, Source: bytecode.SourceName(v.Name), Space: v.Space.String(), Address: v.Address, Bytes: v.Bytes, Function: nameOf(v.Function)})
		}
	}
	for _, p := range k.Params {
		d.Params = append(d.Params, debugwire.Param{Offset: p.Offset, Size: p.Size})
	}
	return d
}

// nameOf is a function's name, or empty for the kernel.
func nameOf(f *bytecode.Function) string {
	if f == nil {
		return ""
	}
	return f.Name
}

func describeAccess(a *stops.Access) *debugwire.Access {
	if a == nil {
		return nil
	}
	return &debugwire.Access{
		Watch: a.Watch, Moment: debugwire.Moment(a.Moment), Kernel: a.Kernel, At: debugwire.Lane{Block: debugwire.Dim3(a.Block), Warp: a.Warp, Lane: a.Lane},
		Thread: debugwire.Dim3(a.Thread), PC: a.PC, PTXLine: a.Place.Line, Instruction: a.Place.Text, File: a.Place.Source.File, Line: a.Place.Source.Line,
		Write: a.Write, Before: a.Before, Now: a.Now,
	}
}

func warps(l *stops.Launch) (list []debugwire.Warp) {
	for _, s := range l.Warps() {
		w := debugwire.Warp{Block: debugwire.Dim3(s.Block), Warp: s.Warp, Live: s.Live}
		for _, g := range s.Groups {
			w.Groups = append(w.Groups, debugwire.Group(g))
		}
		list = append(list, w)
	}
	return list
}

func frames(l *stops.Launch, at debugwire.Lane) (list []debugwire.Frame, err error) {
	calls, err := l.Frames(driver.Dim3(at.Block), at.Warp, at.Lane)
	for _, f := range calls {
		list = append(list, debugwire.Frame{PC: f.PC, Function: nameOf(f.Function), Base: f.Base})
	}
	return list, err
}
