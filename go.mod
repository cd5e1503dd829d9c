module github.com/slogpack/slogpack

go 1.24
