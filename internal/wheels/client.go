package wheels

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"runtime"
	"strings"
	"time"
)

// A Client downloads wheels.
type Client struct {
	config         *config
	pages, indexes []*url.URL
	http           *http.Client
	pause          time.Duration // before a request is repeated; each is twice as long as the one before
	say            func(line string)
}

// New returns a client that uses pip's configuration: its files, the variables PIP_…, netrc, and the
// variables of proxies. env is os.Getenv or, in tests, a replacement; proxies are read from the
// process's environment. say is often called with a line about the current step.
func New(env func(string) string, say func(line string)) (*Client, error) {
	config, err := readConfig(env)
	if err != nil {
		return nil, err
	}
	c := &Client{config: config, pause: time.Second / 2, say: say}
	if c.pages, c.indexes, err = config.places(); err != nil {
		return nil, err
	}
	certified, err := config.transport(false)
	if err != nil {
		return nil, err
	}
	trusted, err := config.transport(true)
	if err != nil {
		return nil, err
	}
	c.http = &http.Client{Transport: &transport{c, certified, trusted}}
	return c, nil
}

// transport returns what sends requests, through the proxy of the configuration.
func (c *config) transport(trusted bool) (*http.Transport, error) {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.RegisterProtocol("file", http.NewFileTransport(files{}))
	if proxy := c.option("proxy"); proxy != "" {
		if !strings.Contains(proxy, "://") {
			proxy = "http://" + proxy
		}
		u, err := parseURL(proxy)
		if err != nil {
			return nil, err
		}
		t.Proxy = http.ProxyURL(u)
	}
	t.TLSClientConfig = &tls.Config{InsecureSkipVerify: trusted}
	if path := cmp.Or(c.option("cert"), c.env("REQUESTS_CA_BUNDLE"), c.env("CURL_CA_BUNDLE")); path != "" {
		bundle, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("the certificates of pip's configuration: %w: correct PIP_CERT, or cert in its file", err)
		}
		t.TLSClientConfig.RootCAs = x509.NewCertPool()
		if !t.TLSClientConfig.RootCAs.AppendCertsFromPEM(bundle) {
			return nil, fmt.Errorf("%s has no certificates: correct PIP_CERT, or cert in pip's file", path)
		}
	}
	if path := c.option("client-cert"); path != "" {
		own, err := tls.LoadX509KeyPair(path, path)
		if err != nil {
			return nil, fmt.Errorf("the client's certificate of pip's configuration: %w: correct PIP_CLIENT_CERT", err)
		}
		t.TLSClientConfig.Certificates = []tls.Certificate{own}
	}
	return t, nil
}

// files are all files of this machine, for addresses of the scheme file.
type files struct{}

func (files) Open(name string) (http.File, error) {
	if runtime.GOOS == "windows" {
		name = strings.TrimPrefix(name, "/") // of /C:/wheels
	}
	return os.Open(name)
}

// A transport adds to each request, those of redirections included, what its host needs.
type transport struct {
	client             *Client
	certified, trusted *http.Transport
}

func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	own := req.Clone(req.Context())
	own.Header.Set("User-Agent", "cudagen")
	own.Header.Del("Authorization") // of the host that redirected
	if user := t.client.credentials(req.URL); user != nil {
		password, _ := user.Password()
		own.SetBasicAuth(user.Username(), password)
	}
	if t.client.config.trusted(req.URL) {
		return t.trusted.RoundTrip(own)
	}
	return t.certified.RoundTrip(own)
}

// credentials returns the user and the password for an address: its own, those of an index on the same
// host, or those of netrc.
func (c *Client) credentials(u *url.URL) *url.Userinfo {
	if u.User != nil {
		return u.User
	}
	for _, place := range append(c.pages[:len(c.pages):len(c.pages)], c.indexes...) {
		if place.User != nil && place.Scheme == u.Scheme && place.Host == u.Host {
			return place.User
		}
	}
	return c.config.netrc(u.Hostname())
}

