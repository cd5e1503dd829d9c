package jsonmsgpack

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/vmihailenco/msgpack/v5"
)

// The inputs of the benchmarks are made here, always the same ones. Those
// that come from files are in the benchmarks module.

// benchInts is an array of 100 random int64.
func benchInts() []byte {
	r := rand.New(rand.NewPCG(1, 2))
	v := make([]int64, 100)
	for i := range v {
		v[i] = int64(r.Uint64())
	}
	b, _ := json.Marshal(v)
	return b
}

// benchTweet is a status as Twitter's interface gave it out, one tenth of it
// text that is not ASCII.
const benchTweet = `{"metadata":{"result_type":"recent","iso_language_code":"ja"},` +
	`"created_at":"Sun Aug 31 00:29:15 +0000 2014","id":505874924095815681,"id_str":"505874924095815681",` +
	`"text":"@aym0566x \n\n名前:前田あゆみ\n第一印象:なんか怖っ!\n今の印象:とりあえずキモい。噛み合わない",` +
	`"source":"<a href=\"http://twitter.com/download/iphone\" rel=\"nofollow\">Twitter for iPhone</a>",` +
	`"truncated":false,"in_reply_to_status_id":null,"in_reply_to_status_id_str":null,"in_reply_to_user_id":866260188,` +
	`"in_reply_to_user_id_str":"866260188","in_reply_to_screen_name":"aym0566x","user":{"id":1186275104,` +
	`"id_str":"1186275104","name":"AYUMI","screen_name":"ayuu0123","location":"","description":"元野球部マネージャー",` +
	`"url":null,"entities":{"description":{"urls":[]}},"protected":false,"followers_count":262,"friends_count":252,` +
	`"listed_count":0,"created_at":"Sat Feb 16 13:40:25 +0000 2013","favourites_count":235,"utc_offset":null,` +
	`"time_zone":null,"geo_enabled":false,"verified":false,"statuses_count":1769,"lang":"en",` +
	`"contributors_enabled":false,"is_translator":false,"is_translation_enabled":false,` +
	`"profile_background_color":"C0DEED","profile_background_image_url":"http://abs.twimg.com/images/themes/theme1/bg.png",` +
	`"profile_background_tile":false,"profile_link_color":"0084B4","profile_sidebar_border_color":"C0DEED",` +
	`"profile_use_background_image":true,"default_profile":true,"default_profile_image":false,"following":false,` +
	`"follow_request_sent":false,"notifications":false},"geo":null,"coordinates":null,"place":null,"contributors":null,` +
	`"retweet_count":0,"favorite_count":0,"entities":{"hashtags":[],"symbols":[],"urls":[],"user_mentions":[{` +
	`"screen_name":"aym0566x","name":"前田あゆみ","id":866260188,"id_str":"866260188","indices":[0,9]}]},` +
	`"favorited":false,"retweeted":false,"lang":"ja"}`

// benchLines is n log lines with ten attrs, as log/slog writes them.
func benchLines(n int) []byte {
	r := rand.New(rand.NewPCG(3, 4))
	var b bytes.Buffer
	for i := range n {
		fmt.Fprintf(&b, `{"time":"2026-05-04T10:%02d:%02d.%09dZ","level":"INFO","msg":"request served",`+
			`"method":"GET","path":"/api/v1/users/%d","status":%d,"bytes":%d,"elapsed":%d,"ratio":%.3f,`+
			`"remote":"10.1.%d.%d:%d","agent":"Mozilla/5.0 (X11; Linux x86_64; rv:128.0)","cached":%v,`+
			`"group":{"trace":"%016x","span":%d}}`+"\n",
			i/60%60, i%60, r.IntN(1e9), r.IntN(100000), 200+r.IntN(5)*51, r.IntN(1e6), r.IntN(1e9), r.Float64(),
			r.IntN(256), r.IntN(256), r.IntN(65536), r.IntN(2) == 0, r.Uint64(), r.IntN(100))
	}
	return b.Bytes()
}

func benchFloats() []byte {
	r := rand.New(rand.NewPCG(5, 6))
	v := make([][2]float64, 500)
	for i := range v {
		v[i] = [2]float64{r.Float64()*360 - 180, r.Float64()*180 - 90}
	}
	b, _ := json.Marshal(v)
	return b
}

// BenchmarkConvert compares Append on whole documents, and Convert on lines,
// with the way through Go values.
func BenchmarkConvert(b *testing.B) {
	for _, in := range []struct {
		name string
		src  []byte
	}{
		{"ints", benchInts()}, {"floats", benchFloats()}, {"tweet", []byte(benchTweet)},
	} {
		b.Run(in.name+"/jsonmsgpack", func(b *testing.B) {
			c := NewConverter()
			var dst []byte
			b.SetBytes(int64(len(in.src)))
			b.ReportAllocs()
			for b.Loop() {
				dst, _ = c.Append(dst[:0], in.src)
			}
		})
		b.Run(in.name+"/wide", func(b *testing.B) {
			c := NewConverter(Wide())
			var dst []byte
			b.SetBytes(int64(len(in.src)))
			for b.Loop() {
				dst, _ = c.Append(dst[:0], in.src)
			}
		})
		b.Run(in.name+"/values", func(b *testing.B) {
			b.SetBytes(int64(len(in.src)))
			for b.Loop() {
				throughValues(in.src)
			}
		})
	}
	lines := benchLines(1000)
	b.Run("lines/jsonmsgpack", func(b *testing.B) {
		c := NewConverter(Lines())
		r := bytes.NewReader(lines)
		b.SetBytes(int64(len(lines)))
		b.ReportAllocs()
		for b.Loop() {
			r.Reset(lines)
			c.Convert(discard{}, r)
		}
	})
	b.Run("lines/append", func(b *testing.B) {
		c := NewConverter()
		var dst []byte
		b.SetBytes(int64(len(lines)))
		for b.Loop() {
			for rest := lines; len(rest) > 0; {
				n := bytes.IndexByte(rest, '\n')
				dst, _ = c.Append(dst[:0], rest[:n])
				rest = rest[n+1:]
			}
		}
	})
	b.Run("lines/values", func(b *testing.B) {
		b.SetBytes(int64(len(lines)))
		for b.Loop() {
			for line := range bytes.Lines(lines) {
				throughValues(line)
			}
		}
	})
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }

func throughValues(src []byte) ([]byte, error) {
	var v any
	if err := json.Unmarshal(src, &v); err != nil {
		return nil, err
	}
	return msgpack.Marshal(v)
}

func BenchmarkAppendJSON(b *testing.B) {
	src, err := Append(nil, []byte(benchTweet))
	if err != nil {
		b.Fatal(err)
	}
	var dst []byte
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		dst, _, _ = AppendJSON(dst[:0], src)
	}
}

func BenchmarkPacker(b *testing.B) {
	var p Packer
	var buf []byte
	b.ReportAllocs()
	for b.Loop() {
		p.Reset(buf[:0])
		p.BeginMap()
		p.String("level")
		p.String("INFO")
		p.String("msg")
		p.String("request served")
		p.String("status")
		p.Int(200)
		p.String("group")
		p.BeginMap()
		p.String("a")
		p.Int(-5)
		p.EndMap()
		p.EndMap()
		buf, _ = p.Bytes()
	}
}
