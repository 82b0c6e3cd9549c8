package bytecode

import "github.com/cudagen/cudagen/internal/ptx"

// SpaceOf returns the state space that in names.
func SpaceOf(in *ptx.Instr) Space {
	for _, mod := range in.Mods {
		switch mod {
		case "global":
			return Global
		case "const":
			return Constant
		case "shared", "shared::cta", "shared::cluster":
			return Shared
		case "local":
			return Local
		case "param", "param::entry", "param::func":
			return Param
		}
	}
	return Generic
}

// Access decodes what ld, st and atom have in common: [address] of elements of type t.
func (d *Decoder) Access(in *ptx.Instr, address ptx.Operand, t ptx.Type, elems int) Instr {
	i := Instr{Space: SpaceOf(in), Size: t.Size(), Elems: elems, Mask: ^uint64(0)}
	a, ok := address.(ptx.Address)
	if !ok {
		d.Invalid("%s: the address stands in square brackets", in.Text)
		return i
	}
	if i.Size*elems > 16 {
		d.Unsupported("an access of more than 16 bytes, %s,", in.Text)
	}
	i.Offset = uint64(a.Offset)
	switch base := a.Base.(type) {
	case nil:
		i.A = d.Constant(0)
	case ptx.Reg:
		i.A = d.base(&i, base)
	case ptx.Symbol:
		sym, known := d.VariableOf(base.Name)
		if sym.callParam && i.Space == Param {
			i.Space, i.OfCall = Local, true
		}
		if i.Space == Generic && (sym.Space == Shared || sym.Space == Local && in.Op != "atom" && in.Op != "red") {
			i.Space = sym.Space
		}
		switch {
		case !known:
			d.Invalid("%s is not declared", base.Name)
		case sym.Space != i.Space && (i.Space != Generic || sym.Space != Global):
			d.Invalid("%s is in the space .%s, not .%s", base.Name, sym.Space, i.Space)
		case sym.framed:
			i.A = d.Fn.Frame
			i.Offset += sym.address
		default:
			i.A = d.Address(sym, 0)
		}
	default:
		d.Unsupported("the address of %s", in.Text)
	}
	return i
}

// AddressIn decodes an address in a state space.
func (d *Decoder) AddressIn(in *ptx.Instr, op ptx.Operand, s Space) Address {
	named := *in
	named.Mods = []string{s.String()}
	if s == Generic {
		named.Mods = nil
	}
	return Address{In: d.Access(&named, op, "b8", 1)}
}

// base returns the register that an address begins with; it has 64 bits, or 32 in the
// spaces of a block or thread.
func (d *Decoder) base(i *Instr, reg ptx.Reg) int32 {
	r, ok := d.Lookup(reg.Name)
	switch {
	case !ok:
		d.Invalid("register %s is not declared", reg.Name)
	case IsFloat(r.Typ) || r.Typ == "pred" || r.Typ.Size() != 8 && (r.Typ.Size() != 4 || i.Space == Generic || i.Space == Global || i.Space == Constant):
		d.Invalid("register %s has type .%s, which is not an address in the space .%s", reg.Name, r.Typ, i.Space)
	}
	if r.Typ.Size() == 4 {
		i.Mask = 1<<32 - 1
	}
	d.Read.Set(r.index)
	return r.index
}

// Elements returns the elements of a load's or store's data operand.
func (d *Decoder) Elements(in *ptx.Instr, op ptx.Operand) []ptx.Operand {
	want := 1
	if Has(in, "v2") {
		want = 2
	} else if Has(in, "v4") {
		want = 4
	}
	v, ok := op.(ptx.Vector)
	if !ok && want == 1 {
		return []ptx.Operand{op}
	}
	if !ok || len(v.Elems) != want {
		d.Invalid("%s: the operand does not have %d elements", in.Text, want)
		return nil
	}
	d.Alike(in, v.Elems)
	return v.Elems
}

// Unhinted is in without the operand of a cache hint, which changes no result.
func (d *Decoder) Unhinted(in *ptx.Instr) *ptx.Instr {
	last := len(in.Args) - 1
	if last < 0 || !Has(in, "L2::cache_hint") {
		return in
	}
	if s := SpaceOf(in); s == Shared && (in.Op == "atom" || in.Op == "red") {
		d.Invalid("%s: .L2::cache_hint is not for the space .%s", in.Text, s)
	}
	d.Src(in.Args[last], "b64")
	plain := *in
	plain.Args = in.Args[:last]
	return &plain
}
