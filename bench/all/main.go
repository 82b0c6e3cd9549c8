// Command all runs the benchmarks that need a GPU, each in several processes and, if there are
// binaries of an older commit, in turns with those, and prints one table of the goals.
//
//	sh pack.sh DIR [COMMIT]
//	DIR/new/all -dir DIR
//
// Both run in the folder of the benchmarks.
//
// A goal is met if the lower end of the 95 % interval is at most the limit, in two processes of
// three. The programs' own tables go to the log. Peers take part in the new binaries' processes.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/cudagen/cudagen/bench/race"
)

func main() {
	defer race.End()
	dir := flag.String("dir", ".", "the folder that pack.sh wrote: new, and old if there is an older commit")
	driver := race.DriverFlag()
	processes := flag.Int("processes", 3, "processes of each program")
	rounds := flag.Int("rounds", 101, "paired rounds in a process")
	builds := flag.Int("builds", 11, "paired rounds of building graphs")
	python := flag.String("python", "python3", "the Python with peers; empty for none")
	requests := flag.Int("requests", 100000, "requests that command requests serves; 0 for none")
	log := flag.String("log", "all.log", "where the programs' output goes")
	flag.Parse()
	run(*dir, *driver, *processes, *rounds, *builds, *requests, *python, *log)
}

// A figure is what one process showed of a goal.
type figure struct{ median, low, high float64 }

func (f figure) String() string { return fmt.Sprintf("%.4g (%.4g–%.4g)", f.median, f.low, f.high) }

// A row is a goal, with the figures of the processes of each version.
type row struct {
	what    string
	limit   float64
	figures map[string][]figure
}

// A table keeps rows in the order in which they came.
type table struct {
	rows []*row
	by   map[string]*row
}

func run(dir, driver string, processes, rounds, builds, requests int, python, logPath string) {
	log := race.Must(os.Create(logPath))
	defer log.Close()
	dir = race.Must(filepath.Abs(dir))
	versions := []string{"new"}
	if _, err := os.Stat(filepath.Join(dir, "old")); err == nil {
		versions = []string{"old", "new"}
	}
	began := time.Now()
	t := table{by: map[string]*row{}}
	for process := range processes {
		for _, version := range versions {
			in := func(name string) string { return filepath.Join(dir, version, name) }
			names := []string{"launch", "operations", "graphs"}
			if version == "new" {
				names = append(names, "textures", "tensormaps") // which older commits lack
			}
			for _, name := range names {
				args := []string{"-c", in(name + ".so"), "-driver", driver, "-rounds", strconv.Itoa(rounds)}
				if name == "graphs" {
					args = append(args, "-builds", strconv.Itoa(builds))
				}
				if version == "new" && name != "operations" && name != "textures" && name != "tensormaps" {
					args = append(args, peers(name, in, python)...)
				}
				out, err := execute(in(name), args, io.MultiWriter(log, os.Stderr), log)
				if err != nil {
					race.Do(fmt.Errorf("%s, process %d: %w", in(name), process+1, err))
				}
				t.add(version, out)
			}
		}
	}
	if requests > 0 {
		out, err := execute(filepath.Join(dir, "new", "requests"), []string{"-many", strconv.Itoa(requests)}, io.MultiWriter(log, os.Stderr), log)
		if err != nil {
			race.Do(fmt.Errorf("requests: %w", err))
		}
		t.add("new", out)
	}
	t.print(versions, processes, rounds, time.Since(began))
}

// peers returns the arguments for a program's peers; it reports those that are not there.
func peers(program string, in func(name string) string, python string) (args []string) {
	commands := []string{in("peer-cudarc") + " " + program, in("peer-cust") + " " + program}
	if program == "launch" {
		commands = append(commands, in("peer-gorgonia")+" launch", in("peer-gorgonia")+" ctx")
	}
	if python != "" {
		suffix := map[string]string{"launch": "", "graphs": "/graphs"}[program]
		commands = append(commands, python+" peers/launch.py cuda.core"+suffix, python+" peers/launch.py cupy"+suffix)
	}
	for _, command := range commands {
		args = append(args, "-peer", command)
	}
	return args
}

// execute runs a program and returns its output.
func execute(name string, args []string, errors, log io.Writer) (string, error) {
	fmt.Fprintln(log, "\n$", name, strings.Join(args, " "))
	var out strings.Builder
	command := exec.Command(name, args...)
	command.Stdout, command.Stderr = io.MultiWriter(&out, log), errors
	err := command.Run()
	return out.String(), err
}

// add reads the table behind race.GoalHeader in the output of a program.
func (t *table) add(version, out string) {
	_, list, found := strings.Cut(out, race.GoalHeader)
	if !found {
		return
	}
	for line := range strings.Lines(list) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(cells) != 5 {
			continue
		}
		var numbers [4]float64
		var err error
		for i := range numbers {
			if numbers[i], err = strconv.ParseFloat(strings.TrimSpace(cells[i+1]), 64); err != nil {
				break
			}
		}
		if err != nil {
			continue // the line below the header
		}
		what := strings.TrimSpace(cells[0])
		r := t.by[what]
		if r == nil {
			r = &row{what: what, limit: numbers[0], figures: map[string][]figure{}}
			t.by[what], t.rows = r, append(t.rows, r)
		}
		r.figures[version] = append(r.figures[version], figure{numbers[1], numbers[2], numbers[3]})
	}
}

// met says in how many of the new binaries' processes the goal was met, and whether that is
// enough.
func (r *row) met() (count int, enough bool) {
	for _, f := range r.figures["new"] {
		if f.low <= r.limit {
			count++
		}
	}
	return count, 3*count >= 2*len(r.figures["new"])
}

func (t *table) print(versions []string, processes, rounds int, took time.Duration) {
	fmt.Printf("%d processes of %d rounds, medians with 95 %% intervals; %.0f s\n\n", processes, rounds, took.Seconds())
	fmt.Print("| goal | at most |")
	for _, version := range versions {
		fmt.Printf(" %s |", version)
	}
	fmt.Println(" met in |\n|---|---|" + strings.Repeat("---|", len(versions)) + "---|")
	for _, r := range t.rows {
		fmt.Printf("| %s | %.4g |", r.what, r.limit)
		for _, version := range versions {
			texts := make([]string, len(r.figures[version]))
			for i, f := range r.figures[version] {
				texts[i] = f.String()
			}
			fmt.Printf(" %s |", strings.Join(texts, ", "))
		}
		count, enough := r.met()
		verdict := fmt.Sprintf("%d of %d", count, len(r.figures["new"]))
		if !enough {
			verdict += ": missed"
		}
		fmt.Printf(" %s |\n", verdict)
	}
}
