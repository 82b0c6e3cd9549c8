package nccl

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/cudagen/cudagen/internal/ended"
)

// A door is where a process listens for ranks, as long as its Peers are open.
type door struct {
	listener net.Listener
	key      []byte
	slots    chan struct{} // of handshakes
	done     chan struct{}

	mu        sync.Mutex
	assembly  *assembly        // that ranks come to, or nil
	full      string           // why ranks are refused, if there is none
	strangers map[string]error // whose handshake failed, by address
}

// maxHandshakes bounds how many connections are greeted at a time.
const maxHandshakes = 256

// maxStrangers bounds how many strangers are remembered.
const maxStrangers = 16

func openDoor(listener net.Listener, key []byte) *door {
	d := &door{listener: listener, key: key, slots: make(chan struct{}, maxHandshakes), done: make(chan struct{}), strangers: make(map[string]error)}
	go d.accept()
	return d
}

func (d *door) close() {
	select {
	case <-d.done:
	default:
		close(d.done)
		d.listener.Close()
	}
}

func (d *door) accept() {
	for {
		conn, err := d.listener.Accept()
		if err != nil {
			select {
			case <-d.done:
				return
			case <-time.After(10 * time.Millisecond): // such as too many open files
				if errors.Is(err, net.ErrClosed) {
					return
				}
				continue
			}
		}
		d.slots <- struct{}{}
		go func() {
			defer func() { <-d.slots }()
			d.greet(conn)
		}()
	}
}

// greet lets a rank in.
func (d *door) greet(conn net.Conn) {
	h, err := receiveHello(conn, d.key)
	if err != nil {
		conn.Close()
		host, _, _ := net.SplitHostPort(conn.RemoteAddr().String())
		d.mu.Lock()
		defer d.mu.Unlock()
		if len(d.strangers) < maxStrangers {
			d.strangers[host] = err
		}
		return
	}
	d.mu.Lock()
	a, full := d.assembly, d.full
	d.mu.Unlock()
	switch {
	case a != nil && a.generation == h.Generation:
		a.arrive(conn, h)
	case a == nil && full != "" && h.Generation == 0:
		refuse(conn, full)
	default: // too early, for a regrouping that has not begun here
		conn.Close()
	}
}

// visitors returns which strangers have come, as part of an error.
func (d *door) visitors() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.strangers) == 0 {
		return ""
	}
	var texts []string
	for _, host := range slices.Sorted(maps.Keys(d.strangers)) {
		texts = append(texts, fmt.Sprintf("%s (%v)", host, d.strangers[host]))
	}
	return "; connections were refused from " + strings.Join(texts, ", ")
}

// open has ranks come to a, or to nothing if a is nil.
func (d *door) open(a *assembly, full string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.assembly, d.full = a, full
}

// refuse tells the rank at the other end why it cannot come.
func refuse(conn net.Conn, why string) {
	conn.SetDeadline(time.Now().Add(handshakeTime))
	writeMessage(conn, refusal, []byte(why))
	conn.Close()
}

// An arrival is a rank that has come.
type arrival struct {
	link  *link
	hello hello
}

// An assembly is ranks that come to rank 0.
type assembly struct {
	size       int
	generation uint64
	self       hello
	handle     func(*link, messageType, []byte) // what ranks send once all have come
	broken     func(*link, error)
	expected   func(rank int) bool // of a regrouping: who is not lost

	mu      sync.Mutex
	came    map[int]*arrival
	gone    map[int]hello // who has come, and gone again
	over    bool
	failed  error
	changed chan struct{} // has room for one
}

func newAssembly(size int, generation uint64, self hello) *assembly {
	return &assembly{size: size, generation: generation, self: self, came: make(map[int]*arrival), gone: make(map[int]hello), changed: make(chan struct{}, 1)}
}

// arrive adds a rank that has proved to belong to the job.
func (a *assembly) arrive(conn net.Conn, h hello) {
	a.mu.Lock()
	defer a.mu.Unlock()
	wrong := ""
	switch before := a.came[h.Rank]; {
	case a.over:
		refuse(conn, "the ranks have met already")
		return
	case a.generation == 0 && h.Size != a.size:
		wrong = fmt.Sprintf("rank %d (%v) says that there are %d ranks, rank 0 (%v) %d", h.Rank, h, h.Size, a.self, a.size)
	case h.Rank == a.self.Rank:
		wrong = fmt.Sprintf("two processes are rank %d: %v, and %v", h.Rank, a.self, h)
	case h.Rank < 0 || h.Rank >= a.size:
		wrong = fmt.Sprintf("there is no rank %d (%v) of %d", h.Rank, h, a.size)
	case before != nil:
		wrong = fmt.Sprintf("two processes are rank %d: %v, and %v", h.Rank, before.hello, h)
	}
	if wrong != "" {
		a.failed = errors.Join(a.failed, errors.New(wrong))
		refuse(conn, wrong)
		a.change()
		return
	}
	l := newLink(conn, h.Rank)
	a.came[h.Rank] = &arrival{l, h}
	delete(a.gone, h.Rank)
	a.change()
	go func() {
		err := l.read(func(t messageType, payload []byte) { a.handle(l, t, payload) })
		a.mu.Lock()
		over := a.over
		if !over && a.came[h.Rank] != nil && a.came[h.Rank].link == l { // it may come again
			delete(a.came, h.Rank)
			a.gone[h.Rank] = h
			a.change()
		}
		a.mu.Unlock()
		if over {
			a.broken(l, err)
		} else {
			l.cut()
		}
	}()
}

