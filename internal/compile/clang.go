package compile

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/cudagen/cudagen/internal/diag"
)

// clangHeaders stand in for NVIDIA's.
//
//go:embed clangcuda
var clangHeaders embed.FS

// oldestClang is the first clang with which the headers are tested.
const oldestClang = 19

// ClangInstallHint tells in one line how to install clang as a CUDA compiler.
var ClangInstallHint = diag.Do("install clang 19 or newer and libclc (Debian: clang-19 and libclc-19), or name one in $CUDAGEN_CLANG")

// FindClang finds clang++ 19 or newer: in $CUDAGEN_CLANG (which may hold several words,
// as in "ccache clang++"), otherwise the newest clang++ or clang++-NN in $PATH, otherwise
// the newest in the usual folders of the system.
//
// A $CUDAGEN_CLANG that cannot be run is an error; its version is looked at when it is
// used. To know the version of what is called just clang++, it is run.
//
// env is os.Getenv or, in tests, a replacement. The error is a *NotFoundError.
func FindClang(env func(string) string) (Compiler, error) {
	s := search{env: env}
	if named := env("CUDAGEN_CLANG"); strings.TrimSpace(named) != "" {
		if words, ok := s.words(named); ok {
			return newClang(words, "$CUDAGEN_CLANG", env), nil
		}
		return nil, &NotFoundError{Wanted: fmt.Sprintf("program %q", named), Searched: []string{"$CUDAGEN_CLANG"}, Named: true, Hint: ClangInstallHint}
	}
	var old []string
	for _, place := range []func() (paths []string, origin string){s.clangInPath, s.clangInSystem} {
		paths, origin := place()
		var best *clang
		newestVersion := ""
		for _, path := range paths {
			c := newClang([]string{path}, origin, env)
			ctx, cancel := context.WithTimeout(context.Background(), clangTimeout)
			version, err := c.Version(ctx)
			cancel()
			switch {
			case err != nil:
				old = append(old, err.Error())
			case best == nil || compareNumbers(version, newestVersion) > 0:
				best, newestVersion = c, version
			}
		}
		if best != nil {
			return best, nil
		}
	}
	return nil, &NotFoundError{Wanted: "clang++ 19 or newer", Searched: s.searched, Unfit: old, Hint: ClangInstallHint}
}

// clangTimeout bounds the start of a clang++, which may lie on a slow network disk.
const clangTimeout = 10 * time.Second

// clangName is what a clang++ is called, with or without its major version.
var clangName = regexp.MustCompile(`^clang\+\+(?:-[0-9]+)?(?:\.exe)?$`)

func (s *search) clangInPath() (paths []string, origin string) {
	s.searched = append(s.searched, "$PATH")
	for _, dir := range filepath.SplitList(s.env("PATH")) {
		if dir == "" {
			continue // the working folder: not a place to run programs from
		}
		entries, err := os.ReadDir(dir)
		if err != nil {
			continue
		}
		for _, entry := range entries {
			if !clangName.MatchString(entry.Name()) {
				continue
			}
			path, ok := executable(filepath.Join(dir, entry.Name()))
			if ok && !slices.ContainsFunc(paths, func(p string) bool { return sameFile(p, path) }) {
				paths = append(paths, path)
			}
		}
	}
	return paths, "$PATH"
}

func (s *search) clangInSystem() (paths []string, origin string) {
	for _, pattern := range []string{
		"/usr/lib/llvm-*/bin/clang++", "/usr/lib64/llvm*/bin/clang++", "/usr/local/opt/llvm/bin/clang++", "/opt/homebrew/opt/llvm/bin/clang++",
		filepath.Join(s.env("ProgramFiles"), "LLVM", "bin", "clang++.exe"),
	} {
		if !filepath.IsAbs(pattern) {
			continue // no ProgramFiles
		}
		s.searched = append(s.searched, pattern)
		found, err := filepath.Glob(pattern)
		if err != nil {
			continue
		}
		if path := newest(found); path != "" {
			paths = append(paths, path)
		}
	}
	return paths, "the system's folders"
}

// clang runs clang++ without files of NVIDIA, except ptxas for machine code. docs/compilers.md says
// what it lacks.
type clang struct {
	program
	version version
}

func newClang(words []string, origin string, env func(string) string) *clang {
	return &clang{program: program{words: words, origin: origin, env: env}}
}

func (c *clang) Name() string { return "clang" }

var clangVersion = regexp.MustCompile(`(?m)^(.*)\bclang version (\d+)(\.\d+(?:\.\d+)*)`)

