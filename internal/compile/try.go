package compile

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/cudagen/cudagen/internal/leftover"
)

// trySource needs what the headers of a toolkit declare.
const trySource = `extern "C" __global__ void cudagen_try(float *x) { x[threadIdx.x] = fmaf(x[threadIdx.x], 2.0f, 1.0f); }
`

// Try compiles a tiny kernel for arch with c and flags. An installed compiler may not
// work: the host compiler may be missing, or its parts may have different versions, which
// only shows when it makes machine code. The errors are those of Compile.
func Try(ctx context.Context, c Compiler, arch string, flags ...string) (*Output, error) {
	dir, err := leftover.Dir("", "cudagen-try-")
	if err != nil {
		return nil, fmt.Errorf("trying %s: %w", c, err)
	}
	defer leftover.Remove(dir)
	source := filepath.Join(dir, "try.cu")
	if err := os.WriteFile(source, []byte(trySource), 0o600); err != nil {
		return nil, fmt.Errorf("trying %s: %w", c, err)
	}
	return c.Compile(ctx, Request{Source: source, Arch: arch, Flags: flags})
}
