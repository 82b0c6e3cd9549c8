package wheels

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/pem"
	"fmt"
	"io"
	"io/fs"
	"log"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestParse(t *testing.T) {
	sum := strings.Repeat("a1", 32)
	list, err := Parse(sum + " 12 nvidia_nvvm-13.0.88-py3-none-manylinux2010_x86_64.manylinux_2_12_x86_64.whl\n" + sum + " 7 a.b_c-1-py3-none-win_amd64.whl\n")
	require.NoError(t, err)
	require.Len(t, list, 2)
	w := list[0]
	assert.Equal(t, Wheel{"nvidia_nvvm-13.0.88-py3-none-manylinux2010_x86_64.manylinux_2_12_x86_64.whl", 12, sum}, w)
	assert.Equal(t, []string{"nvidia-nvvm", "13.0.88", "manylinux_2_12_x86_64", "nvidia-nvvm 13.0.88", "nvidia_nvvm-13.0.88.dist-info/RECORD"},
		[]string{w.Name(), w.Version(), w.Platform(), w.String(), w.Record()})
	for _, bad := range []string{"", "x", sum + " 0 a-1-py3-none-any.whl", sum + " 1 ../a-1-py3-none-any.whl", sum[1:] + " 1 a-1-py3-none-any.whl", sum + " 1 a-1.whl"} {
		_, err := Parse(bad)
		assert.ErrorContains(t, err, "line 1: ", bad)
	}
}

// content is that of the wheel of the tests, and file its name.
var content = bytes.Repeat([]byte("0123456789abcdef"), 4096)

const file = "nvidia_x-1.0-py3-none-any.whl"

func wheelOf(content []byte) Wheel {
	sum := sha256.Sum256(content)
	return Wheel{File: file, Size: int64(len(content)), SHA256: hex.EncodeToString(sum[:])}
}

// A site is an index on this machine that notes what it is asked for.
type site struct {
	*httptest.Server
	mu       sync.Mutex
	requests []string
}

// newSite returns an index whose page, and whose file below /files, are what page and wheel answer.
func newSite(t *testing.T, page, wheel http.HandlerFunc) *site {
	s := new(site)
	note := func(to http.HandlerFunc) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			user, password, _ := r.BasicAuth()
			s.mu.Lock()
			s.requests = append(s.requests, strings.TrimSpace(fmt.Sprintf("%s %s:%s %s", r.URL.Path, user, password, r.Header.Get("Range"))))
			s.mu.Unlock()
			to(w, r)
		}
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/simple/nvidia-x/", note(page))
	mux.HandleFunc("/files/", note(wheel))
	s.Server = httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

// asked returns the requests since the last call.
func (s *site) asked() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := s.requests
	s.requests = nil
	return list
}

func serve(contentType, text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		io.WriteString(w, text)
	}
}

func status(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
}

// whole serves the wheel, and the ranges of it.
func whole(w http.ResponseWriter, r *http.Request) {
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
}

const htmlPage = `<html><a href="../../files/other.whl">other</a> <A class=x HREF='../../files/` + file + `#sha256=%s' data-requires-python="&gt;=3">x</A></html>`

func page() http.HandlerFunc {
	return serve("text/html", fmt.Sprintf(htmlPage, wheelOf(content).SHA256))
}

// client returns a client with an environment of its own. It repeats requests at once.
func client(t *testing.T, env map[string]string) *Client {
	t.Helper()
	c, err := New(isolated(env), func(string) {})
	require.NoError(t, err)
	c.pause = time.Millisecond
	return c
}

// isolated returns an environment without the configuration of this machine.
func isolated(env map[string]string) func(string) string {
	return func(name string) string {
		value, ok := env[name]
		if !ok && name == "PIP_CONFIG_FILE" {
			return os.DevNull
		}
		return value
	}
}

