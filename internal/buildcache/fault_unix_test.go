//go:build linux || darwin

package buildcache

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// entries returns the files that hold builds, and those that were being written.
func entries(t *testing.T, dir string) (builds, temporary []string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil || e.IsDir() || filepath.Base(filepath.Dir(path)) == "lock":
		case strings.HasPrefix(e.Name(), "tmp-"):
			temporary = append(temporary, path)
		default:
			builds = append(builds, path)
		}
		return err
	}))
	return builds, temporary
}

func TestFoldersAreTheUsersAlone(t *testing.T) {
	old := syscall.Umask(0)
	defer syscall.Umask(old)
	dir := filepath.Join(t.TempDir(), "cudagen", "build")
	made := 0
	get(t, New(Options{Dir: dir}), "k", returns("one", &made))
	require.NoError(t, filepath.WalkDir(filepath.Dir(dir), func(path string, e fs.DirEntry, err error) error {
		require.NoError(t, err)
		info, err := e.Info()
		require.NoError(t, err)
		want := fs.FileMode(0o600)
		if e.IsDir() {
			want = fs.ModeDir | 0o700
		}
		assert.Equal(t, want, info.Mode(), path)
		return nil
	}))
}

// TestDamagedEntries: whatever lies in an entry's place, the build is right, the damage
// is counted and reported, and the entry is good again.
func TestDamagedEntries(t *testing.T) {
	const data = "the build"
	otherKey := append(header(keyOf("other"), data), data...)
	good := append(header(keyOf("k"), data), data...)
	flipped := append([]byte(nil), good...)
	flipped[len(flipped)-1] ^= 1
	file := func(content []byte) func(t *testing.T, path string) {
		return func(t *testing.T, path string) { require.NoError(t, os.WriteFile(path, content, 0o600)) }
	}
	for _, tt := range []struct {
		name   string
		damage func(t *testing.T, path string)
		want   string
	}{
		{"empty", file(nil), "it is not a cache entry"},
		{"garbage", file([]byte(strings.Repeat("garbage", 100))), "it is not a cache entry"},
		{"another format", file(append([]byte("cudagen build 2\n"), good[len(magic):]...)), "it is not a cache entry"},
		{"cut off", file(good[:len(good)-1]), "damaged"},
		{"cut off in its header", file(good[:headerBytes-1]), "it is not a cache entry"},
		{"longer", file(append(append([]byte(nil), good...), 0)), "damaged"},
		{"one bit", file(flipped), "damaged"},
		{"another key's", file(otherKey), "damaged"},
		{"too long", func(t *testing.T, path string) { require.NoError(t, os.Truncate(path, 1<<40)) }, "more than the cache may hold"},
		{"symbolic link to a good one", func(t *testing.T, path string) {
			require.NoError(t, os.Rename(path, path+"x"))
			require.NoError(t, os.Symlink(path+"x", path))
		}, "symbolic links"},
		{"writable by others", func(t *testing.T, path string) { require.NoError(t, os.Chmod(path, 0o666)) }, "others may write to it"},
		{"pipe", func(t *testing.T, path string) {
			require.NoError(t, os.Remove(path))
			require.NoError(t, syscall.Mkfifo(path, 0o600))
		}, "it is not a file"},
		{"folder", func(t *testing.T, path string) {
			require.NoError(t, os.Remove(path))
			require.NoError(t, os.Mkdir(path, 0o700))
		}, "it is not a file"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := Options{Dir: t.TempDir()}
			made := 0
			get(t, New(o), "k", returns(data, &made))
			builds, _ := entries(t, o.Dir)
			require.Len(t, builds, 1)
			tt.damage(t, builds[0])

			c := New(o)
			r := get(t, c, "k", returns(data, &made))
			assert.Equal(t, data, r.Data)
			assert.Equal(t, Built, r.Origin)
			assert.ErrorContains(t, r.Problem, tt.want)
			assert.ErrorContains(t, r.Problem, builds[0])
			assert.Equal(t, Stats{Misses: 1, Builds: 1, Damaged: 1}, c.Stats())
			assert.Equal(t, Result{Data: data, Origin: Disk}, get(t, New(o), "k", returns(data, &made)))
		})
	}
}

