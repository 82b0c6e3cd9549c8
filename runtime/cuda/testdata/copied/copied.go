// Package copied copies what must not be copied, and what may be.
package copied

import (
	"github.com/cudagen/cudagen/example"
	"github.com/cudagen/cudagen/runtime/cuda"
)

func call(c *example.SaxpyCall) *example.SaxpyCall {
	mine := *c // want
	return &mine
}

func inner(c *cuda.Call) *cuda.Call {
	mine := *c // want
	return &mine
}

func batch(b *cuda.Batch) *cuda.Batch {
	mine := *b // want
	return &mine
}

func node(n *cuda.Node) *cuda.Node {
	mine := *n // want
	return &mine
}

func stream(s *cuda.Stream) *cuda.Stream {
	mine := *s // want
	return &mine
}

func values(b *cuda.Buffer[float32], k *example.Kernels, cfg cuda.LaunchConfig) (cuda.Buffer[float32], example.Kernels, cuda.LaunchConfig) {
	return *b, *k, cfg
}
