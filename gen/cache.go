package gen

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/gob"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/cudagen/cudagen/gen/compile"
	"github.com/cudagen/cudagen/gen/record"
	"github.com/cudagen/cudagen/internal/buildcache"
)

// A build is all that a compiler made for one unit, as the cache keeps it.
type build struct {
	Outputs []*compile.Output // PTX, then machine code for each target
	Heard   *compile.Output   // of the extra compilation; nil when there is none
	Asked   bool              // Heard answers the questions
	Unheard string            // why Heard is nil; empty when the compiler cannot

	// Others are the files that the compiler read outside of the module, by their paths:
	// headers of the toolkit and the system. Known is false when it did not say which.
	Others map[string]string
	Known  bool
}

// obtainBuild returns the build of the unit: from the cache in the user's folder, or made
// now. Cached says which.
//
// The key is everything that is known before: the inputs, the options, the compiler and
// its environment. What only the compiler knows, the headers outside of the module, is
// verified in an entry before it is used.
func (u *unit) obtainBuild(jobs *jobs, request compile.Request, archs []string) (b *build, cached bool, err error) {
	compileNow := func() (*build, error) { return u.compileAll(jobs, request, archs) }
	key, ok, err := u.key(jobs, request, archs)
	if err != nil {
		return nil, false, err
	}
	if !ok || jobs.cache == nil || request.DryRun {
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
	if b, err = decodeBuild(entry.Data); err == nil && b.current() {
		return b, true, nil
	}
	b, err = compileNow()
	return b, false, err
}

// cache returns the cache that the environment asks for: docs/cache.md. Without a folder
// there is none.
func (p *pipeline) cache() *buildcache.Cache {
	dir, off, err := buildcache.DefaultDir(os.Getenv)
	if off || err != nil {
		return nil
	}
	return buildcache.New(buildcache.Options{Dir: dir})
}

// buildFormat changes when a build of the same key would be another one.
const buildFormat = "cudagen build 1"

// environment are the variables that compilers and what they start read.
var environment = []string{
	"PATH", "NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS", "NVCC_CCBIN",
	"CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "COMPILER_PATH", "GCC_EXEC_PREFIX", "SOURCE_DATE_EPOCH",
	"INCLUDE", "LIB", "CL", "_CL_",
}

// timeMacros are what makes a build depend on when it is made.
//
// C++ standard, [cpp.predefined].
var timeMacros = regexp.MustCompile(`__(?:DATE|TIME|TIMESTAMP)__`)

// key returns the hash of all that is known to decide the build. ok is false when
// something else decides, too.
func (u *unit) key(jobs *jobs, request compile.Request, archs []string) (key buildcache.Key, ok bool, err error) {
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
	questions := u.ask()
	// The module's own path is in debug information, and in the paths of an entry.
	write(buildFormat, jobs.compiler.Name(), jobs.compiler.String(), version, u.module, u.path, archs, request.Flags, request.Suffix, request.LineInfo, questions.Source())
	for _, input := range u.record.Inputs {
		write(input.Path, input.SHA256)
		content, err := os.ReadFile(filepath.Join(filepath.Dir(u.out.record), filepath.FromSlash(input.Path)))
		if err != nil {
			return key, false, &InputError{input.Path, describe(err)}
		}
		// The hash of an input is that of its lines, and compilers see its bytes.
		write(record.HashImage(content))
		if timeMacros.Match(content) {
			return key, false, nil
		}
	}
	for _, name := range environment {
		write(name, os.Getenv(name))
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

// note remembers the files outside of the module that the compiler read.
func (b *build) note(module string) error {
	if b.Heard == nil || b.Heard.Includes == nil {
		return nil
	}
	b.Others = make(map[string]string)
	for _, path := range b.Heard.Includes {
		if _, inside := below(module, path); inside {
			continue
		}
		hash, err := hashFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil // it was temporary: not everything is known
		}
		if err != nil {
			return err
		}
		b.Others[path] = hash
	}
	b.Known = true
	return nil
}

// current reports whether the files outside of the module are still those that the
// compiler read.
func (b *build) current() bool {
	if !b.Known || len(b.Outputs) == 0 || slices.Contains(b.Outputs, nil) {
		return false
	}
	for path, hash := range b.Others {
		if now, err := hashFile(path); err != nil || now != hash {
			return false
		}
	}
	return true
}

func hashFile(path string) (string, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:]), nil
}
