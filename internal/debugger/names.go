package debugger

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/cudagen/cudagen/internal/debugexpr"
	"github.com/cudagen/cudagen/internal/debugwire"
	"github.com/cudagen/cudagen/internal/ptxdebug"
	"github.com/cudagen/cudagen/internal/record"
)

// hashOf is what images are known by.
func hashOf(text []byte) string { return record.HashImage(text) }

// contextOf returns where expressions are evaluated that are about f. s.mu is held while they are.
func (s *session) contextOf(f *frame) *debugexpr.Context {
	return &debugexpr.Context{
		Unwritten: s.undefined,
		Windows:   s.windows,
		Lookup:    func(name string) (debugexpr.Value, error) { return s.lookup(f, name) },
		Read: func(p debugexpr.Place, n int64) ([]byte, error) {
			if p.Space == "param" {
				return part(s.launch.Params, p.Address, n)
			}
			var bytes []byte
			err := s.target.call(debugwire.CallRead, debugwire.Memory{Of: f.at, Space: p.Space, Address: p.Address, Bytes: uint64(n)}, &bytes)
			return bytes, err
		},
	}
}

// part returns n bytes of a launch's parameters.
func part(params []byte, from uint64, n int64) ([]byte, error) {
	if from > uint64(len(params)) || uint64(n) > uint64(len(params))-from {
		return nil, fmt.Errorf("%d bytes at offset %d are not in the parameters", n, from)
	}
	return params[from:][:n], nil
}

// eval evaluates an expression about f. s.mu is held.
func (s *session) eval(f *frame, text string) (debugexpr.Value, error) {
	e, err := debugexpr.Parse(text)
	if err != nil {
		return debugexpr.Value{}, err
	}
	return s.contextOf(f).Eval(e)
}

// ptxLine is the line of the PTX at which f stands.
func (f *frame) ptxLine() int {
	if f.PC < 0 || int(f.PC) >= len(f.kernel.Places) {
		return 0
	}
	return f.kernel.Places[f.PC].PTX
}

// described returns the debug information about f's function, or nil.
func (f *frame) described() *ptxdebug.Function {
	if f.image.info == nil {
		return nil
	}
	for _, fn := range f.image.info.Functions {
		if fn.Symbol == f.symbol() {
			return fn
		}
	}
	return nil
}

// locals returns the variables that f sees, of the innermost block first, which hide others of their names.
func (f *frame) locals() (list []*ptxdebug.Variable) {
	fn := f.described()
	if fn == nil {
		return nil
	}
	line := uint64(f.ptxLine())
	var visit func(scope *ptxdebug.Scope)
	visit = func(scope *ptxdebug.Scope) {
		for _, inner := range scope.Inner {
			if line >= inner.Low && line < inner.High {
				visit(inner)
			}
		}
		list = append(list, scope.Variables...)
	}
	visit(&fn.Scope)
	seen := make(map[string]bool)
	return slices.DeleteFunc(list, func(v *ptxdebug.Variable) bool {
		hidden := seen[v.Name]
		seen[v.Name] = true
		return hidden
	})
}

// lookup returns what a name stands for in f: a variable of the source, a parameter, an array in shared memory, what CUDA declares, a variable of
// the module, an enumerator or a register. s.mu is held.
func (s *session) lookup(f *frame, name string) (debugexpr.Value, error) {
	if strings.HasPrefix(name, "%") {
		return s.registerNamed(f, name)
	}
	for _, v := range f.locals() {
		if v.Name == name {
			return s.variable(f, v)
		}
	}
	if v, ok := s.builtin(f, name); ok {
		return v, nil
	}
	if v, ok := s.parameter(f, name); ok {
		return v, nil
	}
	if f.image.info != nil {
		for _, v := range f.image.info.Globals {
			if v.Name == name || v.Symbol == name {
				return s.variable(f, v)
			}
		}
	}
	if v, ok := f.shared(name); ok {
		if f.image.info != nil && f.image.info.Shared[v.Name] != nil {
			return s.variable(f, f.image.info.Shared[v.Name])
		}
		return s.untyped(v), nil
	}
	for _, v := range f.image.Globals {
		if v.Name == name || v.Source == name {
			return s.untyped(v), nil
		}
	}
	if v, ok, err := f.enumerator(name); ok || err != nil {
		return v, err
	}
	if f.image.info == nil {
		return debugexpr.Value{}, fmt.Errorf("%s is not known here: the image has no debug information, only parameters, shared arrays, %%registers, threadIdx, blockIdx, blockDim and gridDim", name)
	}
	return debugexpr.Value{}, fmt.Errorf("%s is not known here: it is no variable of this place, or the compiler keeps none", name)
}

// shared returns an array in shared memory by its name or symbol, in whichever function it is: in that of f, if there are several.
func (f *frame) shared(name string) (found debugwire.Variable, ok bool) {
	fn := f.described()
	for _, v := range f.kernel.Variables {
		if v.Space == "shared" && (v.Name == name || v.Source == name) && (!ok || fn != nil && fn.Declares(f.image.info.Shared[v.Name])) {
			found, ok = v, true
		}
	}
	return found, ok
}

