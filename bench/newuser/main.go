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
	defer race.End()
	cold := flag.Bool("cold", false, "begin with an empty build cache")
	flag.Parse()
	run(*cold)
}

func run(cold bool) {
	temp := race.Must(os.MkdirTemp("", "newuser"))
	defer os.RemoveAll(temp)
	root := output(".", nil, "git", "rev-parse", "--show-toplevel")
	proxy := filepath.Join(temp, "proxy")
	pack(root, filepath.Join(proxy, filepath.FromSlash(module), "@v"))
	cache := output(".", nil, "go", "env", "GOMODCACHE")
	env := []string{
		"GOPROXY=file://" + proxy + ",file://" + filepath.Join(cache, "cache", "download"), "GOMODCACHE=" + filepath.Join(temp, "modules"),
		"GONOSUMDB=*", "GOFLAGS=-modcacherw", "GOWORK=off", "CUDAGEN_DEVICE=sim",
	}
	if cold {
		env = append(env, "GOCACHE="+filepath.Join(temp, "cache"))
	}
	hello := filepath.Join(temp, "hello")
	total := timed([]step{
		{temp, []string{"go", "run", module + "/cmd/cudagen@" + version, "init", "hello"}},
		{hello, []string{"go", "run", "."}},
	}, env)
	fmt.Printf("from an empty folder to a kernel that ran: %.1f s, two commands\n", total.Seconds())
	total = timed([]step{{hello, []string{"go", "test", "."}}}, env)
	fmt.Printf("its test: %.1f s\n", total.Seconds())
	kernels := filepath.Join(hello, "kernels.cu")
	source := race.Must(os.ReadFile(kernels))
	race.Do(os.WriteFile(kernels, bytes.ReplaceAll(source, []byte("+ y[i]"), []byte("- y[i]")), 0o644))
	total = timed([]step{{hello, []string{"go", "generate"}}, {hello, []string{"go", "run", "."}}}, env)
	fmt.Printf("from the first change of the kernel to its result: %.1f s, two commands\n", total.Seconds())
}

// A step is a command in a folder.
type step struct {
	dir     string
	command []string
}

// timed runs steps and returns how long they took.
func timed(steps []step, env []string) time.Duration {
	begin := time.Now()
	for _, s := range steps {
		start := time.Now()
		_, used := measured(s.dir, env, s.command...)
		fmt.Printf("%6.1f s, %6.1f s of processors  %s\n", time.Since(start).Seconds(), used.Seconds(), strings.Join(s.command, " "))
	}
	return time.Since(begin)
}

// output runs a command and returns what it prints to standard output.
func output(dir string, env []string, command ...string) string {
	text, _ := measured(dir, env, command...)
	return text
}

// measured is output with the time that processors worked, for what the command started, too.
func measured(dir string, env []string, command ...string) (string, time.Duration) {
	var stdout, stderr bytes.Buffer
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		race.Do(fmt.Errorf("%s: %w\n%s%s", strings.Join(command, " "), err, &stdout, &stderr))
	}
	return strings.TrimSpace(stdout.String()), cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
}

// pack writes what GOPROXY serves of the module's commit.
//
// Go Modules Reference, GOPROXY protocol, Module zip files.
func pack(root, dir string) {
	race.Do(os.MkdirAll(dir, 0o755))
	mod := race.Must(os.ReadFile(filepath.Join(root, "go.mod")))
	names := output(root, nil, "git", "ls-files")
	var b bytes.Buffer
	archive := zip.NewWriter(&b)
	for name := range strings.Lines(names) {
		name = strings.TrimSpace(name)
		if strings.HasPrefix(name, "bench/") {
			continue // a module of its own
		}
		content := race.Must(os.ReadFile(filepath.Join(root, filepath.FromSlash(name))))
		w := race.Must(archive.Create(module + "@" + version + "/" + name))
		race.Must(io.Copy(w, bytes.NewReader(content)))
	}
	race.Do(archive.Close())
	info := fmt.Sprintf(`{"Version":%q,"Time":"2026-01-01T00:00:00Z"}`, version)
	for name, content := range map[string][]byte{"list": []byte(version + "\n"), version + ".info": []byte(info), version + ".mod": mod, version + ".zip": b.Bytes()} {
		race.Do(os.WriteFile(filepath.Join(dir, name), content, 0o644))
	}
}
