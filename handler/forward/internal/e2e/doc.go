// Package e2e tests package forward with real receivers, and compares its speed
// with another client's. It is a module of its own, so that nobody who uses the
// package has to know what it needs.
//
// The tests with receivers build an OpenTelemetry Collector from the Go proxy and
// install npm's @fluent-org/logger in a temporary directory, which takes some
// minutes the first time; they have a build tag, so that go test ./... is quick
// without them. Everything, from this directory:
//
//	go test -tags e2e -timeout 15m -v .
//
// They run the configuration and the service of examples/fluent, too. That the
// example's other files parse and fit together is tested without the tag.
//
// The comparison:
//
//	go test -run '^$' -bench . -cpu 1 -count 5 .
package e2e
