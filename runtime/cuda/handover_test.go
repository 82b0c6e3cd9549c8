package cuda_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/fakecuda"
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// The supervisor and the worker are those of docs/faults.md.

// deviceLost is the exit code of a worker whose device is lost.
const deviceLost = 75

// supervise starts workers that serve on l, one after the other, until one ends with another
// code than deviceLost. It returns how many it started.
func supervise(l *net.TCPListener, worker func() *exec.Cmd) (started int, err error) {
	file, err := l.File()
	if err != nil {
		return 0, err
	}
	defer file.Close()
	for {
		cmd := worker()
		cmd.ExtraFiles = []*os.File{file}
		started++
		err := cmd.Run()
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != deviceLost {
			return started, err
		}
	}
}

// serve is a worker. It ends when its device is lost, or when it is asked to.
func serve() int {
	l, err := net.FileListener(os.NewFile(3, "listener"))
	if err != nil {
		return printError(err)
	}
	dev, err := cuda.OpenDefault()
	if err != nil {
		return printError(err)
	}
	ended := make(chan int, 100)
	mux := http.NewServeMux()
	handle := func(pattern string, work func() error) {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			err := work()
			switch {
			case errors.Is(err, cuda.ErrDeviceLost):
				w.Header().Set("Connection", "close")
				http.Error(w, err.Error(), http.StatusServiceUnavailable) // the client tries again
				ended <- deviceLost
			case err != nil:
				http.Error(w, err.Error(), http.StatusInternalServerError)
			default:
				fmt.Fprint(w, os.Getpid())
			}
		})
	}
	handle("/work", func() error { return small(dev) })
	handle("/fault", func() error { return breakDevice(dev) })
	handle("/end", func() error { ended <- 0; return nil })
	server := &http.Server{Handler: mux}
	go server.Serve(l)
	code := <-ended
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	server.Shutdown(ctx) // requests that are answered now are waited for
	return code
}

func printError(err error) int {
	fmt.Println(err)
	return 1
}

// breakDevice has a kernel make dev unusable, or does as if on the fake driver.
func breakDevice(dev *cuda.Device) error {
	if dev.IsSimulated() {
		_, _, _, err := faulted(dev)
		return err
	}
	library, err := fakecuda.LoadFile(os.Getenv("CUDAGEN_LIBCUDA"))
	if err != nil {
		return err
	}
	s, err := dev.NewStream()
	if err != nil {
		return err
	}
	library.FailLate(1, int(driver.ErrorIllegalAddress))
	s.Synchronize()
	return s.Synchronize()
}

// TestHandOver: a server whose device is lost answers all requests: the worker that comes next
// takes over the listener.
func TestHandOver(t *testing.T) {
	t.Run("simulator", func(t *testing.T) { handOver(t, "CUDAGEN_DEVICE=sim") })
	t.Run("fake libcuda", func(t *testing.T) {
		handOver(t, "CUDAGEN_DEVICE=", "CUDAGEN_LIBCUDA="+fakecuda.Build(t, fakecuda.Options{}))
	})
}

func handOver(t *testing.T, env ...string) {
	self, err := os.Executable()
	require.NoError(t, err)
	l, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	require.NoError(t, err)
	defer l.Close()
	var said strings.Builder
	over := make(chan struct{})
	var started int
	var failed error
	go func() {
		defer close(over)
		started, failed = supervise(l, func() *exec.Cmd {
			cmd := exec.Command(self)
			cmd.Env = append(os.Environ(), append(env, "CUDAGEN_TEST_SCENARIO=serve")...)
			cmd.Stdout, cmd.Stderr = &said, &said
			return cmd
		})
	}()
	pids, refused := map[string]bool{}, 0
	ask := func(path string) {
		for range 100 {
			code, body := get("http://" + l.Addr().String() + path)
			if code == http.StatusOK {
				pids[body] = true
				return
			}
			refused++
			if path == "/fault" {
				assert.Equal(t, http.StatusServiceUnavailable, code, body)
				assert.Contains(t, body, "CUDA_ERROR_ILLEGAL_ADDRESS")
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
		t.Errorf("%s is not answered", path)
	}
	for range 3 {
		for range 5 {
			ask("/work")
		}
		ask("/fault")
	}
	ask("/work")
	ask("/end")
	<-over
	assert.NoError(t, failed, said.String())
	assert.Equal(t, 4, started, "a worker for each fault")
	assert.Len(t, pids, 4)
	assert.GreaterOrEqual(t, refused, 3)
}

// get asks on a connection of its own, so that no connection to a worker that has ended is used.
func get(url string) (code int, body string) {
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: 30 * time.Second}
	response, err := client.Get(url)
	if err != nil {
		return 0, err.Error()
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return 0, err.Error()
	}
	return response.StatusCode, string(text)
}
