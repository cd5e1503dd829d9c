package sink

// isPipe reports whether err says that nobody reads any more. This system has
// no number for that.
func isPipe(error) bool { return false }
