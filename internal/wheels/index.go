package wheels

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"mime"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"strings"
)

// A link is a file of an index.
type link struct {
	url    *url.URL
	sha256 string // or "" if the index does not say it
}

// find returns where a wheel can be downloaded: the first place that has its file.
func (c *Client) find(ctx context.Context, w Wheel) (*url.URL, error) {
	pages := c.pages
	for _, index := range c.indexes {
		pages = append(pages[:len(pages):len(pages)], index.JoinPath(w.Name()+"/"))
	}
	if pages == nil {
		return nil, errors.New("pip is configured to use no index (no-index), and find-links names no place: name one with PIP_FIND_LINKS, or unset PIP_NO_INDEX")
	}
	text := w.File + " was not found:"
	var advice string
	for _, page := range pages {
		files, err := c.read(ctx, page)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		found, there := files[w.File]
		switch {
		case err != nil:
			text += fmt.Sprintf("\n  %s: %v", page.Redacted(), plain(err))
			if first := remedy(err); advice == "" || advice == remedy(&statusError{404}) {
				advice = first
			}
		case !there:
			text += fmt.Sprintf("\n  %s does not list it", page.Redacted())
		case found.sha256 != "" && found.sha256 != w.SHA256:
			text += fmt.Sprintf("\n  %s lists another file of this name, with SHA-256 %s instead of %s", page.Redacted(), found.sha256, w.SHA256)
		default:
			return found.url, nil
		}
	}
	if advice == "" {
		advice = remedy(&statusError{404})
	}
	return nil, errors.New(text + "\n" + advice)
}

// maxPage bounds the size of a page, in bytes.
const maxPage = 64 << 20

// The type of an index's page in JSON.
//
// Python Packaging User Guide, Simple repository API.
const jsonType = "application/vnd.pypi.simple.v1+json"

// read returns the files that a page of an index lists, by their names.
func (c *Client) read(ctx context.Context, page *url.URL) (files map[string]link, err error) {
	header := func(h http.Header) {
		h.Set("Accept", jsonType+", application/vnd.pypi.simple.v1+html; q=0.2, text/html; q=0.1")
	}
	err = c.get(ctx, page, header, func(resp *http.Response) (bool, error) {
		if resp.StatusCode != http.StatusOK {
			return false, &statusError{resp.StatusCode}
		}
		text, err := io.ReadAll(io.LimitReader(resp.Body, maxPage+1))
		if err != nil {
			return false, &passing{err}
		}
		if len(text) > maxPage {
			return false, fmt.Errorf("the page has more than %d bytes", maxPage)
		}
		files, err = parsePage(text, resp.Header.Get("Content-Type"), resp.Request.URL)
		return false, err
	})
	return files, err
}

// parsePage returns the files that a page lists, by their names. base is the page's address.
func parsePage(text []byte, contentType string, base *url.URL) (map[string]link, error) {
	kind, _, err := mime.ParseMediaType(contentType)
	switch {
	case err == nil && (kind == jsonType || kind == "application/json"):
		return parseJSON(text, base)
	case err == nil && strings.HasSuffix(kind, "html"):
		return parseHTML(string(text), base), nil
	}
	return nil, fmt.Errorf("it is not the page of a package index, but %q", contentType)
}

func parseJSON(text []byte, base *url.URL) (map[string]link, error) {
	var page struct {
		Files []struct {
			Filename, URL string
			Hashes        map[string]string
		}
	}
	if err := json.Unmarshal(text, &page); err != nil {
		return nil, fmt.Errorf("it is not the page of a package index: %w", err)
	}
	files := make(map[string]link)
	for _, f := range page.Files {
		if u, err := base.Parse(f.URL); err == nil {
			files[f.Filename] = link{u, strings.ToLower(f.Hashes["sha256"])}
		}
	}
	return files, nil
}

// The tags of a page in HTML that have an address: <a href="…">, and <base href="…"> for all of them.
var tag = regexp.MustCompile(`(?is)<(a|base)\s(?:[^>]*?\s)?href\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+))`)

func parseHTML(text string, base *url.URL) map[string]link {
	files := make(map[string]link)
	for _, m := range tag.FindAllStringSubmatch(text, -1) {
		u, err := base.Parse(strings.TrimSpace(html.UnescapeString(m[2] + m[3] + m[4])))
		if err != nil {
			continue
		}
		if strings.EqualFold(m[1], "base") {
			base = u
			continue
		}
		sum, _ := strings.CutPrefix(u.Fragment, "sha256=")
		if sum == u.Fragment {
			sum = ""
		}
		u.Fragment = ""
		files[path.Base(u.Path)] = link{u, strings.ToLower(sum)}
	}
	return files
}
