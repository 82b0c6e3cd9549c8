package witness

import (
	"cmp"
	"debug/dwarf"
	"errors"
	"fmt"

	"github.com/cudagen/cudagen/internal/diag"
	"github.com/cudagen/cudagen/internal/ptxdebug"
)

// ErrNoDebug says that a PTX text has no debug information about types.
var ErrNoDebug = errors.New("there is no debug information in the PTX: compile it with -G (nvcc, NVRTC) or -g (clang)")

// ReadDebug reads the debug information in a PTX text. name is for messages.
//
// The error is ErrNoDebug, wrapped, when there is none.
//
// DWARF Debugging Information Format, versions 2 to 5; PTX ISA, Debugging Directives.
func ReadDebug(name string, text []byte) (*Debug, error) {
	sections, err := ptxdebug.Sections(name, text, nil)
	if err != nil {
		return nil, err
	}
	if len(sections[".debug_info"]) == 0 {
		return nil, fmt.Errorf("%s: %w", name, ErrNoDebug)
	}
	debug, err := readDWARF(sections)
	if err != nil {
		return nil, fmt.Errorf("%s: debug information: %w", name, err)
	}
	return debug, nil
}

// A node is an entry of the debug information in its tree.
type node struct {
	*dwarf.Entry
	parent   *node
	children []*node
}

// A debugReader makes types of entries, each once.
type debugReader struct {
	nodes map[dwarf.Offset]*node
	types map[dwarf.Offset]*Type
	depth int
}

// maxDepth limits how deep types nest, and entries in each other.
const maxDepth = 500

func readDWARF(sections map[string][]byte) (*Debug, error) {
	data, err := dwarf.New(sections[".debug_abbrev"], nil, nil, sections[".debug_info"], nil, nil, nil, sections[".debug_str"])
	if err != nil {
		return nil, err
	}
	r := &debugReader{nodes: make(map[dwarf.Offset]*node), types: make(map[dwarf.Offset]*Type)}
	functions, variables, err := r.tree(data)
	if err != nil {
		return nil, err
	}
	debug := &Debug{}
	for _, n := range variables {
		v := Variable{Symbol: n.symbol()}
		if v.Type, err = r.typeOf(n); err != nil {
			return nil, fmt.Errorf("variable %s: %w", v.Symbol, err)
		}
		debug.Variables = append(debug.Variables, v)
	}
	for _, n := range functions {
		k, err := r.kernel(n)
		if err != nil {
			return nil, err
		}
		debug.Kernels = append(debug.Kernels, k)
	}
	return debug, nil
}

// tree reads all entries and returns those of functions with code, and of variables that
// are defined outside of functions and classes.
func (r *debugReader) tree(data *dwarf.Data) (functions, variables []*node, err error) {
	entries := data.Reader()
	var open *node
	depth := 0
	for {
		entry, err := entries.Next()
		if err != nil || entry == nil {
			return functions, variables, err
		}
		if entry.Tag == 0 {
			if open != nil {
				open = open.parent
				depth--
			}
			continue
		}
		n := &node{Entry: entry, parent: open}
		r.nodes[entry.Offset] = n
		if open != nil {
			open.children = append(open.children, n)
		}
		switch {
		case n.flag(dwarf.AttrDeclaration):
		case entry.Tag == dwarf.TagSubprogram && n.Val(dwarf.AttrLowpc) != nil:
			functions = append(functions, n)
		case entry.Tag == dwarf.TagVariable && open != nil && (open.Tag == dwarf.TagCompileUnit || open.Tag == dwarf.TagNamespace):
			variables = append(variables, n)
		}
		if entry.Children {
			open = n
			if depth++; depth > maxDepth {
				return nil, nil, diag.CompilerOutput.New("its entries are nested too deep")
			}
		}
	}
}

func (n *node) text(attr dwarf.Attr) string {
	s, _ := n.Val(attr).(string)
	return s
}

func (n *node) flag(attr dwarf.Attr) bool {
	b, _ := n.Val(attr).(bool)
	return b
}

// number returns an integer attribute.
func (n *node) number(attr dwarf.Attr) (int64, bool) {
	value, ok := n.Val(attr).(int64)
	return value, ok
}

// attrMIPSLinkageName is what compilers wrote before DWARF 4 had linkage names.
const attrMIPSLinkageName = dwarf.Attr(0x2007)

// symbol returns the symbol of a function or variable: of one that is not mangled, its name.
func (n *node) symbol() string {
	return cmp.Or(n.text(dwarf.AttrLinkageName), n.text(attrMIPSLinkageName), n.text(dwarf.AttrName))
}

func (r *debugReader) kernel(n *node) (Kernel, error) {
	k := Kernel{Name: n.text(dwarf.AttrName), Symbol: n.symbol()}
	for _, child := range n.children {
		if child.Tag != dwarf.TagFormalParameter {
			continue
		}
		t, err := r.typeOf(child)
		if err != nil {
			return k, fmt.Errorf("parameter %s of %s: %w", child.text(dwarf.AttrName), k.Symbol, err)
		}
		k.Params = append(k.Params, Param{child.text(dwarf.AttrName), t})
	}
	return k, nil
}

// typeOf returns the type that an entry has: void when it has none.
func (r *debugReader) typeOf(n *node) (*Type, error) {
	value := n.Val(dwarf.AttrType)
	if value == nil {
		return &Type{Kind: Void, Name: "void"}, nil
	}
	offset, ok := value.(dwarf.Offset)
	if !ok {
		return nil, diag.CompilerOutput.Errorf("entry %#x has a type of a form that is not understood", n.Offset)
	}
	if t := r.types[offset]; t != nil {
		return t, nil
	}
	target := r.nodes[offset]
	if target == nil {
		return nil, diag.CompilerOutput.Errorf("entry %#x has a type at %#x, where nothing is", n.Offset, offset)
	}
	if r.depth++; r.depth > maxDepth {
		return nil, diag.CompilerOutput.New("its types are nested too deep")
	}
	defer func() { r.depth-- }()
	t := &Type{}
	r.types[offset] = t
	return t, r.fill(t, target)
}
