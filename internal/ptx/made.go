package ptx

// made is memory for what a parser makes much of, which it takes in larger pieces. Registers that are named again are made once.
type made struct {
	instrs    []Instr
	mods      []string
	args      []Operand
	registers map[string]Operand // in the scopes as they are
}

// piece is how many instructions are made at a time.
const piece = 64

func (m *made) instruction() *Instr {
	if len(m.instrs) == 0 {
		m.instrs = make([]Instr, piece)
	}
	in := &m.instrs[0]
	m.instrs = m.instrs[1:]
	return in
}

func (m *made) register(name string) Operand {
	if m.registers == nil {
		m.registers = make(map[string]Operand)
	}
	reg := Operand(Reg{name})
	m.registers[name] = reg
	return reg
}

// taken returns what stands in list, which goes on behind it, or nil if that is nothing.
func taken[T any](list *[]T) []T {
	n := len(*list)
	if n == 0 {
		return nil
	}
	result := (*list)[:n:n]
	*list = (*list)[n:]
	if cap(*list) < 8 {
		*list = make([]T, 0, 4*piece)
	}
	return result
}
