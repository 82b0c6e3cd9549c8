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
// can be listened at, it is of a host that no other call has: a connection of another test, which comes from
// 127.0.0.1, cannot take its port before the caller listens.
func FreeAddress(t testing.TB) string {
	t.Helper()
	host := "127.0.0.1"
	if runtime.GOOS == "linux" {
		pid := os.Getpid()
		host = fmt.Sprintf("127.%d.%d.%d", 1+pid>>8%254, pid%256, 1+addresses.Add(1)%254)
	}
	l, err := net.Listen("tcp", host+":0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}
