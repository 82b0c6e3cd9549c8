package race

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
)

// A peer is a process that does the same in its own way, a round for each line that it
// reads (peers/launch.py).
type peer struct {
	command *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
}

// openPeer starts command, to which the image and the launches in a round are added, and
// makes a contestant of it. end ends it.
func openPeer(command, image string, count int) (c *Contestant, end func() error, err error) {
	words := append(strings.Fields(command), image, strconv.Itoa(count))
	p := peer{command: exec.Command(words[0], words[1:]...)}
	p.command.Stderr = os.Stderr
	if p.in, err = p.command.StdinPipe(); err != nil {
		return nil, nil, err
	}
	out, err := p.command.StdoutPipe()
	if err != nil {
		return nil, nil, err
	}
	p.out = bufio.NewReader(out)
	if err := p.command.Start(); err != nil {
		return nil, nil, err
	}
	said, err := p.out.ReadString('\n')
	name, ready := strings.CutPrefix(strings.TrimSpace(said), "ready ")
	if err == nil && !ready {
		err = errors.New(name)
	}
	if err != nil {
		return nil, nil, errors.Join(err, p.close())
	}
	return &Contestant{Name: name, Run: p.round}, p.close, nil
}

func (p *peer) round() (float64, error) {
	if _, err := io.WriteString(p.in, "\n"); err != nil {
		return 0, err
	}
	line, err := p.out.ReadString('\n')
	if err != nil {
		return 0, err
	}
	return strconv.ParseFloat(strings.TrimSpace(line), 64)
}

func (p *peer) close() error {
	return errors.Join(p.in.Close(), p.command.Wait())
}

// PeerFlag defines the flag -peer, which collects commands.
func PeerFlag(usage string) *[]string {
	commands := new([]string)
	flag.Func("peer", usage, func(command string) error {
		*commands = append(*commands, command)
		return nil
	})
	return commands
}

// OpenPeers starts those of commands that can be started, and reports why others cannot. Each is
// given the image and the number of operations in a round as its last arguments. end ends them.
func OpenPeers(commands []string, image string, count int) (peers []*Contestant, end func()) {
	var ends []func() error
	for _, command := range commands {
		c, end, err := openPeer(command, image, count)
		if err != nil {
			fmt.Fprintf(os.Stderr, "no row for %s: %v\n", command, err)
			continue
		}
		peers, ends = append(peers, c), append(ends, end)
	}
	return peers, func() {
		for _, end := range ends {
			if err := end(); err != nil {
				fmt.Fprintln(os.Stderr, "a peer:", err)
			}
		}
	}
}
