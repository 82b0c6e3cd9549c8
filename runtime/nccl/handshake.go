package nccl

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"time"
)

// Who connects sends magic, a nonce, what it is, and a proof that it knows the token. A stranger gets
// no answer. Rank 0 answers with its own nonce and proof, and counts a rank only when that has
// answered with another one: what was recorded of an earlier rendezvous is of no use.
const (
	magic     = "cudagen nccl 1\n"
	nonceSize = 32
	maxHello  = 64 << 10
)

// handshakeTime is how long a connection has to prove that it is a rank.
const handshakeTime = 5 * time.Second

// A hello says what connects.
type hello struct {
	Rank, Size int    // as it was told; after a regrouping its former rank
	Generation uint64 // how often the world was regrouped
	Host       string
	PID        int
	Addresses  []string // where it listens for a regrouping: host:port
}

// String returns "host h, process 7".
func (h hello) String() string { return fmt.Sprintf("host %s, process %d", h.Host, h.PID) }

// hostName returns the name of this machine.
func hostName() string {
	name, err := os.Hostname()
	if err != nil {
		return "of no name"
	}
	return name
}

// keyOf returns the key that the processes of a job share.
func keyOf(w World) []byte {
	sum := sha256.Sum256([]byte(w.Token + "\x00" + w.Job))
	return sum[:]
}

// prove returns the proof of the one who knows key, for a purpose.
func prove(key []byte, purpose string, pieces ...[]byte) []byte {
	mac := hmac.New(sha256.New, key)
	for _, p := range append([][]byte{[]byte(purpose)}, pieces...) {
		var n [8]byte
		binary.LittleEndian.PutUint64(n[:], uint64(len(p)))
		mac.Write(n[:])
		mac.Write(p)
	}
	return mac.Sum(nil)
}

var errStranger = errors.New("it does not know the token")

// receiveHello is the handshake of the process that listens.
func receiveHello(conn net.Conn, key []byte) (h hello, err error) {
	conn.SetDeadline(time.Now().Add(handshakeTime))
	head := make([]byte, len(magic)+nonceSize+4)
	if _, err := io.ReadFull(conn, head); err != nil {
		return h, err
	}
	if string(head[:len(magic)]) != magic {
		return h, errors.New("it speaks another protocol")
	}
	theirs := head[len(magic) : len(magic)+nonceSize]
	n := binary.LittleEndian.Uint32(head[len(magic)+nonceSize:])
	if n > maxHello {
		return h, errors.New("its greeting is too long")
	}
	rest := make([]byte, int(n)+sha256.Size)
	if _, err := io.ReadFull(conn, rest); err != nil {
		return h, err
	}
	text := rest[:n]
	if !hmac.Equal(rest[n:], prove(key, "hello", theirs, text)) {
		return h, errStranger
	}
	ours := make([]byte, nonceSize)
	rand.Read(ours)
	if _, err := conn.Write(append(ours, prove(key, "listener", theirs, ours)...)); err != nil {
		return h, err
	}
	proof := make([]byte, sha256.Size)
	if _, err := io.ReadFull(conn, proof); err != nil {
		return h, err
	}
	if !hmac.Equal(proof, prove(key, "rank", theirs, ours, text)) {
		return h, errStranger
	}
	return h, json.Unmarshal(text, &h)
}

// sendHello is the handshake of the process that connects.
func sendHello(conn net.Conn, key []byte, h hello) error {
	conn.SetDeadline(time.Now().Add(handshakeTime))
	text, err := json.Marshal(h)
	if err != nil {
		return err
	}
	ours := make([]byte, nonceSize)
	rand.Read(ours)
	greeting := append([]byte(magic), ours...)
	greeting = binary.LittleEndian.AppendUint32(greeting, uint32(len(text)))
	greeting = append(greeting, text...)
	if _, err := conn.Write(append(greeting, prove(key, "hello", ours, text)...)); err != nil {
		return err
	}
	answer := make([]byte, nonceSize+sha256.Size)
	if _, err := io.ReadFull(conn, answer); err != nil {
		return fmt.Errorf("what listens there does not answer as rank 0 of this job: it is another program or job, or %s differs (%w)", tokenVariable, err)
	}
	theirs := answer[:nonceSize]
	if !hmac.Equal(answer[nonceSize:], prove(key, "listener", ours, theirs)) {
		return fmt.Errorf("what listens there does not know the token: it is another program or job, or %s differs", tokenVariable)
	}
	_, err = conn.Write(prove(key, "rank", ours, theirs, text))
	return err
}