// Whatever the page's form, the file is found, downloaded and verified.
func TestDownload(t *testing.T) {
	w := wheelOf(content)
	for name, page := range map[string]http.HandlerFunc{
		"html":          page(),
		"without a sum": serve("text/html; charset=utf-8", `<a href=/files/`+file+`>`),
		"base":          serve("application/vnd.pypi.simple.v1+html", `<base href="/files/"><a href="`+file+`#egg=x">`),
		"json":          serve(jsonType, `{"meta":{"api-version":"1.1"},"files":[{"filename":"`+file+`","url":"/files/`+file+`","hashes":{"sha256":"`+w.SHA256+`"},"size":1}]}`),
		"json, no sum":  serve("application/json", `{"files":[{"filename":"`+file+`","url":"../../files/`+file+`","hashes":{}}]}`),
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t, page, whole)
			dir := t.TempDir()
			path, err := client(t, map[string]string{"PIP_INDEX_URL": s.URL + "/simple"}).Download(t.Context(), w, dir)
			require.NoError(t, err)
			got, err := os.ReadFile(path)
			require.NoError(t, err)
			assert.True(t, bytes.Equal(content, got))
			assert.Equal(t, []string{"/simple/nvidia-x/ :", "/files/" + file + " :"}, s.asked())
			_, err = client(t, map[string]string{"PIP_INDEX_URL": s.URL}).Download(t.Context(), w, dir)
			require.NoError(t, err)
			assert.Empty(t, s.asked(), "what is there is not downloaded again")
		})
	}
}

// What cannot be had is told with what to do.
func TestDownloadFails(t *testing.T) {
	w := wheelOf(content)
	changed := append([]byte("X"), content[1:]...)
	for _, tt := range []struct {
		name        string
		page, wheel http.HandlerFunc
		want        []string
	}{
		{"no page", status(404), whole, []string{file + " was not found:\n  http://", "/simple/nvidia-x/: 404 Not Found\nconfigure an index that has NVIDIA's wheels"}},
		{"no file", serve("text/html", "<a href=x>"), whole, []string{"does not list it\nconfigure an index"}},
		{"other file", serve("text/html", fmt.Sprintf(htmlPage, strings.Repeat("0", 64))), whole, []string{"lists another file of this name, with SHA-256 000"}},
		{"no credentials", status(401), whole, []string{"401 Unauthorized", "give a user and a password in PIP_INDEX_URL"}},
		{"no credentials for the file", page(), status(403), []string{"403 Forbidden: give a user and a password"}},
		{"proxy's credentials", status(407), whole, []string{"give a user and a password for the proxy"}},
		{"down", status(503), whole, []string{"503 Service Unavailable"}},
		{"a login page", serve("text/plain", "log in"), whole, []string{`it is not the page of a package index, but "text/plain"`}},
		{"broken JSON", serve(jsonType, "{"), whole, []string{"it is not the page of a package index: "}},
		{"file is gone", page(), status(404), []string{"/files/" + file + ": 404 Not Found: configure an index"}},
		{"a login page for the file", page(), serve("text/html", "log in"), []string{"has 6 bytes instead of 65536: the index has another file, or a proxy answers in its place"}},
		{"changed", page(), func(w http.ResponseWriter, r *http.Request) { w.Write(changed) }, []string{file + " has SHA-256 ", "has changed the file: use another one (PIP_INDEX_URL)"}},
		{"cut off", page(), func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", "65536")
			if r.Header.Get("Range") == "" {
				w.Write(content[:100])
			}
		}, []string{"unexpected EOF: check the network"}},
		{"endless", page(), func(w http.ResponseWriter, r *http.Request) {
			for range 64 {
				w.Write(changed)
			}
		}, []string{"has changed the file"}},
		{"ranges that do not fit", page(), func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Range", "bytes 5-65535/65536")
			w.WriteHeader(206)
		}, []string{"the server does not continue the download"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newSite(t, tt.page, tt.wheel)
			dir := t.TempDir()
			_, err := client(t, map[string]string{"PIP_INDEX_URL": strings.Replace(s.URL, "//", "//me:secret@", 1) + "/simple", "PIP_RETRIES": "1"}).Download(t.Context(), w, dir)
			for _, want := range tt.want {
				assert.ErrorContains(t, err, want)
			}
			require.Error(t, err)
			assert.NotContains(t, err.Error(), "secret")
			if info, err := os.Stat(filepath.Join(dir, file)); err == nil {
				assert.Less(t, info.Size(), w.Size, "what is there is no whole file")
			}
		})
	}
}

