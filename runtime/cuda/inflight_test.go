package cuda_test

import (
	"go/ast"
	"go/parser"
	"go/token"
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
	"UUID": "ask does", "TotalMemory": "ask does", "Attribute": "ask does", "PCIBusID": "ask does", "ComputeCapability": "ask does",
	"memoryInfo":       "ask does, and the callers of exhausted",
	"StreamPriorities": "ask does", "DefaultPool": "ask does",
	"readLimits":            "in openDevice",
	"giveUp":                "the last of all calls",
	"close":                 "the waiter's, in giveUp",
	"copyAsync":             "in Copy",
	"copyInHost":            "in Copy",
	"createStream":          "in openDevice and NewStream",
	"NewStreamWithPriority": "newStream does",
	"newPlainStream":        "newStream does",
	"describe":              "no context is needed",
	"gpus":                  "no context is needed",
	"DriverVersion":         "no context is needed",
	"OpenID":                "no context is needed",
	"newSimulator":          "no context is needed",
	"inContext":             "its callers do",
	"lastNodes":             "in finish",
	"graphOf":               "in finish",
	"readCaptured":          "in graphOf",
	"withForeign":           "in graphOf",
	"acquireImage":          "in LoadLibrary",
	"askParams":             "in Library.Kernel and Library.bind",
	"unuseContext":          "the last user, or Close",
	"enter":                 "in Do, and in goCopy.run",
	"fillOn":                "in Fill",
	"setWords":              "in Fill",
	"RegisterHost":          "in allocShared",
	"queue":                 "in block and stage",
	"newStaging":            "in stage, and in giveUp",
	"queued":                "in stage",
	"record":                "in enterStream and queued",
	"advance":               "in forget and round",
	"releaseImage":          "a retired image, which goes once",
	"destroy":               "a retired stream, which goes once",
	"free":                  "memory that one caller has taken",
	"release":               "memory that one caller has taken",
	"allow":                 "in launchElsewhere and Generated.Prepare",
	"arrive":                "in block", "allowShared": "in allow and the questions about occupancy",
	"AllocHost":           "in allocShared",
	"AllocManaged":        "in allocShared",
	"EnablePeerAccess":    "in peerAccess",
	"DisablePeerAccess":   "in peerAccess",
	"allocAgain":          "in Alloc and AllocFrom",
	"trimPools":           "in again, whose callers do",
	"exceeded":            "in NewArray and NewMipmappedArray",
	"checkTextureMemory":  "in newTexture",
	"full":                "in Pool.allocAgain",
	"SetReleaseThreshold": "in Pool.do",
	"Stats":               "in Pool.do",
	"ResetStats":          "in Pool.do",
	"Trim":                "in Pool.do",
	"enterStream":         "in waiter.stream",
	"takeEvent":           "in enterStream",
	"putEvent":            "what calls it does",
	"add":                 "in build",
	"setAttributes":       "in add",
	"instantiate":         "in Graph.instantiate",
	"prepare":             "in build",
	"keep":                "no call of the driver's",
	"drop":                "no call of the driver's",
	"set":                 "in updateNode",
	"updateFrom":          "in UpdateFrom",
	"enqueue":             "in launchElsewhere",
	"Begin":               "in launches, and calls that are watched",
	"End":                 "in launches, and calls that are watched",
	"measure":             "in Collect",
	"graph":               "in launchSpecially and GraphExec.enqueue",
	"NewEvent":            "newEvent does",
	"Import":              "newEvent does",
	"letReach":            "in peerAccess",
	"leave":               "in Do",
	"leaveOut":            "in enable, updateNode and updateFrom",
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
func held(s *Stream)   { defer s.hold().release(); s.dev.drv.StreamSynchronize(h) }
func unheld(s *Stream) { s.dev.drv.StreamSynchronize(h) }
func quiet(s *Stream)  { s.dev.name() }`, 0)
	require.NoError(t, err)
	assert.Equal(t, []string{"unheld"}, unheld(control))
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
			names = append(names, f.Name.Name)
		}
	}
	return names
}
