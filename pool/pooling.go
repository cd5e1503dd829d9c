//go:build !slogpack_nopool

package pool

// pooling is off only in programs built with the tag slogpack_nopool, which
// exists to measure what the pool is worth: see benchmarks/cmd/pooltable.
const pooling = true
