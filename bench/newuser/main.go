// Command newuser measures the way of a new user: from an empty folder to a kernel that runs, and from
// the first change of the kernel to its result.
//
//	go run ./newuser
//
// It packs the commit that is checked out as a module, into a folder that serves as GOPROXY beside the
// module cache, which must hold the dependencies. The build cache is the user's: its first run
// compiles cudagen, and -cold takes an empty one.
package main

import (
	"archive/zip"
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/cudagen/cudagen/bench/race"
)

const (
	module  = "github.com/cudagen/cudagen"
	version = "v0.0.1"
)

func main() {
	cold := flag.Bool("cold", false, "begin with an empty build cache")
	flag.Parse()
	race.Do(run(*cold))
}

func run(cold bool) error {
	temp, err := os.MkdirTemp("", "newuser")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	root, err := output(".", nil, "git", "rev-parse", "--show-toplevel")
	if err != nil {
		return err
	}
	proxy := filepath.Join(temp, "proxy")
	if err := pack(root, filepath.Join(proxy, filepath.FromSlash(module), "@v")); err != nil {
		return err
	}
	cache, err := output(".", nil, "go", "env", "GOMODCACHE")
	if err != nil {
		return err
	}
	env := []string{
		"GOPROXY=file://" + proxy + ",file://" + filepath.Join(cache, "cache", "download"), "GOMODCACHE=" + filepath.Join(temp, "modules"),
		"GONOSUMDB=*", "GOFLAGS=-modcacherw", "GOWORK=off", "CUDAGEN_DEVICE=sim",
	}
	if cold {
		env = append(env, "GOCACHE="+filepath.Join(temp, "cache"))
	}
	hello := filepath.Join(temp, "hello")
	total, err := timed([]step{
		{temp, []string{"go", "run", module + "/cmd/cudagen@" + version, "init", "hello"}},
		{hello, []string{"go", "run", "."}},
	}, env)
	if err != nil {
		return err
	}
	fmt.Printf("from an empty folder to a kernel that ran: %.1f s, two commands\n", total.Seconds())
	total, err = timed([]step{{hello, []string{"go", "test", "."}}}, env)
	if err != nil {
		return err
	}
	fmt.Printf("its test: %.1f s\n", total.Seconds())
	kernels := filepath.Join(hello, "kernels.cu")
	source, err := os.ReadFile(kernels)
	if err != nil {
		return err
	}
	if err := os.WriteFile(kernels, bytes.ReplaceAll(source, []byte("+ y[i]"), []byte("- y[i]")), 0o644); err != nil {
		return err
	}
	total, err = timed([]step{{hello, []string{"go", "generate"}}, {hello, []string{"go", "run", "."}}}, env)
	if err != nil {
		return err
	}
	fmt.Printf("from the first change of the kernel to its result: %.1f s, two commands\n", total.Seconds())
	return nil
}

// A step is a command in a folder.
type step struct {
	dir     string
	command []string
}

// timed runs steps and returns how long they took.
func timed(steps []step, env []string) (time.Duration, error) {
	begin := time.Now()
	for _, s := range steps {
		start := time.Now()
		_, used, err := measured(s.dir, env, s.command...)
		if err != nil {
			return 0, err
		}
		fmt.Printf("%6.1f s, %6.1f s of processors  %s\n", time.Since(start).Seconds(), used.Seconds(), strings.Join(s.command, " "))
	}
	return time.Since(begin), nil
}

// output runs a command and returns what it prints to standard output.
func output(dir string, env []string, command ...string) (string, error) {
	text, _, err := measured(dir, env, command...)
	return text, err
}

// measured is output with the time that processors worked, for what the command started, too.
func measured(dir string, env []string, command ...string) (string, time.Duration, error) {
	var stdout, stderr bytes.Buffer
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return "", 0, fmt.Errorf("%s: %w\n%s%s", strings.Join(command, " "), err, &stdout, &stderr)
	}
	return strings.TrimSpace(stdout.String()), cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), nil
}

// pack writes what GOPROXY serves of the module's commit.
//
// Go Modules Reference, GOPROXY protocol, Module zip files.
func pack(root, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return err
	}
	names, err := output(root, nil, "git", "ls-files")
	if err != nil {
		return err
	}
	var b bytes.Buffer
	archive := zip.NewWriter(&b)
	for name := range strings.Lines(names) {
		name = strings.TrimSpace(name)
		if strings.HasPrefix(name, "bench/") {
			continue // a module of its own
		}
		content, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if err != nil {
			return err
		}
		w, err := archive.Create(module + "@" + version + "/" + name)
		if err != nil {
			return err
		}
		if _, err := io.Copy(w, bytes.NewReader(content)); err != nil {
			return err
		}
	}
	if err := archive.Close(); err != nil {
		return err
	}
	info := fmt.Sprintf(`{"Version":%q,"Time":"2026-01-01T00:00:00Z"}`, version)
	for name, content := range map[string][]byte{"list": []byte(version + "\n"), version + ".info": []byte(info), version + ".mod": mod, version + ".zip": b.Bytes()} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o644); err != nil {
			return err
		}
	}
	return nil
}
