package debugger

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os/exec"
	"path/filepath"
	"sync"

	"github.com/cudagen/cudagen/internal/debugwire"
	"github.com/cudagen/cudagen/internal/leftover"
)

// A target is a program that runs, and the connection to its simulated devices.
type target struct {
	handle    debugwire.Handler
	stop      context.CancelFunc
	folder    string
	connected chan struct{} // closed when it has opened a simulated device
	ended     chan struct{} // closed when the process has ended

	once sync.Once
	conn *debugwire.Conn // when connected
	code int             // exit code, when ended
	err  error           // why it could not run, when ended
}

// start starts a program, whose calls handle answers.
func start(ctx context.Context, p *program, out, errs io.Writer, handle debugwire.Handler) (*target, error) {
	folder, err := leftover.Dir("", "cg")
	if err != nil {
		return nil, err
	}
	address := filepath.Join(folder, "s") // short: the length of such an address is limited
	listener, err := net.Listen("unix", address)
	if err != nil {
		leftover.Remove(folder)
		return nil, fmt.Errorf("listen for the program's simulated devices: %w", err)
	}
	ctx, stop := context.WithCancel(ctx)
	t := &target{handle: handle, stop: stop, folder: folder, connected: make(chan struct{}), ended: make(chan struct{})}
	go t.accept(listener)
	command := exec.CommandContext(ctx, p.path, p.args...)
	command.Dir, command.Stdout, command.Stderr = p.dir, out, errs
	command.Env = append(append([]string{"CUDAGEN_DEVICE=sim"}, p.env...), debugwire.Environment+"="+address)
	go func() {
		defer close(t.ended)
		defer leftover.Remove(folder)
		defer listener.Close()
		err := leftover.Run(command)
		if exit := new(exec.ExitError); errors.As(err, &exit) {
			t.code, err = exit.ExitCode(), nil
		}
		t.err = err
	}()
	return t, nil
}

// accept waits for the program's connection. It has one: a process that it starts has the variable, too, and is turned away.
func (t *target) accept(listener net.Listener) {
	for {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		taken := true
		t.once.Do(func() {
			taken = false
			made := make(chan struct{})
			defer close(made)
			t.conn = debugwire.NewConn(conn, func(call string, body json.RawMessage) (any, error) {
				<-made
				if call == debugwire.CallHello {
					close(t.connected)
				} else {
					<-t.connected
				}
				return t.handle(call, body)
			})
		})
		if taken {
			conn.Close()
		}
	}
}

// call calls the program.
func (t *target) call(name string, body, answer any) error {
	select {
	case <-t.connected:
		return t.conn.Call(name, body, answer)
	default:
		return errors.New("the program has not opened a simulated device")
	}
}

// kill ends the program and all processes that it has started.
func (t *target) kill() {
	t.stop()
	<-t.ended
}
