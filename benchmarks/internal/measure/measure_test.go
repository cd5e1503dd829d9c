package measure

import (
	"testing"
	"time"
)

// TestCount: one run that takes far longer than it should does not make the
// measurement a short one.
func TestCount(t *testing.T) {
	const each, d = 10 * time.Microsecond, 20 * time.Millisecond
	for stalled := range 12 { // which call; 0 for none
		var now time.Time
		calls := 0
		n := count(func(n int) {
			if calls++; calls == stalled {
				now = now.Add(d)
			}
			now = now.Add(time.Duration(n) * each)
		}, d, func() time.Time { return now })
		if n != int(d/each) {
			t.Errorf("call %d stalls: %d runs of %v fill %v", stalled, n, each, d)
		}
	}
}
