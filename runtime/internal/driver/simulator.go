package driver

import "sync/atomic"

var simulator atomic.Pointer[func() Driver]

// RegisterSimulator makes the simulated device available to cuda.OpenDefault.
// runtime/sim calls it when it is imported, as a database/sql driver does; open
// is called at most once for a process.
func RegisterSimulator(open func() Driver) { simulator.Store(&open) }

// Simulator returns the function registered, or nil when no simulator is linked in.
func Simulator() func() Driver {
	if open := simulator.Load(); open != nil {
		return *open
	}
	return nil
}
