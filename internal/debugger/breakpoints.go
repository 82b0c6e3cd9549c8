package debugger

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/agnivade/levenshtein"
	"github.com/google/go-dap"

	"github.com/cudagen/cudagen/internal/debugexpr"
	"github.com/cudagen/cudagen/internal/debugwire"
)

// A breakpoint is one of a line, a function or data.
type breakpoint struct {
	id        int
	path      string // of a line
	line      int
	function  string // of a kernel or device function
	watch     *debugwire.Watchpoint
	condition *debugexpr.Expr // or nil
	text      string          // of the condition
	log       string          // what is shown, without stopping

	placed  int    // the line at which code is, or 0 while that is not known
	found   bool   // of a function
	stopped uint64 // the launch in which a kernel's has stopped last
}

// A site is an instruction.
type site struct {
	image  uint64
	kernel string
	pc     int32
}

// told is how the client sees b. s.mu is held.
func (s *session) told(b *breakpoint) dap.Breakpoint {
	t := dap.Breakpoint{Id: b.id, Verified: b.bound(), Line: max(b.line, b.placed)}
	if !t.Verified {
		t.Message = s.unbound(b)
	}
	return t
}

// bound reports whether b is set.
func (b *breakpoint) bound() bool { return b.placed > 0 || b.found || b.watch != nil }

// unbound says why b is not set. s.mu is held.
func (s *session) unbound(b *breakpoint) string {
	switch {
	case strings.HasSuffix(b.path, ".go"):
		return "a Go file has no code of kernels"
	case len(s.images) == 0:
		return "no image has been loaded yet that has code here"
	case b.function != "":
		return fmt.Sprintf("no kernel or function is called %s; there are %s", b.function, some(s.names(b.function)))
	}
	for _, im := range s.images {
		if im.nearest(b.path, 0) > 0 {
			return fmt.Sprintf("the file has no code at or behind line %d", b.line)
		}
	}
	return "no image that was loaded has code of the file"
}

// names returns the names of the kernels and then the functions in the images that are loaded, first those most like wanted. Functions
// of the toolkit, which are in namespaces, are left out. s.mu is held.
func (s *session) names(wanted string) (list []string) {
	isFunction := make(map[string]bool)
	for _, im := range s.images {
		for name, k := range im.kernels {
			list = append(list, plain(name))
			for _, f := range k.Functions {
				if name := plain(f.Name); !strings.HasPrefix(name, "_Z") && !slices.Contains(list, name) {
					list, isFunction[name] = append(list, name), true
				}
			}
		}
	}
	slices.SortFunc(list, func(a, b string) int {
		like := func(name string) int {
			if isFunction[name] {
				return levenshtein.ComputeDistance(wanted, name) + 2*len(wanted)
			}
			return levenshtein.ComputeDistance(wanted, name)
		}
		return cmp.Or(cmp.Compare(like(a), like(b)), cmp.Compare(a, b))
	})
	return slices.Compact(list)
}

// plain returns the name by which a function breakpoint finds a symbol: that of a function outside of classes and namespaces, else the symbol.
func plain(symbol string) string {
	rest, ok := strings.CutPrefix(symbol, "_Z")
	digits := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
	if n, err := strconv.Atoi(rest[:digits]); ok && err == nil && n <= len(rest)-digits {
		return rest[digits:][:n]
	}
	return symbol
}

// some returns the first names of a list.
func some(names []string) string {
	const most = 8
	if len(names) > most {
		return strings.Join(names[:most], ", ") + ", …"
	}
	return strings.Join(names, ", ")
}

// lineName returns how the console names a line.
func lineName(path string, line int) string { return fmt.Sprintf("%s:%d", filepath.Base(path), line) }

// sayUnbound shows which breakpoints were never set. s.mu is held.
func (s *session) sayUnbound() {
	for _, b := range slices.Concat(s.lines, s.functions) {
		if b.bound() {
			continue
		}
		at := b.function
		if b.path != "" {
			at = lineName(b.path, b.line)
		}
		s.say("the breakpoint %s was never set: %s", at, strings.Replace(s.unbound(b), "has been loaded yet", "was loaded", 1))
	}
}

// newBreakpoint returns a breakpoint with a condition, which may be empty. s.mu is held.
func (s *session) newBreakpoint(condition, log string) (*breakpoint, error) {
	s.ids++
	b := &breakpoint{id: s.ids, text: condition, log: log}
	if condition == "" {
		return b, nil
	}
	var err error
	b.condition, err = debugexpr.Parse(condition)
	return b, err
}

// refuseBreakpoint returns the answer to a breakpoint that cannot be set, and shows why.
func (s *session) refuseBreakpoint(b *breakpoint, of string, err error) dap.Breakpoint {
	s.say("the breakpoint %s is not set: %v", of, err)
	return dap.Breakpoint{Id: b.id, Message: err.Error()}
}

