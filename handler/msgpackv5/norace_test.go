//go:build !race

package msgpackv5_test

const raceEnabled = false
