// Package readme has tests only: they take the code blocks out of README.md and
// build, vet and run them as a reader would who copies them.
//
// A Go block that starts with a package clause is a whole program. Any other is
// the inside of a main function, whose imports are found by the names it uses.
// Every Go block must, when run, write at least one JSON record and nothing
// else: to standard output, to a .log file in its directory, or to the address
// that the README's socket example dials.
package readme
