package build

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/gob"
	"fmt"
	"os"
	"regexp"
	"slices"

	"github.com/cudagen/cudagen/gen/internal/compare"
	"github.com/cudagen/cudagen/internal/buildcache"
	"github.com/cudagen/cudagen/internal/compile"
	"github.com/cudagen/cudagen/internal/diag"
	"github.com/cudagen/cudagen/internal/record"
	"github.com/cudagen/cudagen/internal/source"
)

// A build is all that a compiler made for one unit, as the cache keeps it.
type build struct {
	Outputs   []*compile.Output // PTX, then machine code for each target
	Answered  *compile.Output   // of the extra compilation; nil when there is none
	NoAnswers string            // why the compiler does not answer, though it has debug information
	NotAsked  string            // why Answered does not answer any question; empty when it does

	Refusals []diag.List // of questions, before Answered answered the others

	Companion bool // Answered is the companion's
}

// obtainBuild returns the build of the unit: from the cache in the user's folder, or made
// now. Cached says which. What decides a build is its key: docs/cache.md. ptx is the output for the first of
// archs, or nil.
func (u *unit) obtainBuild(jobs *jobs, request compile.Request, archs []string, ptx *compile.Output) (b *build, cached bool, err error) {
	compileNow := func() (*build, error) { return u.compileAll(jobs, request, archs, ptx) }
	key, ok, err := u.key(jobs, request, archs)
	if err != nil {
		return nil, false, err
	}
	if !ok {
		b, err = compileNow()
		return b, false, err
	}
	var fresh *build
	entry, err := jobs.cache.Get(jobs.ctx, key, func(context.Context) (string, error) {
		var err error
		if fresh, err = compileNow(); err != nil {
			return "", err
		}
		return fresh.encode()
	})
	if err != nil {
		return nil, false, err
	}
	if entry.Origin == buildcache.Built && fresh != nil {
		return fresh, false, nil
	}
	if b, err = decodeBuild(entry.Data); err == nil && len(b.Outputs) == len(archs) {
		return b, true, nil
	}
	b, err = compileNow()
	return b, false, err
}

// later returns the answer of a compiler to a further question about the unit, from the cache or by
// ask. The key has what in addition to what decides the build.
func (u *unit) later(jobs *jobs, request compile.Request, what []string, ask func(*build) error) (*build, error) {
	askNow := func() (*build, error) {
		b := new(build)
		return b, ask(b)
	}
	key, ok, err := u.key(jobs, request, what)
	if err != nil {
		return nil, err
	}
	if !ok {
		return askNow()
	}
	entry, err := jobs.cache.Get(jobs.ctx, key, func(context.Context) (string, error) {
		b, err := askNow()
		if err != nil {
			return "", err
		}
		return b.encode()
	})
	if err != nil {
		return nil, err
	}
	if b, err := decodeBuild(entry.Data); err == nil {
		return b, nil
	}
	return askNow()
}

// userCache returns the cache that the environment asks for: docs/cache.md. Without a folder
// there is none.
func userCache() *buildcache.Cache {
	dir, off, err := buildcache.DefaultDir(os.Getenv)
	if off || err != nil {
		return nil
	}
	return buildcache.New(buildcache.Options{Dir: dir})
}

// buildFormat changes when a build of the same key would be another one.
const buildFormat = "cudagen build 10"

// Variables that compilers and what they start read: those that say where headers are,
// whose content is not known here, and the others.
var (
	headerVariables = []string{"CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "INCLUDE"}
	environment     = []string{"PATH", "NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS", "NVCC_CCBIN", "COMPILER_PATH", "GCC_EXEC_PREFIX", "SOURCE_DATE_EPOCH", "LIB", "CL", "_CL_"}
)

// timeMacros are what makes a build depend on when it is made.
//
// C++ standard, [cpp.predefined].
var timeMacros = regexp.MustCompile(`__(?:DATE|TIME|TIMESTAMP)__`)

// key returns the hash of all that decides the build. ok is false when the build is not kept: its commands are only shown, or
// something that is not known may decide, too: a header that is neither found nor the standard library's or the toolkit's, or
// the time.
func (u *unit) key(jobs *jobs, request compile.Request, archs []string) (key buildcache.Key, ok bool, err error) {
	elsewhere := func(name string) bool { return os.Getenv(name) != "" }
	if request.DryRun {
		return key, false, nil
	}
	if request.Relocatable { // what a linked file includes is not known as well as what the source does
		return key, false, nil
	}
	if len(u.sel.File.Missing) > 0 || slices.ContainsFunc(headerVariables, elsewhere) {
		return key, false, nil
	}
	version, err := jobs.compiler.Version(jobs.ctx)
	if err != nil {
		return key, false, err
	}
	h := sha256.New()
	write := func(words ...any) {
		for _, word := range words {
			fmt.Fprintf(h, "%q\n", fmt.Sprint(word))
		}
	}
	// Debug information has the module's own path in it.
	write(buildFormat, jobs.compiler.Name(), jobs.compiler.String(), version, u.place.Module, source.Absolute(u.place.Path),
		archs, request.Flags, request.Suffix, request.LineInfo, compare.QuestionsOf(u.sel).Inquiry().Source())
	paths := []string{u.place.Path}
	for _, input := range u.record.Inputs {
		paths = append(paths, u.place.Resolve(input.Path))
	}
	for _, path := range slices.Concat(paths, u.sel.File.Headers) {
		path = source.Absolute(path) // go generate runs in every folder: kernels.cu is another file there
		content, err := os.ReadFile(path)
		if err != nil {
			return key, false, source.Unreadable(path, err)
		}
		write(path, record.HashImage(content))
		if timeMacros.Match(content) {
			return key, false, nil
		}
	}
	for _, name := range environment {
		write(name, os.Getenv(name))
	}
	// The headers of the system and its compiler are known by the programs that bring them.
	for _, program := range []string{"g++", "gcc", "cc", "cl"} {
		if path, ok := compile.LookPath(os.Getenv, program); ok {
			if info, err := os.Stat(path); err == nil {
				write(path, info.Size(), info.ModTime())
			}
		}
	}
	h.Sum(key[:0])
	return key, true, nil
}

func (b *build) encode() (string, error) {
	var text bytes.Buffer
	if err := gob.NewEncoder(&text).Encode(b); err != nil {
		return "", fmt.Errorf("keeping a build: %w", err)
	}
	return text.String(), nil
}

func decodeBuild(text string) (*build, error) {
	b := new(build)
	return b, gob.NewDecoder(bytes.NewReader([]byte(text))).Decode(b)
}
