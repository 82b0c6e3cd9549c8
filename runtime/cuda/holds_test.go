package cuda_test

import (
	"cmp"
	"fmt"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/callgraph/cha"
	"golang.org/x/tools/go/callgraph/vta"
	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"

	"github.com/cudagen/cudagen/internal/testenv"
)

// heldOtherwise are the functions whose driver calls need no hold.
var heldOtherwise = map[string]string{
	"Device.Do":            "useContext keeps the context",
	"generated.Surrounded": "Surround keeps the context",
	"Device.free":          "it frees what no call uses, and Device.Close waits for it",
	"Device.giveUp":        "the last of all calls",
	"OpenID":               "no context is needed",
	"describe":             "no context is needed",
	"lifetime.freeLate":    "what it retires does nothing on a closed device",
	"newSimulator":         "no context is needed",
	"openDevice":           "nobody else has the device",
	"traceWatcher.Begin":   "the call that it watches holds",
	"traceWatcher.End":     "the call that it watches holds",
	"waiter.takeEvent$1":   "takeEvent waits for it",
}

// ofOtherDevices are functions whose callers may hold another device than that of the parameters with these numbers.
var ofOtherDevices = map[string][]int{
	"copyOn":          {2, 3},
	"Stream.markInto": {0},
}

// TestCallsHoldAnEpoch: on each way from a function that programs, goroutines or other packages call to
// the driver, a function holds an epoch, or a pin, until the driver has returned, so that what the call
// uses is not closed meanwhile. Each hold is needed for that: without it, a way has none.
func TestCallsHoldAnEpoch(t *testing.T) {
	testenv.Need(t, testenv.Go)
	w := loadWays(t)
	for _, e := range w.expose(w.functions...) {
		if w.isBegun(e) {
			t.Errorf("%s calls the driver without a hold: begin it with defer s.hold().release()", w.path(e))
		}
	}
	for name := range heldOtherwise {
		assert.True(t, w.excused[name], "%s need not be in the table", name)
	}

	needed := make(map[token.Position]bool)
	for _, f := range w.functions {
		for _, h := range w.holds[f] {
			for _, end := range h.ends {
				if !isRelease(end) || h.isEarly(end) || !end.Pos().IsValid() {
					continue
				}
				at := w.position(end.Pos())
				needed[at] = needed[at] || w.isNeeded(f, end)
			}
		}
	}
	assert.Greater(t, len(needed), 50)
	for at, is := range needed {
		assert.True(t, is, "%v: nothing needs this hold: its callers hold, or it calls no driver. Remove it", at)
	}
}

// ways are the ways of calls in this package and those below it.
type ways struct {
	fset      *token.FileSet
	functions []*ssa.Function
	callees   map[ssa.CallInstruction][]*ssa.Function // of calls of function values and methods of interfaces
	callers   map[*ssa.Function][]*ssa.Function
	begins    map[*ssa.Function]bool                          // whoever calls them holds nothing
	releases  map[*ssa.Function]map[int][]ssa.CallInstruction // which arguments they release
	holds     map[*ssa.Function][]*hold
	exposed   map[exposure]ssa.CallInstruction // a call of the driver, or towards it
	excused   map[string]bool
	without   ssa.CallInstruction // an end of a hold that is not seen
}

// An exposure is a function with a way to the driver that it does not hold, and the number of the parameter whose
// device that uses, or -1.
type exposure struct {
	f  *ssa.Function
	of int
}

// A hold is an epoch, or a pin, that a function has.
type hold struct {
	from ssa.Instruction // which gets it; nil if the caller does
	of   ssa.Value
	pin  bool
	ends []ssa.CallInstruction
}

