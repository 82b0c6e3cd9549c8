// Package drivertest helps to test users and implementations of driver.Driver: Intercept logs
// calls or makes them fail, and Echo is a driver that records the arguments of its calls.
// Most of it is generated from the interface. Only tests import it.
package drivertest

import "github.com/cudagen/cudagen/runtime/internal/driver"

// Intercept returns a Driver that calls before ahead of every call to d. before is
// given the entry point's name, as "cuMemAllocAsync". When it returns Success, the
// call is made; any other result is the call's result, and d is not called.
//
// So before is a logger, a fault injector or a counter. LibraryLog has no entry
// point and cannot fail: it goes to d as it is. Any goroutine may call before, and
// it must not call the Driver that Intercept returned.
func Intercept(d driver.Driver, before func(entryPoint string) driver.Result) driver.Driver {
	return interceptor{d, before}
}

// interceptor names every method: were Driver embedded, a method that is forgotten
// would pass by before.
type interceptor struct {
	next   driver.Driver
	before func(entryPoint string) driver.Result
}

// Global says whether the entry point, as "cuInit", is marked "global" in driver.Driver.
func Global(entryPoint string) bool { return global[entryPoint] }

// Contextual says whether the entry point is marked "context".
func Contextual(entryPoint string) bool { return contextual[entryPoint] }
