package nccl

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// What goes over a connection of the rendezvous are messages: their length in 8 bytes, what they
// are in 1, and a payload.
type messageType uint8

const (
	heartbeat messageType = iota + 1
	contribution
	answered
	lost   // a rank is lost, says rank 0
	failed // a communicator has failed at a rank
	goodbye
	parting // a rank has closed a communicator
	moving  // this rank regroups: its connection ends, and it is not lost
	members // who has come; ends the rendezvous
	waiting // for which ranks
	refusal // why this rank, or the whole world, cannot meet
)

// maxMessage bounds what a peer that has the token makes this process allocate, and maxRanks how
// many there are.
const (
	maxMessage = 16 << 30
	maxRanks   = 1 << 16
)

var errShort = errors.New("a message is too short")

// writeMessage writes a message whose payload is in pieces.
func writeMessage(w io.Writer, t messageType, pieces ...[]byte) error {
	n := 0
	for _, p := range pieces {
		n += len(p)
	}
	head := binary.LittleEndian.AppendUint64(make([]byte, 0, 9), uint64(n))
	if _, err := w.Write(append(head, byte(t))); err != nil {
		return err
	}
	for _, p := range pieces {
		if len(p) > 0 {
			if _, err := w.Write(p); err != nil {
				return err
			}
		}
	}
	return nil
}

// readMessage reads a message of at most limit bytes.
func readMessage(r io.Reader, limit uint64) (messageType, []byte, error) {
	var head [9]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return 0, nil, err
	}
	n := binary.LittleEndian.Uint64(head[:])
	if n > limit {
		return 0, nil, fmt.Errorf("a message has %d bytes, limit %d", n, limit)
	}
	payload := make([]byte, 0, min(n, 1<<20))
	for uint64(len(payload)) < n { // memory grows with what has come
		part := make([]byte, min(n-uint64(len(payload)), max(1<<20, uint64(len(payload)))))
		if _, err := io.ReadFull(r, part); err != nil {
			return 0, nil, err
		}
		payload = append(payload, part...)
	}
	return messageType(head[8]), payload, nil
}

// partBytes is the length of a part without its payload: a multiple of 8, so that the payload can
// be read as elements where it lies.
const partBytes = 10 * 8

func (p *part) encode() []byte {
	b := make([]byte, 0, partBytes)
	for _, v := range []uint64{p.comm, p.channel, p.sequence, uint64(p.kind), uint64(p.dataType)<<32 | uint64(uint32(p.op)), p.factor,
		uint64(p.rank), uint64(p.size), uint64(p.root), uint64(p.count)} {
		b = binary.LittleEndian.AppendUint64(b, v)
	}
	return b
}

func decodePart(b []byte) (*part, error) {
	if len(b) < partBytes {
		return nil, errShort
	}
	at := func(i int) uint64 { return binary.LittleEndian.Uint64(b[8*i:]) }
	return &part{meeting: meeting{at(0), at(1), at(2)}, kind: kind(at(3)), dataType: dataType(at(4) >> 32), op: Op(uint32(at(4))), factor: at(5),
		rank: int(at(6)), size: int(at(7)), root: int(at(8)), count: int(at(9)), payload: b[partBytes:]}, nil
}

func (a *answer) encode() []byte {
	b := make([]byte, 0, 4*8+len(a.wrong)+8)
	n := uint64(len(a.wrong)) << 1
	if a.recv {
		n |= 1
	}
	for _, v := range []uint64{a.comm, a.channel, a.sequence, n} {
		b = binary.LittleEndian.AppendUint64(b, v)
	}
	b = append(b, a.wrong...)
	for len(b)%8 != 0 {
		b = append(b, 0)
	}
	return b
}

func decodeAnswer(b []byte) (a answer, err error) {
	if len(b) < 4*8 {
		return a, errShort
	}
	at := func(i int) uint64 { return binary.LittleEndian.Uint64(b[8*i:]) }
	a.meeting = meeting{at(0), at(1), at(2)}
	n := at(3) >> 1
	a.recv = at(3)&1 != 0
	if n > uint64(len(b)) {
		return a, errShort
	}
	end := 4*8 + (n+7)/8*8
	if end > uint64(len(b)) {
		return a, errShort
	}
	a.wrong, a.payload = string(b[4*8:4*8+n]), b[end:]
	return a, nil
}

// encodeTexts puts texts of any length behind each other.
func encodeTexts(texts [][]byte) (b []byte) {
	for _, t := range texts {
		b = binary.LittleEndian.AppendUint64(b, uint64(len(t)))
		b = append(b, t...)
	}
	return b
}

func decodeTexts(b []byte) (texts [][]byte, err error) {
	for len(b) > 0 {
		if len(b) < 8 {
			return nil, errShort
		}
		n := binary.LittleEndian.Uint64(b)
		if b = b[8:]; n > uint64(len(b)) {
			return nil, errShort
		}
		texts, b = append(texts, b[:n:n]), b[n:]
	}
	return texts, nil
}
