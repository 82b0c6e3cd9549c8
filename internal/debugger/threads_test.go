package debugger

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/cudagen/cudagen/internal/debugwire"
)

// The list of threads says how many warps it leaves out.
func TestManyWarps(t *testing.T) {
	stopped := debugwire.Lane{Warp: 299, Lane: allLanes}
	s := &session{threads: make(map[debugwire.Lane]int), target: &target{}, stop: &stop{focus: stopped}, launch: debugwire.Launch{Block: debugwire.Dim3{X: 9600}}}
	for warp := range 300 {
		s.stop.warps = append(s.stop.warps, debugwire.Warp{Warp: warp, Live: 1})
	}
	list := s.listThreads()
	assert.Len(t, list, maxThreads+3)
	assert.Equal(t, "block (0,0,0) warp 299 lane 0, thread (9568,0,0)", list[maxThreads+1].Name)
	assert.Equal(t, "171 more warps, which are not shown", list[maxThreads+2].Name)
	s.stop.warps = s.stop.warps[200:]
	assert.Len(t, s.listThreads(), 101, "nothing is left out")
}
