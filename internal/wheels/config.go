package wheels

import (
	"cmp"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// defaultIndex is pip's index where none is configured.
const defaultIndex = "https://pypi.org/simple"

// A config is what pip is configured to use.
//
// pip documentation, Configuration.
type config struct {
	env     func(string) string
	options map[string]string // of its files, by their names: index-url
}

// readConfig reads pip's configuration. env is os.Getenv or, in tests, a replacement.
func readConfig(env func(string) string) (*config, error) {
	c := &config{env: env, options: make(map[string]string)}
	install := make(map[string]string)
	for _, path := range c.files() {
		sections, err := readINI(path)
		if err != nil {
			return nil, err
		}
		maps.Copy(c.options, sections["global"])
		maps.Copy(install, sections["install"])
	}
	maps.Copy(c.options, install)
	return c, nil
}

// files returns where pip's configuration may be, the most important last.
func (c *config) files() (list []string) {
	add := func(folder string, path ...string) {
		if folder != "" {
			list = append(list, filepath.Join(append([]string{folder}, path...)...))
		}
	}
	own := c.env("PIP_CONFIG_FILE")
	if own == os.DevNull {
		return nil
	}
	_, err := os.Stat(own)
	user := own == "" || err != nil // a file that is named replaces the user's
	if runtime.GOOS == "windows" {
		add(c.env("ProgramData"), "pip", "pip.ini")
		if user {
			add(c.home(), "pip", "pip.ini")
			add(c.env("APPDATA"), "pip", "pip.ini")
		}
		add(c.env("VIRTUAL_ENV"), "pip.ini")
	} else {
		for _, folder := range filepath.SplitList(cmp.Or(c.env("XDG_CONFIG_DIRS"), "/etc/xdg")) {
			add(folder, "pip", "pip.conf")
		}
		add("/etc", "pip.conf")
		if user {
			add(c.home(), ".pip", "pip.conf")
			if folder := c.env("XDG_CONFIG_HOME"); folder != "" {
				add(folder, "pip", "pip.conf")
			} else {
				add(c.home(), ".config", "pip", "pip.conf")
			}
		}
		add(c.env("VIRTUAL_ENV"), "pip.conf")
	}
	add(own)
	return list
}

func (c *config) home() string {
	if runtime.GOOS == "windows" {
		return c.env("USERPROFILE")
	}
	return c.env("HOME")
}

// readINI reads the options of a file of pip by their sections. A file that is not there has none.
//
// Python documentation, configparser: Supported INI File Structure.
func readINI(path string) (sections map[string]map[string]string, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, nil // pip ignores what it cannot read, too
	}
	return parseINI(string(text), path)
}

func parseINI(text, path string) (sections map[string]map[string]string, err error) {
	sections = make(map[string]map[string]string)
	var section map[string]string
	var key string
	number := 0
	for whole := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
		number++
		line := strings.TrimSpace(whole)
		name, value, isOption := cutAny(line, "=:")
		switch {
		case line == "" || line[0] == '#' || line[0] == ';':
		case strings.HasPrefix(line, "[") && strings.HasSuffix(line, "]"):
			name := line[1 : len(line)-1]
			if sections[name] == nil {
				sections[name] = make(map[string]string)
			}
			section, key = sections[name], ""
		case key != "" && strings.ContainsRune(" \t", rune(whole[0])):
			section[key] += "\n" + line
		case section != nil && isOption && strings.TrimSpace(name) != "":
			key = strings.TrimPrefix(strings.ReplaceAll(strings.ToLower(strings.TrimSpace(name)), "_", "-"), "--")
			section[key] = strings.TrimSpace(value)
		default:
			return nil, fmt.Errorf("%s:%d: it is not a section or an option of pip, such as index-url = https://…: correct it, or name another file with PIP_CONFIG_FILE", path, number)
		}
	}
	return sections, nil
}

// cutAny cuts text at the first of the separators.
func cutAny(text, separators string) (before, after string, found bool) {
	if i := strings.IndexAny(text, separators); i >= 0 {
		return text[:i], text[i+1:], true
	}
	return text, "", false
}

// option returns the value of the first of names that is set: in the environment, or else in the files.
func (c *config) option(names ...string) string {
	for _, name := range names {
		if value := c.env("PIP_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))); value != "" {
			return value
		}
	}
	for _, name := range names {
		if value := c.options[name]; value != "" {
			return value
		}
	}
	return ""
}

