package nccl

import (
	"fmt"

	"github.com/cudagen/cudagen/runtime/cuda"
)

// bytesOf returns the memory of s.
func bytesOf[T Element](s cuda.Slice[T]) cuda.Slice[byte] {
	return cuda.SliceAt[byte](s.Address(), s.Len()*dataTypeOf[T]().size(), s.Owner())
}

// lengths is the error of slices whose lengths do not fit: have elements in place of want.
func (c *Comm) lengths(k kind, have, want int, format string, args ...any) error {
	if c == nil || c.shared == nil {
		return noComm(k.String())
	}
	err := error(cuda.ErrInvalidValue)
	switch {
	case have < want:
		err = cuda.ErrShortSlice
	case have > want:
		err = cuda.ErrLongSlice
	}
	return c.error(k.String(), fmt.Sprintf(format, args...), err)
}

// overlap returns whether dst and src share bytes, other than in place: src begins where dst does,
// offset bytes later.
func overlap(dst, src cuda.Slice[byte], offset int) bool {
	if dst.Len() == 0 || src.Len() == 0 || src.Address() == dst.Address()+uint64(offset) {
		return false
	}
	return dst.Address() < src.Address()+uint64(src.Len()) && src.Address() < dst.Address()+uint64(dst.Len())
}

func (c *Comm) overlapping(k kind) error {
	return c.error(k.String(), "dst and src overlap, and this rank's part is not in place", cuda.ErrInvalidValue)
}

// run queues o for the elements of dst and src. inPlace is where in dst, in elements, src may lie.
func run[T Element](c *Comm, o operation, dst, src cuda.Slice[T], inPlace int) error {
	if c == nil || c.shared == nil {
		return noComm(o.kind.String())
	}
	o.dataType, o.dst, o.src = dataTypeOf[T](), bytesOf(dst), bytesOf(src)
	if overlap(o.dst, o.src, inPlace*o.dataType.size()) {
		return c.overlapping(o.kind)
	}
	return c.queue(&o)
}

// AllReduce makes dst, on every rank, the reduction of the elements of all ranks' src. dst and src
// have the same length on all ranks, and may be the same.
//
// It is queued on s and does not wait for other ranks to do their part, except that the first
// operations make connections. dst and src must not change before the work on s has run. It can be
// captured, but not where several GPUs have their ranks in one process. The rules are those of all collective operations.
//
// NCCL, ncclAllReduce.
func AllReduce[T Element](c *Comm, s *cuda.Stream, dst, src cuda.Slice[T], op Op) error {
	if dst.Len() != src.Len() {
		return c.lengths(kindAllReduce, dst.Len(), src.Len(), "dst has %d elements, src %d", dst.Len(), src.Len())
	}
	return run(c, operation{kind: kindAllReduce, stream: s, op: op, count: src.Len()}, dst, src, 0)
}

// Broadcast makes dst, on every rank, a copy of the root's src, which has the same length. The other
// ranks' src is not looked at, and may be the zero Slice. On the root dst and src may be the same.
//
// NCCL, ncclBroadcast.
func Broadcast[T Element](c *Comm, s *cuda.Stream, dst, src cuda.Slice[T], root int) error {
	if c.Rank() != root {
		src = cuda.Slice[T]{}
	} else if dst.Len() != src.Len() {
		return c.lengths(kindBroadcast, dst.Len(), src.Len(), "dst has %d elements, src %d", dst.Len(), src.Len())
	}
	return run(c, operation{kind: kindBroadcast, stream: s, root: root, count: dst.Len()}, dst, src, 0)
}

// Reduce makes dst on the root the reduction of the elements of all ranks' src, which has the same
// length. The other ranks' dst is not looked at, and may be the zero Slice. On the root dst and src
// may be the same.
//
// NCCL, ncclReduce.
func Reduce[T Element](c *Comm, s *cuda.Stream, dst, src cuda.Slice[T], op Op, root int) error {
	if c.Rank() != root {
		dst = cuda.Slice[T]{}
	} else if dst.Len() != src.Len() {
		return c.lengths(kindReduce, dst.Len(), src.Len(), "dst has %d elements, src %d", dst.Len(), src.Len())
	}
	return run(c, operation{kind: kindReduce, stream: s, op: op, root: root, count: src.Len()}, dst, src, 0)
}

