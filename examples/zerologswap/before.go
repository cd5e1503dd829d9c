package main

import (
	"time"

	"github.com/rs/zerolog"
)

func before(s *sinks) {
	logger := zerolog.New(s.writer()).Level(zerolog.DebugLevel).
		With().Timestamp().Str("service", "shop").Logger()

	logger.Trace().Msg("not shown")
	logger.Debug().Bool("tls", true).Msg("listening")
	logger.Info().Object("order", order{7, []string{"tea", "cup"}}).Dur("took", 1500*time.Millisecond).Msg("order taken")
	logger.Warn().Dict("client", zerolog.Dict().Int("id", 7).Str("from", "k\u00f6ln")).Float64("load", 0.75).Msg("slow")

	payment := logger.With().Str("part", "payment").Logger()
	payment.Error().Err(errDeclined).Bytes("reply", []byte("no\n")).Send()
}