func (a *assembly) change() {
	select {
	case a.changed <- struct{}{}:
	default:
	}
}

// await returns when all ranks have come. With settled, which may be nil, those that have come until
// then are all.
func (a *assembly) await(ctx context.Context, settled <-chan time.Time) error {
	tell := time.NewTicker(time.Second / 2)
	defer tell.Stop()
	for {
		a.mu.Lock()
		failed, all := a.failed, a.complete()
		if failed == nil && all {
			a.over = true
		}
		a.mu.Unlock()
		if failed != nil || all {
			return failed
		}
		select {
		case <-a.changed:
		case <-tell.C:
			a.tell(waiting, []byte(a.missing()))
		case <-settled:
			a.mu.Lock()
			a.over = true
			a.mu.Unlock()
			return nil
		case <-ctx.Done():
			return fmt.Errorf("%s: %w", a.missing(), ended.Cause(ctx))
		}
	}
}

// complete returns whether all ranks have come. mu is held.
func (a *assembly) complete() bool {
	for r := range a.size {
		if r != a.self.Rank && a.came[r] == nil && (a.expected == nil || a.expected(r)) {
			return false
		}
	}
	return true
}

// missing says which ranks have not come.
func (a *assembly) missing() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	var ranks, here []string
	for r := range a.size {
		if r != a.self.Rank && a.came[r] == nil {
			ranks = append(ranks, fmt.Sprint(r))
		}
	}
	const most = 16
	for _, r := range slices.Sorted(maps.Keys(a.came)) {
		if len(here) < most {
			here = append(here, fmt.Sprintf("%d (%s)", r, a.came[r].hello.Host))
		}
	}
	if len(ranks) > most {
		ranks = append(ranks[:most], "…")
	}
	text := fmt.Sprintf("rank %d (%s) waits for rank %s of %d", a.self.Rank, a.self.Host, strings.Join(ranks, ", "), a.size)
	if len(here) > 0 {
		text += "; here is rank " + strings.Join(here, ", ")
	}
	var gone []string
	for _, r := range slices.Sorted(maps.Keys(a.gone)) {
		if len(gone) < most {
			gone = append(gone, fmt.Sprintf("%d (%s)", r, a.gone[r].Host))
		}
	}
	if len(gone) > 0 {
		text += "; came and has gone: rank " + strings.Join(gone, ", ")
	}
	return text
}

// tell sends a message to all that have come.
func (a *assembly) tell(t messageType, payload []byte) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, c := range a.came {
		c.link.send(t, payload)
	}
}

// dismiss tells all that have come why they cannot meet.
func (a *assembly) dismiss(why string) {
	a.tell(refusal, []byte(why))
	a.mu.Lock()
	came := a.came
	a.over, a.came = true, nil
	a.mu.Unlock()
	for _, c := range came {
		c.link.finish(time.Second)
	}
}

// A member is what the ranks know of each other.
type member struct {
	Rank      int // before a regrouping
	Host      string
	PID       int
	Addresses []string
}

// invite numbers those that have come, by their former ranks, and tells them.
func (a *assembly) invite() (self int, table []member, links []*link) {
	a.mu.Lock()
	defer a.mu.Unlock()
	all := append(slices.Collect(maps.Keys(a.came)), a.self.Rank)
	slices.Sort(all)
	for i, r := range all {
		h := a.self
		if r == a.self.Rank {
			self = i
		} else {
			h = a.came[r].hello
		}
		table = append(table, member{r, h.Host, h.PID, h.Addresses})
	}
	links = make([]*link, len(all))
	text, _ := json.Marshal(table) // numbers and strings
	for i, r := range all {
		if r == a.self.Rank {
			continue
		}
		links[i] = a.came[r].link
		links[i].rank.Store(int32(i))
		links[i].send(members, binary.LittleEndian.AppendUint64(nil, uint64(i)), text)
	}
	return self, table, links
}
