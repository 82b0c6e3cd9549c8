// Package sourcefile takes the name of a source file as an image has it, and finds the file on this machine. It reads no sources.
package sourcefile

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// Find returns the path of the file called name, from the working directory if it is in the module of that. Names in images
// are relative to the module, or absolute; those of Go's own files may begin with the module's path (go build -trimpath). A file that is only below or beside the working directory by its last part is not found:
// two files may have one name. Find returns "" if there is no such file.
func Find(name string) string {
	if name == "" {
		return ""
	}
	path := filepath.FromSlash(name)
	if filepath.IsAbs(path) {
		return relative(existing(path))
	}
	if root := module(); root != "" {
		if inside, ok := strings.CutPrefix(name, modulePath()+"/"); ok {
			if found := existing(filepath.Join(root, filepath.FromSlash(inside))); found != "" {
				return relative(found)
			}
		}
		if found := existing(filepath.Join(root, path)); found != "" {
			return relative(found)
		}
	}
	return existing(path)
}

// Shown returns how people find the file called name: its path, with slashes, or the name if there is no such file.
func Shown(name string) string {
	if shown, ok := cache.Load(name); ok {
		return shown.(string)
	}
	shown := name
	if found := Find(name); found != "" {
		shown = filepath.ToSlash(found)
	}
	cache.Store(name, shown)
	return shown
}

// cache has what Shown has found.
var cache sync.Map

// existing returns path if a regular file is there, otherwise "".
func existing(path string) string {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	return path
}

// relative returns path, which is absolute or "", from the working directory if it is in its module.
func relative(path string) string {
	root := module()
	folder, err := os.Getwd()
	if path == "" || root == "" || err != nil {
		return path
	}
	if inside, err := filepath.Rel(root, path); err != nil || !filepath.IsLocal(inside) {
		return path
	}
	if short, err := filepath.Rel(folder, path); err == nil {
		return short
	}
	return path
}

// modulePath returns what the module of the working directory is called, or a name that no file begins with.
var modulePath = sync.OnceValue(func() string {
	text, _ := os.ReadFile(filepath.Join(module(), "go.mod"))
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) > 1 && fields[0] == "module" {
			return strings.Trim(fields[1], "\"`")
		}
	}
	return "\x00"
})

// module returns the folder with the go.mod of the working directory, or "".
var module = sync.OnceValue(func() string {
	folder, err := os.Getwd()
	for err == nil {
		if existing(filepath.Join(folder, "go.mod")) != "" {
			return folder
		}
		above := filepath.Dir(folder)
		if above == folder {
			break
		}
		folder = above
	}
	return ""
})
