package jsonmsgpack

import "github.com/slogpack/slogpack/pool"

var unpackers = pool.New(func() *unpacker { return new(unpacker) }, (*unpacker).forget)

// forget drops what belongs to the caller and reports whether u is worth to be
// kept: not after one huge key or depth has made it large.
func (u *unpacker) forget() bool {
	u.cfg = config{}
	return cap(u.frames) <= keepNodes && cap(u.scratch) <= keepBuffer && (u.inner == nil || cap(u.inner.scratch) <= keepBuffer)
}

// AppendJSON appends the JSON of the first MessagePack object of src to dst
// and returns the extended slice and what follows the object in src. On an
// error, which is a *SyntaxError, it returns dst as it was, and src; input
// that ends too early is io.ErrUnexpectedEOF. It adds no newline: who writes
// several objects puts one between them, as ConvertJSON does.
//
// MaxDepth, InvalidUTF8, NonFinite and BadKeys have a meaning here. It is safe
// for concurrent use and allocates nothing but the room that dst lacks; what
// lengths the input claims has no influence on that.
func AppendJSON(dst, src []byte, opts ...Option) (json, rest []byte, err error) {
	u := unpackers.Get()
	u.cfg = newConfig(opts)
	u.reset()
	u.replaced = 0
	out, next, st := u.run(dst, src, 0)
	if st != statDone {
		e := u.bad
		out, next, err = dst, 0, &e
	}
	unpackers.Put(u)
	return out, src[next:], err
}
