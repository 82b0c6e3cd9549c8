package buildcache

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/cudagen/cudagen/internal/ended"
	"github.com/cudagen/cudagen/internal/filelock"
	"github.com/cudagen/cudagen/internal/leftover"
)

// A disk is the folder that processes share:
//
//	ab/abcdef…   the build whose key begins with ab
//	ab/tmp-…     one that is being written
//	lock/ab      locked by the process that builds a key that begins with ab
type disk struct {
	dir      string
	limit    int64
	wait     time.Duration
	counters *counters
	write    func(*os.File, []byte) (int, error) // (*os.File).Write; a failing one in tests

	mu       sync.Mutex
	untended int64 // bytes written since the folder was trimmed
	tended   bool  // it was trimmed by this process
}

// magic begins every entry. Its number is that of the format.
const magic = "cudagen build 1\n"

// headerBytes is the length of magic, key, hash of the build and its length.
const headerBytes = len(magic) + 2*sha256.Size + 8

func header(key Key, data string) []byte {
	sum := sha256.Sum256([]byte(data))
	h := append([]byte(magic), key[:]...)
	h = append(h, sum[:]...)
	return binary.LittleEndian.AppendUint64(h, uint64(len(data)))
}

func (d *disk) path(key Key) string {
	name := hex.EncodeToString(key[:])
	return filepath.Join(d.dir, name[:2], name)
}

// load reads the build of key. problem says why an entry that is there was not used;
// it is removed then.
func (d *disk) load(key Key) (data string, found bool, problem error) {
	path := d.path(key)
	if err := trustFolder(filepath.Dir(path)); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return "", false, nil
		}
		return "", false, err
	}
	data, modified, err := d.read(path, key)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", false, nil
	case err != nil:
		d.counters.damaged.Add(1)
		if removed := os.Remove(path); removed != nil {
			err = fmt.Errorf("%w; remove it: %w", err, removed)
		}
		return "", false, fmt.Errorf("cached build %s was not used: %w", path, err)
	}
	if now := time.Now(); now.Sub(modified) > time.Minute {
		// The time of last use decides what is evicted; without it the oldest goes.
		os.Chtimes(path, now, now)
	}
	return data, true, nil
}

// read reads and verifies an entry.
func (d *disk) read(path string, key Key) (data string, modified time.Time, err error) {
	f, err := os.OpenFile(path, os.O_RDONLY|openFlags, 0)
	if err != nil {
		return "", time.Time{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", time.Time{}, err
	}
	if err := trustFile(info); err != nil {
		return "", time.Time{}, err
	}
	if info.Size() > d.limit+int64(headerBytes) {
		return "", time.Time{}, fmt.Errorf("it has %d bytes, more than the cache may hold", info.Size())
	}
	content := make([]byte, info.Size())
	if _, err := io.ReadFull(f, content); err != nil {
		return "", time.Time{}, err
	}
	if len(content) < headerBytes || !strings.HasPrefix(string(content[:len(magic)]), magic) {
		return "", time.Time{}, errors.New("it is not a cache entry")
	}
	data = string(content[headerBytes:])
	if !bytes.Equal(content[:headerBytes], header(key, data)) {
		return "", time.Time{}, errors.New("its contents are damaged")
	}
	return data, info.ModTime(), nil
}

// lock waits until no other process builds a key with the same first byte. The system
// releases the lock of a process that ends. An error means that the lock was not taken:
// the caller builds without it, perhaps for the second time.
func (d *disk) lock(ctx context.Context, key Key) (unlock func(), err error) {
	path := filepath.Join(d.dir, "lock", hex.EncodeToString(key[:1]))
	if err := makeFolder(filepath.Dir(path)); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|openFlags, 0o600)
	if err != nil {
		return nil, fmt.Errorf("build cache: %w", err)
	}
	info, err := f.Stat()
	if err == nil {
		err = trustFile(info)
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("build cache: %s: %w", path, err)
	}
	deadline := time.Now().Add(d.wait)
	for pause := time.Millisecond; ; pause = min(2*pause, 20*time.Millisecond) {
		locked, err := filelock.TryLock(f)
		switch {
		case err != nil:
			f.Close()
			return nil, fmt.Errorf("build cache: locking %s: %w", path, err)
		case locked:
			return func() { f.Close() }, nil
		case time.Now().After(deadline):
			f.Close()
			return nil, fmt.Errorf("build cache: another process has held %s for more than %v: building without waiting for it", path, d.wait)
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			f.Close()
			return nil, ended.Cause(ctx)
		}
	}
}

