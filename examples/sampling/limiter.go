package main

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// limiter is a token bucket: a record costs a token, tokens come back at a
// steady rate, and as many as burst are kept for busy moments. It is safe for
// concurrent use.
type limiter struct {
	perSecond float64
	burst     float64
	now       func() time.Time

	mu         sync.Mutex
	tokens     float64
	filled     time.Time // when tokens was right
	suppressed int       // not reported yet
	since      time.Time // when the first of them was
}

func newLimiter(perSecond, burst float64, now func() time.Time) *limiter {
	return &limiter{perSecond: perSecond, burst: burst, now: now, tokens: burst, filled: now()}
}

type reportKey struct{}

// filter is for handler.WithFilter, which asks before anything is formatted, so
// that a suppressed record costs little. Errors and the limiter's own reports
// always pass and cost no token.
func (l *limiter) filter(ctx context.Context, r slog.Record) bool {
	if r.Level >= slog.LevelError || ctx.Value(reportKey{}) != nil {
		return true
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now() // of time.Now, setting the clock changes no difference
	l.tokens = min(l.burst, l.tokens+now.Sub(l.filled).Seconds()*l.perSecond)
	l.filled = now
	if l.tokens >= 1 {
		l.tokens--
		return true
	}
	if l.suppressed == 0 {
		l.since = now
	}
	l.suppressed++
	return false
}

// report logs how many records were suppressed since the last report, if any.
func (l *limiter) report(ctx context.Context, logger *slog.Logger) {
	l.mu.Lock()
	n, since := l.suppressed, l.since
	l.suppressed = 0
	l.mu.Unlock() // before logging, which asks the filter
	if n > 0 {
		ctx = context.WithValue(ctx, reportKey{}, true)
		logger.WarnContext(ctx, "records suppressed", "suppressed", n, "since", since)
	}
}

// reportEvery reports at each interval until ctx ends, and then a last time.
func (l *limiter) reportEvery(ctx context.Context, interval time.Duration, logger *slog.Logger) {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			l.report(ctx, logger)
		case <-ctx.Done():
			l.report(context.WithoutCancel(ctx), logger)
			return
		}
	}
}
