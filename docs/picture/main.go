//go:build ignore

// This program draws a part of a trace as docs/tracing.md shows it.
//
//	go run docs/picture/main.go -from 120 -for 5 run.json > docs/tracing.svg
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"hash/fnv"
	"html"
	"log"
	"os"
	"slices"
	"strings"
)

type event struct {
	Name, Cat, Ph string
	PID, TID      int64
	TS, Dur       float64
	Args          struct{ Name string }
}

type track struct{ pid, tid int64 }

const (
	labels, width, row = 270, 1200, 26 // pixels
	font               = `font-family="sans-serif" font-size="12"`
)

func main() {
	log.SetFlags(0)
	from := flag.Float64("from", 0, "where the picture begins, in `milliseconds`")
	length := flag.Float64("for", 1000, "how long it is, in `milliseconds`")
	flag.Parse()
	text, err := os.ReadFile(flag.Arg(0))
	if err != nil {
		log.Fatal(err)
	}
	if !strings.HasSuffix(strings.TrimSpace(string(text)), "]") {
		text = append(text, ']') // the program did not close the trace
	}
	var events []event
	if err := json.Unmarshal(text, &events); err != nil {
		log.Fatal(err)
	}
	names, processes := map[track]string{}, map[int64]string{}
	var tracks []track
	var shown []event
	for _, e := range events {
		at := track{e.PID, e.TID}
		switch {
		case e.Ph == "M" && e.Name == "thread_name":
			names[at] = e.Args.Name
		case e.Ph == "M" && e.Name == "process_name":
			processes[e.PID], _, _ = strings.Cut(e.Args.Name, ":")
		case e.Ph == "X" && e.TS+e.Dur >= *from*1000 && e.TS <= (*from+*length)*1000:
			shown = append(shown, e)
			if !slices.Contains(tracks, at) {
				tracks = append(tracks, at)
			}
		}
	}
	slices.SortFunc(tracks, func(a, b track) int { return int(a.pid-b.pid)*1000 + int(a.tid-b.tid) })
	slices.SortStableFunc(shown, func(a, b event) int { return int(b.Dur - a.Dur) }) // the short ones on top

	height := row*(len(tracks)+1) + 8
	fmt.Printf("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n", labels+width, height)
	fmt.Printf("<svg x=\"%d\" width=\"%d\" height=\"%d\">\n", labels, width, height)
	for _, e := range shown {
		scale := width / (*length * 1000)
		x, w, y := (e.TS-*from*1000)*scale, max(e.Dur*scale, 1), row*slices.Index(tracks, track{e.PID, e.TID})
		hue := fnv.New32a()
		hue.Write([]byte(e.Name))
		fmt.Printf("<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"hsl(%d,55%%,72%%)\"/>\n", x, y+2, w, row-4, hue.Sum32()%360)
		if visible := min(x+w, width) - max(x, 0); visible > 7*float64(len(e.Name)) {
			fmt.Printf("<text x=\"%.1f\" y=\"%d\" %s>%s</text>\n", max(x, 0)+3, y+17, font, html.EscapeString(e.Name))
		}
	}
	fmt.Println("</svg>")
	for i, t := range tracks {
		fmt.Printf("<text x=\"4\" y=\"%d\" %s>%s, %s</text>\n", row*i+17, font, html.EscapeString(processes[t.pid]), html.EscapeString(names[t]))
		fmt.Printf("<line x1=\"0\" x2=\"%d\" y1=\"%d\" y2=\"%d\" stroke=\"#ccc\"/>\n", labels+width, row*(i+1), row*(i+1))
	}
	for i := range 6 {
		fmt.Printf("<text x=\"%d\" y=\"%d\" %s fill=\"#666\">%.3g ms</text>\n", labels+i*width/6, row*len(tracks)+20, font, *from+float64(i)**length/6)
	}
	fmt.Println("</svg>")
}
