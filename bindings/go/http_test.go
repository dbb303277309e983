package mcpdiscover

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
)

type httpCase struct {
	Name    string
	Options struct {
		ModernVersions, LegacyVersions []string
		MaxBodyBytes                   int
	}
	Responses []struct {
		Status      int
		ContentType string
		Body        json.RawMessage
	}
	Expect             map[string]any
	Remarks, NoRemarks []string
	Asked              []string
	Enough             *bool
}

func httpCases(t *testing.T) []httpCase {
	var cases []httpCase
	if err := json.Unmarshal(must(os.ReadFile(inRepository(t, "tests/http/cases.json"))), &cases); err != nil {
		t.Fatal(err)
	}
	if len(cases) < 100 {
		t.Fatalf("only %d cases", len(cases))
	}
	return cases
}

// httpBody is what is sent: a text as it is, or JSON.
func httpBody(body json.RawMessage) []byte {
	var text string
	if json.Unmarshal(body, &text) == nil {
		return []byte(text)
	}
	return body
}

func (c httpCase) options() *HTTPOptions {
	return &HTTPOptions{
		ModernVersions: c.Options.ModernVersions,
		LegacyVersions: c.Options.LegacyVersions,
		MaxBodyBytes:   c.Options.MaxBodyBytes,
	}
}

func TestHTTPCases(t *testing.T) {
	for _, c := range httpCases(t) {
		for _, piece := range []int{1 << 20, 5} {
			exchange := must(NewHTTPExchange(c.options()))
			var verdict *Verdict
			var asked []string
			enough := false
			for _, response := range c.Responses {
				header, _, err := exchange.Request()
				if err != nil {
					t.Fatalf("%s: %v", c.Name, err)
				}
				asked = append(asked, header.Get("MCP-Protocol-Version"))
				if err := exchange.BeginResponse(response.Status, response.ContentType); err != nil {
					t.Fatalf("%s: %v", c.Name, err)
				}
				enough = false
				for part := range slices.Chunk(httpBody(response.Body), piece) {
					enough = enough || must(exchange.Feed(part))
				}
				verdict = must(exchange.EndResponse())
			}
			if verdict == nil {
				t.Fatalf("%s: no verdict", c.Name)
			}
			c.check(t, verdict, asked)
			if c.Enough != nil && enough != *c.Enough {
				t.Errorf("%s: enough is %v", c.Name, enough)
			}
			exchange.Close()
			exchange.Close()
		}
	}
}

func (c httpCase) check(t *testing.T, verdict *Verdict, asked []string) {
	t.Helper()
	var seen map[string]any
	if err := json.Unmarshal(must(json.Marshal(verdict)), &seen); err != nil {
		t.Fatal(err)
	}
	for name, expected := range c.Expect {
		compare(t, c.Name+": "+name, expected, seen[name])
	}
	var remarks []string
	for _, remark := range verdict.Remarks {
		remarks = append(remarks, remark.Code.String())
	}
	for _, code := range c.Remarks {
		if !slices.Contains(remarks, code) {
			t.Errorf("%s: %s is not among %v", c.Name, code, remarks)
		}
	}
	for _, code := range c.NoRemarks {
		if slices.Contains(remarks, code) {
			t.Errorf("%s: %s is among %v", c.Name, code, remarks)
		}
	}
	if c.Asked != nil && !reflect.DeepEqual(asked, c.Asked) {
		t.Errorf("%s: asked %v", c.Name, asked)
	}
}

// TestDiscoverHTTP plays the cases as a real server, against the client of net/http. It follows redirects, so those are
// left out, and so is what no server may send.
func TestDiscoverHTTP(t *testing.T) {
	for _, c := range httpCases(t) {
		status := c.Responses[0].Status
		if status >= 300 && status < 400 || status == 999 {
			continue
		}
		var asked []string
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			response := c.Responses[len(asked)]
			asked = append(asked, r.Header.Get("MCP-Protocol-Version"))
			if r.Method != http.MethodPost || r.Header.Get("X-Own") != "1" || r.Header.Get("Mcp-Method") != "server/discover" ||
				r.Header.Get("Accept") != "application/json, text/event-stream" {
				t.Errorf("%s: got %s with %v", c.Name, r.Method, r.Header)
			}
			w.Header()["Content-Type"] = nil
			if response.ContentType != "" {
				w.Header().Set("Content-Type", response.ContentType)
			}
			w.WriteHeader(response.Status)
			_, _ = w.Write(httpBody(response.Body))
		}))
		options := c.options()
		options.Header = http.Header{"X-Own": {"1"}, "Mcp-Method": {"not/ours"}}
		verdict, err := DiscoverHTTP(context.Background(), server.Client(), server.URL+"/mcp", options)
		server.Close()
		if err != nil {
			t.Errorf("%s: %v", c.Name, err)
			continue
		}
		c.check(t, verdict, asked)
	}
}

func TestDiscoverHTTPLeavesAStreamAtItsAnswer(t *testing.T) {
	left := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, `data: {"jsonrpc":"2.0","id":"discover-1","result":{"supportedVersions":["2026-07-28"]}}`+"\n\n")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
		close(left)
	}))
	defer server.Close()
	verdict, err := DiscoverHTTP(context.Background(), nil, server.URL, nil)
	if err != nil || verdict.Next != NextUseModern {
		t.Errorf("got %+v, %v", verdict, err)
	}
	<-left
}

func TestDiscoverHTTPWithoutResponse(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	url := server.URL
	server.Close()
	if _, err := DiscoverHTTP(context.Background(), nil, url, nil); err == nil {
		t.Error("a server that is not there has a verdict")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := DiscoverHTTP(ctx, nil, url, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestHTTPExchangeRefuses(t *testing.T) {
	for _, c := range []struct {
		options  HTTPOptions
		argument string
	}{
		{HTTPOptions{ModernVersions: []string{"2026-07-28", "a\r\nEvil: 1"}}, "modern_versions[1]"},
		{HTTPOptions{ModernVersions: []string{}}, "modern_versions"},
		{HTTPOptions{LegacyVersions: []string{"2026-07-28"}}, "legacy_versions[0]"},
		{HTTPOptions{Client: &Implementation{Name: "n"}}, "client_version"},
		{HTTPOptions{MaxBodyBytes: -1}, "max_body_bytes"},
		{HTTPOptions{MaxBodyBytes: 1 << 40}, "max_body_bytes"},
	} {
		var failure *Error
		if _, err := NewHTTPExchange(&c.options); !errors.As(err, &failure) || failure.Argument != c.argument {
			t.Errorf("%+v: got %v", c.options, err)
		}
	}
	exchange := must(NewHTTPExchange(nil))
	if _, err := exchange.Feed(nil); err == nil || !strings.Contains(err.Error(), "no response yet") {
		t.Errorf("got %v", err)
	}
	if _, err := exchange.EndResponse(); !errors.Is(err, ErrInvalidArgument) {
		t.Errorf("got %v", err)
	}
	for _, status := range []int{0, 199, 1000, -1, 1 << 40} {
		if err := exchange.BeginResponse(status, ""); !errors.Is(err, ErrInvalidArgument) {
			t.Errorf("%d: got %v", status, err)
		}
	}
	exchange.Close()
	if _, _, err := exchange.Request(); !errors.Is(err, ErrInvalidArgument) {
		t.Errorf("got %v", err)
	}
}
