package nccl

import (
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// A link is a connection between rank 0 and another rank.
type link struct {
	conn net.Conn
	rank atomic.Int32 // at the other end

	heard  atomic.Int64 // when something was read last: UnixNano
	busy   atomic.Bool  // a message is being handled
	left   atomic.Bool  // the other end has said goodbye
	closed atomic.Bool  // by this end

	mu    sync.Mutex
	wake  sync.Cond
	queue []message
	shut  bool          // nothing more is sent
	idle  chan struct{} // closed when nothing is sent any more
	ended chan struct{} // closed when nothing is read any more
}

// A message is to be sent.
type message struct {
	of     messageType
	pieces [2][]byte
}

func newLink(conn net.Conn, rank int) *link {
	l := &link{conn: conn, idle: make(chan struct{}), ended: make(chan struct{})}
	l.rank.Store(int32(rank))
	l.wake.L = &l.mu
	l.heard.Store(time.Now().UnixNano())
	conn.SetDeadline(time.Time{})
	go l.write()
	return l
}

// Read reads from the connection, and notes that the other end lives.
func (l *link) Read(b []byte) (int, error) {
	n, err := l.conn.Read(b)
	if n > 0 {
		l.heard.Store(time.Now().UnixNano())
	}
	return n, err
}

// send queues a message. It does not block, and the caller must not change the pieces.
func (l *link) send(t messageType, pieces ...[]byte) {
	m := message{of: t}
	copy(m.pieces[:], pieces)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.shut || t == heartbeat && len(l.queue) > 0 {
		return
	}
	l.queue = append(l.queue, m)
	l.wake.Signal()
}

// write sends what is queued until the link is closed or broken.
func (l *link) write() {
	defer close(l.idle)
	for {
		l.mu.Lock()
		for len(l.queue) == 0 && !l.shut {
			l.wake.Wait()
		}
		queue := l.queue
		l.queue = nil
		l.mu.Unlock()
		if len(queue) == 0 {
			return
		}
		for _, m := range queue {
			if writeMessage(l.conn, m.of, m.pieces[0], m.pieces[1]) != nil {
				l.mu.Lock() // the reader tells, when it has read what came before
				l.shut, l.queue = true, nil
				l.mu.Unlock()
				return
			}
		}
	}
}

// read calls handle for each message until the link breaks. It returns why.
func (l *link) read(handle func(messageType, []byte)) error {
	defer close(l.ended)
	for {
		t, payload, err := readMessage(l, maxMessage)
		if err != nil {
			return err
		}
		if t == goodbye && len(payload) == 0 || t == moving {
			l.left.Store(true)
		}
		l.busy.Store(true)
		handle(t, payload)
		l.heard.Store(time.Now().UnixNano())
		l.busy.Store(false)
	}
}

// silence returns for how long nothing was heard.
func (l *link) silence(now time.Time) time.Duration {
	if l.busy.Load() {
		return 0
	}
	return now.Sub(time.Unix(0, l.heard.Load()))
}

// finish sends what is queued, for at most wait, and closes the connection when the other end has, or
// after a second: what that still sends must not reset the connection before it has read all.
func (l *link) finish(wait time.Duration) {
	l.closed.Store(true)
	l.mu.Lock()
	l.shut = true
	l.wake.Signal()
	l.mu.Unlock()
	l.conn.SetWriteDeadline(time.Now().Add(wait))
	<-l.idle
	if c, ok := l.conn.(*net.TCPConn); ok && c.CloseWrite() == nil {
		select {
		case <-l.ended:
		case <-time.After(min(wait, time.Second)):
		}
	}
	l.conn.Close()
}

// cut closes the connection at once.
func (l *link) cut() {
	l.closed.Store(true)
	l.conn.Close()
	l.mu.Lock()
	l.shut, l.queue = true, nil
	l.wake.Signal()
	l.mu.Unlock()
}
