package race

import "fmt"

// A Goal is a figure that should not be above a limit.
type Goal struct {
	What  string
	Limit float64
	Got   Summary
}

// GoalHeader begins the table that PrintGoals prints, for programs that read it.
const GoalHeader = "| goal | at most | median | low | high |"

// PrintGoals prints a table of goals, which command all collects from several processes.
func PrintGoals(goals []Goal) {
	fmt.Printf("\n%s\n|---|---|---|---|---|\n", GoalHeader)
	for _, g := range goals {
		fmt.Printf("| %s | %.4g | %.4g | %.4g | %.4g |\n", g.What, g.Limit, g.Got.Median, g.Got.Low, g.Got.High)
	}
}

// Ratio and Minus are for Compare.
func Ratio(a, b float64) float64 { return a / b }

// Minus returns a - b.
func Minus(a, b float64) float64 { return a - b }

// Excess summarizes (a's time - b's time) ÷ c's time over the rounds.
func Excess(a, b, c *Contestant) Summary {
	var sample []float64
	for round := range a.Times {
		sample = append(sample, (a.Times[round]-b.Times[round])/c.Times[round])
	}
	return summarize(sample)
}

// Faster returns the one of a and b with the smaller median.
func Faster(a, b *Contestant) *Contestant {
	if b.Median() < a.Median() {
		return b
	}
	return a
}

// PeerGoals are that c is faster than each peer.
func PeerGoals(what string, c *Contestant, peers []*Contestant) (goals []Goal) {
	for _, peer := range peers {
		goals = append(goals, Goal{what + " ÷ " + peer.Name, 1, Compare(c, peer, Ratio)})
	}
	return goals
}
