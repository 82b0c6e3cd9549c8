//go:build race

package libcuda

// raceDetector says whether the race detector is on.
const raceDetector = true
