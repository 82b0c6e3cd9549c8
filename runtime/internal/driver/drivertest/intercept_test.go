package drivertest

import (
	"reflect"
	"slices"
	"testing"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestInterceptEveryMethod calls each method of Driver through Intercept, with no
// Driver behind it: a call that is not intercepted crashes.
func TestInterceptEveryMethod(t *testing.T) {
	var seen []string
	d := Intercept(nil, func(entryPoint string) driver.Result {
		seen = append(seen, entryPoint)
		return driver.ErrorKeyRotation
	})
	iface := reflect.TypeFor[driver.Driver]()
	for i := range iface.NumMethod() {
		name := iface.Method(i).Name
		t.Run(name, func(t *testing.T) {
			seen = nil
			method := reflect.ValueOf(d).MethodByName(name)
			if slices.Contains(noEntryPoints, name) { // the control: it is not intercepted
				assert.Panics(t, func() { method.Call(Zeros(method)) })
				assert.Empty(t, seen)
				return
			}
			out := method.Call(Zeros(method))
			assert.Equal(t, []string{"cu" + name}, seen)
			assert.Equal(t, driver.ErrorKeyRotation, out[len(out)-1].Interface())
			for _, v := range out[:len(out)-1] {
				assert.True(t, v.IsZero(), "a call that fails returns zero values")
			}
		})
	}
}

// TestInterceptPassesOn lets each call pass: the same method of the Driver behind it
// has the same arguments, and its results come back.
func TestInterceptPassesOn(t *testing.T) {
	iface := reflect.TypeFor[driver.Driver]()
	for i := range iface.NumMethod() {
		name := iface.Method(i).Name
		t.Run(name, func(t *testing.T) {
			direct, behind := &Echo{}, &Echo{}
			d := Intercept(behind, func(string) driver.Result { return driver.Success })
			method := reflect.ValueOf(d).MethodByName(name)
			args := Arguments(method)
			want := reflect.ValueOf(direct).MethodByName(name).Call(args)
			got := method.Call(args)

			assert.Equal(t, name, behind.Called)
			assert.Equal(t, direct.Args, behind.Args)
			require.Len(t, got, len(want))
			for i := range want {
				assert.Equal(t, want[i].Interface(), got[i].Interface())
			}
		})
	}
}

func TestEntryPoints(t *testing.T) {
	iface := reflect.TypeFor[driver.Driver]()
	typed := reflect.TypeFor[driver.Typed]()
	require.Equal(t, driver.NumEntryPoints, iface.NumMethod()-len(noEntryPoints)+typed.NumMethod(), "every method has an entry point, but for some")
	for e := range driver.EntryPoint(driver.NumEntryPoints) {
		_, ok := iface.MethodByName(e.Name()[len("cu"):])
		_, isTyped := typed.MethodByName(e.Name()[len("cu"):])
		assert.True(t, ok != isTyped, "%s has a method", e.Name())
		assert.Contains(t, e.Symbol(), e.Name())
		assert.Positive(t, e.Since())
		if e.Required() {
			assert.LessOrEqual(t, e.Since(), driver.MinVersion, "%s is required, so the oldest driver has it", e.Name())
		}
	}
}