func loadWays(t *testing.T) *ways {
	loaded, err := packages.Load(&packages.Config{Mode: packages.LoadSyntax}, "./...")
	require.NoError(t, err)
	for _, p := range loaded {
		require.Empty(t, p.Errors, p.PkgPath)
	}
	program, _ := ssautil.Packages(loaded, ssa.InstantiateGenerics)
	program.Build()
	all := ssautil.AllFunctions(program)
	for _, p := range loaded {
		for _, object := range p.TypesInfo.Defs {
			if f, ok := object.(*types.Func); ok {
				addAll(all, program.FuncValue(f)) // generic functions, too
			}
		}
	}
	w := &ways{
		fset:     program.Fset,
		callees:  make(map[ssa.CallInstruction][]*ssa.Function),
		callers:  make(map[*ssa.Function][]*ssa.Function),
		begins:   make(map[*ssa.Function]bool),
		releases: make(map[*ssa.Function]map[int][]ssa.CallInstruction),
		holds:    make(map[*ssa.Function][]*hold),
		exposed:  make(map[exposure]ssa.CallInstruction),
		excused:  make(map[string]bool),
	}
	for _, node := range vta.CallGraph(all, cha.CallGraph(program)).Nodes {
		for _, edge := range node.Out {
			w.callees[edge.Site] = append(w.callees[edge.Site], edge.Callee.Func)
		}
	}
	for f := range all {
		if len(f.Blocks) > 0 {
			w.functions = append(w.functions, f)
		}
	}
	slices.SortFunc(w.functions, func(a, b *ssa.Function) int {
		return cmp.Or(cmp.Compare(a.Pos(), b.Pos()), cmp.Compare(a.String(), b.String()))
	})
	for _, f := range w.functions {
		if o := f.Object(); o != nil && o.Exported() && o.Pkg().Name() == "cuda" && (f.Synthetic == "" || f.Origin() != nil) {
			w.begins[f] = true
		}
		w.readCalls(f)
	}
	for w.readReleases() {
	}
	for _, f := range w.functions {
		w.holds[f] = w.holdsOf(f)
	}
	return w
}

// addAll adds f, and what it names, to all.
func addAll(all map[*ssa.Function]bool, f *ssa.Function) {
	if f == nil || all[f] {
		return
	}
	all[f] = true
	for _, block := range f.Blocks {
		for _, instruction := range block.Instrs {
			for _, operand := range instruction.Operands(nil) {
				if named, ok := (*operand).(*ssa.Function); ok {
					addAll(all, named)
				}
			}
		}
	}
}

// readCalls notes whom f calls, and whom what f calls calls later.
func (w *ways) readCalls(f *ssa.Function) {
	for _, site := range callsIn(f) {
		for _, callee := range w.targets(site) {
			w.callers[callee] = append(w.callers[callee], f)
		}
		if _, ok := site.(*ssa.Go); ok {
			w.beginAll(w.targets(site))
		}
		if isDriver(site) && site.Common().IsInvoke() || isLater(site.Common().StaticCallee()) {
			w.beginAll(functionsIn(site))
		}
	}
}

func (w *ways) beginAll(functions []*ssa.Function) {
	for _, f := range functions {
		w.begins[f] = true
	}
}

// callsIn returns the calls in f.
func callsIn(f *ssa.Function) (calls []ssa.CallInstruction) {
	for _, block := range f.Blocks {
		for _, instruction := range block.Instrs {
			if call, ok := instruction.(ssa.CallInstruction); ok {
				calls = append(calls, call)
			}
		}
	}
	return calls
}

// targets returns what site calls. Functions without a body, of other packages, call the functions that they get.
func (w *ways) targets(site ssa.CallInstruction) []*ssa.Function {
	switch f := site.Common().StaticCallee(); {
	case f == nil:
		return w.callees[site]
	case len(f.Blocks) > 0:
		return []*ssa.Function{f}
	case isLater(f):
		return nil
	}
	return functionsIn(site)
}

// functionsIn returns the functions among the arguments of site.
func functionsIn(site ssa.CallInstruction) (functions []*ssa.Function) {
	for _, v := range site.Common().Args {
		if converted, ok := v.(*ssa.ChangeType); ok {
			v = converted.X
		}
		switch v := v.(type) {
		case *ssa.MakeClosure:
			functions = append(functions, v.Fn.(*ssa.Function))
		case *ssa.Function:
			functions = append(functions, v)
		}
	}
	return functions
}

// isLater reports whether f calls its argument after it has returned.
func isLater(f *ssa.Function) bool {
	if f == nil {
		return false
	}
	if f.Origin() != nil {
		f = f.Origin()
	}
	return slices.Contains([]string{"runtime.AddCleanup", "time.AfterFunc", "context.AfterFunc"}, f.String())
}

