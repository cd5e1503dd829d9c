// Package pool is a typed object pool on sync.Pool that can refuse objects, and
// a byte buffer that right-sizes itself between uses.
package pool
