package driver

import (
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestInContextPassesOn: each method of the Driver behind has the same arguments, its
// results come back, and every call that concerns a context has it current.
func TestInContextPassesOn(t *testing.T) {
	without := map[string]bool{
		"Init": true, "DriverGetVersion": true, "LibraryLog": true,
		"CtxPushCurrent": true, "CtxPopCurrent": true,
		// Marked "context":
		"CtxSynchronize": true, "CtxGetStreamPriorityRange": true, "CtxEnablePeerAccess": true, "CtxDisablePeerAccess": true,
		"LibraryGetGlobal": true, "LibraryGetManaged": true, "KernelGetParamInfo": true,
		"StreamCreate": true, "StreamCreateWithPriority": true, "LaunchHostFunc": true, "EventCreate": true,
		"Memcpy3DAsync": true, "MemcpyPeerAsync": true, "MemGetInfo": true, "MemHostAlloc": true, "MemHostGetDevicePointer": true,
		"MemAllocManaged": true, "MemFree": true, "MemPrefetchAsync": true, "MemAdvise": true,
		"OccupancyMaxActiveBlocksPerMultiprocessor": true, "OccupancyMaxPotentialBlockSize": true,
	}
	iface := reflect.TypeFor[Driver]()
	for i := range iface.NumMethod() {
		name := iface.Method(i).Name
		t.Run(name, func(t *testing.T) {
			direct, behind := &echo{}, &echo{}
			var seen []string
			d := InContext(Intercept(contexts{behind}, func(entryPoint string) Result {
				seen = append(seen, entryPoint)
				return Success
			}), 7)
			method := reflect.ValueOf(d).MethodByName(name)
			args := distinctArgs(method)
			want := reflect.ValueOf(contexts{direct}).MethodByName(name).Call(args)
			got := method.Call(args)
			for i := range want {
				assert.Equal(t, want[i].Interface(), got[i].Interface())
			}
			assert.Equal(t, direct.args, behind.args)
			switch {
			case name == "LibraryLog":
				assert.Empty(t, seen)
			case without[name] || strings.HasPrefix(name, "Device"):
				assert.Equal(t, []string{"cu" + name}, seen)
			default:
				assert.Equal(t, []string{"cuCtxPushCurrent", "cu" + name, "cuCtxPopCurrent"}, seen)
			}
		})
	}
}

// contexts is an echo whose contexts can be made current.
type contexts struct{ *echo }

func (c contexts) CtxPushCurrent(Context) Result    { return Success }
func (c contexts) CtxPopCurrent() (Context, Result) { return 41, Success }
