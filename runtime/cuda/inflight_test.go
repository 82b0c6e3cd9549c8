package cuda_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// heldByCallers are the functions that call the driver and hold no epoch: whoever calls
// them does, or nobody can close what they use.
var heldByCallers = map[string]string{
	"AllocHost":                    "in allocShared",
	"AllocManaged":                 "in allocShared",
	"Device.Attribute":             "ask does",
	"Device.ComputeCapability":     "ask does",
	"Device.DefaultPool":           "ask does",
	"Device.DisablePeerAccess":     "in peerAccess",
	"Device.EnablePeerAccess":      "in peerAccess",
	"Device.NewEvent":              "newEvent does",
	"Device.NewStreamWithPriority": "newStream does",
	"Device.PCIBusID":              "ask does",
	"Device.StreamPriorities":      "ask does",
	"Device.TotalMemory":           "ask does",
	"Device.UUID":                  "ask does",
	"Device.acquireImage":          "in LoadLibrary",
	"Device.allocAgain":            "in Alloc and AllocFrom",
	"Device.checkTextureMemory":    "in newTexture",
	"Device.createStream":          "in openDevice and NewStream",
	"Device.enter":                 "in Do",
	"Device.exceeded":              "in NewArray and NewMipmappedArray",
	"Device.giveUp":                "the last of all calls",
	"Device.inContext":             "its callers do",
	"Device.leave":                 "in Do",
	"Device.letReach":              "in peerAccess",
	"Device.memoryInfo":            "ask does, and the callers of exhausted",
	"Device.newPlainStream":        "newStream does",
	"Device.newStaging":            "in stage, and in giveUp",
	"Device.readLimits":            "in openDevice",
	"Device.releaseImage":          "a retired image, which goes once",
	"Device.trimPools":             "in again, whose callers do",
	"Device.unuseContext":          "the last user, or Close",
	"DriverVersion":                "no context is needed",
	"EventHandle.Import":           "newEvent does",
	"GraphExec.leaveOut":           "in enable, updateNode and updateFrom",
	"GraphExec.set":                "in updateNode",
	"GraphExec.updateFrom":         "in UpdateFrom",
	"Kernel.allow":                 "in launchElsewhere and Generated.Prepare",
	"Kernel.allowShared":           "in allow and the questions about occupancy",
	"Kernel.enqueue":               "in launchElsewhere",
	"Library.askParams":            "in Library.Kernel and Library.bind",
	"OpenID":                       "no context is needed",
	"Pool.ResetStats":              "in Pool.do",
	"Pool.SetReleaseThreshold":     "in Pool.do",
	"Pool.Stats":                   "in Pool.do",
	"Pool.Trim":                    "in Pool.do",
	"Pool.allocAgain":              "in Alloc and AllocFrom",
	"Pool.full":                    "in Pool.allocAgain",
	"RegisterHost":                 "in allocShared",
	"Stream.fillOn":                "in Fill",
	"Stream.setWords":              "in Fill",
	"Trace.graph":                  "in launchSpecially and GraphExec.enqueue",
	"arrayCopy.queue":              "in block and stage",
	"arrive":                       "in block",
	"capture.graphOf":              "in finish",
	"capture.lastNodes":            "in finish",
	"capture.readCaptured":         "in graphOf",
	"capture.withForeign":          "in graphOf",
	"copyAsync":                    "in Copy",
	"copyInHost":                   "in Copy",
	"describe":                     "no context is needed",
	"execState.destroy":            "a retired exec, which goes once",
	"execState.drop":               "no call of the driver's",
	"execState.keep":               "no call of the driver's",
	"givenByGraph.prepare":         "in build",
	"goCopy.enter":                 "in goCopy.run",
	"goCopy.queue":                 "in block and stage",
	"gpus":                         "no context is needed",
	"graphBuilder.add":             "in build",
	"graphBuilder.instantiate":     "in Graph.instantiate",
	"graphBuilder.setAttributes":   "in add",
	"measure.Times.Begin":          "in launches, and calls that are watched",
	"measure.Times.End":            "in launches, and calls that are watched",
	"measure.Times.measure":        "in Collect",
	"memory.free":                  "memory that one caller has taken",
	"memory.release":               "memory that one caller has taken",
	"newSimulator":                 "no context is needed",
	"queue.destroy":                "a retired stream, which goes once",
	"waiter.advance":               "in forget and round",
	"waiter.close":                 "the waiter's, in giveUp",
	"waiter.enterStream":           "in waiter.stream",
	"waiter.putEvent":              "what calls it does",
	"waiter.queued":                "in stage",
	"waiter.record":                "in enterStream and queued",
	"waiter.takeEvent":             "in enterStream",
}

// TestCallsHoldAnEpoch: every function that calls the driver holds an epoch, so that
// what it uses is not closed meanwhile.
func TestCallsHoldAnEpoch(t *testing.T) {
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	below, err := filepath.Glob("internal/*/*.go")
	require.NoError(t, err)
	exempted := map[string]bool{}
	for _, file := range slices.Concat(files, below) {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		require.NoError(t, err)
		for _, name := range unheld(parsed) {
			exempted[name] = true
			assert.Contains(t, heldByCallers, name, "%s: %s calls the driver: begin it with defer s.hold().release()", file, name)
		}
	}
	for name := range heldByCallers {
		assert.True(t, exempted[name], "%s need not be in the table", name)
	}

	control, err := parser.ParseFile(token.NewFileSet(), "", `package p
func held(s *Stream)      { defer s.hold().release(); s.dev.drv.StreamSynchronize(h) }
func unheld(s *Stream)    { s.dev.drv.StreamSynchronize(h) }
func (p *Pool[T]) trim()  { p.dev.drv.StreamSynchronize(h) }
func quiet(s *Stream)     { s.dev.name() }`, 0)
	require.NoError(t, err)
	assert.Equal(t, []string{"p.unheld", "p.Pool.trim"}, unheld(control))
}

// unheld returns the functions of file that call a method of drv or Driver and hold no epoch.
func unheld(file *ast.File) (names []string) {
	for _, decl := range file.Decls {
		f, ok := decl.(*ast.FuncDecl)
		if !ok || f.Body == nil {
			continue
		}
		var calls, holds bool
		ast.Inspect(f.Body, func(n ast.Node) bool {
			selector, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			holds = holds || slices.Contains([]string{"hold", "Hold", "epoch", "pin", "pinWork"}, selector.Sel.Name)
			switch x := selector.X.(type) {
			case *ast.Ident:
				calls = calls || x.Name == "drv"
			case *ast.SelectorExpr:
				of, _ := x.X.(*ast.Ident)
				calls = calls || x.Sel.Name == "drv" || x.Sel.Name == "Driver" && (of == nil || of.Name != "driver")
			}
			return true
		})
		if calls && !holds {
			names = append(names, qualified(file, f))
		}
	}
	return names
}

// qualified returns the name of f with that of its receiver's type, and of its package where that is not cuda.
func qualified(file *ast.File, f *ast.FuncDecl) string {
	name := f.Name.Name
	if f.Recv != nil {
		typ := f.Recv.List[0].Type
		if pointer, ok := typ.(*ast.StarExpr); ok {
			typ = pointer.X
		}
		if generic, ok := typ.(*ast.IndexExpr); ok {
			typ = generic.X
		}
		name = types.ExprString(typ) + "." + name
	}
	if file.Name.Name != "cuda" {
		name = file.Name.Name + "." + name
	}
	return name
}
