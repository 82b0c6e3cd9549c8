// Command mutants makes random small changes to functions of this module, one at a time, and runs the
// tests of the changed package. A change that no test notices survives: a test is missing, or the
// changed code has no effect.
//
//	go run ./internal/mutants -n 40 -seed 7 ./gen/... ./runtime/... ./internal/...
//
// It changes a copy of the module, where tests that read sources see the change, and runs tests that take seconds, too.
// Changes that do not compile do not count. The exit code is 1 if a change survives.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"time"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// settings are the flags of the command, and where it works.
type settings struct {
	tags    string
	timeout time.Duration
	root    string          // of the copy of the module
	folder  string          // where the command runs, in the copy
	passing map[string]bool // folders of packages whose tests pass without a change
}

func run(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("mutants", flag.ContinueOnError)
	flags.SetOutput(stderr)
	s := settings{passing: make(map[string]bool)}
	n := flags.Int("n", 40, "how many changes to try")
	seed := flags.Uint64("seed", 1, "chooses the changes")
	flags.StringVar(&s.tags, "tags", "", "build tags")
	flags.DurationVar(&s.timeout, "timeout", 10*time.Minute, "limit for the tests of a package; a change that exceeds it is noticed")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	survivors, err := s.try(*n, *seed, flags.Args(), stdout)
	if err != nil {
		fmt.Fprintln(stderr, "mutants:", err)
		return 2
	}
	fmt.Fprintf(stdout, "%d of %d survive\n", survivors, *n)
	return min(survivors, 1)
}

// try makes n changes to the files of the packages and returns how many survive.
func (s settings) try(n int, seed uint64, patterns []string, out io.Writer) (survivors int, err error) {
	scratch, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(scratch)
	if err := s.copyModule(filepath.Join(scratch, "copy")); err != nil {
		return 0, err
	}
	all, err := s.candidates(patterns)
	if err != nil {
		return 0, err
	}
	random := rand.New(rand.NewPCG(seed, 0))
	for tried := 0; tried < n; {
		if len(all) == 0 {
			return survivors, fmt.Errorf("there are only %d changes that compile", tried)
		}
		at := random.IntN(len(all))
		m := all[at]
		all = append(all[:at], all[at+1:]...)
		verdict, err := s.judge(m)
		if err != nil {
			return survivors, err
		}
		if verdict == invalid {
			continue
		}
		tried++
		if verdict == survived {
			survivors++
		}
		fmt.Fprintf(out, "%s: %q → %q: %s\n", strings.TrimPrefix(m.pos.String(), s.root+string(filepath.Separator)), m.old, m.text, verdict)
	}
	return survivors, nil
}

// copyModule copies the module of the working folder to root, without what git and packers keep in it.
func (s *settings) copyModule(root string) error {
	folder, err := os.Getwd()
	if err != nil {
		return err
	}
	output, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		return fmt.Errorf("go list -m: %w", err)
	}
	module := strings.TrimSpace(string(output))
	below, err := filepath.Rel(module, folder)
	if err != nil {
		return err
	}
	s.root, s.folder = root, filepath.Join(root, below)
	return filepath.WalkDir(module, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(module, path)
		if err != nil {
			return err
		}
		switch to := filepath.Join(root, name); {
		case name == ".git" || name == ".gpu":
			if entry.IsDir() {
				return filepath.SkipDir
			}
			return nil // of a linked working tree
		case entry.IsDir():
			return os.MkdirAll(to, 0o777)
		case entry.Type()&fs.ModeSymlink != 0:
			target, err := os.Readlink(path)
			return errors.Join(err, os.Symlink(target, to))
		default:
			content, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			info, err := entry.Info()
			return errors.Join(err, os.WriteFile(to, content, info.Mode()))
		}
	})
}

// command returns the go command in a folder of the copy. What it compiles is that of the module: paths are trimmed.
func command(folder string, args ...string) *exec.Cmd {
	c := exec.Command("go", args...)
	c.Dir = folder
	c.Env = append(os.Environ(), "GOFLAGS="+strings.TrimSpace(os.Getenv("GOFLAGS")+" -trimpath"))
	return c
}

// candidates returns all mutations of the packages that have tests, in the order of files.
func (s settings) candidates(patterns []string) ([]mutation, error) {
	list := command(s.folder, append([]string{"list", "-tags", s.tags, "-f",
		`{{if or .TestGoFiles .XTestGoFiles}}{{$d := .Dir}}{{range .GoFiles}}{{$d}}/{{.}}{{"\n"}}{{end}}{{end}}`}, patterns...)...)
	list.Stderr = os.Stderr
	output, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	files := strings.Fields(string(output))
	sort.Strings(files)
	var all []mutation
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		found, err := mutations(file, source)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

// A verdict is the result of the tests of a changed package.
type verdict string

const (
	invalid  verdict = "does not compile"
	killed   verdict = "noticed"
	survived verdict = "SURVIVES"
)

// judge runs the tests of the package of m with m made.
func (s settings) judge(m mutation) (verdict, error) {
	folder := filepath.Dir(m.pos.Filename)
	if !s.passing[folder] {
		if output, err := s.test(folder).CombinedOutput(); err != nil {
			return "", fmt.Errorf("the tests fail without a change: %w\n%s", err, output)
		}
		s.passing[folder] = true
	}
	source, err := os.ReadFile(m.pos.Filename)
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(m.pos.Filename, m.of(source), 0o600); err != nil {
		return "", err
	}
	defer os.WriteFile(m.pos.Filename, source, 0o600)
	if command(folder, "build", "-tags", s.tags, "-o", os.DevNull, ".").Run() != nil {
		return invalid, nil
	}
	// Most changes are noticed by the tests that -short leaves.
	for _, flags := range [][]string{{"-short"}, nil} {
		test := s.test(folder, flags...)
		if flags == nil {
			test.Env = append(test.Env, "CUDAGEN_REQUIRE="+strings.TrimPrefix(os.Getenv("CUDAGEN_REQUIRE")+",long", ","))
		}
		switch output, err := test.CombinedOutput(); {
		case bytes.Contains(output, []byte("[build failed]")):
			return invalid, nil
		case err != nil:
			return killed, nil
		}
	}
	return survived, nil
}

// test returns the command that tests the package in folder.
func (s settings) test(folder string, flags ...string) *exec.Cmd {
	return command(folder, slices.Concat([]string{"test", "-tags", s.tags, "-vet=off", "-failfast", "-timeout", s.timeout.String()}, flags, []string{"."})...)
}
