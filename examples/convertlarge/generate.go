package main

import (
	"bufio"
	"io"
	"strconv"
)

// generate writes one JSON object of about size bytes: a heading and an array
// of records, as an export of a database would be. It returns how many records
// there are.
func generate(w io.Writer, size int64) (records int64, err error) {
	counted := &countingWriter{w: w}
	b := bufio.NewWriterSize(counted, 256<<10)
	b.WriteString(`{"export":{"version":1,"name":"measurements"},"records":[`)
	var line []byte
	// Pseudo-random, so that two runs make the same document.
	x := uint64(88172645463325252)
	for counted.n+int64(b.Buffered()) < size {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		line = line[:0]
		if records > 0 {
			line = append(line, ",\n"...)
		}
		line = append(line, `{"id":`...)
		line = strconv.AppendInt(line, records, 10)
		line = append(line, `,"sensor":"sensor-`...)
		line = strconv.AppendUint(line, x%997, 10)
		line = append(line, `","place":"K\u00f6ln \"Mitte\"","value":`...)
		line = strconv.AppendFloat(line, float64(x%100000)/1000, 'f', 3, 64)
		line = append(line, `,"raw":[`...)
		for i := range 4 {
			if i > 0 {
				line = append(line, ',')
			}
			line = strconv.AppendInt(line, int64(x>>(8*i))%65536-32768, 10)
		}
		line = append(line, `],"valid":true,"note":null}`...)
		if _, err := b.Write(line); err != nil {
			return records, err
		}
		records++
	}
	b.WriteString(`]}`)
	return records, b.Flush()
}

// countingWriter counts what went through the buffer.
type countingWriter struct {
	w io.Writer
	n int64
}

func (c *countingWriter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}
