//go:build !race

package expslog_test

const raceEnabled = false