// A download goes on where it ended: after a connection that breaks, and in the next process. What does not
// fit is downloaded anew.
func TestDownloadGoesOn(t *testing.T) {
	breaks := 3
	s := newSite(t, page(), func(w http.ResponseWriter, r *http.Request) {
		if breaks == 0 {
			whole(w, r)
			return
		}
		breaks--
		from := 0
		fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-", &from)
		w.Header().Set("Content-Length", fmt.Sprint(len(content)-from))
		if from > 0 {
			w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", from, len(content)-1, len(content)))
			w.WriteHeader(206)
		}
		w.Write(content[from : from+1000])
	})
	env := map[string]string{"PIP_INDEX_URL": s.URL + "/simple", "PIP_RETRIES": "1"}
	_, err := client(t, env).Download(t.Context(), wheelOf(content), t.TempDir())
	require.NoError(t, err, "each try that gets further allows others")
	assert.Equal(t, []string{"/files/" + file + " :", "/files/" + file + " : bytes=1000-", "/files/" + file + " : bytes=2000-", "/files/" + file + " : bytes=3000-"}, s.asked()[1:])

	for _, tt := range []struct {
		name, there string
		want        []string
	}{
		{"a part", string(content[:500]), []string{"bytes=500-"}},
		{"a part of another file", "XXXX", []string{"bytes=4-", ""}},
		{"another file", strings.Repeat("X", len(content)), []string{""}},
		{"a longer one", strings.Repeat("X", len(content)+1), []string{""}},
		{"nothing", "", []string{""}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(dir, file), []byte(tt.there), 0o600))
			path, err := client(t, env).Download(t.Context(), wheelOf(content), dir)
			require.NoError(t, err)
			got, err := os.ReadFile(path)
			require.NoError(t, err)
			assert.True(t, bytes.Equal(content, got))
			var ranges []string
			for _, request := range s.asked() {
				if rest, ok := strings.CutPrefix(request, "/files/"+file+" :"); ok {
					ranges = append(ranges, strings.TrimSpace(rest))
				}
			}
			assert.Equal(t, tt.want, ranges)
		})
	}

	t.Run("a server without ranges", func(t *testing.T) {
		s := newSite(t, page(), func(w http.ResponseWriter, r *http.Request) { w.Write(content) })
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, file), content[:500], 0o600))
		_, err := client(t, map[string]string{"PIP_INDEX_URL": s.URL + "/simple"}).Download(t.Context(), wheelOf(content), dir)
		assert.NoError(t, err)
	})
}

// A server that says nothing is given up, and a context that ends ends everything at once.
func TestSilence(t *testing.T) {
	stop := make(chan struct{})
	s := newSite(t, page(), func(w http.ResponseWriter, r *http.Request) {
		w.Write(content[:10])
		w.(http.Flusher).Flush()
		select {
		case <-stop:
		case <-r.Context().Done():
		}
	})
	defer close(stop)
	env := map[string]string{"PIP_INDEX_URL": s.URL + "/simple", "PIP_RETRIES": "0", "PIP_TIMEOUT": "0.05"}
	_, err := client(t, env).Download(t.Context(), wheelOf(content), t.TempDir())
	assert.ErrorContains(t, err, "the server is silent for 50ms: check the network")

	env["PIP_TIMEOUT"] = "60"
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	start := time.Now()
	_, err = client(t, env).Download(ctx, wheelOf(content), t.TempDir())
	assert.ErrorIs(t, err, context.DeadlineExceeded)
	assert.Less(t, time.Since(start), 30*time.Second)
}

