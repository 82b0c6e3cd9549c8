package cuda

import (
	"errors"
	"time"

	"github.com/cudagen/cudagen/runtime/cuda/internal/dot"
)

// TimedDOT is DOT with the time that each node takes, on the device. It measures by doing the work
// once more: a graph of the nodes as they are now, one after the other on s with an event between
// any two. So work that overlaps in e is apart there, a time has that of recording an event in it,
// and copies and caches are as the nodes before left them. It waits for the end. Nodes that are
// disabled, and those inside of other nodes, have no time of their own.
func (e *GraphExec) TimedDOT(s *Stream) (string, error) {
	const op = "time the nodes of a graph"
	if e == nil || s == nil {
		return "", e.notLaunchable(op, s)
	}
	e.mu.Lock()
	if e.handle == 0 {
		e.mu.Unlock()
		return "", e.notLaunchable(op, s)
	}
	g, off := e.graph, e.disabled()
	e.mu.Unlock()
	if s.dev != e.dev {
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
