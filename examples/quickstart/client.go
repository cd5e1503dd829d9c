package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// requests are what the client sends, one after the other, and the status each
// must be answered with. They have the request's number for an id, but for the
// first, whose id the server makes.
var requests = [...]struct {
	method, path, body string
	status             int
}{
	{"GET", "/", "", http.StatusOK},
	{"HEAD", "/", "", http.StatusOK},
	{"GET", "/items/7", "", http.StatusOK},
	{"GET", "/items/8", "", http.StatusNotFound},
	// A newline and a forged record in the path stay inside their string.
	{"GET", `/items/%0A%7B%22level%22:%22INFO%22%7D`, "", http.StatusNotFound},
	{"GET", "/items/%FF%C3%A9%1B%5B31m", "", http.StatusNotFound},
	{"POST", "/orders", `{"item":"tea","count":2}`, http.StatusCreated},
	{"POST", "/orders", `{"item":`, http.StatusBadRequest},
	{"POST", "/orders", `{"item":"` + strings.Repeat("tea", 1000) + `"}`, http.StatusRequestEntityTooLarge},
	{"DELETE", "/orders/1", "", http.StatusNoContent},
	{"PUT", "/orders", "", http.StatusMethodNotAllowed},
	{"GET", "/shop", "", http.StatusMovedPermanently},
	{"GET", "/stock", "", http.StatusBadGateway},
	{"GET", "/report", "", http.StatusInternalServerError},
}

// sendAll sends all requests and returns how many were answered as expected.
func sendAll(ctx context.Context, base string) (sent int, err error) {
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	client := &http.Client{
		Transport: transport,
		Timeout:   10 * time.Second,
		// A redirect is an answer like any other here.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	for i, q := range requests {
		req, err := http.NewRequestWithContext(ctx, q.method, base+q.path, strings.NewReader(q.body))
		if err != nil {
			return sent, err
		}
		req.Header.Set("User-Agent", "quickstart/1")
		if i > 0 {
			req.Header.Set("X-Request-Id", fmt.Sprintf("r%02d", i+1))
		}
		resp, err := client.Do(req)
		if err != nil {
			return sent, err
		}
		_, err = io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
		if err != nil {
			return sent, err
		}
		if resp.StatusCode != q.status {
			return sent, fmt.Errorf("%s %s: status %d, want %d", q.method, q.path, resp.StatusCode, q.status)
		}
		sent++
	}
	return sent, nil
}
