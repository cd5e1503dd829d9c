module github.com/slogpack/slogpack/handler/zerologsink/internal/sinktest

go 1.24.0

replace github.com/slogpack/slogpack => ../../../..

require (
	github.com/coreos/go-systemd/v22 v22.7.0
	github.com/rs/zerolog v1.35.1
	github.com/slogpack/slogpack v0.0.0-00010101000000-000000000000
)

require (
	github.com/mattn/go-colorable v0.1.14 // indirect
	github.com/mattn/go-isatty v0.0.20 // indirect
	golang.org/x/sys v0.29.0 // indirect
)
