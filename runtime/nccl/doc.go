// Package nccl is NVIDIA's NCCL: collective operations between the GPUs of one process, of several
// processes, and of several machines, typed by cuda.Slice.
//
// A process with several GPUs calls Run. Several processes, of any launcher, meet by
//
//	world, _, err := nccl.FromEnvironment(os.Getenv)
//	peers, err := nccl.Exchange(ctx, world, nccl.ExchangeConfig{})
//	defer peers.Close()
//	dev, err := world.OpenDevice()
//	comm, err := peers.NewComm(ctx, dev)
//	defer comm.Close()
//	err = nccl.AllReduce(comm, stream, dst, src, nccl.Sum)
//
// The connections of Exchange stay open. When a rank dies, or answers no more, every communicator of
// the others is aborted, and their calls and streams return an *Error that wraps a *LostError, within
// ExchangeConfig.Timeout. Those that are left can go on with Peers.Regroup.
//
// On simulated devices the same program runs without GPUs and without NCCL: data goes through
// memory, or over the connections of Exchange. Its reductions are in the order of the ranks, so
// results do not depend on which process has which rank.
//
// libnccl.so.2 is loaded when the first communicator of GPUs is made: version 2.18 or newer. The
// environment variable CUDAGEN_LIBNCCL names another file. docs/distributed.md tells more.
package nccl
