package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
)

// requests are what the demo asks for: in one trace, in another, in a broken one
// that is not gone on with, and in none.
var requests = [...]struct {
	path, traceparent string
	status            int
}{
	{"/orders/4711", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", http.StatusOK},
	{"/orders/4712", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00", http.StatusOK},
	{"/orders/none", "00-00000000000000000000000000000000-00f067aa0ba902b7-01", http.StatusNotFound},
	{"/orders/broken", "", http.StatusInternalServerError},
	{"/healthz", "", http.StatusOK},
	{"/debug/vars", "", http.StatusOK},
}

// demo sends the requests to the service at url, one after the other.
func demo(ctx context.Context, url string, stdout io.Writer) error {
	for _, q := range requests {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, url+q.path, nil)
		if err != nil {
			return err
		}
		if q.traceparent != "" {
			req.Header.Set("Traceparent", q.traceparent)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return err
		}
		_, err = io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
		if err != nil {
			return err
		}
		fmt.Fprintf(stdout, "asked     GET %s: %s\n", q.path, resp.Status)
		if resp.StatusCode != q.status {
			return fmt.Errorf("GET %s: %s, %d was expected", q.path, resp.Status, q.status)
		}
	}
	return nil
}
