package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"time"
)

// shop is something to serve, with the ways to go wrong that servers have.
type shop struct{ logger *slog.Logger }

func (s *shop) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, "welcome\n")
	})
	mux.HandleFunc("GET /items/{id}", s.item)
	mux.HandleFunc("POST /orders", s.order)
	mux.HandleFunc("DELETE /orders/{id}", func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusNoContent)
	})
	mux.Handle("GET /shop", http.RedirectHandler("/", http.StatusMovedPermanently))
	mux.HandleFunc("GET /stock", s.stock)
	mux.HandleFunc("GET /report", func(http.ResponseWriter, *http.Request) {
		panic("report: no printer")
	})
	return mux
}

func (s *shop) item(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("id")
	if id != "7" {
		fail(w, http.StatusNotFound, fmt.Errorf("no item %q", id))
		return
	}
	w.Header().Set("Content-Type", "application/json")
	io.WriteString(w, `{"id":7,"name":"tea"}`+"\n")
}

// order is what a client posts.
type order struct {
	Item    string    `json:"item"`
	Count   int       `json:"count"`
	Created time.Time `json:"created"`
	Note    *note     `json:"-"`
}

// LogValue has an order logged as a group of what matters.
func (o order) LogValue() slog.Value {
	return slog.GroupValue(
		slog.String("item", o.Item),
		slog.Int("count", o.Count),
		slog.Time("created", o.Created),
		slog.Any("note", o.Note),
	)
}

// note has a method that does not reckon with broken notes. It panics in the
// middle of a record, and costs that record no more than its own field.
type note struct{ lines []string }

func (n note) MarshalJSON() ([]byte, error) { return json.Marshal(n.lines[0]) }

func (s *shop) order(w http.ResponseWriter, r *http.Request) {
	o := order{Created: time.Now(), Note: &note{}}
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<10)).Decode(&o); err != nil {
		status := http.StatusBadRequest
		if tooLarge := new(http.MaxBytesError); errors.As(err, &tooLarge) {
			status = http.StatusRequestEntityTooLarge
		}
		fail(w, status, fmt.Errorf("order: %w", err))
		return
	}
	s.logger.InfoContext(r.Context(), "order taken", "order", o)
	w.WriteHeader(http.StatusCreated)
	io.WriteString(w, "thanks\n")
}

var errBackend = errors.New("connection refused")

// stock needs a backend, and the backend is down.
func (s *shop) stock(w http.ResponseWriter, r *http.Request) {
	for try := 1; try <= 2; try++ {
		s.logger.WarnContext(r.Context(), "backend failed",
			slog.Group("backend", "name", "stock", "try", try), "error", errBackend)
	}
	fail(w, http.StatusBadGateway, fmt.Errorf("stock backend: %w", errBackend))
}
