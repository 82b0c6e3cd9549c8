package nccl

import (
	"fmt"
	"slices"
	"sync"
)

// A kind is what ranks do together.
type kind uint8

// The kinds of operations.
const (
	kindAllReduce kind = iota + 1
	kindBroadcast
	kindReduce
	kindAllGather
	kindReduceScatter
	kindAllToAll
	kindGather
	kindScatter
	kindSend // point to point: the first part is the sender's, the second the receiver's
	kindRecv
	kindJoin // control: every rank gets what all have said
	kindSplit
	kindBarrier
	kinds
)

var kindNames = [kinds]string{
	kindAllReduce: "all-reduce", kindBroadcast: "broadcast", kindReduce: "reduce", kindAllGather: "all-gather",
	kindReduceScatter: "reduce-scatter", kindAllToAll: "all-to-all", kindGather: "gather", kindScatter: "scatter",
	kindSend: "send", kindRecv: "receive", kindJoin: "join a communicator", kindSplit: "split a communicator", kindBarrier: "barrier",
}

func (k kind) String() string {
	if k >= kinds || kindNames[k] == "" {
		return fmt.Sprintf("operation %d", uint8(k))
	}
	return kindNames[k]
}

// A meeting names what parts belong together: the operations of a communicator are counted, those
// between two of its ranks apart.
type meeting struct {
	comm     uint64 // 0 for the world of Exchange
	channel  uint64 // 0 for collectives, control, or those between two ranks
	sequence uint64
}

// The channels of control.
const (
	controlChannel = 1<<63 + iota
	leavingChannel // after what a meeting of the same number has decided
)

// pairChannel is the channel from one rank to another.
func pairChannel(from, to int) uint64 { return uint64(from+1)<<32 | uint64(to+1) }

// A part is what a rank contributes to a meeting.
type part struct {
	meeting
	kind     kind
	dataType dataType
	op       Op     // pre-multiplied sums are builtinOps
	factor   uint64 // of a pre-multiplied sum
	rank     int    // in the communicator
	size     int    // how many parts there are
	root     int
	count    int    // elements, as the caller has said
	payload  []byte // what the rank sends
}

// An answer is what a rank gets from a meeting.
type answer struct {
	meeting
	recv    bool   // to the receiver of two ranks
	wrong   string // what is wrong, or ""
	payload []byte
}

// A hub brings parts together, in the process of rank 0, and computes answers.
type hub struct {
	mu       sync.Mutex
	meetings map[meeting]*gathering

	replying sync.Mutex // held from the first answer of a meeting to the last
	ends     ends       // of communicators of the GPUs of one process
}

type gathering struct {
	parts  []*part
	reply  []func(answer)
	number int
}

func newHub() *hub { return &hub{meetings: make(map[meeting]*gathering)} }

// contribute adds a part. reply gets the answer when all parts are there; it must not block.
func (h *hub) contribute(p *part, reply func(answer)) {
	index := p.rank
	switch p.kind {
	case kindSend:
		index = 0
	case kindRecv:
		index = 1
	}
	if p.size < 1 || p.size > maxRanks || index < 0 || index >= p.size {
		reply(answer{p.meeting, p.kind == kindRecv, fmt.Sprintf("rank %d of %d takes part", p.rank, p.size), nil})
		return
	}
	g, wrong := h.gathered(p, index, reply)
	if wrong != "" {
		reply(answer{p.meeting, p.kind == kindRecv, wrong, nil})
	}
	if g == nil {
		return
	}
	answers, wrong := answersOf(g.parts)
	h.replying.Lock()
	defer h.replying.Unlock()
	for i, reply := range g.reply {
		a := answer{meeting: p.meeting, recv: g.parts[i].kind == kindRecv, wrong: wrong}
		if wrong == "" {
			a.payload = answers[i]
		}
		reply(a)
	}
}

// settle returns when all ranks of the meetings that are complete have their answers, or they are
// queued for them. A rank that has its answer may leave at once; that it has left is told behind.
func (h *hub) settle() {
	if h != nil {
		h.replying.Lock()
		defer h.replying.Unlock()
	}
}