// enumerator returns an enumerator of the source.
func (f *frame) enumerator(name string) (v debugexpr.Value, ok bool, err error) {
	if f.image.info == nil {
		return v, false, nil
	}
	found := f.image.info.Enumerator(name)
	var types []string
	for t, e := range found {
		v, types = debugexpr.Word(t, uint64(e.Value)), append(types, t.String())
	}
	if len(found) > 1 {
		slices.Sort(types)
		return v, false, fmt.Errorf("%s is an enumerator of %s: write its type or namespace, too", name, strings.Join(types, " and of "))
	}
	return v, len(found) == 1, nil
}

// variable returns a variable of the source. s.mu is held.
func (s *session) variable(f *frame, v *ptxdebug.Variable) (value debugexpr.Value, err error) {
	at, err := f.image.info.Location(v, f.ptxLine())
	if err != nil {
		return value, err
	}
	value.Type = v.Type
	if value.Type == nil {
		value.Type = &ptxdebug.Type{Kind: ptxdebug.Void, Name: "void"}
	}
	if at.Register != "" {
		register, err := s.registerNamed(f, at.Register)
		if err != nil {
			return value, fmt.Errorf("%s has no value here: %w", v.Name, err)
		}
		if at.Pointed {
			value.Place = &debugexpr.Place{Space: "generic", Address: register.Bits() + uint64(at.Offset)}
			return value, nil
		}
		size := value.Type.Bare().Size
		if size > int64(len(register.Bytes)) {
			return value, fmt.Errorf("%s has %d bytes, of which the register %s holds %d", v.Name, size, at.Register, len(register.Bytes))
		}
		value.Bytes, value.Register = register.Bytes[:size], at.Register
		return value, nil
	}
	value.Place, err = s.placeOf(f, at)
	if err == nil && value.Type.Bare().Kind == ptxdebug.Array && value.Type.Bare().Len == 0 && at.Space == "shared" {
		value.Type = s.dynamic(value.Type)
	}
	return value, err
}

// dynamic returns the type of an array in dynamic shared memory, as long as the launch has it.
func (s *session) dynamic(t *ptxdebug.Type) *ptxdebug.Type {
	elem := t.Bare().Elem
	size := max(elem.Bare().Size, 1)
	n := int64(s.launch.SharedBytes) / size
	return &ptxdebug.Type{Kind: ptxdebug.Array, Elem: elem, Len: n, Size: n * size}
}

// placeOf returns the memory at a location. s.mu is held.
func (s *session) placeOf(f *frame, at ptxdebug.Location) (*debugexpr.Place, error) {
	switch at.Space {
	case "param":
		for n, name := range f.image.params[f.kernel.Name] {
			if name == at.Symbol && n < len(f.kernel.Params) {
				return &debugexpr.Place{Space: "param", Address: f.kernel.Params[n].Offset + uint64(at.Offset)}, nil
			}
		}
	case "shared", "local":
		for _, v := range f.kernel.Variables {
			if v.Name == at.Symbol && v.Space == at.Space {
				base := uint64(0)
				if v.Function != "" {
					base = f.Base
				}
				return &debugexpr.Place{Space: at.Space, Address: base + v.Address + uint64(at.Offset)}, nil
			}
		}
	case "global", "const":
		for _, v := range f.image.Globals {
			if v.Name == at.Symbol {
				return &debugexpr.Place{Space: at.Space, Address: v.Address + uint64(at.Offset)}, nil
			}
		}
	}
	return nil, fmt.Errorf("the kernel does not use %s, and has no place for it", at.Symbol)
}

// untyped returns a variable of which only its bytes are known, as an array of words as large as divide it. s.mu is held.
func (s *session) untyped(v debugwire.Variable) debugexpr.Value {
	bytes := int64(v.Bytes)
	if v.Space == "shared" && bytes == 0 {
		bytes = int64(s.launch.SharedBytes)
	}
	elem := debugexpr.Named["unsigned char"]
	if bytes%4 == 0 {
		elem = debugexpr.Named["int"]
	}
	return debugexpr.Value{
		Type:  &ptxdebug.Type{Kind: ptxdebug.Array, Elem: elem, Len: bytes / elem.Size, Size: bytes},
		Place: &debugexpr.Place{Space: v.Space, Address: v.Address},
	}
}

// register returns a register of f's function by its name. Of those of blocks in it, which may have one name, it is the one named last before f's place.
func (f *frame) register(name string) (found debugwire.RegisterName, ok bool) {
	line := f.ptxLine()
	for _, r := range f.kernel.Registers {
		if r.Name == name && r.Function == f.Function && (!ok || r.Line <= line) {
			found, ok = r, true
		}
	}
	return found, ok
}

