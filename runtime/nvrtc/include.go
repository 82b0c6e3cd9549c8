package nvrtc

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// files knows what is in the files that sources include. Before each compilation they
// are looked at again, but for those of the toolkit, which belong with the library that
// this process has loaded.
type files struct {
	fixed []string // the toolkit's folders

	mu    sync.Mutex
	known map[string]*file    // by path; nil for a path of the toolkit where there is no file
	texts map[string]mentions // of the sources compiled last
}

// A file is one that a source may include.
type file struct {
	path     string
	sum      [sha256.Size]byte
	mentions mentions
	info     fs.FileInfo
	settled  bool // it was written long enough ago that another write changes its time
}

// settlingTime is longer than what file systems round times to.
const settlingTime = 2 * time.Second

// A text is a source or a header in memory.
type text struct {
	content string
	dir     string // where its #include "…" is looked for first
}

// reach returns the files that texts may include, directly or through others, from
// dirs, in an order that is always the same.
//
// It errs on the side of more: every condition counts as true, every folder that has a
// file of the name counts, comments count as text. uncached is the reason when
// something depends on what cannot be known here.
func (f *files) reach(texts []text, dirs []string) (reached []*file, uncached string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	seen := map[string]bool{}
	visit := func(m mentions, dir string) {
		uncached = m.unknown
		for _, name := range m.names {
			for i := range len(dirs) + 1 {
				path := filepath.FromSlash(name)
				switch {
				case filepath.IsAbs(path):
				case i == len(dirs):
					path = filepath.Join(dir, path)
				default:
					path = filepath.Join(dirs[i], path)
				}
				if seen[path] {
					continue
				}
				seen[path] = true
				found, err := f.look(path)
				switch {
				case err != nil:
					uncached = fmt.Sprintf("a header cannot be read: %v", err)
				case found != nil:
					reached = append(reached, found)
				}
			}
		}
	}
	for _, t := range texts {
		if visit(f.mentioned(t.content), t.dir); uncached != "" {
			return nil, uncached
		}
	}
	for i := 0; i < len(reached); i++ {
		if visit(reached[i].mentions, filepath.Dir(reached[i].path)); uncached != "" {
			return nil, uncached
		}
	}
	return reached, ""
}

// maxTexts is how many sources are remembered with what they mention.
const maxTexts = 256

// mentioned returns what a source mentions, and remembers it.
func (f *files) mentioned(content string) mentions {
	m, known := f.texts[content]
	if !known {
		if f.texts == nil || len(f.texts) >= maxTexts {
			f.texts = make(map[string]mentions)
		}
		m = mentioned(content)
		f.texts[content] = m
	}
	return m
}

// look returns what is at path, or nil when no file is there.
func (f *files) look(path string) (*file, error) {
	known, looked := f.known[path]
	if looked && f.isFixed(path) {
		return known, nil
	}
	found, err := f.read(path, known)
	if err != nil {
		return nil, err
	}
	if f.known == nil {
		f.known = make(map[string]*file)
	}
	if found != nil || f.isFixed(path) {
		f.known[path] = found
	} else {
		delete(f.known, path)
	}
	return found, nil
}

func (f *files) isFixed(path string) bool {
	return slices.ContainsFunc(f.fixed, func(dir string) bool {
		return strings.HasPrefix(path, dir+string(filepath.Separator))
	})
}

// read returns the file at path, or known if it is still the same.
func (f *files) read(path string, known *file) (*file, error) {
	info, err := os.Stat(path)
	switch {
	case absent(err):
		return nil, nil
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, nil
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s: it is not a file", path)
	case known != nil && known.settled && os.SameFile(known.info, info) &&
		known.info.Size() == info.Size() && known.info.ModTime().Equal(info.ModTime()):
		return known, nil
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return &file{
		path:     path,
		sum:      sha256.Sum256(content),
		mentions: mentioned(string(content)),
		info:     info,
		settled:  time.Since(info.ModTime()) > settlingTime,
	}, nil
}

// absent reports whether an error means that a file does not exist. A name that cannot be
// a file name, or leads through a file, counts as absent.
func absent(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) ||
		errors.Is(err, syscall.ENAMETOOLONG) || errors.Is(err, syscall.EINVAL)
}

// mentions are what a C++ text may include.
type mentions struct {
	names   []string // that follow an #include or __has_include, each once
	unknown string   // why the text depends on more than these, or ""
}

var (
	// A directive begins a line, or follows a comment.
	includeDirective = regexp.MustCompile(`(?:^(?:.*\*/)?\s*(?:#|%:|\?\?=)(?:\s|/\*.*?\*/)*|\*/\s*)(include|include_next|import|embed)\b(?:\s|/\*.*?\*/)*(["<]?)`)
	hasInclude       = regexp.MustCompile(`\b__has_(include|include_next|embed)\s*\(\s*(["<]?)`)
	// A macro that passes its parameter on: its name shows where it is used.
	hasIncludeMacro = regexp.MustCompile(`^\s*(?:#|%:)\s*define\s+\w*(?:include|INCLUDE)\w*\(`)
)

// mentioned finds what text may include. Of a line that speaks of including, everything
// that looks like the name of a header counts.
func mentioned(text string) mentions {
	var m mentions
	if strings.Contains(text, "\\\n") || strings.Contains(text, "\\\r\n") {
		text = continuation.Replace(text)
	}
	for _, volatile := range []string{"__DATE__", "__TIME__", "__TIMESTAMP__"} {
		if strings.Contains(text, volatile) {
			m.unknown = fmt.Sprintf("the source or a header has %s, which changes with each compilation", volatile)
			return m
		}
	}
	if !speaksOfIncluding(text) {
		return m
	}
	for line := range strings.Lines(text) {
		if !speaksOfIncluding(line) {
			continue
		}
		line = strings.TrimRight(line, "\r\n")
		for _, d := range includeDirective.FindAllStringSubmatch(line, -1) {
			if d[1] == "embed" || d[2] == "" {
				m.unknown = fmt.Sprintf("the source or a header has #%s of a file that is known only when compiling: %s", d[1], strings.TrimSpace(line))
				return m
			}
		}
		for _, h := range hasInclude.FindAllStringSubmatch(line, -1) {
			if h[1] == "embed" || h[2] == "" && !hasIncludeMacro.MatchString(line) {
				m.unknown = fmt.Sprintf("the source or a header has __has_%s of a file that is known only when compiling: %s", h[1], strings.TrimSpace(line))
				return m
			}
		}
		for _, name := range headerNames(line) {
			if !slices.Contains(m.names, name) {
				m.names = append(m.names, name)
			}
		}
	}
	return m
}

// headerNames returns everything in a line between two quotes, or between < and the
// next >.
func headerNames(line string) []string {
	names := strings.Split(line, `"`)
	names = names[1:max(1, len(names)-1)]
	for rest := line; ; {
		_, after, found := strings.Cut(rest, "<")
		name, _, closed := strings.Cut(after, ">")
		if !found || !closed {
			break
		}
		names = append(names, name)
		rest = after
	}
	return slices.DeleteFunc(names, func(name string) bool { return name == "" || strings.ContainsRune(name, 0) })
}

var continuation = strings.NewReplacer("\\\r\n", "", "\\\n", "")

func speaksOfIncluding(text string) bool {
	for _, word := range []string{"include", "INCLUDE", "import", "embed"} {
		if strings.Contains(text, word) {
			return true
		}
	}
	return false
}