// Credentials go to the host that they are for, and not to the one that it redirects to.
func TestCredentials(t *testing.T) {
	home := t.TempDir()
	other := newSite(t, status(404), whole)
	elsewhere := strings.Replace(other.URL, "127.0.0.1", "localhost", 1)
	s := newSite(t, page(), func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, elsewhere+"/files/"+file, http.StatusFound)
	})
	userinfo := strings.Replace(s.URL, "//", "//me:pass%20word@", 1) + "/simple"
	_, err := client(t, map[string]string{"PIP_INDEX_URL": userinfo, "HOME": home, "USERPROFILE": home}).Download(t.Context(), wheelOf(content), t.TempDir())
	require.NoError(t, err)
	assert.Equal(t, []string{"/simple/nvidia-x/ me:pass word", "/files/" + file + " me:pass word"}, s.asked())
	assert.Equal(t, []string{"/files/" + file + " :"}, other.asked())

	require.NoError(t, os.WriteFile(filepath.Join(home, ".netrc"), []byte("machine example.com login a password b\nmacdef x\nmachine 127.0.0.1\n\nmachine 127.0.0.1\n  login net account z password rc\ndefault login any password one\n"), 0o600))
	_, err = client(t, map[string]string{"PIP_INDEX_URL": s.URL + "/simple", "HOME": home, "USERPROFILE": home}).Download(t.Context(), wheelOf(content), t.TempDir())
	require.NoError(t, err)
	assert.Equal(t, []string{"/simple/nvidia-x/ net:rc", "/files/" + file + " net:rc"}, s.asked())
	assert.Equal(t, []string{"/files/" + file + " any:one"}, other.asked())

	named := filepath.Join(home, "other")
	require.NoError(t, os.WriteFile(named, []byte("machine 127.0.0.1 login named"), 0o600))
	assert.Equal(t, "named:", (&config{env: isolated(map[string]string{"NETRC": named, "HOME": home})}).netrc("127.0.0.1").String())
	assert.Nil(t, (&config{env: isolated(map[string]string{"NETRC": named})}).netrc("example.com"))
	assert.Nil(t, (&config{env: isolated(nil)}).netrc("example.com"))
}

// Certificates, proxies and hosts without certificates are pip's.
func TestConnections(t *testing.T) {
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if path.Base(r.URL.Path) == file {
			whole(w, r)
			return
		}
		page()(w, r)
	}))
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	defer s.Close()
	get := func(env map[string]string) error {
		env["PIP_RETRIES"] = "0"
		_, err := client(t, env).Download(t.Context(), wheelOf(content), t.TempDir())
		return err
	}
	index := s.URL + "/simple"
	assert.ErrorContains(t, get(map[string]string{"PIP_INDEX_URL": index}), "name the certificates of your network with PIP_CERT")
	bundle := filepath.Join(t.TempDir(), "ca.pem")
	require.NoError(t, os.WriteFile(bundle, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}), 0o600))
	for _, variable := range []string{"PIP_CERT", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"} {
		assert.NoError(t, get(map[string]string{"PIP_INDEX_URL": index, variable: bundle}), variable)
	}
	assert.NoError(t, get(map[string]string{"PIP_INDEX_URL": index, "PIP_TRUSTED_HOST": "x 127.0.0.1"}))
	assert.NoError(t, get(map[string]string{"PIP_INDEX_URL": index, "PIP_TRUSTED_HOST": strings.TrimPrefix(s.URL, "https://")}))
	assert.Error(t, get(map[string]string{"PIP_INDEX_URL": index, "PIP_TRUSTED_HOST": "example.com"}))

	var asked []string
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.String())
		w.WriteHeader(http.StatusNotFound)
	}))
	defer proxy.Close()
	assert.Error(t, get(map[string]string{"PIP_INDEX_URL": "http://index.example/simple", "PIP_PROXY": strings.TrimPrefix(proxy.URL, "http://")}))
	assert.Equal(t, []string{"http://index.example/simple/nvidia-x/"}, asked)

	for _, tt := range []struct {
		env  map[string]string
		want string
	}{
		{map[string]string{"PIP_CERT": filepath.Join(t.TempDir(), "none")}, "the certificates of pip's configuration: "},
		{map[string]string{"PIP_CERT": os.Args[0]}, "has no certificates: correct PIP_CERT"},
		{map[string]string{"PIP_CLIENT_CERT": bundle}, "the client's certificate of pip's configuration: "},
		{map[string]string{"PIP_PROXY": "ftp://me:secret@x"}, "pip's configuration has an address that is not of http, https or file"},
		{map[string]string{"PIP_INDEX_URL": "ssh://me:secret@x"}, "pip's configuration has an address"},
		{map[string]string{"PIP_EXTRA_INDEX_URL": "%"}, "pip's configuration has an address"},
		{map[string]string{"PIP_FIND_LINKS": "gopher://x"}, "pip's configuration has an address"},
	} {
		_, err := New(isolated(tt.env), nil)
		require.ErrorContains(t, err, tt.want)
		assert.NotContains(t, err.Error(), "secret")
	}
}

