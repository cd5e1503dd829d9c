// Package sinktest tests zerologsink with the writers of zerolog's that need
// more modules than zerologsink does: a module of its own keeps them out of the
// go.mod that users of this repository get.
package sinktest
