package nccl

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/cudagen/cudagen/internal/ended"
	"github.com/cudagen/cudagen/runtime/cuda"
)

// DefaultTimeout is how long a rank may be silent if ExchangeConfig says nothing else.
const DefaultTimeout = 5 * time.Second

// An ExchangeConfig configures Exchange.
type ExchangeConfig struct {
	// Timeout bounds the time from when a rank dies, or answers no more, to the error at the others.
	// 0 stands for DefaultTimeout. All ranks should have the same: of two that differ a rank with the
	// shorter one may take another for lost. A rank whose process gets no processor for that long is
	// taken for lost.
	Timeout time.Duration
}

// timeout returns the timeout of c, or the default.
func (c ExchangeConfig) timeout() time.Duration { return cmp.Or(max(c.Timeout, 0), DefaultTimeout) }

const exchangeOp = "meet the other ranks"

// exchangeError is an error of w's process before there are Peers.
func (w World) exchangeError(err error, hint string) error {
	return &Error{Op: exchangeOp, Rank: w.Rank, Size: w.Size, Err: err, Hint: hint}
}

// worldError is the error of a World that cannot be.
func (w World) worldError(detail, hint string) error {
	return &Error{Op: exchangeOp, Rank: w.Rank, Size: w.Size, Detail: detail, Hint: hint, Err: cuda.ErrInvalidValue}
}

// Exchange waits until all ranks of w have met, or ctx is done. Rank 0 listens at w.Address, and the
// others connect to it, also if they are there first. Without an address, ranks that are all on one
// machine meet on its loopback interface. The connections stay open until Peers.Close: they tell when
// a rank is lost.
//
// Processes that do not have w.Token and w.Job get no answer, and are not counted. Without a token
// whoever reaches the port can take part. What is sent is not encrypted.
//
// Errors name the ranks that did not come, or that claim the same number, and their hosts.
func Exchange(ctx context.Context, w World, cfg ExchangeConfig) (*Peers, error) {
	switch {
	case w.Size < 1 || w.Size > maxRanks || w.Rank < 0 || w.Rank >= w.Size:
		return nil, w.worldError(fmt.Sprintf("there is no rank %d of %d", w.Rank, w.Size), "")
	case w.Size == 1:
		p := newPeers(w, cfg, 0)
		p.hub, p.table = newHub(), []member{{Host: hostName(), PID: os.Getpid()}}
		return p, nil
	case w.Address == "" && w.LocalSize == w.Size:
		w.Address = net.JoinHostPort("127.0.0.1", defaultPort)
	case w.Address == "":
		return nil, w.worldError("no address of rank 0 is known",
			"set "+addressVariable+"=HOST:PORT, or MASTER_ADDR and MASTER_PORT, in every process")
	}
	if _, _, err := net.SplitHostPort(w.Address); err != nil {
		return nil, w.worldError(err.Error(), "")
	}
	p := newPeers(w, cfg, 0)
	if w.Rank == 0 {
		return p, p.host(ctx)
	}
	return p, p.join(ctx)
}

// host is Exchange of rank 0.
func (p *Peers) host(ctx context.Context) error {
	listener, err := listen(ctx, p.world.Address)
	if err != nil {
		hint := ""
		if errors.Is(err, syscall.EADDRINUSE) {
			hint = "another job, or a second process that is rank 0, has the port: set MASTER_PORT or " + addressVariable + " to a free one in every process"
		}
		return p.world.exchangeError(err, hint)
	}
	p.door = openDoor(listener, keyOf(p.world))
	a := newAssembly(p.world.Size, 0, p.hello())
	if err := p.assemble(ctx, a, nil); err != nil {
		p.door.close()
		return err
	}
	return nil
}

// listen listens at the port of address: on the loopback interface if address is there, else on all.
func listen(ctx context.Context, address string) (net.Listener, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	at := ":" + port
	if ip := net.ParseIP(host); ip != nil && ip.IsLoopback() || host == "localhost" {
		at = address
	}
	return new(net.ListenConfig).Listen(ctx, "tcp", at)
}

// assemble waits for the ranks of a, and makes p of them.
func (p *Peers) assemble(ctx context.Context, a *assembly, settled <-chan time.Time) error {
	ready := make(chan struct{})
	defer close(ready)
	a.handle = func(l *link, t messageType, payload []byte) {
		if t == heartbeat {
			return
		}
		<-ready
		p.receive(l, t, payload)
	}
	a.broken = func(l *link, err error) {
		<-ready
		p.broken(l, err)
	}
	p.door.open(a, "")
	if err := a.await(ctx, settled); err != nil {
		err = fmt.Errorf("%w%s", err, p.door.visitors())
		a.dismiss(err.Error())
		p.door.open(nil, err.Error())
		return p.world.exchangeError(err, "")
	}
	rank, table, links := a.invite()
	p.world.Rank, p.world.Size, p.table, p.links, p.hub = rank, len(table), table, links, newHub()
	p.door.open(nil, fmt.Sprintf("all %d ranks have met already", len(table)))
	p.begin()
	return nil
}

