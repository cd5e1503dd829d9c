package measure

import (
	"testing"
	"time"
)

// TestCount: one run that takes far longer than it should does not make the
// measurement a short one.
func TestCount(t *testing.T) {
	const each, d = 10 * time.Microsecond, 20 * time.Millisecond
	spin := func(d time.Duration) {
		for t := time.Now(); time.Since(t) < d; {
		}
	}
	calls := 0
	n := count(func(n int) {
		if calls++; calls == 2 {
			spin(d)
		}
		spin(time.Duration(n) * each)
	}, d)
	if n < 100 { // 2000 on a quiet machine, 2 without the second look
		t.Errorf("%d runs of %v fill %v", n, each, d)
	}
}
