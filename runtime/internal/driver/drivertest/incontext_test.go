package drivertest

import (
	"reflect"
	"slices"
	"testing"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/stretchr/testify/assert"
)

// TestInContextPassesOn: each method of the Driver behind has the same arguments, its
// results come back, and every call that concerns a context has it current.
func TestInContextPassesOn(t *testing.T) {
	iface := reflect.TypeFor[driver.Driver]()
	for i := range iface.NumMethod() {
		name := iface.Method(i).Name
		t.Run(name, func(t *testing.T) {
			direct, behind := &Echo{}, &Echo{}
			var seen []string
			d := driver.InContext(Intercept(contexts{behind}, func(entryPoint string) driver.Result {
				seen = append(seen, entryPoint)
				return driver.Success
			}), 7)
			method := reflect.ValueOf(d).MethodByName(name)
			args := Arguments(method)
			want := reflect.ValueOf(contexts{direct}).MethodByName(name).Call(args)
			got := method.Call(args)
			for i := range want {
				assert.Equal(t, want[i].Interface(), got[i].Interface())
			}
			assert.Equal(t, direct.Args, behind.Args)
			switch {
			case slices.Contains(noEntryPoints, name):
				assert.Empty(t, seen)
			case Global("cu"+name) || Contextual("cu"+name):
				assert.Equal(t, []string{"cu" + name}, seen)
			default:
				assert.Equal(t, []string{"cuCtxPushCurrent", "cu" + name, "cuCtxPopCurrent"}, seen)
			}
		})
	}
}

// noEntryPoints are the methods of Driver without one.
var noEntryPoints = []string{"LibraryLog", "KeepHostFunc", "DropHostFunc"}

// TestMarks: each kind of mark is there, and where NVIDIA's manual makes it plain.
func TestMarks(t *testing.T) {
	for entryPoint, want := range map[string][2]bool{
		"cuInit": {true, false}, "cuDeviceGetName": {true, false}, "cuCtxPopCurrent": {true, false},
		"cuMemGetInfo": {false, true}, "cuEventCreate": {false, true}, "cuLaunchKernel": {false, false}, "cuLibraryUnload": {false, false},
	} {
		assert.Equal(t, want, [2]bool{Global(entryPoint), Contextual(entryPoint)}, entryPoint)
	}
}

// contexts is an Echo whose contexts can be made current.
type contexts struct{ *Echo }

func (c contexts) CtxPushCurrent(driver.Context) driver.Result    { return driver.Success }
func (c contexts) CtxPopCurrent() (driver.Context, driver.Result) { return 41, driver.Success }
