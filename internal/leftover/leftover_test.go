package leftover_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/leftover"
)

// The process of TestClear is the test binary itself.
func TestMain(m *testing.M) {
	if folder := os.Getenv("LEFTOVER_TEST"); folder != "" {
		leave(folder)
	}
	os.Exit(m.Run())
}

// leave makes temporary files, keeps one, and calls Clear while a set of files is being written.
func leave(folder string) {
	made, err := leftover.Dir(folder, "made-*")
	check(err)
	check(os.WriteFile(filepath.Join(made, "in it"), nil, 0o666))
	removed, err := leftover.Dir(folder, "removed-*")
	check(err)
	check(leftover.Remove(removed))
	kept, err := leftover.File(folder, "kept-*")
	check(err)
	check(kept.Close())
	check(os.Rename(kept.Name(), filepath.Join(folder, "kept")))
	leftover.Keep(kept.Name())
	_, err = leftover.File(folder, "file-*")
	check(err)

	done, begun := leftover.Whole(), make(chan bool)
	go func() {
		close(begun)
		time.Sleep(20 * time.Millisecond)
		check(os.WriteFile(filepath.Join(folder, "last of the set"), nil, 0o666))
		done()
	}()
	<-begun
	leftover.Clear()
	go func() { leftover.Dir(folder, "late-*"); fmt.Println("made a folder behind Clear") }()
	go func() { leftover.Run(exec.Command("true")); fmt.Println("ran a process behind Clear") }()
	time.Sleep(20 * time.Millisecond)
	os.Exit(0)
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func TestClear(t *testing.T) {
	folder := t.TempDir()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "LEFTOVER_TEST="+folder)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	assert.Empty(t, string(out))
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	assert.Equal(t, []string{"kept", "last of the set"}, names)
}

func TestOutput(t *testing.T) {
	out, err := leftover.Output(exec.Command(os.Args[0], "-test.list=TestOutput"))
	require.NoError(t, err)
	assert.Contains(t, string(out), "TestOutput")
	_, err = leftover.Output(exec.Command(filepath.Join(t.TempDir(), "none")))
	assert.ErrorIs(t, err, os.ErrNotExist)
}