// guarded are functions that need a hold, besides the driver's methods.
var guarded = []string{
	"libcuda.Launch", "libcuda.LaunchBatch", "libcuda.LaunchGraph", "libcuda.SetKernelNode", "libcuda.AddKernelNode", "libcuda.NameStream",
	"cuda.Device).retire", "cuda.Device).retireLocked", // Device.Close waits for what was retired before
	"cuda.goCopy).run",     // of a variable, whose library is to stay
	"cuda.memoryList).add", // Device.Close frees what is in the list
	"atomic.Uint64).Or",    // the bit of a stream, which another one gets
}

// isDriver reports whether site calls the driver.
func isDriver(site ssa.CallInstruction) bool {
	common := site.Common()
	if common.IsInvoke() {
		return !slices.Contains([]string{"KeepHostFunc", "DropHostFunc"}, common.Method.Name()) && types.TypeString(common.Value.Type(), (*types.Package).Name) == "driver.Driver"
	}
	f := common.StaticCallee()
	if site.Parent().Name() == "copyGo" && f != nil && f.Name() == "run" {
		return false // what it copies has an owner, whose use run ends
	}
	return f != nil && slices.Contains(guarded, f.RelString(nil)[strings.LastIndex(f.RelString(nil), "/")+1:])
}

// readReleases notes functions that release an epoch of an argument. It reports whether there were more.
func (w *ways) readReleases() (more bool) {
	for _, f := range w.functions {
		for _, site := range callsIn(f) {
			for _, v := range w.released(site) {
				if phi, ok := v.(*ssa.Phi); ok {
					v = held(phi)
				}
				if field, ok := v.(*ssa.UnOp); ok && isEpoch(v.Type()) { // the epoch of a struct
					if address, ok := field.X.(*ssa.FieldAddr); ok {
						v = address.X
					}
				}
				i := slices.IndexFunc(f.Params, func(p *ssa.Parameter) bool { return p == v })
				if i < 0 || slices.Contains(w.releases[f][i], site) {
					continue
				}
				if w.releases[f] == nil {
					w.releases[f] = make(map[int][]ssa.CallInstruction)
				}
				w.releases[f][i], more = append(w.releases[f][i], site), true
			}
		}
	}
	return more
}

// isRelease reports whether site is written as the end of a hold, and is not a function that gets the epoch.
func isRelease(site ssa.CallInstruction) bool {
	f := site.Common().StaticCallee()
	return f == nil || f.Name() == "release"
}

// isEarly reports whether end ends h on some ways before a call that blocks, which a pin holds.
func (h *hold) isEarly(end ssa.CallInstruction) bool {
	return slices.ContainsFunc(h.ends, func(other ssa.CallInstruction) bool {
		if other == end || !isRelease(other) || len(other.Common().Args) == 0 {
			return false
		}
		_, ok := other.Common().Args[0].(*ssa.Phi)
		return ok
	})
}

// released returns the values whose epoch site releases, or whose pin.
func (w *ways) released(site ssa.CallInstruction) (values []ssa.Value) {
	if _, ok := site.(*ssa.Go); ok {
		return nil
	}
	common := site.Common()
	f := common.StaticCallee()
	switch {
	case f != nil && f.Name() == "release" && isEpoch(common.Args[0].Type()):
		return common.Args[:1]
	case f == nil && len(w.callees[site]) == 1 && w.callees[site][0].Name() == "release$bound":
		return []ssa.Value{common.Value}
	}
	for i, v := range common.Args {
		if slices.ContainsFunc(w.releases[f][i], func(site ssa.CallInstruction) bool { return site != w.without }) {
			values = append(values, v)
		}
	}
	return values
}

func isEpoch(t types.Type) bool {
	return types.TypeString(t, (*types.Package).Name) == "*cuda.epoch"
}

// root returns what v was read from: a parameter, if it is one, or a field of one.
func root(v ssa.Value) ssa.Value {
	for {
		switch x := v.(type) {
		case *ssa.UnOp:
			v = x.X
		case *ssa.FieldAddr:
			v = x.X
		case *ssa.ChangeType:
			v = x.X
		case *ssa.Field:
			v = x.X
		case *ssa.Extract:
			v = x.Tuple
		case *ssa.Phi:
			if !isEpoch(x.Type()) {
				return v
			}
			v = held(x)
		case *ssa.Call:
			if len(x.Call.Args) == 0 {
				return v
			}
			v = x.Call.Args[0]
		case *ssa.Alloc: // of a parameter that a closure uses
			stored := storedIn(x)
			if stored == nil {
				return v
			}
			v = stored
		default:
			return v
		}
	}
}

