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
	some := false
	for word := range strings.SplitSeq(text, ",") {
		known := false
		for _, w := range checkWords {
			if word == "all" || word == w.word {
				*w.flag(&checks) = true
				known, some = true, true
			}
		}
		if word == "stop" {
			checks.Stop, known = true, true
		}
		if !known {
			return driver.Checks{}, false, fmt.Errorf("cuda: %s=%s: there is no check %q: want all, or some of %s, and stop to end the device at the first report, with commas between", checksVariable, text, word, checkNames())
		}
	}
	if !some {
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
