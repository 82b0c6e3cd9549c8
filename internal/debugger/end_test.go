package debugger_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-dap"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/testenv"
)

// processesIn returns the processes whose executables are in a folder.
func processesIn(folder string) (list []string) {
	paths, _ := filepath.Glob("/proc/[0-9]*/exe")
	for _, path := range paths {
		if exe, err := os.Readlink(path); err == nil && strings.HasPrefix(exe, folder) {
			list = append(list, path)
		}
	}
	return list
}

// However a session ends, no process is left, and no file.
func TestEndOfSession(t *testing.T) {
	testenv.Need(t, testenv.Long)
	for name, end := range map[string]func(c *client){
		"the client disappears":        func(c *client) { c.to.Close() },
		"disconnect":                   func(c *client) { c.request("disconnect", nil) },
		"terminate, and it disappears": func(c *client) { c.request("terminate", nil); c.wait(); c.to.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			t.Setenv("TMPDIR", folder)
			c := newClient(t)
			c.play(`> launch {"mode": "test", "program": "./example/bugs", "test": "TestMissingBarrier", "debugInfo": false}
> kernel missingBarrier
> run`)
			require.Contains(t, c.log.String(), "stopped: function breakpoint")
			if _, err := os.Stat("/proc/self/exe"); err == nil {
				assert.NotEmpty(t, processesIn(folder), "control: it runs")
			}
			files, err := os.ReadDir(folder)
			require.NoError(t, err)
			assert.NotEmpty(t, files, "control: it has files")
			end(c)
			assert.NoError(t, <-c.served)
			assert.Empty(t, processesIn(folder))
			files, err = os.ReadDir(folder)
			require.NoError(t, err)
			assert.Empty(t, files)
		})
	}
}

// A launch that cannot be says what to do, and so do requests that come too early.
func TestRefusals(t *testing.T) {
	testenv.Need(t, testenv.Long)
	for arguments, want := range map[string]string{
		`{}`: "there is no program: name a package or its folder",
		`{"program": "./example/bugs", "mode": "dance"}`:   `mode "dance": choose debug for a program, test for tests, or exec for an executable`,
		`{"program": "./example/bugs", "stepBy": "block"}`: `stepBy "block": choose warp or lane`,
		`{"program": "./example/bugs", "test": "TestX"}`:   `test "TestX" in mode debug: set "mode": "test"`,
		`{"program": "./example/nothing"}`:                 "there is no Go package ./example/nothing in .: name one",
		`{"program": "example.invalid/nothing"}`:           "there is no Go package example.invalid/nothing",
		`{"program": "./nothing", "mode": "exec"}`:         "program ./nothing: no such file",
		`{"program": "./example", "mode": "exec"}`:         "program ./example: a folder: use mode debug",
		`{"program": "./runtime/sim"}`:                     "./runtime/sim is no package main: for its tests use mode test",
		`{"program": "./example/bugs", "cwd": "/nope"}`:    "cwd /nope: no such folder",
		`{"program": 7}`: `program is a text: "./example/bugs"`,
		`{"program": "./example/bugs", "buildFlags": ["-frobnicate"]}`: "go build -o",
	} {
		t.Run(arguments, func(t *testing.T) {
			c := newClient(t)
			c.play("> launch " + arguments)
			assert.Contains(t, c.log.String(), want)
			_, started := c.request("configurationDone", nil).(*dap.ConfigurationDoneResponse)
			assert.True(t, started, "a second error says nothing more")
			c.do("end")
			assert.NotContains(t, c.log.String(), "exit code")
		})
	}
	c := newClient(t)
	for _, command := range []string{"run", "continue", "next", "back", "reverse", "pause", "print x", "threads"} {
		c.do(command)
	}
	assert.Equal(t, "no program was launched\nno kernel is stopped\nthere is no thread 0\nno kernel is stopped\nno kernel is stopped\nno program runs\nno kernel is stopped\nthe program\n", c.log.String())
	c.request("attach", map[string]any{})
	c.request("goto", map[string]any{})
	c.request("frobnicate", nil)
	c.to.Close()
	assert.NoError(t, <-c.served)
}

// What is no message of the protocol is an error with a remedy.
func TestNoProtocol(t *testing.T) {
	c := newClient(t)
	_, err := c.to.Write([]byte("hello\r\n\r\n"))
	require.NoError(t, err)
	assert.ErrorContains(t, <-c.served, "what was read is no message of the Debug Adapter Protocol")
}

// A program that launches no kernel says what it needs, unless it says itself what is wrong.
func TestNoDevice(t *testing.T) {
	testenv.Need(t, testenv.Long)
	const none, ended = "no kernel was launched", "the program has ended: exit code 0\n"
	for arguments, want := range map[string]string{
		`{"program": "./example/bugs"}`:                                     "console: " + none,
		`{"program": "./example/bugs", "args": ["-help"]}`:                  "exit code 1",
		`{"program": "./example/bugs", "args": ["-case", "nothing"]}`:       "exit code 1",
		`{"program": "./example/bugs", "mode": "test", "test": "TestNope"}`: "console: no test is called TestNope\n" + ended,
	} {
		t.Run(arguments, func(t *testing.T) {
			c := newClient(t)
			c.play("> launch " + arguments + "\n> run")
			assert.Contains(t, c.log.String(), want)
			assert.Equal(t, strings.Contains(want, none), strings.Contains(c.log.String(), none), c.log.String())
		})
	}
}

// A kernel that runs is paused where it is, and goes on: to the report that it makes no progress.
func TestPause(t *testing.T) {
	testenv.Need(t, testenv.Long)
	c := newClient(t)
	c.play(`> launch {"program": "./example/bugs", "args": ["-case", "deadlock"], "debugInfo": false}`)
	c.request("configurationDone", nil)
	deadline := time.Now().Add(patience)
	for {
		if _, failed := c.request("pause", map[string]any{"threadId": 1}).(*dap.ErrorResponse); !failed {
			break
		}
		require.True(t, time.Now().Before(deadline))
		time.Sleep(10 * time.Millisecond) // until it has opened its device
	}
	c.wait()
	assert.Contains(t, c.log.String(), "stopped: pause\ndeadlock at deadlock.cu:")
	c.do("next")
	c.do("continue")
	assert.Contains(t, c.log.String(), "no progress: every thread waits for another")
	c.do("continue")
	assert.Contains(t, c.log.String(), "the program has ended: exit code 1")
}
