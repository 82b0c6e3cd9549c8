package sim

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var updateDocs = flag.Bool("update", false, "rewrite docs/simulator.md")

const docsHead = `# What the simulated device executes

## Instructions

The tables that decode instructions wrote this page: ` + "`go test ./runtime/sim -run TestDocs -update`" + `.
In a pattern ` + "`a|b`" + ` is a choice and ` + "`x?`" + ` may be left out; a modifier, type or operand
that is not here is an error when its kernel is launched, with its line in the source; the
other kernels of the file run. The modifiers of ld, st, atom and red may stand in any order, as
ptxas takes them. The package comment of ` + "`runtime/sim`" + `
says how exact the results are.

`

// TestDocs holds docs/simulator.md to the table of opcodes.
func TestDocs(t *testing.T) {
	var page strings.Builder
	page.WriteString(docsHead)
	for _, opcode := range Opcodes() {
		fmt.Fprintf(&page, "- `%s`\n", opcode)
	}
	page.WriteString("\n## Special registers\n\nClocks count the thread instructions of the block; `%globaltimer` is the machine's time.\n\n")
	var registers []string
	for _, r := range specialRegisters {
		registers = append(registers, r.name)
	}
	for _, c := range clocks {
		registers = append(registers, c.name)
	}
	for _, register := range slices.Sorted(slices.Values(registers)) {
		fmt.Fprintf(&page, "- `%s`\n", register)
	}
	page.WriteString("\n## Calls\n\nDevice functions may be called directly, by their address and recursively; the calls of a thread may\ntake 64 KiB of local memory. These functions without a body, of the device's system library, can be called:\n\n")
	for _, f := range builtins {
		fmt.Fprintf(&page, "- `%s`\n", f.name)
	}
	path := filepath.Join("..", "..", "docs", "simulator.md")
	if *updateDocs {
		require.NoError(t, os.WriteFile(path, []byte(page.String()), 0o644))
	}
	got, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, page.String(), string(got), "run: go test ./runtime/sim -run TestDocs -update")
}