func (c *clang) Version(ctx context.Context) (string, error) {
	return c.version.once(func() (string, error) {
		log, err := c.askVersion(ctx)
		if err != nil {
			return "", err
		}
		m := clangVersion.FindStringSubmatch(log)
		switch {
		case m == nil:
			return "", diag.OldCompiler.Errorf("%s: --version does not name a version of clang:\n%s", c, log)
		case strings.HasPrefix(m[1], "Apple "):
			return "", diag.OldCompiler.Errorf("%s: Apple's clang cannot make PTX: %w", c, diag.Do("use LLVM's clang"))
		case number(m[2]) < oldestClang:
			return "", diag.OldCompiler.Errorf("%s: clang %s is too old: %d is needed", c, m[2]+m[3], oldestClang)
		}
		return m[2] + m[3], nil
	})
}

func (c *clang) Compile(ctx context.Context, req Request) (*Output, error) {
	return prepared(ctx, c, req, func(unit *unit, temp string, out *Output) (err error) {
		ptxas := ""
		if unit.target.machine && !req.Relocatable {
			if ptxas, err = c.ptxas(req); err != nil {
				return err
			}
		}
		if err = c.toPTX(ctx, unit, temp, out); err == nil && ptxas != "" {
			err = c.runAssembler(ctx, unit, ptxas, temp, out)
		}
		return err
	})
}

// runAssembler makes machine code of the PTX in out.
func (c *clang) runAssembler(ctx context.Context, unit *unit, ptxas, temp string, out *Output) error {
	assembler := &program{words: []string{ptxas}, origin: "beside clang", env: c.env}
	return assembler.assemble(ctx, unit, assemblerFlags(unit.request), temp, out)
}

// Assemble runs ptxas.
func (c *clang) Assemble(ctx context.Context, req Request, ptx []byte) (*Output, error) {
	ptxas, err := c.ptxas(req)
	if err != nil {
		return nil, err
	}
	return prepared(ctx, c, req, func(unit *unit, temp string, out *Output) error {
		out.Code = ptx
		return c.runAssembler(ctx, unit, ptxas, temp, out)
	})
}

// ptxas returns the path of the assembler.
func (c *clang) ptxas(req Request) (string, error) {
	if ptxas := Ptxas(c.env); ptxas != "" {
		return ptxas, nil
	}
	return "", diag.ClangLacks.Errorf("%s: compiling for %s: clang needs ptxas for machine code, but there is none beside nvcc or in $PATH: %w, or compile for compute_%s",
		req.Source, req.Arch, InstallHint, strings.TrimPrefix(req.Arch, "sm_"))
}

// toPTX compiles unit for the virtual architecture of its target.
func (c *clang) toPTX(ctx context.Context, unit *unit, temp string, out *Output) error {
	req := unit.request
	headers := filepath.Join(temp, "include")
	files, err := fs.Sub(clangHeaders, "clangcuda")
	if err == nil {
		err = os.CopyFS(headers, files)
	}
	if err != nil {
		return fmt.Errorf("compiling %s: %w", req.Source, err)
	}
	libclc := c.libclc()
	out.Command = c.neutralCommand(unit, libclc)
	position := func(file string) string {
		if header, ok := strings.CutPrefix(file, headers+string(filepath.Separator)); ok {
			return "clang's " + header // it is gone when somebody reads this
		}
		return unit.position(file)
	}
	if err := c.compile(ctx, unit, arguments(unit, headers, libclc), temp, makeRules, position, out); err != nil {
		return c.explain(ctx, unit, out, err)
	}
	// PTX for witnesses is not run, and without optimization calls what is never called.
	if !req.Debug && !req.Relocatable && !slices.Contains(req.Flags, "-fgpu-rdc") {
		if err := undefined(out.Code, libclc != ""); err != nil {
			return c.failed(req, out.Log, err)
		}
	}
	out.Code, out.Reproducible = neutral(out.Code, paths{dirs: unit.dirs, source: unit.neutralName()})
	return nil
}

// withoutHost returns flags without the host's compiler: clang needs none.
func withoutHost(flags []string) (own []string) {
	for i := 0; i < len(flags); i++ {
		switch name, _, joined := strings.Cut(flags[i], "="); {
		case name != "-ccbin" && name != "--compiler-bindir":
			own = append(own, flags[i])
		case !joined:
			i++
		}
	}
	return own
}

