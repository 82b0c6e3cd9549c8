package inspect_test

// How many of a hundred random classes may be wrong or refused. The goals are 0 and 2.
const (
	wrongPercent   = 0
	refusedPercent = 15
)