// store writes the build of key, all of it or nothing.
func (d *disk) store(key Key, data string) error {
	if int64(len(data)) > d.limit {
		return nil
	}
	path := d.path(key)
	if err := makeFolder(filepath.Dir(path)); err != nil {
		return err
	}
	if err := d.writeFile(path, header(key, data), []byte(data)); err != nil {
		return fmt.Errorf("build cache: a build was not kept: %w", err)
	}
	if err := d.tend(int64(headerBytes + len(data))); err != nil {
		return fmt.Errorf("build cache: making room: %w", err)
	}
	return nil
}

// writeFile writes a file under another name and renames it.
func (d *disk) writeFile(path string, parts ...[]byte) error {
	f, err := leftover.File(filepath.Dir(path), "tmp-") // mode 0600
	if err != nil {
		return err
	}
	for _, part := range parts {
		if err == nil {
			_, err = d.write(f, part)
		}
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		if err = os.Rename(f.Name(), path); err == nil {
			leftover.Keep(f.Name())
		}
	}
	if err != nil {
		leftover.Remove(f.Name())
	}
	return err
}

// makeFolder makes d.dir, or a folder in it, for this user alone.
func makeFolder(path string) error {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return fmt.Errorf("build cache: %w", err)
	}
	return trustFolder(path)
}

// trustFolder reports why nothing is read from or written to a folder.
func trustFolder(path string) error {
	info, err := os.Lstat(path)
	switch {
	case err != nil:
	case info.Mode()&fs.ModeSymlink != 0:
		err = errors.New("it is a symbolic link: name the folder itself")
	case !info.IsDir():
		err = errors.New("it is not a folder")
	default:
		err = trustOwner(info)
	}
	if err != nil {
		return fmt.Errorf("build cache %s is not used: %w", path, err)
	}
	return nil
}

// trustFile reports why the contents of a file are not used.
func trustFile(info fs.FileInfo) error {
	if !info.Mode().IsRegular() {
		return errors.New("it is not a file")
	}
	return trustOwner(info)
}

// staleTemporary is the age at which a file that is being written was left behind by a
// process that was killed.
const staleTemporary = time.Hour

// tend trims the folder to its limit, the first time that this process has written to
// it and then whenever it may have grown by a sixteenth.
func (d *disk) tend(written int64) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.untended += written
	if d.tended && d.untended < d.limit/16 {
		return nil
	}
	d.tended, d.untended = true, 0
	return d.trim()
}

// trim removes the least recently used entries until the folder is within its limit.
func (d *disk) trim() error {
	type entry struct {
		path string
		size int64
		used time.Time
	}
	var entries []entry
	var size int64
	err := filepath.WalkDir(d.dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return nil // gone, or not ours
		}
		info, err := e.Info()
		if err != nil || filepath.Base(filepath.Dir(path)) == "lock" {
			return nil
		}
		if strings.HasPrefix(e.Name(), "tmp-") {
			if time.Since(info.ModTime()) > staleTemporary {
				os.Remove(path)
			}
			return nil
		}
		entries = append(entries, entry{path, info.Size(), info.ModTime()})
		size += info.Size()
		return nil
	})
	if err != nil {
		return err
	}
	slices.SortFunc(entries, func(a, b entry) int {
		return cmp.Or(a.used.Compare(b.used), cmp.Compare(a.path, b.path))
	})
	for _, e := range entries {
		if size <= d.limit {
			break
		}
		if err := os.Remove(e.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		size -= e.size
		d.counters.evictions.Add(1)
	}
	return nil
}
