// Package debugwire is how a debugger and a program that it debugs talk: messages of JSON, one a line, in which each side calls
// the other. It knows the messages. It knows no devices, sources or editors.
package debugwire

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
)

// Environment names the environment variable with the address of the debugger's Unix socket.
const Environment = "CUDAGEN_DEBUG"

// MaxMessage is how long a message is at most, in bytes: an image is in one.
const MaxMessage = 1 << 28

// A message is a call, or the answer to one.
type message struct {
	ID     uint64          `json:"id"`
	Call   string          `json:"call,omitempty"` // empty in an answer
	Body   json.RawMessage `json:"body,omitempty"`
	Failed string          `json:"failed,omitempty"` // of an answer: why there is none
}

// A Handler answers a call of the other side. It may call that side itself.
type Handler func(call string, body json.RawMessage) (answer any, err error)

// A Conn is a connection. Any goroutine may call its methods.
type Conn struct {
	to     io.Writer
	handle Handler
	ended  chan struct{}

	writing sync.Mutex

	mu      sync.Mutex
	last    uint64
	waiting map[uint64]chan message
	err     error
}

// NewConn returns a connection over rw, whose calls handle answers, each in a goroutine of its own. It ends when rw does.
func NewConn(rw io.ReadWriter, handle Handler) *Conn {
	c := &Conn{to: rw, handle: handle, ended: make(chan struct{}), waiting: make(map[uint64]chan message)}
	go c.read(rw)
	return c
}

// Ended is closed when the connection has ended.
func (c *Conn) Ended() <-chan struct{} { return c.ended }

// Call calls the other side and waits for its answer, which it stores at answer unless that is nil.
func (c *Conn) Call(call string, body, answer any) error {
	reply := make(chan message, 1)
	c.mu.Lock()
	c.last++
	id := c.last
	err := c.err
	if err == nil {
		c.waiting[id] = reply
	}
	c.mu.Unlock()
	if err != nil {
		return err
	}
	if err := c.write(message{ID: id, Call: call}, body); err != nil {
		return err
	}
	m, open := <-reply
	switch {
	case !open:
		return c.failure()
	case m.Failed != "":
		return errors.New(m.Failed)
	case answer == nil:
		return nil
	}
	return json.Unmarshal(m.Body, answer)
}

func (c *Conn) failure() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

func (c *Conn) write(m message, body any) (err error) {
	if body != nil {
		if m.Body, err = json.Marshal(body); err != nil {
			return err
		}
	}
	line, err := json.Marshal(m)
	if err != nil {
		return err
	}
	c.writing.Lock()
	defer c.writing.Unlock()
	_, err = c.to.Write(append(line, '\n'))
	return err
}

func (c *Conn) read(from io.Reader) {
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, MaxMessage)
	err := io.ErrUnexpectedEOF
	for lines.Scan() {
		var m message
		if wrong := json.Unmarshal(lines.Bytes(), &m); wrong != nil {
			err = fmt.Errorf("a message that is no JSON: %w", wrong)
			break
		}
		if m.Call != "" {
			go c.answer(m)
			continue
		}
		c.mu.Lock()
		reply := c.waiting[m.ID]
		delete(c.waiting, m.ID)
		c.mu.Unlock()
		if reply != nil {
			reply <- m
		}
	}
	if wrong := lines.Err(); wrong != nil {
		err = wrong
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.err = fmt.Errorf("the connection between debugger and program has ended: %w", err)
	for _, reply := range c.waiting {
		close(reply)
	}
	clear(c.waiting)
	close(c.ended)
}

func (c *Conn) answer(m message) {
	body, err := c.handle(m.Call, m.Body)
	reply := message{ID: m.ID}
	if err != nil {
		reply.Failed, body = err.Error(), nil
	}
	c.write(reply, body) // that the other side is gone is seen by read
}

// Handle decodes the body of a call for a function, and calls it.
func Handle[Body, Answer any](body json.RawMessage, do func(Body) (Answer, error)) (any, error) {
	var b Body
	if len(body) > 0 {
		if err := json.Unmarshal(body, &b); err != nil {
			return nil, err
		}
	}
	return do(b)
}
