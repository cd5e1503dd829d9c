//go:build !race

package jsonmsgpack

const raceEnabled = false
