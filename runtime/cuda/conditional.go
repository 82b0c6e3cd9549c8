package cuda

// A ConditionalHandle is an argument of kernels that decide over a conditional node of a
// graph: a cudaGraphConditionalHandle. Only a graph gives it a value; a launch outside of
// the graph is an error.
type ConditionalHandle struct{ life *lifetime }

// noGraph is the lifetime of handles that belong to no graph.
var noGraph = lifetime{graphOnly: true, what: "handle"}

// Owner returns the graph of h. Generated code calls it.
func (h ConditionalHandle) Owner() Owner {
	if h.life == nil {
		return Owner{&noGraph}
	}
	return Owner{h.life}
}

// Param returns the placeholder of h in a parameter block: the graph replaces it by its own handle.
// Generated code calls it.
func (h ConditionalHandle) Param() uint64 { return 0 }

// Argument returns h as an argument of a prepared call. Generated code calls it.
func (h ConditionalHandle) Argument(align uint64) argument {
	return argument{owner: h.Owner().lifetime, align: align}
}