// Folders of files, pages of files, several indexes and none are places of files, too.
func TestPlaces(t *testing.T) {
	w := wheelOf(content)
	s := newSite(t, page(), whole)
	folder := filepath.Join(t.TempDir(), "my wheels")
	require.NoError(t, os.Mkdir(folder, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(folder, file), content, 0o644))
	none := t.TempDir()
	for _, tt := range []struct {
		name string
		env  map[string]string
		want string
	}{
		{"the second index", map[string]string{"PIP_INDEX_URL": s.URL + "/none", "PIP_EXTRA_INDEX_URL": s.URL + "/other\n" + s.URL + "/simple/"}, ""},
		{"a page", map[string]string{"PIP_NO_INDEX": "on", "PIP_FIND_LINKS": s.URL + "/simple/nvidia-x/"}, ""},
		{"a folder", map[string]string{"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": none + " ~/", "HOME": folder, "USERPROFILE": folder}, ""},
		{"an index of files", map[string]string{"PIP_INDEX_URL": fileURL(filepath.Dir(folder)).String()}, "404 Not Found"},
		{"nowhere", map[string]string{"PIP_NO_INDEX": "yes", "PIP_FIND_LINKS": none}, "does not list it"},
		{"no place", map[string]string{"PIP_NO_INDEX": "True"}, "pip is configured to use no index (no-index), and find-links names no place"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := client(t, tt.env).Download(t.Context(), w, t.TempDir())
			if tt.want == "" {
				assert.NoError(t, err)
			} else {
				assert.ErrorContains(t, err, tt.want)
			}
		})
	}
	c, err := New(isolated(nil), nil)
	require.NoError(t, err)
	assert.Equal(t, defaultIndex+"/", c.indexes[0].String())
	assert.Equal(t, &url.URL{Scheme: "file", Path: filepath.ToSlash(folder) + "/"}, fileURL(folder))
}

