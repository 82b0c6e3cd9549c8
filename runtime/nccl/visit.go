package nccl

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
)

// A visit is the connection of a rank to rank 0 until all ranks have met there, and after that what reads from it.
type visit struct {
	peers *Peers
	link  *link
	met   chan error    // has room for one: nil when all have met, or why this will not be
	ready chan struct{} // closed when messages to the peers can be handled

	// Of the goroutine that reads, until it has sent on met.
	said    string // what rank 0 has said last
	refused bool
	joined  bool
}

// read reads until the connection ends.
func (v *visit) read() {
	err := v.link.read(v.handle)
	if !v.joined {
		v.met <- errors.New(v.said)
		return
	}
	<-v.ready
	v.peers.broken(v.link, err)
}

func (v *visit) handle(t messageType, payload []byte) {
	switch {
	case v.joined:
		<-v.ready
		v.peers.receive(v.link, t, payload)
	case t == waiting:
		v.said = string(payload)
	case t == refusal:
		v.refused, v.said = true, string(payload)
	case t == members && len(payload) > 8:
		if err := v.join(payload); err != nil {
			v.said = err.Error()
			return
		}
		v.joined = true
		v.met <- nil
	}
}

// join takes over who has met, and which number this process has.
func (v *visit) join(payload []byte) error {
	p := v.peers
	var table []member
	if err := json.Unmarshal(payload[8:], &table); err != nil {
		return err
	}
	p.world.Rank, p.world.Size, p.table, p.up = int(binary.LittleEndian.Uint64(payload)), len(table), table, v.link
	return nil
}

// over ends the visit with what met has told. final says that another try is of no use.
func (v *visit) over(err error) (final bool, _ error) {
	p := v.peers
	switch {
	case err != nil:
		v.link.cut()
		if v.refused {
			return true, p.world.exchangeError(err, "")
		}
		return false, err
	case p.world.Rank < 0 || p.world.Rank >= p.world.Size || p.world.Size > maxRanks:
		v.link.cut()
		close(v.ready)
		return true, p.world.exchangeError(fmt.Errorf("rank 0 numbers this process %d of %d", p.world.Rank, p.world.Size), "")
	}
	p.begin()
	close(v.ready)
	return true, nil
}

// giveUp ends the visit early, because of cause, which may be nil.
func (v *visit) giveUp(cause error) error {
	v.link.cut()
	if err := <-v.met; err == nil { // just then
		close(v.ready)
	}
	err := errors.New(v.said)
	if cause != nil {
		err = fmt.Errorf("%s: %w", v.said, cause)
	}
	return v.peers.world.exchangeError(err, "")
}
