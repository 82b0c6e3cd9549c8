package limits

import "github.com/cudagen/cudagen/runtime/internal/driver"

func Count(d driver.Dim3) uint64 { return uint64(d.X) * uint64(d.Y) * uint64(d.Z) }

// At returns the n-th place of d.
func At(n uint64, d driver.Dim3) driver.Dim3 {
	x, y := uint64(d.X), uint64(d.Y)
	return driver.Dim3{X: uint32(n % x), Y: uint32(n / x % y), Z: uint32(n / x / y)}
}

func Quotient(a, b driver.Dim3) driver.Dim3 {
	return driver.Dim3{X: a.X / b.X, Y: a.Y / b.Y, Z: a.Z / b.Z}
}

func Remainder(a, b driver.Dim3) driver.Dim3 {
	return driver.Dim3{X: a.X % b.X, Y: a.Y % b.Y, Z: a.Z % b.Z}
}