// explain says more of an error of clang where it lacks something that nvcc has.
func (c *clang) explain(ctx context.Context, unit *unit, out *Output, err error) error {
	if ctx.Err() == nil && strings.Contains(out.Log, "unsupported CUDA gpu architecture") {
		return &UnsupportedArchError{Source: unit.request.Source, Compiler: out.Compiler, Arch: unit.request.Arch, Has: c.architectures(ctx, unit.request.Arch)}
	}
	if slices.Contains(unit.request.Flags, "-G") && ctx.Err() == nil && err != nil {
		return diag.ClangLacks.Errorf("%s: %s takes -G with a number, as another flag than nvcc's: flags behind -- are those of the compiler, which is clang here: %w", unit.request.Source, out.Compiler, diag.Do("give -g, or -compiler nvcc"))
	}
	if m := unknownFlag.FindStringSubmatch(out.Log); ctx.Err() == nil && m != nil {
		return diag.ClangLacks.Errorf("%s: %s has no argument %s: flags behind -- are those of the compiler, which is clang here: %w", unit.request.Source, out.Compiler, m[1], diag.Do("leave it out, or give -compiler nvcc"))
	}
	var errs diag.List
	if errors.As(err, &errs) {
		for _, e := range errs {
			if hint := lackHint(e.Text); hint.Text != "" {
				e.Code = diag.ClangLacks
				e.Add(hint)
			}
		}
	}
	return err
}

// unknownFlag matches what clang says of a flag that it does not have.
var unknownFlag = regexp.MustCompile(`error: (?:unknown|unsupported) (?:argument|option):? '([^'\n]*)'`)

// arguments are clang's, without names of input and output.
//
// clang, Compiling CUDA with clang.
func arguments(unit *unit, headers, libclc string) []string {
	req, target := unit.request, unit.target
	args := []string{"-x", "cuda", "--cuda-device-only", "-nocudainc", "-nocudalib", "-S", "-std=gnu++17",
		"-fno-verbose-asm", // comments name files by their whole path
		// As nvcc, sums of products are fused in the source, and not in libclc, which counts on
		// each rounding: plain fast, clang's default, fuses there too.
		"-ffp-contract=fast-honor-pragmas",
		fmt.Sprintf("--cuda-gpu-arch=sm_%d%s", target.number, target.suffix),
		"--cuda-feature=+ptx" + target.leastPTX(),
		// With -fgpu-rdc clang puts it into names; its own is a hash of the path.
		fmt.Sprintf("-cuid=%08x", crc32.ChecksumIEEE([]byte(unit.neutralName())))}
	switch {
	case req.Debug:
		args = append(args, "-O0", "-g", "--cuda-noopt-device-debug", "-fstandalone-debug")
	case req.LineInfo:
		args = append(args, "-O2", "-gline-directives-only")
	default:
		args = append(args, "-O2")
	}
	if req.Relocatable {
		args = append(args, "-fgpu-rdc")
	}
	args = append(args, withoutHost(req.Flags)...)
	args = append(args, "-isystem", headers, "-include", filepath.Join(headers, "cuda_runtime.h"))
	if libclc != "" {
		args = append(args, "-DCUDAGEN_LIBCLC", "-Xclang", "-mlink-builtin-bitcode", "-Xclang", libclc, "-Wno-linker-warnings")
	}
	return args
}

// leastPTX is the version of the PTX ISA, in clang's spelling, that code is made in: the
// first one with the architecture, and 8.1 at least, the first one with more than 4096
// bytes of parameters.
//
// PTX ISA, Release Notes; Kernel Function Parameters.
func (t target) leastPTX() string {
	switch {
	case t.number == 88 || t.number == 110 || t.number > 121:
		return "90"
	case t.suffix == "f" || t.number == 103 || t.number == 121:
		return "88"
	case t.number == 120:
		return "87"
	case t.number >= 100:
		return "86"
	}
	return "81"
}

// neutralCommand returns the command line that compiles unit, for people and records, as
// if it were run in the folder of the unit, with the headers in a folder clangcuda there.
func (c *clang) neutralCommand(unit *unit, libclc string) []string {
	if libclc != "" {
		libclc = filepath.Base(libclc)
	}
	command := []string{"clang++"}
	for _, arg := range arguments(unit, "clangcuda", libclc) {
		command = append(command, unit.neutralText(arg))
	}
	name := unit.neutralName()
	return append(command, "-o", strings.TrimSuffix(name, filepath.Ext(name))+".ptx", name)
}