// gathered adds a part, and returns the gathering if it is complete.
func (h *hub) gathered(p *part, index int, reply func(answer)) (complete *gathering, wrong string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	g := h.meetings[p.meeting]
	if g == nil {
		g = &gathering{parts: make([]*part, p.size), reply: make([]func(answer), p.size)}
		h.meetings[p.meeting] = g
	}
	if len(g.parts) != p.size {
		return nil, fmt.Sprintf("rank %d says that %d ranks take part, others say %d", p.rank, p.size, len(g.parts))
	}
	if g.parts[index] != nil {
		return nil, fmt.Sprintf("rank %d takes part twice in %v", p.rank, p.kind)
	}
	g.parts[index], g.reply[index] = p, reply
	if g.number++; g.number < p.size {
		return nil, ""
	}
	delete(h.meetings, p.meeting)
	return g, ""
}

// missing returns the ranks that have not come to m.
func (h *hub) missing(m meeting) (ranks []int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if g := h.meetings[m]; g != nil {
		for i, p := range g.parts {
			if p == nil {
				ranks = append(ranks, i)
			}
		}
	}
	return ranks
}

// answersOf returns what each rank gets, or what is wrong with the parts.
func answersOf(parts []*part) (answers [][]byte, wrong string) {
	if wrong := disagreement(parts); wrong != "" {
		return nil, wrong
	}
	first := parts[0]
	answers = make([][]byte, len(parts))
	inputs := make([][]byte, len(parts))
	for i, p := range parts {
		inputs[i] = p.payload
	}
	whole := func() []byte {
		factors := make([]uint64, len(parts))
		for i, p := range parts {
			factors[i] = p.factor
		}
		return reduce(first.dataType, first.op, inputs, factors)
	}
	all := func(payload []byte) {
		for i := range answers {
			answers[i] = payload
		}
	}
	piece := func(b []byte, i int) []byte { return b[i*len(b)/len(parts) : (i+1)*len(b)/len(parts)] }
	switch first.kind {
	case kindAllReduce:
		all(whole())
	case kindReduce:
		answers[first.root] = whole()
	case kindBroadcast:
		all(inputs[first.root])
	case kindAllGather:
		all(slices.Concat(inputs...))
	case kindGather:
		answers[first.root] = slices.Concat(inputs...)
	case kindScatter:
		for i := range answers {
			answers[i] = piece(inputs[first.root], i)
		}
	case kindReduceScatter:
		sum := whole()
		for i := range answers {
			answers[i] = piece(sum, i)
		}
	case kindAllToAll:
		for i := range answers {
			for _, input := range inputs {
				answers[i] = append(answers[i], piece(input, i)...)
			}
		}
	case kindSend:
		answers[1] = inputs[0]
	default:
		all(encodeTexts(inputs))
	}
	return answers, ""
}

// disagreement returns how the parts contradict each other, or "".
func disagreement(parts []*part) string {
	first := parts[0]
	for i, p := range parts {
		switch {
		case first.kind == kindSend && i == 1 && p.kind == kindRecv:
		case p.kind != first.kind:
			return fmt.Sprintf("rank %d calls %v, rank %d %v", first.rank, first.kind, p.rank, p.kind)
		}
		switch {
		case p.kind >= kindJoin: // for control
		case p.dataType < 0 || p.dataType >= dataTypes:
			return fmt.Sprintf("rank %d has no data type", p.rank)
		case p.dataType != first.dataType:
			return fmt.Sprintf("%v: rank %d has %v, rank %d %v", first.kind, first.rank, first.dataType, p.rank, p.dataType)
		case p.count != first.count:
			return fmt.Sprintf("%v: rank %d has %d elements, rank %d %d", first.kind, first.rank, first.count, p.rank, p.count)
		case p.op != first.op:
			return fmt.Sprintf("%v: rank %d has the reduction %v, rank %d %v", first.kind, first.rank, first.op, p.rank, p.op)
		case p.root != first.root && first.kind != kindSend:
			return fmt.Sprintf("%v: rank %d has the root %d, rank %d %d", first.kind, first.rank, first.root, p.rank, p.root)
		case p.root < 0 || p.root >= len(parts) && first.kind != kindSend:
			return fmt.Sprintf("%v: there is no rank %d", first.kind, p.root)
		case len(p.payload) != p.sends()*p.dataType.size():
			return fmt.Sprintf("%v: rank %d has sent %d bytes of %d", first.kind, p.rank, len(p.payload), p.sends()*p.dataType.size())
		}
	}
	return ""
}

// sends returns how many elements the rank of p contributes.
func (p *part) sends() int {
	switch p.kind {
	case kindBroadcast:
		if p.rank != p.root {
			return 0
		}
	case kindScatter:
		if p.rank != p.root {
			return 0
		}
		return p.count * p.size
	case kindAllToAll, kindReduceScatter:
		return p.count * p.size
	case kindRecv:
		return 0
	}
	return p.count
}
