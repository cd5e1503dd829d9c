//go:build race

package sink_test

// raceEnabled says that allocation counts mean nothing: sync.Pool drops objects
// at random under the race detector.
const raceEnabled = true
