//go:build race

package pool

// raceEnabled: under the race detector sync.Pool drops objects at random, so
// that reuse cannot be counted.
const raceEnabled = true