func storedIn(a *ssa.Alloc) ssa.Value {
	for _, use := range *a.Referrers() {
		if store, ok := use.(*ssa.Store); ok && store.Addr == a {
			if p, ok := store.Val.(*ssa.Parameter); ok {
				return p
			}
		}
	}
	return nil
}

// held returns the epoch of a variable that is nil on some ways.
func held(phi *ssa.Phi) ssa.Value {
	for _, v := range phi.Edges {
		if _, ok := v.(*ssa.Const); !ok {
			return v
		}
	}
	return phi.Edges[0]
}

// holdsOf returns the holds of f.
func (w *ways) holdsOf(f *ssa.Function) (all []*hold) {
	byValue := make(map[ssa.Value]*hold)
	calls := callsIn(f)
	for _, site := range calls {
		for _, v := range w.released(site) {
			if phi, ok := v.(*ssa.Phi); ok {
				v = held(phi)
			}
			h := byValue[v]
			if h == nil {
				h = &hold{of: v}
				h.from, _ = v.(ssa.Instruction)
				byValue[v] = h
				all = append(all, h)
			}
			h.ends = append(h.ends, site)
		}
	}
	return append(all, pinsOf(calls)...)
}

// pinsOf returns the pins among calls. Where a function only ends one, its caller has begun it.
func pinsOf(calls []ssa.CallInstruction) (all []*hold) {
	var begun []ssa.CallInstruction
	for _, site := range calls {
		f := site.Common().StaticCallee()
		switch {
		case f == nil:
		case slices.Contains([]string{"pin", "pinWork"}, f.Name()):
			begun = append(begun, site)
		case f.Name() == "unpin":
			of := site.Common().Args[0]
			h := &hold{of: of, pin: true, ends: []ssa.CallInstruction{site}}
			for _, pin := range begun {
				if root(pin.Common().Args[0]) == root(of) {
					h.from = pin
				}
			}
			all = append(all, h)
		}
	}
	return all
}

// expose notes which of the functions, and of those that call them, have ways to the driver that they do not hold.
// It returns what it has noted.
func (w *ways) expose(functions ...*ssa.Function) (noted []exposure) {
	for len(functions) > 0 {
		f := functions[0]
		functions = functions[1:]
		for of, site := range w.unheld(f) {
			e := exposure{f, of}
			if w.exposed[e] != nil {
				continue
			}
			if name := w.name(f); heldOtherwise[name] != "" {
				w.excused[name] = true
				continue
			}
			w.exposed[e], noted = site, append(noted, e)
			functions = append(functions, w.callers[f]...)
		}
	}
	return noted
}

// unheld returns calls in f towards the driver during which f holds nothing, by the parameter whose device it is.
func (w *ways) unheld(f *ssa.Function) map[int]ssa.CallInstruction {
	found := make(map[int]ssa.CallInstruction)
	for _, site := range callsIn(f) {
		for _, owner := range w.ownersOf(site) {
			if slices.ContainsFunc(w.holds[f], func(h *hold) bool { return h.mayBeOf(owner) && w.covers(h, site) }) {
				continue
			}
			if owner == nil && len(f.Params) > 0 { // a method of a device uses that
				owner = ownerOf(f.Params[0])
			}
			found[slices.IndexFunc(f.Params, func(p *ssa.Parameter) bool { return p == owner })] = site
		}
	}
	return found
}

// ownersOf returns of which parameters the devices are that site uses if it leads to the driver; nil if that is unknown.
func (w *ways) ownersOf(site ssa.CallInstruction) (owners []*ssa.Parameter) {
	if _, ok := site.(*ssa.Go); ok {
		return nil
	}
	common := site.Common()
	if isDriver(site) {
		owners = append(owners, ownerOf(common.Value))
		return owners
	}
	for _, callee := range w.targets(site) {
		for i := range len(callee.Params) + 1 {
			if w.exposed[exposure{callee, i - 1}] == nil {
				continue
			}
			var owner *ssa.Parameter
			if i > 0 && callee == common.StaticCallee() {
				owner = ownerOf(common.Args[i-1])
			}
			owners = append(owners, owner)
		}
	}
	return owners
}

