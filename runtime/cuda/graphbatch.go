package cuda

// Graph returns a graph that launches the calls of b one after the other: a launch of its exec
// costs less than that of one call. Its nodes, in the order of the calls, are CallNodes of them:
// after Set, GraphExec.Update tells an exec.
func (b *Batch) Graph() (*Graph, error) {
	if b == nil || len(b.calls) == 0 {
		return nil, &Error{Op: "make a graph of a batch", Detail: "it has no calls", Err: ErrInvalidValue}
	}
	var last *CallNode
	for _, c := range b.calls {
		n := NewCallNode(c)
		if last != nil {
			n.After(last)
		}
		last = n
	}
	return DefineGraph(last)
}
