//go:build linux

package nccl_test

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/testenv"
	"github.com/cudagen/cudagen/runtime/nccl"
)

// A namespace is a network of its own, as a machine has it. It lives as long as a process in it.
type namespace struct {
	holder  *exec.Cmd
	pid     string
	link    string
	address string
}

// namespaces makes two that are connected by a cable.
func namespaces(t *testing.T) [2]namespace {
	t.Helper()
	testenv.Need(t, testenv.NetNS)
	var both [2]namespace
	do := func(args ...string) {
		out, err := exec.Command(args[0], args[1:]...).CombinedOutput()
		require.NoError(t, err, "%v: %s", args, out)
	}
	unique := fmt.Sprint(time.Now().UnixNano() % 1e9)
	for i := range both {
		n := &both[i]
		n.link, n.address = fmt.Sprintf("n%d%s", i, unique), fmt.Sprintf("10.213.57.%d", i+1)
		n.holder = exec.Command("unshare", "--net", "sh", "-c", "echo here; exec sleep 600")
		out, err := n.holder.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, n.holder.Start())
		t.Cleanup(func() { n.holder.Process.Kill(); n.holder.Wait() })
		_, err = out.Read(make([]byte, 10))
		require.NoError(t, err)
		n.pid = fmt.Sprint(n.holder.Process.Pid)
	}
	do("ip", "link", "add", both[0].link, "type", "veth", "peer", "name", both[1].link)
	for i, n := range both {
		do("ip", "link", "set", n.link, "netns", n.pid)
		do("nsenter", "-t", n.pid, "--net", "ip", "addr", "add", n.address+"/24", "dev", n.link)
		do("nsenter", "-t", n.pid, "--net", "ip", "-6", "addr", "add", fmt.Sprintf("fd57::%d/64", i+1), "dev", n.link, "nodad")
		do("nsenter", "-t", n.pid, "--net", "ip", "link", "set", n.link, "up")
		do("nsenter", "-t", n.pid, "--net", "ip", "link", "set", "lo", "up")
	}
	return both
}

// start is start in a namespace.
func (n namespace) start(t *testing.T, name string, rank, size int, address string, env ...string) *child {
	t.Helper()
	return startBy(t, []string{"nsenter", "-t", n.pid, "--net"}, name, rank, size, address, env...)
}

// TestNetworkNamespaces has ranks meet that see each other through one cable only, as two machines do,
// over IPv4 and IPv6. Pulling the cable is a lost rank.
func TestNetworkNamespaces(t *testing.T) {
	testenv.Need(t, testenv.Long)
	t.Parallel()
	machines := namespaces(t)
	for _, host := range []string{machines[0].address, "[fd57::1]"} {
		t.Run(host, func(t *testing.T) {
			var children []*child
			for rank := range 4 {
				children = append(children, machines[rank%2].start(t, "everything", rank, 4, host+":29455"))
			}
			for _, c := range children {
				c.expect(t, "all right")
				assert.NoError(t, c.Wait())
			}
		})
	}
	t.Run("cable", func(t *testing.T) {
		var children []*child
		for rank := range 3 {
			children = append(children, machines[min(rank, 1)].start(t, "loop", rank, 3, machines[0].address+":29456", timeoutVariable+"="+nccl.DefaultTimeout.String()))
		}
		for _, c := range children {
			c.expect(t, "ready")
		}
		require.NoError(t, exec.Command("nsenter", "-t", machines[0].pid, "--net", "ip", "link", "set", machines[0].link, "down").Run())
		for _, c := range children {
			text := c.expect(t, "lost ")
			assert.True(t, strings.Contains(text, "it has sent nothing for"), text)
		}
		assert.Equal(t, "0 of 1", children[0].expect(t, "regrouped "))
		// Ranks 1 and 2 have lost rank 0, and go on with each other.
		assert.Equal(t, "0 of 2", children[1].expect(t, "regrouped "))
		assert.Equal(t, "1 of 2", children[2].expect(t, "regrouped "))
	})
}

// TestTwoGPUsInNamespaces runs NCCL between two GPUs whose processes are in network namespaces of their own, and
// believe to be on different machines: over sockets.
func TestTwoGPUsInNamespaces(t *testing.T) {
	testenv.Need(t, testenv.TwoGPUs)
	machines := namespaces(t)
	var children []*child
	for rank, m := range machines {
		children = append(children, m.start(t, "everything", rank, 2, machines[0].address+":29457", "CUDAGEN_DEVICE=", fmt.Sprint("NCCL_HOSTID=host", rank),
			fmt.Sprint("CUDAGEN_NCCL_LOCAL_RANK=", rank), "NCCL_NVLS_ENABLE=0", "NCCL_P2P_DISABLE=1", "NCCL_SHM_DISABLE=1", "NCCL_IB_DISABLE=1", "NCCL_SOCKET_IFNAME="+m.link))
	}
	for _, c := range children {
		c.expect(t, "all right")
		assert.NoError(t, c.Wait())
	}
}