// on reports whether a switch is on.
func (c *config) on(name string) bool {
	return slices.Contains([]string{"y", "yes", "t", "true", "on", "1"}, strings.ToLower(c.option(name)))
}

// places returns the pages that list files of any package, and the indexes, which have a page for each
// package, in the order in which they are asked.
func (c *config) places() (pages, indexes []*url.URL, err error) {
	for _, text := range strings.Fields(c.option("find-links")) {
		page, err := c.page(text)
		if err != nil {
			return nil, nil, err
		}
		pages = append(pages, page)
	}
	if c.on("no-index") {
		return pages, nil, nil
	}
	for _, text := range append(strings.Fields(cmp.Or(c.option("index-url"), defaultIndex)), strings.Fields(c.option("extra-index-url"))...) {
		index, err := parseURL(strings.TrimSuffix(text, "/") + "/")
		if err != nil {
			return nil, nil, err
		}
		indexes = append(indexes, index)
	}
	return pages, indexes, nil
}

// page returns the address of a page or a folder of files.
func (c *config) page(text string) (*url.URL, error) {
	if rest, ok := strings.CutPrefix(text, "~"); ok {
		text = c.home() + rest
	}
	if strings.Contains(text, "://") {
		return parseURL(text)
	}
	path, err := filepath.Abs(text)
	if err != nil {
		return nil, err
	}
	return fileURL(path), nil
}

// fileURL returns the address of a file or a folder.
func fileURL(path string) *url.URL {
	address := filepath.ToSlash(path)
	if !strings.HasPrefix(address, "/") {
		address = "/" + address // C:/wheels
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		address += "/"
	}
	return &url.URL{Scheme: "file", Path: address}
}

func parseURL(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil || !slices.Contains([]string{"http", "https", "file"}, u.Scheme) {
		// The error has the address, with its password.
		return nil, fmt.Errorf("pip's configuration has an address that is not of http, https or file: correct its index-url, extra-index-url, find-links and proxy, or PIP_INDEX_URL and the like")
	}
	return u, nil
}

// timeout is how long a server may be silent.
func (c *config) timeout() time.Duration {
	seconds, err := strconv.ParseFloat(c.option("timeout", "default-timeout"), 64)
	if err != nil || seconds <= 0 || seconds > 3600 {
		return 15 * time.Second
	}
	return time.Duration(seconds * float64(time.Second))
}

// retries is how often a request is repeated that fails in a way that may pass.
func (c *config) retries() int {
	n, err := strconv.Atoi(c.option("retries"))
	if err != nil || n < 0 {
		return 5
	}
	return n
}

// trusted reports whether pip believes a host without a valid certificate.
func (c *config) trusted(u *url.URL) bool {
	hosts := strings.Fields(c.option("trusted-host"))
	return slices.Contains(hosts, u.Hostname()) || slices.Contains(hosts, u.Host)
}

// netrc returns the user and the password for a host in the file of that name.
//
// GNU Inetutils manual, The .netrc file.
func (c *config) netrc(host string) *url.Userinfo {
	text, err := os.ReadFile(c.env("NETRC"))
	for _, name := range []string{".netrc", "_netrc"} {
		if err != nil && c.env("NETRC") == "" && c.home() != "" {
			text, err = os.ReadFile(filepath.Join(c.home(), name))
		}
	}
	if err != nil {
		return nil
	}
	return parseNetrc(string(text), host)
}

func parseNetrc(text, host string) *url.Userinfo {
	var words []string
	macro := false // it ends with an empty line
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		macro = macro && len(fields) > 0 || slices.Contains(fields, "macdef")
		if !macro {
			words = append(words, fields...)
		}
	}
	var login, password string
	found, of := false, ""
	for i := 0; i < len(words); i++ {
		next := ""
		if i+1 < len(words) {
			next = words[i+1]
		}
		switch words[i] {
		case "machine", "default":
			if found {
				return url.UserPassword(login, password)
			}
			of, login, password = "*", "", ""
			if words[i] == "machine" {
				of = next
				i++
			}
			found = of == host || of == "*"
		case "login":
			login = next
			i++
		case "password":
			password = next
			i++
		case "account":
			i++
		}
	}
	if !found {
		return nil
	}
	return url.UserPassword(login, password)
}
