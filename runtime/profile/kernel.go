package profile

import (
	"fmt"
	"strings"

	"github.com/ianlancetaylor/demangle"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/internal/profiled"
)

// nameOf returns what people call a function of an image: without parameters, and without the name of the file that static functions have.
func nameOf(symbol string) string {
	name := demangle.Filter(symbol, demangle.NoParams, demangle.NoClones)
	name = strings.ReplaceAll(name, "(anonymous namespace)::", "")
	if before, after, ok := strings.Cut(name, "_INTERNAL_"); ok {
		if _, own, ok := strings.Cut(after, "::"); ok {
			name = before + own
		}
	}
	return name
}

// titleOf returns what a kernel is called.
func titleOf(g *profiled.Group) string {
	if g.Name != "" {
		return g.Name
	}
	return nameOf(g.Kernel.Symbol)
}

// launchOf writes the configuration of a launch as CUDA does.
func launchOf(g *profiled.Group) string {
	text := fmt.Sprintf("%s<<<%s, %s", titleOf(g), dimOf(g.Grid), dimOf(g.Block))
	if g.SharedBytes > 0 {
		text += fmt.Sprintf(", %d", g.SharedBytes)
	}
	return text + ">>>"
}

func dimOf(d driver.Dim3) string {
	switch {
	case d.Z > 1:
		return fmt.Sprintf("(%d,%d,%d)", d.X, d.Y, d.Z)
	case d.Y > 1:
		return fmt.Sprintf("(%d,%d)", d.X, d.Y)
	}
	return fmt.Sprint(d.X)
}

// hasLines reports whether the image of a kernel has line information.
func hasLines(k *driver.ProfiledKernel) bool {
	for i := range k.Instructions {
		for _, f := range k.Instructions[i].Frames {
			if f.File != "" {
				return true
			}
		}
	}
	return false
}

// totalOf adds up what all instructions of a group count.
func totalOf(g *profiled.Group) (total driver.InstructionCounts) {
	for pc := range g.Counts {
		total.Add(&g.Counts[pc])
	}
	return total
}