// The files of pip's configuration are read in its order, and the environment is above them.
func TestConfiguration(t *testing.T) {
	root := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(root, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
		return path
	}
	dir := func(name string) string { return filepath.Join(root, name) }
	site := "pip/pip.conf"
	if os.PathSeparator == '\\' {
		site = "pip/pip.ini"
	}
	write("xdg/"+site, "\ufeff# of the machine\n[global]\nindex-url = https://machine/simple\ntimeout: 60\nno_index = no\n[install]\nretries = 7\n")
	write("user/"+site, "[global]\n; mine\nindex-url=https://user/simple\n--Extra-Index-URL =\n  https://one/simple\n  https://two/simple\n\nretries = 8\n[download]\ntimeout = 1\n")
	write("venv/"+filepath.Base(site), "[global]\nproxy = http://venv:1\n")
	named := write("named", "[install]\nindex-url = https://named/simple\n")
	env := map[string]string{
		"XDG_CONFIG_DIRS": dir("xdg"), "ProgramData": dir("xdg"), "XDG_CONFIG_HOME": dir("user"), "APPDATA": dir("user"), "VIRTUAL_ENV": dir("venv"), "HOME": dir("home"), "PIP_CONFIG_FILE": "",
	}
	read := func(more ...string) *config {
		for i := 0; i < len(more); i += 2 {
			env[more[i]] = more[i+1]
		}
		c, err := readConfig(isolated(env))
		require.NoError(t, err)
		return c
	}
	c := read()
	assert.Equal(t, "https://user/simple", c.option("index-url"))
	assert.Equal(t, []string{"https://one/simple", "https://two/simple"}, strings.Fields(c.option("extra-index-url")))
	assert.Equal(t, time.Minute, c.timeout())
	assert.Equal(t, 7, c.retries(), "what is for install is above what is for all commands")
	assert.Equal(t, "http://venv:1", c.option("proxy"))
	assert.False(t, c.on("no-index"))

	c = read("PIP_CONFIG_FILE", named, "PIP_DEFAULT_TIMEOUT", "2.5", "PIP_RETRIES", "x")
	assert.Equal(t, "https://named/simple", c.option("index-url"))
	assert.Empty(t, c.option("extra-index-url"), "a file that is named replaces the user's")
	assert.Equal(t, 2500*time.Millisecond, c.timeout())
	assert.Equal(t, 5, c.retries())
	assert.Equal(t, "https://env/simple", read("PIP_INDEX_URL", "https://env/simple").option("index-url"))

	c = read("PIP_CONFIG_FILE", os.DevNull, "PIP_INDEX_URL", "")
	assert.Empty(t, c.options)
	bad := write("bad", "[global]\nindex-url\n")
	_, err := readConfig(isolated(map[string]string{"PIP_CONFIG_FILE": bad}))
	assert.ErrorContains(t, err, bad+":2: it is not a section or an option of pip")
	_, err = New(isolated(map[string]string{"PIP_CONFIG_FILE": bad}), nil)
	assert.Error(t, err)
	_, err = readConfig(isolated(map[string]string{"PIP_CONFIG_FILE": write("bad", "index-url = x\n")}))
	assert.ErrorContains(t, err, ":1: ")
}

// archive writes a zip file with headers that may lie.
func archive(t *testing.T, entries ...*zip.FileHeader) string {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, e := range entries {
		w, err := z.CreateHeader(e)
		require.NoError(t, err)
		if !strings.HasSuffix(e.Name, "/") {
			_, err = io.WriteString(w, e.Comment)
			require.NoError(t, err)
		}
	}
	require.NoError(t, z.Close())
	path := filepath.Join(t.TempDir(), file)
	require.NoError(t, os.WriteFile(path, b.Bytes(), 0o600))
	return path
}

// entry is a file of an archive: its comment is its content.
func entry(name string, mode fs.FileMode, text string) *zip.FileHeader {
	h := &zip.FileHeader{Name: name, Comment: text, Method: zip.Deflate}
	h.SetMode(mode)
	return h
}

func TestUnpack(t *testing.T) {
	dir := t.TempDir()
	path := archive(t, entry("nvidia/", fs.ModeDir|0o755, ""), entry("nvidia/cu13/bin/nvcc", 0o755, "run"), entry("nvidia/cu13/include/a.h", 0o600, "text"))
	require.NoError(t, Unpack(t.Context(), path, dir))
	for name, want := range map[string]string{"nvidia/cu13/bin/nvcc": "run", "nvidia/cu13/include/a.h": "text"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		assert.Equal(t, want, string(text))
	}
	if info, err := os.Stat(filepath.Join(dir, "nvidia/cu13/bin/nvcc")); os.PathSeparator == '/' {
		require.NoError(t, err)
		assert.NotZero(t, info.Mode()&0o100)
	}
	assert.ErrorContains(t, Unpack(t.Context(), path, dir), "file exists")
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	assert.ErrorIs(t, Unpack(ended, path, t.TempDir()), context.Canceled)
}

