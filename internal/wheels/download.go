package wheels

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Download downloads a wheel into the folder dir and returns its path. What is there of it already, of
// this or an earlier call, is not downloaded again. The file has the size and the SHA-256 of w.
func (c *Client) Download(ctx context.Context, w Wheel, dir string) (path string, err error) {
	path = filepath.Join(dir, w.File)
	for whole := false; ; whole = true {
		if info, err := os.Stat(path); err != nil || info.Size() != w.Size {
			c.say("looking for " + w.String())
			u, err := c.find(ctx, w)
			if err != nil {
				return "", err
			}
			if err := c.fetch(ctx, u, w, path); err != nil {
				return "", err
			}
		}
		sum, err := sumOf(path)
		if err != nil {
			return "", err
		}
		if sum == w.SHA256 {
			return path, nil
		}
		if err := os.Remove(path); err != nil {
			return "", err
		}
		if whole {
			return "", fmt.Errorf("%s has SHA-256 %s instead of %s: the index, or a proxy on the way, has changed the file: use another one (PIP_INDEX_URL)", w.File, sum, w.SHA256)
		}
	}
}

// fetch downloads a wheel to path, behind what is there.
func (c *Client) fetch(ctx context.Context, u *url.URL, w Wheel, path string) (err error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	d := &partial{file: file, wheel: w, say: c.say}
	if d.have, err = file.Seek(0, io.SeekEnd); err != nil {
		return err
	}
	err = c.get(ctx, u, d.header, d.read)
	if err != nil && ctx.Err() == nil {
		advice := remedy(err)
		if advice != "" {
			advice = ": " + advice
		}
		return fmt.Errorf("%s: %w%s", u.Redacted(), plain(err), advice)
	}
	return err
}

// A partial is a file that is being downloaded.
type partial struct {
	file  *os.File
	have  int64 // bytes that are there
	wheel Wheel
	say   func(string)
	said  time.Time
}

// header asks for the rest of the file.
func (d *partial) header(h http.Header) {
	if d.have >= d.wheel.Size {
		d.have = 0 // it is no part of the wheel
	}
	if d.have > 0 {
		h.Set("Range", fmt.Sprintf("bytes=%d-", d.have))
	}
}

// read writes what a server answers to the file.
func (d *partial) read(resp *http.Response) (progress bool, err error) {
	switch {
	case resp.StatusCode == http.StatusPartialContent && d.have > 0 && strings.HasPrefix(resp.Header.Get("Content-Range"), fmt.Sprintf("bytes %d-", d.have)):
	case resp.StatusCode == http.StatusOK:
		d.have = 0
	case resp.StatusCode == http.StatusPartialContent || resp.StatusCode == http.StatusRequestedRangeNotSatisfiable:
		d.have = 0
		return false, &passing{errors.New("the server does not continue the download")}
	default:
		return false, &statusError{resp.StatusCode}
	}
	if resp.ContentLength >= 0 && d.have+resp.ContentLength != d.wheel.Size {
		return false, fmt.Errorf("%s has %d bytes instead of %d: the index has another file, or a proxy answers in its place", d.wheel.File, d.have+resp.ContentLength, d.wheel.Size)
	}
	if err := d.file.Truncate(d.have); err != nil {
		return false, err
	}
	if _, err := d.file.Seek(d.have, io.SeekStart); err != nil {
		return false, err
	}
	before := d.have
	_, failed := io.Copy(d, io.LimitReader(resp.Body, d.wheel.Size-d.have))
	if write := new(os.PathError); errors.As(failed, &write) {
		return false, failed
	}
	if failed == nil && d.have < d.wheel.Size {
		failed = io.ErrUnexpectedEOF
	}
	if failed != nil {
		return d.have > before, &passing{failed}
	}
	return true, nil
}

// Write writes the next bytes.
func (d *partial) Write(p []byte) (int, error) {
	n, err := d.file.Write(p)
	d.have += int64(n)
	if now := time.Now(); now.Sub(d.said) > time.Second/10 {
		d.said = now
		d.say(fmt.Sprintf("downloading %s: %s of %s MB", d.wheel, megabytes(d.have), megabytes(d.wheel.Size)))
	}
	return n, err
}

// megabytes writes a number of bytes in units of 10⁶ bytes.
func megabytes(bytes int64) string { return fmt.Sprintf("%.1f", float64(bytes)/1e6) }

func sumOf(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	hash := sha256.New()
	if _, err := io.Copy(hash, file); err != nil {
		return "", err
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}