// join is Exchange of the other ranks.
func (p *Peers) join(ctx context.Context) error {
	if err := p.standBy(ctx); err != nil {
		return p.world.exchangeError(err, "")
	}
	if err := p.reach(ctx, []string{p.world.Address}, p.hello(), nil); err != nil {
		p.door.close()
		return err
	}
	return nil
}

// standBy listens for a regrouping in which this process is rank 0.
func (p *Peers) standBy(ctx context.Context) error {
	at := ":0"
	if host, _, err := net.SplitHostPort(p.world.Address); err == nil {
		if ip := net.ParseIP(host); ip != nil && ip.IsLoopback() || host == "localhost" {
			at = net.JoinHostPort(host, "0")
		}
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", at)
	if err != nil {
		return err
	}
	p.door = openDoor(listener, keyOf(p.world))
	return nil
}

// hello returns what the process says of itself.
func (p *Peers) hello() hello {
	h := hello{Rank: p.world.Rank, Size: p.world.Size, Generation: p.generation, Host: hostName(), PID: os.Getpid()}
	if p.door == nil {
		return h
	}
	at, ok := p.door.listener.Addr().(*net.TCPAddr)
	if !ok {
		return h
	}
	port := strconv.Itoa(at.Port)
	if !at.IP.IsUnspecified() {
		h.Addresses = []string{net.JoinHostPort(at.IP.String(), port)}
		return h
	}
	addresses, _ := net.InterfaceAddrs() // without any, no other rank can regroup here
	for _, a := range addresses {
		if n, ok := a.(*net.IPNet); ok && n.IP.IsGlobalUnicast() && len(h.Addresses) < 16 {
			h.Addresses = append(h.Addresses, net.JoinHostPort(n.IP.String(), port))
		}
	}
	h.Addresses = append(h.Addresses, net.JoinHostPort("127.0.0.1", port))
	return h
}

// reach connects to who listens at one of addresses until it has told who has met, ctx is done, or
// giveUp, which may be nil, is.
func (p *Peers) reach(ctx context.Context, addresses []string, h hello, giveUp <-chan time.Time) error {
	var last error
	for pause := 10 * time.Millisecond; ; pause = min(2*pause, time.Second/4) {
		for _, address := range addresses {
			final, err := p.try(ctx, address, h, giveUp)
			if err == nil || final {
				return err
			}
			last = err
		}
		select {
		case <-ctx.Done():
			return p.world.exchangeError(fmt.Errorf("rank 0 at %s: %w: %w", strings.Join(addresses, ", "), ended.Cause(ctx), last), "")
		case <-giveUp:
			return p.world.exchangeError(fmt.Errorf("rank at %s: %w", strings.Join(addresses, ", "), last), "")
		case <-time.After(pause):
		}
	}
}

// try connects once. final says that another try is of no use.
func (p *Peers) try(ctx context.Context, address string, h hello, giveUp <-chan time.Time) (final bool, err error) {
	conn, err := p.knock(ctx, address, h)
	if err != nil {
		return false, err
	}
	v := &visit{peers: p, link: newLink(conn, 0), met: make(chan error, 1), ready: make(chan struct{}), said: "the connection was closed"}
	go v.read()
	beat := time.NewTicker(p.cfg.timeout() / beats)
	defer beat.Stop()
	for {
		select {
		case err := <-v.met:
			return v.over(err)
		case <-beat.C:
			v.link.send(heartbeat)
		case <-ctx.Done():
			return true, v.giveUp(ended.Cause(ctx))
		case <-giveUp:
			return true, v.giveUp(nil)
		}
	}
}

// knock connects to address, and proves to belong to the job.
func (p *Peers) knock(ctx context.Context, address string, h hello) (net.Conn, error) {
	dialing, cancel := context.WithTimeout(ctx, handshakeTime)
	defer cancel()
	conn, err := new(net.Dialer).DialContext(dialing, "tcp", address)
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { conn.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	if err := sendHello(conn, keyOf(p.world), h); err != nil {
		conn.Close()
		return nil, err
	}
	return conn, nil
}
