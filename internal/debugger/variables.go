package debugger

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/google/go-dap"

	"github.com/cudagen/cudagen/internal/debugexpr"
	"github.com/cudagen/cudagen/internal/ptxdebug"
)

// scopes returns the groups of variables of a frame.
func (s *session) scopes(id int) ([]dap.Scope, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := s.handle(id)
	if h == nil || h.frame == nil {
		return nil, errRunning
	}
	f := h.frame
	var list []dap.Scope
	add := func(name, hint string, expensive bool, variables func(start, count int) ([]dap.Variable, error)) {
		list = append(list, dap.Scope{Name: name, PresentationHint: hint, Expensive: expensive, VariablesReference: s.keep(handle{frame: f, list: variables})})
	}
	if f.described() != nil {
		add("Locals", "locals", false, func(int, int) ([]dap.Variable, error) {
			return s.named(f, localNames(f.locals()), func(name string) (debugexpr.Value, error) { return s.lookup(f, name) }), nil
		})
	}
	var params []string
	for n := range f.kernel.Params {
		name, _ := f.image.paramOf(f.kernel, n)
		params = append(params, name)
	}
	add("Parameters of the kernel", "arguments", false, func(int, int) ([]dap.Variable, error) {
		return s.named(f, params, func(name string) (debugexpr.Value, error) {
			v, _ := s.parameter(f, name)
			return v, nil
		}), nil
	})
	add("Shared memory", "", false, func(int, int) ([]dap.Variable, error) {
		return s.named(f, sharedNames(f), func(name string) (debugexpr.Value, error) { return s.lookup(f, name) }), nil
	})
	add("Thread", "", false, func(int, int) ([]dap.Variable, error) {
		return s.named(f, builtins, func(name string) (debugexpr.Value, error) {
			v, _ := s.builtin(f, name)
			return v, nil
		}), nil
	})
	add("Registers", "registers", true, func(int, int) ([]dap.Variable, error) { return s.registers(f), nil })
	return list, nil
}

func localNames(list []*ptxdebug.Variable) (names []string) {
	for _, v := range list {
		names = append(names, v.Name)
	}
	return names
}

// sharedNames returns the names of the arrays in shared memory: those of the source, if they are known and stand for these arrays.
func sharedNames(f *frame) (names []string) {
	for _, v := range f.kernel.Variables {
		if v.Space == "shared" {
			name := v.Name
			if named, _ := f.shared(v.Source); v.Source != "" && named == v {
				name = v.Source
			}
			names = append(names, name)
		}
	}
	return names
}

// named shows values by their names. One that has none shows why. s.mu is held.
func (s *session) named(f *frame, names []string, value func(name string) (debugexpr.Value, error)) []dap.Variable {
	list := []dap.Variable{}
	for _, name := range names {
		v, err := value(name)
		if err != nil {
			list = append(list, dap.Variable{Name: name, Value: "<" + err.Error() + ">"})
			continue
		}
		list = append(list, s.shown(f, name, name, v))
	}
	return list
}

// shown is a value as the client sees it, which an expression names. s.mu is held.
func (s *session) shown(f *frame, name, expr string, v debugexpr.Value) dap.Variable {
	c := s.contextOf(f)
	d := dap.Variable{Name: name, Value: c.Format(v), Type: v.Type.String(), EvaluateName: expr}
	if n := debugexpr.Parts(v); n > 0 {
		d.VariablesReference = s.parts(f, expr, v)
		if v.Type.Bare().Kind == ptxdebug.Array {
			d.IndexedVariables = int(n)
		} else {
			d.NamedVariables = int(n)
		}
	}
	return d
}