// TestFolderThatCannotBeUsed: the build is made, and the reason reported, once.
func TestFolderThatCannotBeUsed(t *testing.T) {
	for _, tt := range []struct {
		name string
		dir  func(t *testing.T, root string) string
		want string
	}{
		{"a symbolic link", func(t *testing.T, root string) string {
			require.NoError(t, os.Mkdir(filepath.Join(root, "target"), 0o700))
			require.NoError(t, os.Symlink("target", filepath.Join(root, "link")))
			return filepath.Join(root, "link")
		}, "it is a symbolic link"},
		{"a file", func(t *testing.T, root string) string {
			require.NoError(t, os.WriteFile(filepath.Join(root, "file"), nil, 0o600))
			return filepath.Join(root, "file")
		}, "not a directory"},
		{"below a file", func(t *testing.T, root string) string {
			require.NoError(t, os.WriteFile(filepath.Join(root, "file"), nil, 0o600))
			return filepath.Join(root, "file", "build")
		}, "not a directory"},
		{"writable by others", func(t *testing.T, root string) string {
			require.NoError(t, os.Chmod(root, 0o777))
			return root
		}, "others may write to it"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := New(Options{Dir: tt.dir(t, t.TempDir())})
			made := 0
			r := get(t, c, "k", returns("one", &made))
			assert.Equal(t, "one", r.Data)
			require.ErrorContains(t, r.Problem, tt.want)
			assert.Equal(t, 1, strings.Count(r.Problem.Error(), tt.want), "%v", r.Problem)
			assert.Equal(t, Memory, get(t, c, "k", returns("one", &made)).Origin)
		})
	}
}

func TestAnotherUsersFolder(t *testing.T) {
	assert.EqualError(t, trustIDs(1, 2, 0o700), "it belongs to user 1, but this is user 2")
	assert.NoError(t, trustIDs(2, 2, 0o700))
	assert.NoError(t, trustIDs(2, 2, 0o755), "that others can read is no harm")
	assert.Error(t, trustIDs(2, 2, 0o720))

	dir := t.TempDir()
	if err := os.Chown(dir, 12345, -1); err != nil {
		return // only root can give a folder away
	}
	made := 0
	r := get(t, New(Options{Dir: dir}), "k", returns("one", &made))
	assert.ErrorContains(t, r.Problem, "it belongs to user 12345")
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Empty(t, left)
}

// TestReadOnlyFolder runs as another user where this one is root, who may write
// everywhere.
func TestReadOnlyFolder(t *testing.T) {
	const variable = "CUDAGEN_TEST_READ_ONLY"
	if dir := os.Getenv(variable); dir != "" {
		made := 0
		r := get(t, New(Options{Dir: dir}), "k", returns("one", &made))
		assert.Equal(t, "one", r.Data)
		assert.ErrorIs(t, r.Problem, fs.ErrPermission)
		return
	}
	dir, err := os.MkdirTemp("", "cudagen-read-only-")
	require.NoError(t, err)
	defer os.RemoveAll(dir)
	require.NoError(t, os.Chmod(dir, 0o500))
	program := filepath.Join(dir, "..", filepath.Base(dir)+".test")
	copyProgram(t, program)
	defer os.Remove(program)
	cmd := exec.Command(program, "-test.run=^TestReadOnlyFolder$")
	cmd.Dir, cmd.Env = os.TempDir(), append(os.Environ(), variable+"="+dir)
	if os.Geteuid() == 0 {
		require.NoError(t, os.Chown(dir, 12345, 12345))
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 12345, Gid: 12345}}
	}
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	assert.Contains(t, string(out), "PASS")
}

// copyProgram copies this test to where every user can run it.
func copyProgram(t *testing.T, to string) {
	t.Helper()
	from, err := os.Executable()
	require.NoError(t, err)
	content, err := os.ReadFile(from)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(to, content, 0o755))
	require.NoError(t, os.Chmod(to, 0o755))
}

func TestDiskFull(t *testing.T) {
	dir := t.TempDir()
	c := New(Options{Dir: dir})
	c.disk.write = func(f *os.File, p []byte) (int, error) {
		n, err := f.Write(p[:len(p)/2])
		return n, errors.Join(err, syscall.ENOSPC)
	}
	made := 0
	r := get(t, c, "k", returns("one", &made))
	assert.Equal(t, "one", r.Data)
	assert.ErrorIs(t, r.Problem, syscall.ENOSPC)
	builds, temporary := entries(t, dir)
	assert.Empty(t, builds)
	assert.Empty(t, temporary)
}

func TestEviction(t *testing.T) {
	dir := t.TempDir()
	o := Options{Dir: dir, DiskBytes: 10 * 1100}
	made := 0
	build := returns(strings.Repeat("x", 1000-headerBytes), &made)
	for i := range 10 {
		get(t, New(o), fmt.Sprint(i), build)
		age := time.Now().Add(time.Duration(i-20) * time.Hour)
		require.NoError(t, os.Chtimes((&disk{dir: dir}).path(keyOf(fmt.Sprint(i))), age, age))
	}
	left := filepath.Join(dir, "ab", "tmp-left")
	require.NoError(t, os.MkdirAll(filepath.Dir(left), 0o700))
	require.NoError(t, os.WriteFile(left, nil, 0o600))
	require.NoError(t, os.Chtimes(left, time.Time{}, time.Now().Add(-2*time.Hour)))
	assert.Equal(t, Disk, get(t, New(o), "0", build).Origin, "used again: it is the newest")

	c := New(o)
	get(t, c, "10", build)
	get(t, c, "11", build)
	assert.EqualValues(t, 2, c.Stats().Evictions+1, "11 entries fit in 11000 bytes, the twelfth does not")
	assert.NoFileExists(t, left)
	c = New(o)
	assert.Equal(t, Disk, get(t, c, "0", build).Origin)
	assert.Equal(t, Disk, get(t, c, "11", build).Origin)
	assert.Equal(t, Built, get(t, c, "1", build).Origin, "the least recently used")
}