// libclc returns the path of libclc's functions for NVIDIA GPUs as LLVM bitcode, or "".
func (c *clang) libclc() string {
	const name = "nvptx64--nvidiacl.bc"
	var found []string
	for _, clang := range spellings(c.words[len(c.words)-1]) {
		prefix := filepath.Dir(filepath.Dir(clang))
		found = append(found, filepath.Join(prefix, "lib", "clc", name), filepath.Join(prefix, "share", "clc", name))
	}
	for _, path := range append(found, "/usr/lib/clc/"+name, "/usr/share/clc/"+name, "/usr/lib64/clc/"+name) {
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return path
		}
	}
	return ""
}

// assemblerFlags are ptxas's among the flags of a request, behind clang's -Xcuda-ptxas.
func assemblerFlags(req Request) []string {
	var flags []string
	if req.LineInfo {
		flags = append(flags, "-lineinfo")
	}
	for i, flag := range req.Flags {
		if i > 0 && req.Flags[i-1] == "-Xcuda-ptxas" {
			flags = append(flags, flag)
		}
	}
	return flags
}

var supportedCPU = regexp.MustCompile(`(?m)^\s+(sm_\w+)\s*$`)

// architectures lists what this clang compiles for.
func (c *clang) architectures(ctx context.Context, arch string) (names []string) {
	kind, _, _ := strings.Cut(arch, "_")
	log, err := c.run(ctx, "", "", []string{"--target=nvptx64-nvidia-cuda", "-print-supported-cpus"})
	if err != nil {
		return nil
	}
	for _, m := range supportedCPU.FindAllStringSubmatch(log, -1) {
		names = append(names, kind+strings.TrimPrefix(m[1], "sm"))
	}
	return names
}

// The forms in which clang says that it does not know a name or a header.
var (
	unknownName   = regexp.MustCompile(`(?:undeclared identifier|unknown type name|no template named|no type named) '((?:cuda|cu[A-Z]|CU[a-z]|tex|surf|curand|nvcuda|cooperative|cub|thrust|__)\w*)'`)
	unknownHeader = regexp.MustCompile(`^'([^']+)' file not found`)
)

// lackHint returns what to add to a message of clang that names something of CUDA.
func lackHint(message string) diag.Message {
	if m := unknownHeader.FindStringSubmatch(message); m != nil {
		switch name := m[1]; {
		case slices.Contains([]string{"cmath", "cstdlib", "stdlib.h", "string.h", "limits.h"}, name):
			return advice("clang needs the C++ library of the host", diag.Do("install libstdc++"))
		case strings.Contains(name, "cu") || strings.HasPrefix(name, "mma") || strings.HasPrefix(name, "thrust/") || strings.HasPrefix(name, "nv/"):
			return advice("clang's back end has few of CUDA's headers (docs/compilers.md)", diag.Do("use nvcc"))
		}
		return diag.Message{}
	}
	if unknownName.MatchString(message) {
		return advice("clang's back end lacks the CUDA runtime API and parts of device code (docs/compilers.md)", diag.Do("use nvcc"))
	}
	return diag.Message{}
}

var externFunction = regexp.MustCompile(`(?m)^\.extern \.func\s+(?:\(.*\)\s*)?([\w$]+)`)

// driverFunctions are those that the driver links in.
//
// PTX Writer's Guide to Interoperability, System Calls.
var driverFunctions = []string{"vprintf", "malloc", "free", "__assertfail"}

// undefined returns an error for functions that ptx calls but does not define: NVIDIA's
// libdevice has them, but neither the headers nor libclc.
func undefined(ptx []byte, libclc bool) error {
	var lacking, unknown []string
	for _, m := range externFunction.FindAllSubmatch(ptx, -1) {
		name := string(m[1])
		if function, ok := strings.CutPrefix(name, "__nv_"); ok {
			lacking = append(lacking, function)
		} else if !slices.Contains(driverFunctions, name) {
			unknown = append(unknown, name)
		}
	}
	slices.Sort(lacking)
	slices.Sort(unknown)
	switch {
	case len(lacking) > 0 && !libclc:
		return diag.ClangLacks.Errorf("device functions %s are in libclc, which is not installed: %w", strings.Join(lacking, ", "), diag.Do("install it (Debian: libclc-19), or use nvcc"))
	case len(lacking) > 0:
		return diag.ClangLacks.Errorf("clang's back end has no device function %s (docs/compilers.md): %w", strings.Join(lacking, ", "), diag.Do("use nvcc"))
	case len(unknown) > 0:
		return diag.ClangLacks.Errorf("undefined device functions: %s", strings.Join(unknown, ", "))
	}
	return nil
}