// ownerOf returns the parameter that v is or was read from, if that tells the device.
func ownerOf(v ssa.Value) *ssa.Parameter {
	p, ok := root(v).(*ssa.Parameter)
	if !ok {
		return nil
	}
	if !isSlice(p.Type()) && !slices.Contains([]string{"*cuda.Device", "*cuda.Event", "*cuda.Stream", "*cuda.lifetime"}, types.TypeString(p.Type(), (*types.Package).Name)) {
		return nil
	}
	return p
}

func isSlice(t types.Type) bool {
	return strings.HasPrefix(types.TypeString(t, (*types.Package).Name), "cuda.Slice[")
}

// mayBeOf reports whether h may be of the device of owner.
func (h *hold) mayBeOf(owner *ssa.Parameter) bool {
	mine := ownerOf(h.of)
	return owner == nil || mine == nil || mine == owner
}

// covers reports whether h begins before site and ends after it, on all ways.
func (w *ways) covers(h *hold, site ssa.CallInstruction) bool {
	if h.from != nil && !dominates(h.from, site) {
		return false
	}
	ends := make(map[ssa.Instruction]bool)
	for _, end := range h.ends {
		if end == w.without || !h.pin && len(w.released(end)) == 0 {
			continue
		}
		if _, ok := end.(*ssa.Defer); ok && dominates(end, site) {
			return true
		}
		ends[end] = true
	}
	_, late := site.(*ssa.Defer)
	return !late && !returnsWithout(ends, site)
}

func dominates(a, b ssa.Instruction) bool {
	if a.Block() != b.Block() {
		return a.Block().Dominates(b.Block())
	}
	return slices.Index(a.Block().Instrs, a) < slices.Index(b.Block().Instrs, b)
}

// returnsWithout reports whether a way from site to a return passes none of ends.
func returnsWithout(ends map[ssa.Instruction]bool, site ssa.Instruction) bool {
	seen := make(map[*ssa.BasicBlock]bool)
	var returns func(*ssa.BasicBlock, int) bool
	returns = func(block *ssa.BasicBlock, from int) bool {
		for _, instruction := range block.Instrs[from:] {
			if _, ok := instruction.(*ssa.Return); ok {
				return true
			}
			if ends[instruction] {
				return false
			}
		}
		return slices.ContainsFunc(block.Succs, func(next *ssa.BasicBlock) bool {
			if seen[next] {
				return false
			}
			seen[next] = true
			return returns(next, 0)
		})
	}
	return returns(site.Block(), slices.Index(site.Block().Instrs, site)+1)
}

// isNeeded reports whether a way from a function that begins one has no hold without end, which is in f.
func (w *ways) isNeeded(f *ssa.Function, end ssa.CallInstruction) bool {
	w.without = end
	noted := w.expose(append([]*ssa.Function{f}, w.callers[f]...)...)
	w.without = nil
	for _, e := range noted {
		delete(w.exposed, e)
	}
	return slices.ContainsFunc(noted, w.isBegun)
}

// isBegun reports whether nobody holds the device of e when its function is called.
func (w *ways) isBegun(e exposure) bool {
	return w.begins[e.f] || slices.Contains(ofOtherDevices[w.name(e.f)], e.of)
}

// path says how e comes to the driver.
func (w *ways) path(e exposure) string {
	var steps []string
	for seen := make(map[exposure]bool); w.exposed[e] != nil && !seen[e]; {
		seen[e] = true
		site := w.exposed[e]
		steps = append(steps, fmt.Sprintf("%v %s", w.position(site.Pos()), w.name(e.f)))
		for _, callee := range w.targets(site) {
			for i := range len(callee.Params) + 1 {
				if next := (exposure{callee, i - 1}); w.exposed[next] != nil && !seen[next] {
					e = next
				}
			}
		}
	}
	return strings.Join(steps, " → ")
}

func (w *ways) position(at token.Pos) token.Position {
	p := w.fset.Position(at)
	p.Filename = filepath.Base(p.Filename)
	return p
}

// name returns the name of f as Go source has it: of a closure, that of the function around it and a number.
func (w *ways) name(f *ssa.Function) string {
	name := f.Name()
	if f.Parent() != nil {
		name = w.name(f.Parent()) + name[len(f.Parent().Name()):]
	} else if r := f.Signature.Recv(); r != nil {
		t := r.Type()
		if p, ok := t.(*types.Pointer); ok {
			t = p.Elem()
		}
		if named, ok := t.(*types.Named); ok {
			name = named.Obj().Name() + "." + name
		}
	}
	return name
}