// A statusError is the answer of a server that is not the file.
type statusError struct{ code int }

func (e *statusError) Error() string { return fmt.Sprintf("%d %s", e.code, http.StatusText(e.code)) }

// errSilent is why a request is given up.
var errSilent = errors.New("the server is silent")

// passing marks errors after which a request is repeated.
type passing struct{ error }

func (e *passing) Unwrap() error { return e.error }

// again reports whether a request that failed with err is worth another try.
func again(err error) bool {
	if status := new(statusError); errors.As(err, &status) {
		return status.code == http.StatusRequestTimeout || status.code == http.StatusTooManyRequests || status.code >= 500
	}
	var wrongHost x509.HostnameError
	var unknown x509.UnknownAuthorityError
	var invalid x509.CertificateInvalidError
	if errors.As(err, &wrongHost) || errors.As(err, &unknown) || errors.As(err, &invalid) {
		return false
	}
	network, kept := new(url.Error), new(passing)
	return errors.As(err, &network) || errors.As(err, &kept)
}

// get requests an address and hands the answer to read, again after failures that may pass. What read
// gets ends when the server is silent for long. Whoever read makes progress counts its tries anew.
func (c *Client) get(ctx context.Context, u *url.URL, header func(http.Header), read func(*http.Response) (progress bool, err error)) error {
	pause, tries := c.pause, c.config.retries()
	for {
		progress, err := c.getOnce(ctx, u, header, read)
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if progress {
			pause, tries = c.pause, c.config.retries()
		}
		if tries == 0 || !again(err) {
			return err
		}
		tries--
		c.say(fmt.Sprintf("%v: trying again", plain(err)))
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		pause = min(2*pause, 30*time.Second)
	}
}

func (c *Client) getOnce(ctx context.Context, u *url.URL, header func(http.Header), read func(*http.Response) (bool, error)) (progress bool, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	timeout := c.config.timeout()
	watch := time.AfterFunc(timeout, func() { cancel(errSilent) })
	defer watch.Stop()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return false, err
	}
	req.Header.Set("Accept-Encoding", "identity")
	header(req.Header)
	resp, err := c.http.Do(req)
	if err == nil {
		defer resp.Body.Close()
		resp.Body = &watched{resp.Body, func() { watch.Reset(timeout) }}
		progress, err = read(resp)
	}
	if err != nil && context.Cause(ctx) == errSilent {
		err = &passing{fmt.Errorf("%w for %v", errSilent, timeout)}
	}
	return progress, err
}

// watched calls heard for the bytes that are read.
type watched struct {
	io.ReadCloser
	heard func()
}

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.ReadCloser.Read(p)
	if n > 0 {
		w.heard()
	}
	return n, err
}

// plain returns err without the address that package http puts in front, which callers name.
func plain(err error) error {
	if network := new(url.Error); errors.As(err, &network) {
		return network.Err
	}
	return err
}

// remedy says what to do about a request that failed.
func remedy(err error) string {
	var unknown x509.UnknownAuthorityError
	status, kept, network := new(statusError), new(passing), new(url.Error)
	switch {
	case errors.As(err, &unknown):
		return "name the certificates of your network with PIP_CERT"
	case errors.As(err, &status) && (status.code == 401 || status.code == 403):
		return "give a user and a password in PIP_INDEX_URL (https://user:password@host/simple), in pip.conf or in .netrc"
	case errors.As(err, &status) && status.code == 407:
		return "give a user and a password for the proxy in PIP_PROXY or HTTPS_PROXY"
	case errors.As(err, &status) && status.code == 404:
		return "configure an index that has NVIDIA's wheels, as for pip (PIP_INDEX_URL)"
	case errors.As(err, &kept) || errors.As(err, &network):
		return "check the network, or configure a proxy or a mirror as for pip (PIP_PROXY, PIP_INDEX_URL)"
	}
	return ""
}
