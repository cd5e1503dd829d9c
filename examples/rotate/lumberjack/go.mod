module github.com/slogpack/slogpack/examples/rotate/lumberjack

go 1.24.0

replace github.com/slogpack/slogpack => ../../..

require (
	github.com/slogpack/slogpack v0.0.0-00010101000000-000000000000
	gopkg.in/natefinch/lumberjack.v2 v2.2.1
)