func (s *session) setBreakpoints(r *dap.SetBreakpointsRequest) {
	s.mu.Lock()
	defer s.mu.Unlock()
	path := real(r.Arguments.Source.Path)
	s.lines = slices.DeleteFunc(s.lines, func(b *breakpoint) bool { return b.path == path })
	response := &dap.SetBreakpointsResponse{}
	response.Body.Breakpoints = []dap.Breakpoint{}
	for _, wanted := range r.Arguments.Breakpoints {
		b, err := s.newBreakpoint(wanted.Condition, wanted.LogMessage)
		if err != nil {
			response.Body.Breakpoints = append(response.Body.Breakpoints, s.refuseBreakpoint(b, lineName(path, wanted.Line), err))
			continue
		}
		b.path, b.line = path, wanted.Line
		s.lines = append(s.lines, b)
		s.place(b)
		response.Body.Breakpoints = append(response.Body.Breakpoints, s.told(b))
	}
	s.answer(&r.Request, response, s.applyAll())
}

func (s *session) setFunctionBreakpoints(r *dap.SetFunctionBreakpointsRequest) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.functions = nil
	response := &dap.SetFunctionBreakpointsResponse{}
	response.Body.Breakpoints = []dap.Breakpoint{}
	for _, wanted := range r.Arguments.Breakpoints {
		b, err := s.newBreakpoint(wanted.Condition, "")
		if err != nil {
			response.Body.Breakpoints = append(response.Body.Breakpoints, s.refuseBreakpoint(b, wanted.Name, err))
			continue
		}
		b.function = wanted.Name
		s.functions = append(s.functions, b)
		s.place(b)
		response.Body.Breakpoints = append(response.Body.Breakpoints, s.told(b))
	}
	s.answer(&r.Request, response, s.applyAll())
}

// place finds the code of b in the images that are loaded. s.mu is held.
func (s *session) place(b *breakpoint) {
	for _, im := range s.images {
		if b.function != "" {
			for _, k := range im.kernels {
				_, ok := im.ofFunction(k, b.function)
				b.found = b.found || ok
			}
		} else if line := im.nearest(b.path, b.line); line > 0 && (b.placed == 0 || line < b.placed) {
			b.placed = line
		}
	}
}

// applyAll sets the breakpoints of all images. s.mu is held.
func (s *session) applyAll() error {
	clear(s.breaks)
	for _, im := range s.images {
		if err := s.apply(s.target, im); err != nil {
			return err
		}
	}
	return nil
}

// apply sets the breakpoints of an image. s.mu is held.
func (s *session) apply(t *target, im *image) error {
	set := debugwire.Breakpoints{Image: im.Image, Kernels: make(map[string][]int32)}
	for name, k := range im.kernels {
		add := func(b *breakpoint, pc int32) {
			at := site{im.Image, name, pc}
			s.breaks[at] = append(s.breaks[at], b)
			set.Kernels[name] = append(set.Kernels[name], pc)
		}
		for _, b := range s.lines {
			for _, pc := range im.ofLine(k, b.path, b.placed) {
				add(b, pc)
			}
		}
		for _, b := range s.functions {
			if pc, ok := im.ofFunction(k, b.function); ok {
				add(b, pc)
			}
		}
		if s.config.Entry && !s.entered {
			set.Kernels[name] = append(set.Kernels[name], k.Start)
		}
	}
	return t.call(debugwire.CallBreakpoints, set, nil)
}

// hello prepares a program that has opened a simulated device.
func (s *session) hello(t *target, h debugwire.Hello) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.undefined, s.windows = h.Undefined, h.Windows
	if s.replay != nil {
		return s.replay.prepare(t, s.watchpoints())
	}
	return t.call(debugwire.CallWatch, s.watchpoints(), nil)
}

// image compiles an image that a program loads with debug information.
func (s *session) image(im debugwire.Image) (other debugwire.Replacement, err error) {
	if err := notPTX(im.Text); err != nil {
		s.say("%v", err)
		return other, nil
	}
	if s.config.DebugInfo != nil && !*s.config.DebugInfo {
		return other, nil
	}
	hash := hashOf(im.Text)
	o := s.origins[hash]
	if o == nil {
		return other, nil
	}
	s.mu.Lock()
	made, known := s.made[hash]
	s.mu.Unlock()
	if !known {
		s.say("compiling %s with debug information for this session", o.record.Source)
		made.text, made.err = o.compile(s.building)
		s.mu.Lock()
		s.made[hash] = made
		s.mu.Unlock()
	}
	other.Text = made.text
	return other, nil
}

