package cuda

import (
	"fmt"
	"os"
	"strings"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// checksVariable says what simulated devices of programs check. Those of runtime/simtest have options.
const checksVariable = "CUDAGEN_SIM_CHECKS"

// checkWords are the words of checksVariable that name a check, and what each switches on.
var checkWords = []struct {
	word string
	flag func(c *driver.Checks) *bool
}{
	{"races", func(c *driver.Checks) *bool { return &c.SharedRaces }},
	{"globalraces", func(c *driver.Checks) *bool { return &c.GlobalRaces }},
	{"arrays", func(c *driver.Checks) *bool { return &c.Arrays }},
	{"undefined", func(c *driver.Checks) *bool { return &c.Undefined }},
	{"exited", func(c *driver.Checks) *bool { return &c.Exited }},
	{"redzones", func(c *driver.Checks) *bool { return &c.RedZones }},
}

// simulatedChecks returns what the environment has simulated devices check, if it asks for that.
func simulatedChecks() (checks driver.Checks, asked bool, err error) {
	text := os.Getenv(checksVariable)
	if text == "" {
		return driver.Checks{}, false, nil
	}
	checks.Origins = true
	any := false
	for word := range strings.SplitSeq(text, ",") {
		known := false
		for _, w := range checkWords {
			if word == "all" || word == w.word {
				*w.flag(&checks) = true
				known, any = true, true
			}
		}
		if word == "stop" {
			checks.Stop, known = true, true
		}
		if !known {
			return driver.Checks{}, false, fmt.Errorf("cuda: %s=%s: there is no check %q: want all, or some of %s, and stop to end the device at the first report, with commas between", checksVariable, text, word, checkNames())
		}
	}
	if !any {
		return driver.Checks{}, false, fmt.Errorf("cuda: %s=%s: that checks nothing: add all, or some of %s", checksVariable, text, checkNames())
	}
	return checks, true, nil
}

// checkNames lists the checks.
func checkNames() string {
	var names []string
	for _, w := range checkWords {
		names = append(names, w.word)
	}
	return strings.Join(names, ",")
}

// unchecked is the error of opening a GPU where checks are asked for, which it does not have.
func unchecked(op string) error {
	return &Error{Op: op, Detail: checksVariable + " is set, and a GPU checks nothing", Hint: "set CUDAGEN_DEVICE=sim, too, or unset it", Err: ErrInvalidValue}
}

// setChecks says what d, which is simulated, checks.
func (d *Device) setChecks(c driver.Checks) {
	if d.sim.SetChecks(c); c.RedZones {
		d.useRedZones()
	}
}

// check has d, which is simulated, check what the environment asks for, and print what is found.
func (d *Device) check(c driver.Checks) {
	d.checked = true
	d.setChecks(c)
	d.sim.OnReport(func(found *driver.Fault) {
		f := d.reported(found)
		fmt.Fprintf(os.Stderr, "cuda: %s on %s: %v\n", f.Check, f.Device, f)
	})
}

// foundByChecks returns as an error of Close what the checks of the environment have found, or nil.
func (d *Device) foundByChecks() error {
	if !d.checked {
		return nil
	}
	found, more := d.reports()
	if len(found) == 0 {
		return nil
	}
	first := found[0]
	first.Others = found[1:]
	places := fmt.Sprintf("something at %d places, the first", len(found)+more)
	if len(found)+more == 1 {
		places = "this"
	}
	return &Error{Op: "close", Device: d.String(), Driver: d.version, Detail: fmt.Sprintf("the checks of %s have found %s", checksVariable, places), Err: first}
}
