package main

import (
	"context"
	"log/slog"
	"time"

	"github.com/slogpack/slogpack/handler"
	"github.com/slogpack/slogpack/handler/zerologsink"
)

func after(s *sinks) {
	logger := slog.New(zerologsink.New(s.writer(), handler.WithLevel(slog.LevelDebug))).
		With("service", "shop")

	logger.Log(context.Background(), slog.LevelDebug-4, "not shown")
	logger.Debug("listening", "tls", true)
	logger.Info("order taken", "order", order{7, []string{"tea", "cup"}}, "took", 1500*time.Millisecond)
	logger.Warn("slow", slog.Group("client", "id", 7, "from", "k\u00f6ln"), "load", 0.75)

	payment := logger.With("part", "payment")
	payment.Error("", "error", errDeclined, "reply", []byte("no\n"))
}