// loaded sets the breakpoints of an image that was loaded.
func (s *session) loaded(t *target, l debugwire.Loaded) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	o, made := s.originOf(l.Text)
	module := ""
	if n := len(s.program.packages); n > 0 {
		module = s.program.packages[n-1].module
	}
	im := newImage(l, o, module)
	s.images[l.Image] = im
	if why := im.why(made.err); why != "" && s.replay == nil {
		s.say("%s", why)
	}
	for _, b := range slices.Concat(s.lines, s.functions) {
		before := s.told(b)
		s.place(b)
		if now := s.told(b); now != before {
			e := &dap.BreakpointEvent{Event: event("breakpoint")}
			e.Body.Reason, e.Body.Breakpoint = "changed", now
			s.send(e)
		}
	}
	return s.apply(t, im)
}

// originOf returns the origin of an image as it was loaded, and what was compiled for it. s.mu is held.
func (s *session) originOf(text []byte) (*origin, compiled) {
	hash := hashOf(text)
	if o := s.origins[hash]; o != nil {
		return o, s.made[hash]
	}
	for hash, made := range s.made {
		if string(made.text) == string(text) {
			return s.origins[hash], made
		}
	}
	return nil, compiled{}
}

// watchpoints returns those of the data breakpoints. s.mu is held.
func (s *session) watchpoints() []debugwire.Watchpoint {
	list := []debugwire.Watchpoint{}
	for _, b := range s.data {
		list = append(list, *b.watch)
	}
	return list
}

// dataBreakpointInfo returns how a data breakpoint is set on what an expression, or the child of a variable, names.
func (s *session) dataBreakpointInfo(a *dap.DataBreakpointInfoArguments) (body dap.DataBreakpointInfoResponseBody, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	name, f := a.Name, (*frame)(nil)
	if h := s.handle(a.VariablesReference); h != nil && h.list != nil {
		f = h.frame
		if h.name != nil {
			name = h.name(a.Name)
		}
	} else if h := s.handle(a.FrameId); h != nil {
		f = h.frame
	} else if s.stop != nil {
		f, err = s.topFrame(s.stop.focus)
	}
	if f == nil || err != nil {
		body.Description = "a data breakpoint is set while a kernel is stopped"
		return body, nil
	}
	w, err := s.watchOf(f, name)
	if err != nil {
		body.Description = err.Error()
		return body, nil
	}
	id, err := json.Marshal(w)
	body.DataId, body.Description = string(id), name
	body.AccessTypes = []dap.DataBreakpointAccessType{"write", "read", "readWrite"}
	if w.IsRegister {
		body.AccessTypes = []dap.DataBreakpointAccessType{"write"}
	}
	return body, err
}

// watchOf returns a watchpoint for what an expression names. s.mu is held.
func (s *session) watchOf(f *frame, expr string) (*debugwire.Watchpoint, error) {
	v, err := s.eval(f, expr)
	if err != nil {
		return nil, err
	}
	w := &debugwire.Watchpoint{Kernel: s.launch.Kernel, Of: f.at, Writes: true}
	if v.Place == nil {
		r, ok := f.register(v.Register)
		if !ok || r.Type == "pred" {
			return nil, fmt.Errorf("%s is a result: name a variable, or an address as in *(int *)0x50000000010", expr)
		}
		w.IsRegister, w.Register = true, r.Index
		return w, nil
	}
	if v.Place.Space == "param" {
		return nil, fmt.Errorf("%s is a parameter of a kernel, which nothing writes", expr)
	}
	var m debugwire.Memory
	if err := s.target.call(debugwire.CallAbsolute, debugwire.Memory{Of: f.at, Space: v.Place.Space, Address: v.Place.Address}, &m); err != nil {
		return nil, err
	}
	w.Space, w.Address, w.Bytes = m.Space, m.Address, uint64(max(v.Type.Bare().Size, 1))
	w.Of.Block = m.Of.Block
	return w, nil
}

func (s *session) setDataBreakpoints(r *dap.SetDataBreakpointsRequest) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.data = nil
	response := &dap.SetDataBreakpointsResponse{}
	response.Body.Breakpoints = []dap.Breakpoint{}
	for _, wanted := range r.Arguments.Breakpoints {
		b, err := s.newBreakpoint(wanted.Condition, "")
		var w debugwire.Watchpoint
		if err == nil {
			err = json.Unmarshal([]byte(wanted.DataId), &w)
		}
		if err != nil {
			response.Body.Breakpoints = append(response.Body.Breakpoints, s.refuseBreakpoint(b, "of data", err))
			continue
		}
		w.ID = b.id
		w.Writes, w.Reads = wanted.AccessType != "read", wanted.AccessType == "read" || wanted.AccessType == "readWrite"
		b.watch = &w
		s.data = append(s.data, b)
		response.Body.Breakpoints = append(response.Body.Breakpoints, s.told(b))
	}
	var err error
	if s.target != nil {
		err = s.target.call(debugwire.CallWatch, s.watchpoints(), nil)
	}
	s.answer(&r.Request, response, err)
}
