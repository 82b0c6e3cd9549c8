package cuda

import (
	"encoding/binary"
	"errors"
	"fmt"
	"reflect"
	"time"

	"github.com/cudagen/cudagen/runtime/cuda/internal/dot"
)

// DOT returns a picture of g in the language of Graphviz: its nodes with their names,
// configurations and arguments, and what comes after what. Graphs inside of nodes have a frame.
func (g *Graph) DOT() string { return dot.Text(g.picture(nil, nil)) }

// DOT returns a picture of e's definition, as Graph.DOT does, with dashed frames around nodes
// that are disabled.
func (e *GraphExec) DOT() string {
	if e == nil {
		return dot.Text(nil)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return dot.Text(e.graph.picture(e.disabled(), nil))
}

// disabled returns which nodes are disabled.
func (e *GraphExec) disabled() map[*Node]bool {
	off := make(map[*Node]bool)
	for i := range e.nodes {
		off[e.nodes[i].n] = e.nodes[i].off
	}
	return off
}

// picture returns g as package dot takes it, with the nodes that are off, and the times of some.
func (g *Graph) picture(off map[*Node]bool, times map[*Node]time.Duration) (p dot.Graph) {
	if g == nil {
		return nil
	}
	endless := g.isEndless()
	for i, n := range g.nodes {
		label := dotLabel(n)
		if took, timed := times[n]; timed {
			label += fmt.Sprintf("\n%v", took)
		}
		var inside []dot.Graph
		for _, part := range n.Graphs() {
			if endless {
				label += "\na graph that is inside of itself, or holds one that is"
				continue
			}
			inside = append(inside, part.picture(off, times))
		}
		p = append(p, dot.Node{Label: label, Dashed: off[n], After: g.after(i), Inside: inside})
	}
	return p
}

// dotLabel is what n does, with the arguments that a kernel gets.
func dotLabel(n *Node) string {
	label := n.String()
	call, ok := n.work.(*callWork)
	if !ok {
		return label
	}
	c := call.prepared()
	if c == nil {
		return label + "\nno arguments yet"
	}
	label += fmt.Sprintf("\n%d bytes of parameters", c.target.ParamBytes)
	for i, value := range argumentsOf(c) {
		label += "\n" + c.kernel.params.all[i].Name + " = " + value
	}
	for _, a := range c.args {
		if a.param == configOwner {
			label += fmt.Sprintf("\n%s: %#x", a.param, a.addr)
		}
	}
	return label
}

// maxValue bounds the text of an argument in a picture, in bytes.
const maxValue = 60

// argumentsOf returns the arguments of c as text. Their types are those of the parameter block; a call
// without one, as a captured launch and one of code before NewCall are, shows bytes.
func argumentsOf(c *Call) []string {
	typed := blockFields(c)
	values := make([]string, 0, len(c.kernel.params.all))
	for _, param := range c.kernel.params.all {
		block := blockOf(c)[param.Offset:][:param.Size]
		text, ok := "", false
		if field, has := typed[param.Offset]; has && !param.Owned && field.Type().Size() == uintptr(param.Size) {
			text, ok = textOf(field)
		}
		switch {
		case ok:
		case param.Owned && param.Size == 8:
			text = fmt.Sprintf("%#x", binary.NativeEndian.Uint64(block))
		case param.Size <= 16:
			text = fmt.Sprintf("bytes % x", block)
		default:
			text = fmt.Sprintf("%d bytes", param.Size)
		}
		values = append(values, text)
	}
	return values
}

// blockFields returns the fields of the parameter block, by offset. Those of a BoundCall's Args behind the
// parameters are not in the copy that a graph has.
func blockFields(c *Call) map[uint32]reflect.Value {
	if c.block == nil {
		return nil
	}
	block := reflect.NewAt(reflect.TypeOf(c.block).Elem(), c.params).Elem()
	fields := make(map[uint32]reflect.Value)
	for i := range block.NumField() {
		if f := block.Type().Field(i); f.Name != "_" && f.Offset+f.Type.Size() <= uintptr(c.target.ParamBytes) {
			fields[uint32(f.Offset)] = block.Field(i)
		}
	}
	return fields
}

// textOf returns the text of a number, or of what consists of few numbers; ok is false for what
// has no short one.
func textOf(v reflect.Value) (text string, ok bool) {
	if addr, pointer := addressIn(v); pointer {
		return fmt.Sprintf("%#x", addr), true
	}
	text = fmt.Sprintf("%+v", v)
	return text, len(text) <= maxValue
}

// addressIn returns the address in a Ptr.
func addressIn(v reflect.Value) (addr uint64, pointer bool) {
	own := reflect.TypeFor[Owner]().PkgPath() // a struct of the user's may look alike
	if v.Kind() != reflect.Struct || v.Type().PkgPath() != own || v.NumField() != 1 || v.Type().Field(0).Name != "addr" {
		return 0, false
	}
	return v.Field(0).Uint(), true
}

// TimedDOT is DOT with the time that each node takes, on the device. It measures by doing the work
// once more: a graph of the nodes as they are now, one after the other on s with an event between
// any two. So work that overlaps in e is apart there, a time has that of recording an event in it,
// and copies and caches are as the nodes before left them. It waits for the end. Nodes that are
// disabled, and those inside of other nodes, have no time of their own.
func (e *GraphExec) TimedDOT(s *Stream) (string, error) {
	const op = "time the nodes of a graph"
	if err := e.lock(op); err != nil {
		return "", err
	}
	g, off := e.graph, e.disabled()
	e.mu.Unlock()
	if s == nil || s.dev != e.dev {
		return "", e.notLaunchable(op, s)
	}
	if err := e.dev.mayWait(op); err != nil {
		return "", err
	}
	times, err := g.times(s, off)
	if err != nil {
		return "", err
	}
	return dot.Text(g.picture(off, times)), nil
}

// times runs the nodes of g that are not off, and returns how long each took.
func (g *Graph) times(s *Stream, off map[*Node]bool) (times map[*Node]time.Duration, err error) {
	var events []*Event
	defer func() {
		for _, e := range events {
			err = errors.Join(err, e.Close())
		}
	}()
	serial := new(Graph)
	then := func(n *Node) {
		if last := len(serial.nodes) - 1; last >= 0 {
			serial.append(n, []int{last})
		} else {
			serial.append(n, nil)
		}
	}
	record := func() error {
		e, err := s.dev.NewEvent(EventConfig{Timing: true})
		if err == nil {
			events = append(events, e)
			then(e.RecordNode())
		}
		return err
	}
	if err := record(); err != nil {
		return nil, err
	}
	var timed []*Node
	for _, n := range g.nodes {
		if off[n] {
			continue
		}
		then(n)
		timed = append(timed, n)
		if err := record(); err != nil {
			return nil, err
		}
	}
	exec, err := serial.InstantiateOn(s.dev)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, exec.Close()) }()
	if err := errors.Join(exec.Upload(s), exec.Launch(s), s.Synchronize()); err != nil {
		return nil, err
	}
	times = make(map[*Node]time.Duration)
	for i, n := range timed {
		if times[n], err = events[i].Elapsed(events[i+1]); err != nil {
			return nil, err
		}
	}
	return times, nil
}
