package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/cudagen/cudagen/internal/diag"
	"github.com/cudagen/cudagen/internal/toolchain"
)

const toolchainUsage = `cudagen toolchain install installs NVIDIA's compilers, NVRTC and nvcc, for cudagen.

Usage:

	cudagen toolchain install [-version 13.0.88] [-with curand,cublas] [-dir folder]

It needs no Python, no CUDA toolkit, no GPU and no root. NVRTC comes first: it compiles kernels and
needs no host compiler. Then comes nvcc, which needs one (g++). It downloads about 200 MB and installs
500 MB. After a break, the next run goes on where the last one ended.

The compilers are Python wheels, in versions that work together, whose contents are verified. They come
from the index that pip is configured to use: pip.conf, PIP_INDEX_URL, PIP_EXTRA_INDEX_URL,
PIP_FIND_LINKS, PIP_NO_INDEX, PIP_PROXY, PIP_CERT, PIP_TRUSTED_HOST and netrc count.

They go into cudagen/toolchain of your cache folder, where cudagen finds them. The command prints
the toolkit's folder to standard output, for CUDA_HOME:

	export CUDA_HOME="$(cudagen toolchain install)"

A toolkit that is already installed stays as it is, but for the libraries that -with adds: those
whose headers your sources include. curand, cuRAND, nvidia-curand-cu13, libcurand.so and
curand_kernel.h all mean the same.

Flags and their environment variables:

`

// runToolchain runs the subcommand toolchain and returns its exit code.
func runToolchain(ctx context.Context, args []string, getenv func(string) string, stdout, stderr io.Writer) int {
	o, err := parseToolchain(args, getenv, stdout)
	if err != nil {
		return notRun("cudagen toolchain", err, stderr)
	}
	status := newStatusLine(stderr, "cudagen: ")
	o.Progress = func(line string) { status.show("toolchain " + o.Version + ": " + line) }
	o.Installed = func(line string) {
		status.clear()
		fmt.Fprintln(stderr, "cudagen: installed "+line)
	}
	result, err := toolchain.Install(ctx, *o)
	status.clear()
	if err != nil {
		fmt.Fprintf(stderr, "cudagen: %s\n", spoken(err))
		return exitInput
	}
	if result.Present {
		what := "toolchain " + result.Version
		if len(result.With) > 0 {
			what += " (and " + strings.Join(result.With, ", ") + ")"
		}
		fmt.Fprintf(stderr, "cudagen: %s is already installed\n", what)
	}
	if _, err := fmt.Fprintln(stdout, result.Root); err != nil {
		fmt.Fprintf(stderr, "cudagen: %s\n", spoken(err))
		return exitInput
	}
	return exitOK
}

// toolchainFlags returns the flags of toolchain install, which set o.
func toolchainFlags(o *toolchain.Options, getenv func(string) string) *flag.FlagSet {
	flags := flag.NewFlagSet("cudagen toolchain install", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.StringVar(&o.Version, "version", env(getenv, "CUDAGEN_TOOLCHAIN_VERSION", toolchain.DefaultVersion),
		"`version` of nvcc: "+strings.Join(toolchain.Versions(), ", ")+" (CUDAGEN_TOOLCHAIN_VERSION)")
	o.With = strings.FieldsFunc(getenv("CUDAGEN_TOOLCHAIN_WITH"), comma)
	flags.Func("with", "`libraries` to add, separated by commas: "+strings.Join(toolchain.Libraries(), ", ")+" (CUDAGEN_TOOLCHAIN_WITH)", func(value string) error {
		names := strings.FieldsFunc(value, comma)
		if len(names) == 0 {
			return diag.FlagValue.New("it names no library")
		}
		o.With = append(o.With, names...)
		return nil
	})
	flags.StringVar(&o.Dir, "dir", "", "install below this `folder`; cudagen finds it only if CUDAGEN_TOOLCHAIN_DIR names it (CUDAGEN_TOOLCHAIN_DIR)")
	return flags
}

func parseToolchain(args []string, getenv func(string) string, stdout io.Writer) (*toolchain.Options, error) {
	o := toolchain.Options{Env: getenv}
	flags := toolchainFlags(&o, getenv)
	if len(args) > 0 && args[0] == "install" {
		args = args[1:]
	} else if len(args) == 0 || !strings.HasPrefix(args[0], "-h") && !strings.HasPrefix(args[0], "--h") {
		return nil, diag.Flags.New("want cudagen toolchain install")
	}
	if err := parseHelped(flags, args, toolchainUsage, stdout); err != nil {
		return nil, err
	}
	if flags.NArg() > 0 {
		return nil, diag.Flags.Errorf("unexpected argument %q", flags.Arg(0))
	}
	return &o, nil
}

// comma reports whether c separates names.
func comma(c rune) bool { return c == ',' || c == ' ' }

// A statusLine says what a long run is doing: on a terminal in a line that is overwritten, elsewhere in a
// plain line now and then.
type statusLine struct {
	w        io.Writer
	terminal bool
	prefix   string // of plain lines
	said     time.Time
}

// newStatusLine returns a status line on w. Elsewhere than on a terminal the first line is shown after
// plainEvery.
func newStatusLine(w io.Writer, prefix string) *statusLine {
	return &statusLine{w: w, terminal: isTerminal(w), prefix: prefix, said: time.Now()}
}

// plainEvery is how often a plain line is shown.
const plainEvery = 10 * time.Second

// statusWidth is the number of characters shown: terminals are rarely narrower.
const statusWidth = 79

func (s *statusLine) show(line string) {
	if !s.terminal {
		if now := time.Now(); now.Sub(s.said) >= plainEvery {
			s.said = now
			fmt.Fprintln(s.w, s.prefix+line)
		}
		return
	}
	if runes := []rune(line); len(runes) > statusWidth {
		line = string(runes[:statusWidth-1]) + "…"
	}
	fmt.Fprint(s.w, eraseLine+line)
}

func (s *statusLine) clear() {
	if s.terminal {
		fmt.Fprint(s.w, eraseLine)
	}
}

// eraseLine moves to the beginning of the line and erases it.
//
// ECMA-48, Control Functions: CR, EL.
const eraseLine = "\r\x1b[K"

// isTerminal reports whether w is a terminal, or a device like it.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
