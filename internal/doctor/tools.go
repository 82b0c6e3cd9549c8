package doctor

import (
	"context"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/cudagen/cudagen/internal/compile"
	"github.com/cudagen/cudagen/internal/leftover"
)

// What nvcc -v prints: its steps, its own folder, and the first step of every
// compilation, which is the host compiler's preprocessor.
var (
	nvccStep     = regexp.MustCompile(`(?m)^#\$ .*\n?`)
	nvccFolder   = regexp.MustCompile(`(?m)^#\$ _HERE_=(.+?)\r?$`)
	hostCompiler = regexp.MustCompile(`(?m)^#\$ (.+?) -D__CUDA_ARCH`)
)

// nvccTools finds the programs that nvcc runs in the output of nvcc -v.
func (e *examination) nvccTools(ctx context.Context, log string) {
	if m := hostCompiler.FindStringSubmatch(log); m != nil {
		if path, ok := compile.LookPath(e.env, strings.ReplaceAll(m[1], `"`, "")); ok {
			e.report.HostCompiler = e.tool(ctx, path)
		}
	}
	if m := nvccFolder.FindStringSubmatch(log); m != nil {
		if path, ok := compile.LookPath(e.env, filepath.Join(m[1], "ptxas")); ok {
			e.report.PTXAS = e.tool(ctx, path)
		}
	}
}

// askTimeout limits the time that a program may take to print its version.
const askTimeout = 10 * time.Second

var toolkitVersion = regexp.MustCompile(`release \d+\.\d+, V(\d+(?:\.\d+)+)`)

// tool asks a program for its version.
func (e *examination) tool(ctx context.Context, path string) *Tool {
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	out, err := leftover.Output(exec.CommandContext(ctx, path, "--version"))
	if err != nil {
		return &Tool{Path: path} // it does not print its version
	}
	if m := toolkitVersion.FindSubmatch(out); m != nil {
		return &Tool{Path: path, Version: string(m[1])}
	}
	first, _, _ := strings.Cut(string(out), "\n")
	return &Tool{Path: path, Version: strings.TrimSpace(first)}
}
