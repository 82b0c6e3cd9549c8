package main

import (
	"crypto/sha256"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
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
	case slices.ContainsFunc(mods, func(mod string) bool { return declares(mod, "module", modulePath) || mentions(mod, modulePath) }):
		return "go run " + commandPath
	case i.version != "":
		return "go run " + commandPath + "@" + i.version
	}
	return "go run " + commandPath + "@latest"
}

// goMods returns the texts of the go.mod of the module around a folder and, in a workspace, of its
// modules, whose tools and packages the go command finds, too.
//
// Go Modules Reference, Workspaces.
func goMods(folder string) (texts []string) {
	if mod, _, found := around(folder, "go.mod"); found {
		texts = append(texts, mod)
	}
	var work, root string
	switch path := os.Getenv("GOWORK"); path {
	case "off":
		return texts
	case "":
		work, root, _ = around(folder, "go.work")
	default:
		content, err := os.ReadFile(path)
		if err == nil {
			work, root = string(content), filepath.Dir(path)
		}
	}
	for _, used := range arguments(work, "use") {
		path := filepath.FromSlash(used)
		if !filepath.IsAbs(path) {
			path = filepath.Join(root, path)
		}
		if mod, err := os.ReadFile(filepath.Join(path, "go.mod")); err == nil {
			texts = append(texts, string(mod))
		}
	}
	return texts
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
func hasTool(mod string) bool {
	return declares(mod, "tool", commandPath)
}

// declares reports whether a go.mod has the directive verb with an argument.
func declares(mod, verb, argument string) bool {
	return slices.Contains(arguments(mod, verb), argument)
}

// arguments returns the first arguments of the directives verb of a go.mod or go.work, in either form.
func arguments(mod, verb string) (list []string) {
	block := false
	for line := range strings.Lines(mod) {
		line, _, _ = strings.Cut(line, "//")
		fields := strings.Fields(line)
		switch {
		case len(fields) == 2 && fields[0] == verb && fields[1] == "(":
			block = true
		case len(fields) == 1 && fields[0] == ")":
			block = false
		case len(fields) >= 2 && fields[0] == verb:
			list = append(list, strings.Trim(fields[1], "\"`"))
		case block && len(fields) >= 1:
			list = append(list, strings.Trim(fields[0], "\"`"))
		}
	}
	return list
}

// mentions reports whether a go.mod requires a module.
func mentions(mod, path string) bool { return declares(mod, "require", path) }

// ownCommand matches a call of cudagen in a message, such as "run cudagen -force": not the name
// at the beginning of a line, which a colon follows, and not a path.
var ownCommand = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(^|[\s(])((?:go tool |go run \S*/)?cudagen) (-[a-zA-Z]|toolchain install|doctor|inspect|watch|vet|init|clean|explain|sim|help|\./\.\.\.)`)
})

// withInvocation returns text with the calls of cudagen in it as the user calls it.
func withInvocation(text, command string) string {
	if command == "cudagen" {
		return text
	}
	return ownCommand().ReplaceAllStringFunc(text, func(found string) string {
		m := ownCommand().FindStringSubmatch(found)
		if m[2] != "cudagen" {
			return found
		}
		return m[1] + command + " " + m[3]
	})
}

// A remedyWriter writes messages whose remedies are commands as the user calls them.
type remedyWriter struct {
	io.Writer
	command string
}

// Write writes whole messages.
func (w *remedyWriter) Write(p []byte) (int, error) {
	if _, err := io.WriteString(w.Writer, withInvocation(string(p), w.command)); err != nil {
		return 0, err
	}
	return len(p), nil
}
