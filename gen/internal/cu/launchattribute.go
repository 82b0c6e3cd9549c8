package cu

import (
	"slices"

	"github.com/cudagen/cudagen/gen/internal/ctype"
)

// A launchAttribute is an attribute in a declaration of a kernel that says how it is launched.
type launchAttribute struct {
	attribute
	scope *scope        // where it stands
	head  *templateHead // of the declaration; nil for none
}

// noteAttributes notes what stands in a declaration of k, whose template head is t. Their values
// may depend on the parameters of the template.
func (k *kernel) noteAttributes(found []attribute, s *scope, t *templateHead) {
	for _, a := range found {
		k.attributes = joinAttributes(k.attributes, launchAttribute{a, s, t})
	}
}

// launchKinds are the attributes that say how a kernel is launched.
var launchKinds = words("launch_bounds cluster_dims block_size maxnreg")

// joinAttributes returns list, which it leaves as it is, with the attributes in more that say how a
// kernel is launched, and without those that they replace.
func joinAttributes(list []launchAttribute, more ...launchAttribute) []launchAttribute {
	for _, a := range more {
		if !launchKinds[a.kind] {
			continue
		}
		values := len(splitAngles(a.values))
		list = append(slices.DeleteFunc(slices.Clone(list), func(old launchAttribute) bool {
			return old.kind == a.kind && len(splitAngles(old.values)) <= values
		}), a)
	}
	return list
}

// attributesOf returns the attributes of the instance of k with args: those of the template, and
// behind them those of its explicit instantiations.
func (k *kernel) attributesOf(args []ctype.TemplateArg) []launchAttribute {
	list := k.attributes
	for _, one := range k.implied {
		if len(one.attributes) > 0 && ctype.Arguments(one.args) == ctype.Arguments(args) {
			list = joinAttributes(list, one.attributes...)
		}
	}
	return list
}

// launchShape takes the constants of the attributes that say how k is launched. Of several
// declarations the last one counts, as for nvcc.
func (k *kernel) launchShape(u *unit) {
	k.LaunchBounds, k.BlockSize, k.ClusterDims, k.MaxRegisters = nil, nil, nil, 0
	k.configure(u, k.inherited)
	k.configure(u, k.attributes)
}

// configure takes what list adds to what is known of how k is launched.
func (k *kernel) configure(u *unit, list []launchAttribute) {
	for i := range list {
		k.configuration(u.in(k.launchScope(u, &list[i])), &list[i].attribute)
	}
}

// launchScope returns the scope in which the values of a, which belongs to k, are looked up. It has
// the parameters of the template, which are not known while k is one.
func (k *kernel) launchScope(u *unit, a *launchAttribute) *scope {
	if a.head == nil || a.head.empty {
		return a.scope
	}
	s := newScope("", a.scope)
	s.parameters = true
	args, known := k.Args, !k.Template
	for i, param := range a.head.params {
		last := i == len(a.head.params)-1
		switch known = known && (param.pack && last || !param.pack && len(args) > 0); {
		case !known:
			s.declare(param.name, &entity{obscure: "a parameter of the template", at: k.name.At})
		case param.pack:
			u.bindPack(s, param.name, args, k.name)
		default:
			u.bind(s, param.name, args[0], k.name)
			args = args[1:]
		}
	}
	return s
}

// configuration takes the constants of an attribute that says how a kernel is launched.
func (k *kernel) configuration(r resolver, a *attribute) {
	switch a.kind {
	case "launch_bounds":
		values := r.constants(a)
		if n := len(values); n > 0 && n < len(k.LaunchBounds) {
			values = append(values, k.LaunchBounds[n:]...)
		}
		k.LaunchBounds = values
	case "cluster_dims":
		k.ClusterDims = r.constants(a)
	case "block_size":
		k.BlockSize = k.blockSize(r, a)
	case "maxnreg":
		k.MaxRegisters = 0
		if values := r.constants(a); len(values) == 1 {
			k.MaxRegisters = values[0]
		}
	}
}

// constants returns the values of an attribute, nil when they are not constant.
func (r resolver) constants(a *attribute) []int64 {
	var values []int64
	for _, one := range r.split(a.values) {
		v, failure := r.evaluate(one)
		n, ok := v.int64()
		if failure != nil || !ok {
			return nil
		}
		values = append(values, n)
	}
	return values
}

// blockSize returns the threads of __block_size__((x, y, z), (clusters)), and takes the
// dimensions of the cluster, if they are there: CUDA C++ Programming Guide, Thread
// Block Clusters.
func (k *kernel) blockSize(r resolver, a *attribute) []int64 {
	var block []int64
	for i, one := range r.split(a.values) {
		inside, ok := one.group()
		if !ok {
			return r.constants(a)
		}
		values := r.constants(&attribute{values: inside})
		if i == 0 {
			block = values
		} else {
			k.ClusterDims = values
		}
	}
	return block
}