// parts returns a reference for the parts of a value that an expression names. s.mu is held.
func (s *session) parts(f *frame, expr string, v debugexpr.Value) int {
	child := func(name string) string {
		switch {
		case name == "": // what is in an unnamed member has the name that it has in the class
			return expr
		case name == "*":
			return "*(" + expr + ")"
		case strings.HasPrefix(name, "["):
			return expr + name
		}
		return expr + "." + name
	}
	return s.keep(handle{frame: f, name: child, list: func(start, count int) ([]dap.Variable, error) {
		n := int(debugexpr.Parts(v))
		end := n
		if count > 0 {
			end = min(n, start+count)
		}
		list := []dap.Variable{}
		c := s.contextOf(f)
		if whole, err := c.Fetch(v); err == nil && v.Type.Bare().Kind == ptxdebug.Array && v.Type.Bare().Size <= maxFetched {
			v = whole // at once
		}
		for i := max(start, 0); i < min(end, start+maxParts); i++ {
			name, p, err := c.Part(v, int64(i))
			if err != nil {
				list = append(list, dap.Variable{Name: name, Value: "<" + err.Error() + ">"})
				continue
			}
			list = append(list, s.shown(f, cmp.Or(name, "(unnamed)"), child(name), p))
		}
		return list, nil
	}})
}

// How many bytes of an array are read at once, and how many parts are shown at once, at most.
const (
	maxFetched = 1 << 16
	maxParts   = 4096
)

// registers shows the registers of a frame's function. s.mu is held.
func (s *session) registers(f *frame) []dap.Variable {
	list := []dap.Variable{}
	for _, r := range f.kernel.Registers {
		if r.Function != f.Function {
			continue
		}
		bits, err := s.registerBits(f, r)
		d := dap.Variable{Name: r.Name, Type: "." + r.Type, EvaluateName: r.Name}
		switch {
		case err != nil:
			d.Value = "<" + err.Error() + ">"
		case r.Type != "pred" && bits == s.undefined:
			d.Value = "<nothing was written to it>"
		default:
			v := debugexpr.Word(registerType(r.Type), bits)
			d.Value = s.contextOf(f).Format(v)
			if r.Type != "pred" {
				d.Value += fmt.Sprintf(" (%#x)", v.Bits())
			}
		}
		list = append(list, d)
	}
	return list
}

func (s *session) variables(a *dap.VariablesArguments) ([]dap.Variable, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := s.handle(a.VariablesReference)
	if h == nil || h.list == nil {
		return nil, errRunning
	}
	return h.list(a.Start, a.Count)
}

// evaluate evaluates an expression, or runs a command of the debug console: who EXPRESSION.
func (s *session) evaluate(r *dap.EvaluateRequest) {
	a := &r.Arguments
	s.mu.Lock()
	defer s.mu.Unlock()
	response := &dap.EvaluateResponse{}
	f, err := s.frameOf(a.FrameId)
	if err != nil {
		s.answer(&r.Request, nil, err)
		return
	}
	if expr, is := strings.CutPrefix(strings.TrimSpace(a.Expression), "who "); is && a.Context == "repl" {
		if err := s.who(f, expr, func(text string, err error) {
			response.Body.Result = text
			s.answer(&r.Request, response, err)
		}); err != nil {
			s.answer(&r.Request, nil, err)
		}
		return
	}
	v, err := s.eval(f, a.Expression)
	if err == nil {
		d := s.shown(f, "", a.Expression, v)
		response.Body = dap.EvaluateResponseBody{Result: d.Value, Type: d.Type, VariablesReference: d.VariablesReference, NamedVariables: d.NamedVariables, IndexedVariables: d.IndexedVariables}
	}
	s.answer(&r.Request, response, err)
}

// frameOf returns the frame of an id, or the innermost one of what has stopped. s.mu is held.
func (s *session) frameOf(id int) (*frame, error) {
	if s.stop == nil || s.replay != nil {
		return nil, errRunning
	}
	if id == 0 {
		return s.topFrame(s.stop.focus)
	}
	if h := s.handle(id); h != nil && h.frame != nil {
		return h.frame, nil
	}
	return nil, errRunning
}
