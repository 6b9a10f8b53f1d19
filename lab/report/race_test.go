//go:build race

package report

// raceDetector makes everything ten times slower, so that costs say nothing.
const raceDetector = true
