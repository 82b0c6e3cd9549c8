package main

import (
	"crypto/sha256"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"golang.org/x/mod/modfile"

	"github.com/cudagen/cudagen/internal/diag"
)

// commandPath is the import path of this command.
const commandPath = "github.com/cudagen/cudagen/cmd/cudagen"

// modulePath is the path of the module that has this command.
const modulePath = "github.com/cudagen/cudagen"

// builtByGo reports whether path is that of a program that go tool or go run has built for itself:
// in a folder of the build cache, or a temporary one.
func builtByGo(path string) bool {
	folders := strings.FieldsFunc(path, func(c rune) bool { return c == '/' || c == '\\' })
	if len(folders) < 2 {
		return false
	}
	last := folders[len(folders)-2]
	return last == "exe" && strings.Contains(path, "go-build") || len(last) == len("-d")+2*sha256.Size && strings.HasSuffix(last, "-d")
}

// An invocation is how the user calls this command.
type invocation struct {
	program string // path of this program
	folder  string // the working folder
	version string // of this module, or "" if it is not a released one
}

// invoked returns the invocation of this process.
func invoked() invocation {
	var i invocation
	i.program, _ = os.Executable() // "" is a program that the user installed
	i.folder, _ = os.Getwd()       // "" has no go.mod
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Path == modulePath && info.Main.Replace == nil && strings.HasPrefix(info.Main.Version, "v") && !strings.Contains(info.Main.Version, "+") {
		i.version = info.Main.Version
	}
	return i
}

// command returns the words with which the user calls this command: "cudagen", "go tool cudagen",
// or "go run" with the path of the command.
func (i invocation) command() string {
	if !builtByGo(i.program) {
		return "cudagen"
	}
	mods := goMods(i.folder)
	switch {
	case slices.ContainsFunc(mods, hasTool):
		return "go tool cudagen"
	case slices.ContainsFunc(mods, func(mod *modfile.File) bool { return isOwn(mod) || requirement(mod) != nil }):
		return "go run " + commandPath
	case i.version != "":
		return "go run " + commandPath + "@" + i.version
	}
	return "go run " + commandPath + "@latest"
}

// goMods returns the go.mod of the module around a folder and, in a workspace, those of its modules,
// whose tools and packages the go command finds, too.
func goMods(folder string) (mods []*modfile.File) {
	if mod, found := goMod(folder); found {
		mods = append(mods, mod)
	}
	for _, path := range workspace(folder) {
		if content, err := os.ReadFile(filepath.Join(path, "go.mod")); err == nil {
			mods = append(mods, parseMod(string(content)))
		}
	}
	return mods
}

// workspace returns the folders of the modules of the workspace around a folder; none without one.
//
// Go Modules Reference, Workspaces.
func workspace(folder string) (folders []string) {
	var work, root string
	switch path := os.Getenv("GOWORK"); path {
	case "off":
		return nil
	case "":
		work, root, _ = around(folder, "go.work")
	default:
		content, err := os.ReadFile(path)
		if err == nil {
			work, root = string(content), filepath.Dir(path)
		}
	}
	parsed, err := modfile.ParseWork("go.work", []byte(work), nil)
	if err != nil {
		return nil // the go command reports it
	}
	for _, use := range parsed.Use {
		path := filepath.FromSlash(use.Path)
		if !filepath.IsAbs(path) {
			path = filepath.Join(root, path)
		}
		folders = append(folders, path)
	}
	return folders
}

// goMod returns the go.mod of the module around a folder.
func goMod(folder string) (mod *modfile.File, found bool) {
	text, _, found := around(folder, "go.mod")
	return parseMod(text), found
}

// parseMod parses a go.mod. One with errors, which the go command reports, counts as empty.
func parseMod(text string) *modfile.File {
	mod, err := modfile.Parse("go.mod", []byte(text), nil)
	if err != nil {
		return new(modfile.File)
	}
	return mod
}

// around returns the text of the file called name in a folder or the nearest one above that has one, and
// which folder that is.
func around(folder, name string) (text, where string, found bool) {
	for folder != "" {
		content, err := os.ReadFile(filepath.Join(folder, name))
		if err == nil {
			return string(content), folder, true
		}
		parent := filepath.Dir(folder)
		if parent == folder {
			break
		}
		folder = parent
	}
	return "", "", false
}

// hasTool reports whether a go.mod names this command as a tool.
func hasTool(mod *modfile.File) bool {
	return slices.ContainsFunc(mod.Tool, func(tool *modfile.Tool) bool { return tool.Path == commandPath })
}

// isOwn reports whether a go.mod is that of the module with this command.
func isOwn(mod *modfile.File) bool { return mod.Module != nil && mod.Module.Mod.Path == modulePath }

// requirement returns what a go.mod says of the module with this command, or nil.
func requirement(mod *modfile.File) *modfile.Require {
	for _, require := range mod.Require {
		if require.Mod.Path == modulePath {
			return require
		}
	}
	return nil
}

// ownCommand returns the words with which the user calls this command.
var ownCommand = sync.OnceValue(func() string { return invoked().command() })

// spoken returns what err says, with calls of cudagen in its remedy as the user calls it.
func spoken(err error) string { return diag.RemedyOf(err).In(err.Error(), ownCommand()) }
