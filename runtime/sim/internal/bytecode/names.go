package bytecode

// noteRegister adds a register to the names of the kernel, if they are kept.
func (d *Decoder) noteRegister(name string, r register) {
	if n := d.K.Names; n != nil {
		n.Registers = append(n.Registers, NamedRegister{name, r.Typ, r.index, d.Fn, d.pos.Line})
	}
}

// noteVariable adds a variable to the names of the kernel, if they are kept.
func (d *Decoder) noteVariable(name string, s Symbol, bytes int64) {
	if n := d.K.Names; n != nil {
		v := NamedVariable{Name: name, Space: s.Space, Address: s.address, Bytes: uint64(bytes)}
		if s.framed {
			v.Function = d.Fn
		}
		n.Variables = append(n.Variables, v)
	}
}