// Archives that would write elsewhere, or without end, are refused.
func TestUnpackRefuses(t *testing.T) {
	text := func(path string, change func([]byte) []byte) string {
		b, err := os.ReadFile(path)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(path, change(b), 0o600))
		return path
	}
	// The size of a.h is told in the directory at the end, 24 bytes behind its signature.
	size := func(n uint32) func([]byte) []byte {
		return func(b []byte) []byte {
			binary.LittleEndian.PutUint32(b[bytes.LastIndex(b, []byte("PK\x01\x02"))+24:], n)
			return b
		}
	}
	for _, tt := range []struct{ name, path, want string }{
		{"above", archive(t, entry("../a", 0o644, "")), `"../a" is not the name of a file of a wheel`},
		{"above, later", archive(t, entry("a/../../b", 0o644, "")), "is not the name"},
		{"absolute", archive(t, entry("/etc/passwd", 0o644, "")), "is not the name"},
		{"Windows", archive(t, entry(`..\a`, 0o644, "")), "is not the name"},
		{"a drive", archive(t, entry(`C:a`, 0o644, "")), "is not the name"},
		{"no name", archive(t, entry("", 0o644, "")), "is not the name"},
		{"a link", archive(t, entry("a", fs.ModeSymlink|0o777, "/etc")), "a is not a regular file"},
		{"twice", archive(t, entry("a", 0o644, "1"), entry("a", 0o644, "2")), "exists"},
		{"of Python", archive(t, entry("x-1.data/scripts/a", 0o644, "1")), "a wheel with files for other folders of Python"},
		{"a larger file than it says", text(archive(t, entry("a.h", 0o644, "0123456789")), size(3)), "a.h: zip: not a valid zip file"},
		{"a smaller file than it says", text(archive(t, entry("a.h", 0o644, "0123456789")), size(30)), "a.h: unexpected EOF"},
		{"huge", text(archive(t, entry("a.h", 0o644, "0")), size(0xf0000000)), "its files have more than 2147483648 bytes"},
		{"another content", text(archive(t, &zip.FileHeader{Name: "a.h", Comment: "0123456789"}), func(b []byte) []byte {
			b[bytes.Index(b, []byte("0123456789"))] = 'X'
			return b
		}), "zip: checksum error"},
		{"no archive", text(archive(t), func([]byte) []byte { return []byte("<html>") }), "zip: not a valid zip file"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			outer := t.TempDir()
			dir := filepath.Join(outer, "in")
			require.NoError(t, os.Mkdir(dir, 0o755))
			err := Unpack(t.Context(), tt.path, dir)
			require.Error(t, err)
			assert.ErrorContains(t, err, tt.want)
			entries, err := os.ReadDir(outer)
			require.NoError(t, err)
			assert.Len(t, entries, 1, "nothing is written elsewhere")
		})
	}
	assert.Error(t, Unpack(t.Context(), filepath.Join(t.TempDir(), "none"), t.TempDir()))
	assert.Error(t, Unpack(t.Context(), archive(t), filepath.Join(t.TempDir(), "none")))
}

// No page and no configuration stops the reader.
func FuzzPages(f *testing.F) {
	f.Add("<base href=/x/><a\nhref=\"y.whl#sha256=0\">", true)
	f.Add(`{"files":[{"filename":"a","url":"b","hashes":{"sha256":"0"}}]}`, false)
	f.Add("[global]\nindex-url = x\n y\n", false)
	f.Fuzz(func(t *testing.T, text string, isHTML bool) {
		kind := jsonType
		if isHTML {
			kind = "text/html"
		}
		base := &url.URL{Scheme: "https", Host: "x", Path: "/simple/"}
		files, err := parsePage([]byte(text), kind, base)
		if err != nil {
			assert.Nil(t, files)
		}
		sections, err := parseINI(text, "f")
		if err != nil {
			assert.Nil(t, sections)
		}
		parseNetrc(text, "x")
	})
}
