module github.com/slogpack/slogpack/benchmarks

go 1.26.0

replace github.com/slogpack/slogpack => ../

require (
	github.com/klauspost/compress v1.20.4
	github.com/slogpack/slogpack v0.0.0-00010101000000-000000000000
	github.com/vmihailenco/msgpack/v5 v5.4.1
)

require (
	github.com/stretchr/testify v1.10.0 // indirect
	github.com/vmihailenco/tagparser/v2 v2.0.0 // indirect
)
