package testenv

import (
	"fmt"
	"net"
	"os"
	"runtime"
	"sync/atomic"
	"testing"
)

var addresses atomic.Uint32

// FreeAddress returns a TCP address of the loopback interface where nobody listens. Where any address of 127.0.0.0/8
// can be listened at, it is of a host that no other call has, and its port is below those that the system gives to
// who asks for any: neither a connection of another test, which comes from 127.0.0.1, nor one that listens at all of
// the machine's addresses can take it before the caller listens.
func FreeAddress(t testing.TB) string {
	t.Helper()
	if runtime.GOOS != "linux" {
		return listened(t, "127.0.0.1:0")
	}
	pid, n := os.Getpid(), int(addresses.Add(1))
	return listened(t, fmt.Sprintf("127.%d.%d.%d:%d", 1+pid>>8%254, pid%256, 1+n%254, 20000+n%10000))
}

// listened listens at the address for a moment, and returns it with its port.
func listened(t testing.TB, address string) string {
	t.Helper()
	l, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}
