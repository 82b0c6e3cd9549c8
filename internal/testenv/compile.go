package testenv

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// compiled holds what C compilers have made in this process, by the hash of all inputs.
var compiled struct {
	sync.Mutex
	images map[[sha256.Size]byte][]byte
}

// CompileC returns what the C compiler cc makes of file, one of sources, with args. It runs once for
// its inputs: once in a process, and once in all processes in whose environment CUDAGEN_TEST_CACHE is
// the same folder.
func CompileC(t testing.TB, cc string, args []string, sources fs.FS, file string) []byte {
	t.Helper()
	key := hash(t, fmt.Sprint(cc, args, file), sources)
	compiled.Lock()
	defer compiled.Unlock()
	if image, ok := compiled.images[key]; ok {
		return image
	}
	shared := ""
	if folder := os.Getenv("CUDAGEN_TEST_CACHE"); folder != "" {
		shared = filepath.Join(folder, fmt.Sprintf("%x", key))
	}
	image, err := os.ReadFile(shared)
	if err != nil {
		image = compile(t, cc, args, sources, file)
		if shared != "" {
			share(t, shared, image)
		}
	}
	if compiled.images == nil {
		compiled.images = map[[sha256.Size]byte][]byte{}
	}
	compiled.images[key] = image
	return image
}

func compile(t testing.TB, cc string, args []string, sources fs.FS, file string) []byte {
	dir := t.TempDir()
	if err := os.CopyFS(dir, sources); err != nil {
		t.Fatalf("testenv: %v", err)
	}
	library := filepath.Join(dir, "compiled")
	command := exec.Command(cc, append(args, "-o", library, filepath.Join(dir, file))...)
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("testenv: %v: %v\n%s", command, err, out)
	}
	image, err := os.ReadFile(library)
	if err != nil {
		t.Fatalf("testenv: %v", err)
	}
	return image
}

// share writes image to path, which other processes read at any time.
func share(t testing.TB, path string, image []byte) {
	file, err := os.CreateTemp(filepath.Dir(path), "new")
	if err != nil {
		t.Fatalf("testenv: %v", err)
	}
	_, err = file.Write(image)
	if closed := file.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		t.Fatalf("testenv: %v", err)
	}
}

func hash(t testing.TB, arguments string, sources fs.FS) (key [sha256.Size]byte) {
	h := sha256.New()
	fmt.Fprintln(h, arguments)
	err := fs.WalkDir(sources, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := fs.ReadFile(sources, path)
		fmt.Fprintln(h, path, len(text))
		h.Write(text)
		return err
	})
	if err != nil {
		t.Fatalf("testenv: %v", err)
	}
	return [sha256.Size]byte(h.Sum(nil))
}
