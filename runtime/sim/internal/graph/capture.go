package graph

import (
	"slices"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// A Capture makes nodes of what is queued on its streams.
type Capture[K any] struct {
	ID      uint64
	Graph   *Graph[K]
	Origin  driver.Stream
	Invalid bool
	Over    bool
}

// A Captured is a stream that captures.
type Captured[K any] struct {
	*Capture[K]
	Last []*Node[K] // that what is captured next comes after
}

// BreakUp makes c useless and returns why.
func (c *Capture[K]) BreakUp(why driver.Result) driver.Result {
	if c.Invalid {
		return driver.ErrorStreamCaptureInvalidated
	}
	c.Invalid = true
	return why
}

// Joined reports whether the stream of c waits for n. As driver 580, it does not look at nodes
// that StreamUpdateCaptureDependencies put behind a stream.
func (c *Captured[K]) Joined(n *Node[K]) bool {
	return !n.Captured || slices.Contains(c.Last, n) || slices.ContainsFunc(c.Graph.Nodes, func(m *Node[K]) bool { return slices.Contains(m.After, n) })
}

// Join makes what is captured next on the stream come after nodes, too.
func (c *Captured[K]) Join(nodes []*Node[K]) {
	for _, n := range nodes {
		if !slices.Contains(c.Last, n) {
			c.Last = append(slices.Clip(c.Last), n)
		}
	}
}
