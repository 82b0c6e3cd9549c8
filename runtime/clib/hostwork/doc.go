// Package hostwork does work of the host on memory of simulated devices, in the order of a stream: what functions of C libraries do
// there, if they are written in Go.
//
//	func(h *wave.Solver, s *cuda.Stream, next, now cuda.Slice[float32], n int32, speed float32) error {
//		return hostwork.Queue(s, func(w *hostwork.Work) {
//			from := hostwork.Read(w, now, hostwork.Vector(int(n), 1))
//			to := make([]float32, n)
//			…
//			hostwork.Write(w, next, hostwork.Vector(int(n), 1), to)
//		}, next.Owner(), now.Owner())
//	}
//
// The work can be captured in a graph. Reading undefined or freed memory is a fault of the device, as that of a copy is, and so is
// writing freed memory. Elements that are not of a Part are not accessed: other streams may use them at the same time.
package hostwork
