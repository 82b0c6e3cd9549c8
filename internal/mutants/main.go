// Command mutants makes random small changes to functions of this module, one at a time, and runs the
// tests of the changed package. A change that no test notices survives: a test is missing, or the
// changed code has no effect.
//
//	go run ./internal/mutants -n 40 -seed 7 ./gen/... ./runtime/... ./internal/...
//
// No file of the module is written: the go command reads a changed file through -overlay. Changes that
// do not compile do not count. The exit code is 1 if a change survives.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
	"time"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// settings are the flags of the command.
type settings struct {
	tags    string
	timeout time.Duration
}

func run(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("mutants", flag.ContinueOnError)
	flags.SetOutput(stderr)
	var s settings
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
	all, err := s.candidates(patterns)
	if err != nil {
		return 0, err
	}
	scratch, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(scratch)
	random := rand.New(rand.NewPCG(seed, 0))
	for tried := 0; tried < n; {
		if len(all) == 0 {
			return survivors, fmt.Errorf("there are only %d changes that compile", tried)
		}
		at := random.IntN(len(all))
		m := all[at]
		all = append(all[:at], all[at+1:]...)
		verdict, err := s.judge(m, scratch)
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
		fmt.Fprintf(out, "%s: %q → %q: %s\n", m.pos, m.old, m.text, verdict)
	}
	return survivors, nil
}

// candidates returns all mutations of the packages that have tests, in the order of files.
func (s settings) candidates(patterns []string) ([]mutation, error) {
	list := exec.Command("go", append([]string{"list", "-tags", s.tags, "-f",
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
func (s settings) judge(m mutation, scratch string) (verdict, error) {
	source, err := os.ReadFile(m.pos.Filename)
	if err != nil {
		return "", err
	}
	changed := filepath.Join(scratch, "changed.go")
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": {m.pos.Filename: changed}})
	if err != nil {
		return "", err
	}
	file := filepath.Join(scratch, "overlay.json")
	if err := errors.Join(os.WriteFile(changed, m.of(source), 0o600), os.WriteFile(file, overlay, 0o600)); err != nil {
		return "", err
	}
	command := func(args ...string) (string, error) {
		c := exec.Command("go", args...)
		c.Dir = filepath.Dir(m.pos.Filename)
		var output bytes.Buffer
		c.Stdout, c.Stderr = &output, &output
		err := c.Run()
		return output.String(), err
	}
	if _, err := command("build", "-tags", s.tags, "-overlay", file, "-o", os.DevNull, "."); err != nil {
		return invalid, nil
	}
	// Most changes are noticed by the tests that -short leaves.
	for _, short := range []string{"-short=true", "-short=false"} {
		output, err := command("test", "-tags", s.tags, "-overlay", file, "-vet=off", "-count=1", "-failfast", "-timeout", s.timeout.String(), short, ".")
		switch {
		case strings.Contains(output, "[build failed]"):
			return invalid, nil
		case err != nil:
			return killed, nil
		}
	}
	return survived, nil
}