// AllGather makes dst, on every rank, all ranks' src one behind the other, by rank: dst is as many
// times longer as there are ranks. src may be this rank's part of dst.
//
// NCCL, ncclAllGather.
func AllGather[T Element](c *Comm, s *cuda.Stream, dst, src cuda.Slice[T]) error {
	if dst.Len() != src.Len()*c.Size() {
		return c.lengths(kindAllGather, dst.Len(), src.Len()*c.Size(), "dst has %d elements, want %d for each of %d ranks", dst.Len(), src.Len(), c.Size())
	}
	return run(c, operation{kind: kindAllGather, stream: s, count: src.Len()}, dst, src, c.Rank()*src.Len())
}

// ReduceScatter makes dst this rank's part of the reduction of all ranks' src, which is as many times
// longer as there are ranks. dst may be this rank's part of src.
//
// NCCL, ncclReduceScatter.
func ReduceScatter[T Element](c *Comm, s *cuda.Stream, dst, src cuda.Slice[T], op Op) error {
	if src.Len() != dst.Len()*c.Size() {
		return c.lengths(kindReduceScatter, src.Len(), dst.Len()*c.Size(), "src has %d elements, want %d for each of %d ranks", src.Len(), dst.Len(), c.Size())
	}
	return run(c, operation{kind: kindReduceScatter, stream: s, op: op, count: dst.Len()}, dst, src, -c.Rank()*dst.Len())
}

// AllToAll makes part i of dst this rank's part of the src of rank i. dst and src have the same length
// on all ranks, a multiple of the number of ranks, and do not overlap.
//
// NCCL, ncclAlltoAll; before 2.28.3, sends and receives.
func AllToAll[T Element](c *Comm, s *cuda.Stream, dst, src cuda.Slice[T]) error {
	if dst.Len() != src.Len() {
		return c.lengths(kindAllToAll, dst.Len(), src.Len(), "dst has %d elements, src %d", dst.Len(), src.Len())
	}
	n := max(c.Size(), 1)
	if src.Len()%n != 0 {
		return c.lengths(kindAllToAll, 0, 0, "src has %d elements, which %d ranks cannot share", src.Len(), n)
	}
	if c.Rank() >= 0 && src.Len() > 0 && src.Address() == dst.Address() && c != nil && c.shared != nil {
		return c.overlapping(kindAllToAll)
	}
	return run(c, operation{kind: kindAllToAll, stream: s, count: src.Len() / n}, dst, src, 0)
}

// Gather makes dst on the root all ranks' src one behind the other, by rank. The other ranks' dst is
// not looked at. On the root src may be its own part of dst.
//
// NCCL, ncclGather; before 2.28.3, sends and receives.
func Gather[T Element](c *Comm, s *cuda.Stream, dst, src cuda.Slice[T], root int) error {
	if c.Rank() != root {
		dst = cuda.Slice[T]{}
	} else if dst.Len() != src.Len()*c.Size() {
		return c.lengths(kindGather, dst.Len(), src.Len()*c.Size(), "dst has %d elements, want %d for each of %d ranks", dst.Len(), src.Len(), c.Size())
	}
	return run(c, operation{kind: kindGather, stream: s, root: root, count: src.Len()}, dst, src, c.Rank()*src.Len())
}

// Scatter makes dst this rank's part of the root's src, which is as many times longer as there are
// ranks. The other ranks' src is not looked at. On the root dst may be its own part of src.
//
// NCCL, ncclScatter; before 2.28.3, sends and receives.
func Scatter[T Element](c *Comm, s *cuda.Stream, dst, src cuda.Slice[T], root int) error {
	if c.Rank() != root {
		src = cuda.Slice[T]{}
	} else if src.Len() != dst.Len()*c.Size() {
		return c.lengths(kindScatter, src.Len(), dst.Len()*c.Size(), "src has %d elements, want %d for each of %d ranks", src.Len(), dst.Len(), c.Size())
	}
	return run(c, operation{kind: kindScatter, stream: s, root: root, count: dst.Len()}, dst, src, -c.Rank()*dst.Len())
}

// Send sends src to a rank, which calls Recv with as many elements. The work on s goes on when they
// are received: two ranks that send to each other do so in a Group with their Recv, and so does a rank
// that sends to itself.
//
// NCCL, ncclSend.
func Send[T Element](c *Comm, s *cuda.Stream, src cuda.Slice[T], to int) error {
	return run(c, operation{kind: kindSend, stream: s, root: to, count: src.Len()}, cuda.Slice[T]{}, src, 0)
}

// Recv receives dst from a rank, which calls Send with as many elements.
//
// NCCL, ncclRecv.
func Recv[T Element](c *Comm, s *cuda.Stream, dst cuda.Slice[T], from int) error {
	return run(c, operation{kind: kindRecv, stream: s, root: from, count: dst.Len()}, dst, cuda.Slice[T]{}, 0)
}