// registerNamed returns the value of a register. s.mu is held.
func (s *session) registerNamed(f *frame, name string) (debugexpr.Value, error) {
	r, ok := f.register(name)
	if !ok {
		return debugexpr.Value{}, fmt.Errorf("%s uses no register %s", f.name(), name)
	}
	bits, err := s.registerBits(f, r)
	if err != nil {
		return debugexpr.Value{}, err
	}
	if bits == s.undefined && r.Type != "pred" {
		return debugexpr.Value{}, fmt.Errorf("nothing was written to %s", name)
	}
	v := debugexpr.Word(registerType(r.Type), bits)
	v.Register = name
	return v, nil
}

// registerBits returns what a register holds. s.mu is held.
func (s *session) registerBits(f *frame, r debugwire.RegisterName) (uint64, error) {
	key := r.Index
	if r.Type == "pred" {
		key = math.MinInt32 + r.Index
	}
	if f.cache == nil {
		f.cache = make(map[int32][]uint64)
	}
	values := f.cache[key]
	if values == nil {
		if err := s.target.call(debugwire.CallRegister, debugwire.Register{Of: f.at, Index: r.Index, Predicate: r.Type == "pred", Frame: f.level}, &values); err != nil {
			return 0, err
		}
		f.cache[key] = values
	}
	if f.at.Lane >= len(values) {
		return 0, fmt.Errorf("there is no lane %d", f.at.Lane)
	}
	return values[f.at.Lane], nil
}

// registerType returns the type in which a register of a type of PTX is shown.
func registerType(ptx string) *ptxdebug.Type {
	name := map[string]string{
		"pred": "bool", "f32": "float", "f64": "double", "b8": "signed char", "s8": "signed char", "u8": "unsigned char", "b16": "short", "s16": "short", "u16": "unsigned short",
		"s32": "int", "b32": "int", "u32": "unsigned int", "u64": "unsigned long long", "s64": "long long", "b64": "long long",
	}[ptx]
	return debugexpr.Named[cmp.Or(name, "unsigned long long")]
}

// dim3 is CUDA's type of indices and sizes.
var dim3 = &ptxdebug.Type{Kind: ptxdebug.Class, Name: "dim3", Size: 12, Fields: []ptxdebug.Field{
	{Name: "x", Type: debugexpr.Named["unsigned int"]},
	{Name: "y", Type: debugexpr.Named["unsigned int"], Offset: 4},
	{Name: "z", Type: debugexpr.Named["unsigned int"], Offset: 8},
}}

// builtins are the names of what CUDA declares, and of PTX's numbers of lane and warp.
var builtins = []string{"threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize", "laneid", "warpid"}

// builtin returns what CUDA declares. s.mu is held.
func (s *session) builtin(f *frame, name string) (v debugexpr.Value, ok bool) {
	var d debugwire.Dim3
	switch name {
	case "threadIdx":
		d = s.threadIdx(f.at)
	case "blockIdx":
		d = f.at.Block
	case "blockDim":
		d = s.launch.Block
	case "gridDim":
		d = s.launch.Grid
	case "warpSize":
		return debugexpr.Word(debugexpr.Named["int"], 32), true
	case "laneid":
		return debugexpr.Uint(uint32(f.at.Lane)), true
	case "warpid":
		return debugexpr.Uint(uint32(f.at.Warp)), true
	default:
		return v, false
	}
	v = debugexpr.Value{Type: dim3}
	for _, n := range []uint32{d.X, d.Y, d.Z} {
		v.Bytes = append(v.Bytes, debugexpr.Uint(n).Bytes...)
	}
	return v, true
}

// parameter returns a parameter of the kernel by its recorded name, as the launch has given it. s.mu is held.
func (s *session) parameter(f *frame, name string) (v debugexpr.Value, ok bool) {
	for n, p := range f.kernel.Params {
		known, spelled := f.image.paramOf(f.kernel, n)
		if known != name {
			continue
		}
		return debugexpr.Value{Type: typeSpelled(spelled, int64(p.Size)), Place: &debugexpr.Place{Space: "param", Address: p.Offset}}, true
	}
	return v, false
}

// typeSpelled returns the type that C++ spells so, if it is an arithmetic type or a pointer to one, else one of a size.
func typeSpelled(text string, size int64) *ptxdebug.Type {
	words := strings.Fields(strings.NewReplacer("*", " * ", "const ", "", "__restrict__", "", "volatile ", "").Replace(text))
	stars := 0
	for len(words) > 0 && words[len(words)-1] == "*" {
		words, stars = words[:len(words)-1], stars+1
	}
	t := debugexpr.Named[strings.Join(words, " ")]
	if t == nil {
		t = &ptxdebug.Type{Name: strings.Join(words, " ")}
	}
	for range stars {
		t = &ptxdebug.Type{Kind: ptxdebug.Pointer, Size: 8, Elem: t}
	}
	if t.Size != size {
		return &ptxdebug.Type{Name: cmp.Or(text, fmt.Sprintf("%d bytes", size)), Size: size}
	}
	return t
}
