package main

import (
	"testing"

	"github.com/cudagen/cudagen/bench/race"
)

func TestTable(t *testing.T) {
	rows := table{by: map[string]*row{}}
	output := func(low string) string {
		return "a GPU\n\n| what | ns |\n|---|---|\n| launch | 5 |\n\n" + race.GoalHeader + "\n|---|---|---|---|---|\n| a launch ÷ C | 1.01 | 1.02 | " + low + " | 1.03 |\n"
	}
	for _, low := range []string{"1.005", "1.02", "1.01"} {
		rows.add("new", output(low))
	}
	rows.add("old", output("1"))
	rows.add("old", "no goals")
	if len(rows.rows) != 1 || rows.rows[0].what != "a launch ÷ C" {
		t.Fatalf("rows %+v, want one", rows.rows)
	}
	r := rows.rows[0]
	if old := r.figures["old"]; len(old) != 1 || old[0] != (figure{1.02, 1, 1.03}) {
		t.Errorf("the old figures are %v", old)
	}
	if count, enough := r.met(); count != 2 || !enough {
		t.Errorf("met in %d, enough %v; want 2 of 3, which is enough", count, enough)
	}
	rows.add("new", output("1.5"))
	if _, enough := r.met(); enough {
		t.Error("the control: 2 of 4 are not enough")
	}
}
