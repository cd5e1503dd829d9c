package handler

// StreamShort has records of any length streamed, so that tests meet on short
// ones what happens to long ones.
func StreamShort() Option { return optionFunc(func(c *config) { c.streamFrom = 0 }) }

// StreamFrom is the length from which records are streamed otherwise.
const StreamFrom = streamFrom

// Locked reports whether the lock around h's writer is held, by anybody.
func Locked(h *Handler) bool {
	if !h.out.mu.TryLock() {
		return true
	}
	h.out.mu.Unlock()
	return false
}
