package clib

import (
	"cmp"
	"slices"
	"strings"

	"github.com/cudagen/cudagen/gen/internal/cu"
	"github.com/cudagen/cudagen/internal/diag"
)

// holders finds the handles whose objects hold memory of the device, which functions that get such an object then use.
func (p *packager) holders(list []*cu.Function) {
	for _, c := range list {
		f := &function{Function: c, receiver: -1, created: -1, made: p.madeHandle(c)}
		for i, one := range c.Params {
			f.params = append(f.params, p.param(c.Name, one))
			if f.params[i].role == created {
				f.made = f.params[i]
			}
		}
		f.methodOf()
		for _, d := range p.directivesOf(c) {
			if d.Verb == "len" && f.made != nil {
				f.made.handle.memory = true
			}
			for _, word := range strings.Fields(d.Args) {
				if _, holder, _ := f.held(word); d.Verb == "hold" && holder != nil {
					holder.handle.memory = true
				}
			}
		}
	}
}

// held takes apart what hold says: PARAMETER, PARAMETER=NAME or PARAMETER=HANDLE.NAME. holder is nil if there is none.
func (f *function) held(word string) (name string, holder *param, slot string) {
	name, slot, _ = strings.Cut(word, "=")
	slot = cmp.Or(slot, name)
	of, rest, far := strings.Cut(slot, ".")
	holder = f.own()
	if far {
		slot, holder = rest, nil
		if at := slices.IndexFunc(f.params, func(one *param) bool { return one.Name == of && (one.role == object || one.role == created) }); at >= 0 {
			holder = f.params[at]
		}
	}
	return name, holder, slot
}

// holds decides which memory of the device a handle goes on using: what it is made with, and what hold names.
func (p *packager) holds(f *function) {
	if f.made != nil {
		for _, one := range f.params {
			if one.role == memory {
				one.holder, one.slot = f.made, one.Name
			}
		}
	}
	for _, d := range f.keeping {
		if d.Verb != "hold" {
			continue
		}
		for _, word := range strings.Fields(d.Args) {
			name, holder, slot := f.held(word)
			one := p.named(f, d, name)
			switch {
			case one == nil:
			case holder == nil || one.role != memory || f.made != nil && holder != f.made:
				p.errorf(d.Pos, f, diag.ParameterKind, "hold %s: only a handle of the function can hold, and only memory of the device, which len gives", word)
			default:
				one.holder, one.slot = holder, slot
			}
		}
	}
	var holder *param
	for _, one := range f.params {
		if one.holder == nil {
			continue
		}
		if holder != nil && holder != one.holder {
			p.errorf(f.Pos, f, diag.ParameterKind, "hold: %s and %s cannot both hold memory of one call", holder.Name, one.holder.Name)
		}
		if holder = one.holder; holder.handle.hold(one.slot) >= maxHeld {
			p.errorf(f.Pos, f, diag.ParameterKind, "hold %s: a %s can hold %d pieces of memory", one.slot, holder.handle.name, maxHeld)
		}
	}
}
