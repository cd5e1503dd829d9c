package report

import (
	"bytes"
	"image/color"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"github.com/slogpack/slogpack/benchmarks/internal/measure"
	"github.com/slogpack/slogpack/benchmarks/internal/scenario"
)

// HandleChart is ns a record, by scenario and peer, as SVG.
func (d *Data) HandleChart() ([]byte, error) {
	list := []string{"slogpack", "slogpack MessagePack", "phuslu", "zerolog slog", "log/slog"}
	return bars("ns a record by Handle (lower is better)", d.Handlers, "handle/", scenario.Core(), list,
		func(r *measure.Result) float64 { return r.Nanos })
}

// ConvertChart is MB/s, by document and converter, as SVG.
func (d *Data) ConvertChart() ([]byte, error) {
	return bars("JSON to MessagePack, MB/s (higher is better)", d.Convert, "", documents(d.Convert), names(d.Convert, ""),
		(*measure.Result).MBs)
}

// bars draws a group of bars for each column.
func bars(title string, rs []measure.Result, prefix string, columns, list []string, value func(*measure.Result) float64) ([]byte, error) {
	p := plot.New()
	p.Title.Text = title
	p.Legend.Top = true
	p.BackgroundColor = color.White
	const group = 80.0 // points
	width := vg.Points(group * 0.85 / float64(len(list)))
	for i, name := range list {
		vs := make(plotter.Values, len(columns))
		for j, c := range columns {
			if r := measure.Find(rs, prefix+c, name); r != nil {
				vs[j] = value(r)
			}
		}
		bar, err := plotter.NewBarChart(vs, width)
		if err != nil {
			return nil, err
		}
		bar.LineStyle.Width = 0
		bar.Color = palette(i, strings.HasPrefix(name, "slogpack"))
		bar.Offset = width * vg.Length(float64(i)-float64(len(list)-1)/2)
		p.Add(bar)
		p.Legend.Add(name, bar)
	}
	p.NominalX(columns...)
	w, err := p.WriterTo(vg.Points(group*float64(len(columns))+150), vg.Points(320), "svg")
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	_, err = w.WriteTo(&b)
	return b.Bytes(), err
}

// palette has blues for ours and greys for the others.
func palette(i int, ours bool) color.Color {
	if ours {
		return color.RGBA{R: 20, G: uint8(90 + 60*i), B: 200, A: 255}
	}
	g := uint8(90 + 22*(i%7))
	return color.RGBA{R: g, G: g, B: g, A: 255}
}
