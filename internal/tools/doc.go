// Package tools pins the programs that build and check slogpack without
// becoming part of it: this module is never imported by the root module.
//
// The tool lines of go.mod pin staticcheck and benchstat. The programs of our
// own use the standard library only:
//
//	apilist      lists the exported API and compares it with api/api.txt
//	sourcecheck  what gofmt, vet and staticcheck do not look for
//	linecheck    is every line of standard input a record with these keys?
//	readme       tests that every Go block of README.md builds, vets and runs
//
// All of them are run by .ci/run.
package tools
