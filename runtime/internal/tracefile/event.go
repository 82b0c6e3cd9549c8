// Package tracefile writes traces in the Trace Event Format, which Perfetto and Chrome show. It
// knows no device.
//
// A trace is a JSON array of events. The format allows that its end is missing, so a file is
// readable after every flush, also of a program that was killed.
//
// Trace Event Format, JSON Array Format, Complete Events, Metadata Events, Counter Events.
package tracefile

import (
	"encoding/json"
	"strconv"
)

// A Phase says what kind of event it is.
type Phase byte

// Values of Phase.
const (
	Complete   Phase = 'X' // from Start for Duration
	Counter    Phase = 'C'
	AsyncBegin Phase = 'b' // a range that may begin and end on different tracks
	AsyncEnd   Phase = 'e'
)

// An Event is one line of a trace, or two. Times are nanoseconds since the trace began.
type Event struct {
	Name, Category string
	Phase          Phase
	On             Track
	Also           Track // where the event is shown once more, without Values; or the zero Track
	Start          int64
	Duration       int64
	ID             uint64 // of a flow or an asynchronous range
	Error          string // or ""

	Keys   *Keys // of Values, or nil
	Values [8]uint64
}

// A Track is what viewers show in a line, below the others of its process.
type Track struct{ Process, Thread int64 }

// Keys are the names of an event's values. A name with Numbers has that many values, as a list, and
// others have one.
type Keys []Key

// A Key is one of Keys.
type Key struct {
	Name    string
	Numbers int
}

// appendTo appends e as JSON, as it is on a track.
func (e *Event) appendTo(b []byte, at Track, values bool) []byte {
	b = append(b, `{"name":`...)
	b = appendText(b, e.Name)
	if e.Category != "" {
		b = append(b, `,"cat":"`...)
		b = append(b, e.Category...)
		b = append(b, '"')
	}
	b = append(b, `,"ph":"`...)
	b = append(b, byte(e.Phase))
	b = append(b, `","pid":`...)
	b = strconv.AppendInt(b, at.Process, 10)
	b = append(b, `,"tid":`...)
	b = strconv.AppendInt(b, at.Thread, 10)
	b = append(b, `,"ts":`...)
	b = appendMicroseconds(b, e.Start)
	if e.Phase == Complete {
		b = append(b, `,"dur":`...)
		b = appendMicroseconds(b, e.Duration)
	}
	if e.ID != 0 {
		b = append(b, `,"id":`...)
		b = strconv.AppendUint(b, e.ID, 10)
	}
	if values && (e.Keys != nil || e.Error != "") {
		b = append(b, `,"args":{`...)
		b = e.appendValues(b)
		b = append(b, '}')
	}
	return append(b, '}')
}

func (e *Event) appendValues(b []byte) []byte {
	at := 0
	if e.Keys != nil {
		for i, k := range *e.Keys {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(b, '"')
			b = append(b, k.Name...)
			b = append(b, '"', ':')
			if k.Numbers == 0 {
				b = strconv.AppendUint(b, e.Values[at], 10)
				at++
				continue
			}
			for i := range k.Numbers {
				b = append(b, "[,,"[min(i, 1)])
				b = strconv.AppendUint(b, e.Values[at], 10)
				at++
			}
			b = append(b, ']')
		}
	}
	if e.Error != "" {
		if at > 0 {
			b = append(b, ',')
		}
		b = append(b, `"error":`...)
		b = appendText(b, e.Error)
	}
	return b
}

// appendMicroseconds appends nanoseconds as the format has times.
func appendMicroseconds(b []byte, ns int64) []byte {
	if ns < 0 {
		b, ns = append(b, '-'), -ns
	}
	b = strconv.AppendInt(b, ns/1000, 10)
	if rest := ns % 1000; rest != 0 {
		b = append(b, '.', byte('0'+rest/100), byte('0'+rest/10%10), byte('0'+rest%10))
	}
	return b
}

// appendText appends text as a JSON string.
func appendText(b []byte, text string) []byte {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			quoted, err := json.Marshal(text)
			if err != nil { // texts have no errors
				return append(b, `""`...)
			}
			return append(b, quoted...)
		}
	}
	b = append(b, '"')
	b = append(b, text...)
	return append(b, '"')
}
