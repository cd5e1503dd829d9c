// Package readme has tests only: they take the code blocks out of README.md and
// of the README.md files beside the packages, and build, vet and run them as a
// reader would who copies them.
//
// A Go block that starts with a package clause is a whole program, one that
// starts with a test function is a test file, and any other is the inside of a
// main function. Imports are found by the names that are used. Every Go block
// but for tests must, when run, write at least one JSON record and nothing else:
// to standard output, to a .log file in its directory, or to the address that
// the README's socket example dials. One that gives os.Stderr to a ConsoleWriter
// may write there, too. A block marked "go build" is built and vetted only: what
// it needs to run is not there.
//
// Blocks in other languages read the file app.msgpack that a Go block before
// them has written, and print the level and the message of each record. They
// run where the language and its MessagePack library are installed.
//
// What handler/zerologsink/README.md says of zerolog is compared with the names
// that zerolog exports.
package readme
