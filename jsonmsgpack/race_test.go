//go:build race

package jsonmsgpack

const raceEnabled = true
