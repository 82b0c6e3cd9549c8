package driver

import "sync/atomic"

var simulator atomic.Pointer[func(ordinal int) Driver]

// RegisterSimulator makes the simulated device available to cuda.OpenDefault.
// runtime/sim calls it when it is imported, as a database/sql driver does. Each call of
// open makes a device of its own: a driver whose only device has that ordinal.
func RegisterSimulator(open func(ordinal int) Driver) { simulator.Store(&open) }

// Simulator returns the function registered, or nil when no simulator is linked in.
func Simulator() func(ordinal int) Driver {
	if open := simulator.Load(); open != nil {
		return *open
	}
	return nil
}
