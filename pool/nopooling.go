//go:build slogpack_nopool

package pool

const pooling = false
