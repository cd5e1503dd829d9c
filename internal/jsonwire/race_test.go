//go:build race

package jsonwire

// raceEnabled turns allocation counts off: the race detector allocates.
const raceEnabled = true
