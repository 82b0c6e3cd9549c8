package cuda_test

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/example"
	"github.com/cudagen/cudagen/runtime/cuda"
)

// TestExecsShareNodes has goroutines use execs, and graphs, of the same nodes, which nobody changes:
// the race detector finds what they would write there.
func TestExecsShareNodes(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		k, s := loaded(t, dev)
		x, y, z := upload(t, s, make([]int32, 64)), upload(t, s, make([]int32, 64)), upload(t, s, make([]int32, 64))
		call, err := k.AddDelta.PrepareDefault(example.AddDeltaArgs{Data: x.All(), Delta: 1})
		require.NoError(t, err)
		event, err := dev.NewEvent(cuda.EventConfig{})
		require.NoError(t, err)
		defer event.Close()
		a := cuda.NewNode(call).Named("a")
		b := cuda.NewNode(cuda.Fill(y.All(), 3)).Named("b")
		c := cuda.NewNode(cuda.Copy(z.All(), y.All())).After(b)
		host := cuda.NewHostNode(func() {}).After(a)
		inner, err := cuda.DefineGraph(cuda.NewNode(cuda.Fill(z.All(), 4)))
		require.NoError(t, err)
		twice := []*cuda.Node{inner.ChildNode().After(c), inner.ChildNode().After(a)}
		mark := event.RecordNode().After(c, host)
		last := append(twice, mark)
		var memory sync.Mutex // of the graph, which all execs write
		var all sync.WaitGroup
		for i := range 4 {
			all.Go(func() {
				rotated := append(append([]*cuda.Node{}, last[i%3:]...), last[:i%3]...) // other places for the same nodes
				if i == 3 {
					rotated = append([]*cuda.Node{new(cuda.Node)}, rotated...)
				}
				own, err := dev.NewStream()
				if !assert.NoError(t, err) {
					return
				}
				g, err := cuda.DefineGraph(rotated...)
				assert.NoError(t, err)
				e, err := g.Instantiate()
				if !assert.NoError(t, err) {
					return
				}
				for range 50 {
					for _, n := range []*cuda.Node{a, b, c} {
						err = errors.Join(err, e.Disable(n), e.Enable(n), e.Update(n))
					}
					err = errors.Join(err, e.Update(host), e.Update(twice[0]), e.Update(mark), e.UpdateCall(call))
					_ = e.DOT() + g.DOT() + a.String()
					again, defined := cuda.DefineGraph(rotated...)
					err = errors.Join(err, defined, e.UpdateFrom(again.Clone()), e.UpdateFrom(again))
				}
				memory.Lock()
				defer memory.Unlock()
				_, timed := e.TimedDOT(own)
				assert.NoError(t, errors.Join(err, timed, e.Launch(own), own.Synchronize(), e.Close(), own.Close()))
			})
		}
		all.Wait()
	})
}

// TestSharedNodesDoc: what Node and GraphExec say of goroutines is the same.
func TestSharedNodesDoc(t *testing.T) {
	paths, err := filepath.Glob("*.go")
	require.NoError(t, err)
	promises := make(map[string]string)
	for _, path := range paths {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments|parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, decl := range file.Decls {
			if d, ok := decl.(*ast.GenDecl); ok && d.Tok == token.TYPE {
				name := d.Specs[0].(*ast.TypeSpec).Name.Name
				promises[name] = regexp.MustCompile(`Any number of goroutines may use nodes(?s:.*?)\.UpdateCall\.`).FindString(d.Doc.Text())
			}
		}
	}
	assert.NotEmpty(t, promises["Node"])
	assert.Equal(t, promises["Node"], promises["GraphExec"])
	assert.Empty(t, promises["Stream"], "the control")
}