// A child is this test run again as another process, which builds what its environment
// says.
const (
	childDir  = "CUDAGEN_TEST_CACHE"
	childRole = "CUDAGEN_TEST_ROLE"
)

func TestMain(m *testing.M) {
	if role := os.Getenv(childRole); role != "" {
		os.Exit(child(role, os.Getenv(childDir)))
	}
	os.Exit(m.Run())
}

const children, goroutines, keys = 8, 16, 20

func child(role, dir string) int {
	c := New(Options{Dir: dir})
	switch role {
	case "hang while building":
		c.Get(context.Background(), keyOf("k"), func(context.Context) (string, error) {
			fmt.Println("building")
			time.Sleep(time.Hour)
			return "", nil
		})
	case "hang while writing":
		c.disk.write = func(f *os.File, p []byte) (int, error) {
			f.Write(p[:len(p)/2])
			fmt.Println("writing")
			time.Sleep(time.Hour)
			return 0, nil
		}
		c.Get(context.Background(), keyOf("k"), func(context.Context) (string, error) { return "half", nil })
	case "many":
		io.ReadAll(os.Stdin) // until all of them are there
		var group sync.WaitGroup
		for range goroutines {
			for k := range keys {
				group.Go(func() {
					name := fmt.Sprint(k)
					r, err := c.Get(context.Background(), keyOf(name), func(context.Context) (string, error) {
						time.Sleep(5 * time.Millisecond)
						return name, nil
					})
					if err != nil || r.Data != name || r.Problem != nil {
						fmt.Println("wrong:", r, err)
					}
				})
			}
		}
		group.Wait()
		fmt.Println("builds", c.Stats().Builds)
	}
	return 0
}

func startChild(t *testing.T, role, dir string) (cmd *exec.Cmd, stdin io.Closer, stdout io.Reader) {
	t.Helper()
	program, err := os.Executable()
	require.NoError(t, err)
	cmd = exec.Command(program)
	cmd.Env = append(os.Environ(), childRole+"="+role, childDir+"="+dir)
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	return cmd, in, out
}

// TestManyProcesses: 16 goroutines in each of 8 processes ask for the same 20 builds.
func TestManyProcesses(t *testing.T) {
	dir := t.TempDir()
	var outputs []io.Reader
	var gates []io.Closer
	for range children {
		_, in, out := startChild(t, "many", dir)
		outputs, gates = append(outputs, out), append(gates, in)
	}
	for _, gate := range gates {
		require.NoError(t, gate.Close())
	}
	total := 0
	for _, out := range outputs {
		text, err := io.ReadAll(out)
		require.NoError(t, err)
		var builds int
		_, err = fmt.Sscanf(string(text), "builds %d\n", &builds)
		require.NoError(t, err, "%s", text)
		total += builds
	}
	assert.Equal(t, keys, total)
}

// TestKilled: a process that is killed while it builds or writes neither blocks others
// nor leaves anything that is taken for a build.
func TestKilled(t *testing.T) {
	for _, role := range []string{"hang while building", "hang while writing"} {
		t.Run(role, func(t *testing.T) {
			dir := t.TempDir()
			cmd, _, out := startChild(t, role, dir)
			_, err := out.Read(make([]byte, 1)) // it has the lock
			require.NoError(t, err)

			made := 0
			impatient := New(Options{Dir: dir, Wait: 10 * time.Millisecond})
			r := get(t, impatient, "other key, other lock", returns("other", &made))
			assert.NoError(t, r.Problem)
			r = get(t, impatient, "k", returns("one", &made))
			assert.Equal(t, "one", r.Data)
			assert.ErrorContains(t, r.Problem, "another process has held")
			require.NoError(t, os.Remove(impatient.disk.path(keyOf("k"))))

			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
			defer cancel()
			patient := New(Options{Dir: dir})
			_, err = patient.Get(ctx, keyOf("k"), returns("one", &made))
			assert.ErrorIs(t, err, context.DeadlineExceeded)

			time.AfterFunc(50*time.Millisecond, func() { cmd.Process.Kill() })
			start := time.Now()
			r = get(t, patient, "k", returns("two", &made))
			assert.Equal(t, Result{Data: "two", Origin: Built}, r)
			assert.Less(t, time.Since(start), 20*time.Second)
			assert.Equal(t, Result{Data: "two", Origin: Disk}, get(t, New(Options{Dir: dir}), "k", returns("three", &made)))
		})
	}
}
