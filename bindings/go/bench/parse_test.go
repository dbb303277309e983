package bench

import (
	"bytes"
	stdjson "encoding/json"
	"math"
	"testing"
	"time"

	mcpdiscover "github.com/mcp-discover/mcp-discover/bindings/go"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/segmentio/encoding/json"
)

// replies are messages as servers send them: one of a small server, and one with all there is.
var replies = map[string]string{
	"small": `{"jsonrpc":"2.0","id":"discover-1","result":{"resultType":"complete","supportedVersions":["2026-07-28"],` +
		`"capabilities":{"tools":{"listChanged":true},"resources":{}},"_meta":{"io.modelcontextprotocol/serverInfo":` +
		`{"name":"modern-example","version":"1.4.0","title":"A modern example"}},"instructions":` +
		`"Ask the clock before you plan a meeting.","ttlMs":600000,"cacheScope":"public"}}`,
	"full": `{"jsonrpc":"2.0","id":"discover-1","result":{"resultType":"complete","supportedVersions":` +
		`["2026-07-28","2025-11-25","2025-06-18","2025-03-26","2024-11-05"],"capabilities":{"tools":{"listChanged":true},` +
		`"resources":{"subscribe":true,"listChanged":true},"prompts":{"listChanged":true},"completions":{},"logging":{},` +
		`"extensions":{"io.modelcontextprotocol/ui":{"mimeTypes":["text/html;profile=mcp-app"]},"com.example/audit":` +
		`{"level":3}},"experimental":{"com.example/x":{"on":true}}},"_meta":{"io.modelcontextprotocol/serverInfo":` +
		`{"name":"example","version":"2.31.0","title":"An example with \"quotes\" and Ünïcödé","description":` +
		`"Answers questions about examples.","websiteUrl":"https://example.com/","icons":[{"src":` +
		`"https://example.com/icon.png","mimeType":"image/png","sizes":["48x48","96x96"],"theme":"light"}]},` +
		`"com.example/trace":"0af7651916cd43dd8448eb211c80319c"},"instructions":"Start with the tool \"overview\", ` +
		`then ask for one example at a time.\nNames are case-sensitive. Results are cached for an hour; ` +
		`call \"refresh\" if you need newer ones.","ttlMs":3600000,"cacheScope":"public"}}`,
}

// TestBothRead makes sure that the two that are compared do read the replies.
func TestBothRead(t *testing.T) {
	for name, reply := range replies {
		ours, err := mcpdiscover.ParseReply([]byte(reply), nil)
		if err != nil || ours.Discover == nil || len(ours.Remarks) > 0 {
			t.Fatalf("%s: %+v, %v", name, ours, err)
		}
		theirs := sdk(t, []byte(reply), readStrictly)
		if theirs.SupportedVersions[0] != ours.Discover.SupportedVersions[0] ||
			theirs.Instructions != ours.Discover.Instructions || theirs.TTLMs != int(ours.Discover.TTLMs) {
			t.Errorf("%s: %+v is not %+v", name, theirs, ours.Discover)
		}
	}
}

// TestAtLeastAsFast takes the best of several rounds, since the machine may do other things too.
func TestAtLeastAsFast(t *testing.T) {
	const rounds, times = 10, 500
	for name, reply := range replies {
		message := []byte(reply)
		ours, theirs := time.Duration(math.MaxInt64), time.Duration(math.MaxInt64)
		for range rounds {
			ours = min(ours, duration(times, func() {
				if _, err := mcpdiscover.ParseReply(message, nil); err != nil {
					t.Fatal(err)
				}
			}))
			theirs = min(theirs, duration(times, func() { sdk(t, message, readStrictly) }))
		}
		t.Logf("%s: %v, and %v by the SDK", name, ours/times, theirs/times)
		if ours > theirs {
			t.Errorf("%s: %v is slower than %v", name, ours/times, theirs/times)
		}
	}
}

func duration(times int, task func()) time.Duration {
	began := time.Now()
	for range times {
		task()
	}
	return time.Since(began)
}

func BenchmarkParseReply(b *testing.B) {
	for name, reply := range replies {
		message := []byte(reply)
		b.Run(name+"/mcpdiscover", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if reply, err := mcpdiscover.ParseReply(message, nil); err != nil || reply.Discover == nil {
					b.Fatal(reply, err)
				}
			}
		})
		b.Run(name+"/sdk", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				sdk(b, message, readStrictly)
			}
		})
		b.Run(name+"/sdk with encoding/json", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				sdk(b, message, stdjson.Unmarshal)
			}
		})
		b.Run(name+"/sdk, the result alone", func(b *testing.B) {
			response := decode(b, message)
			b.ReportAllocs()
			for b.Loop() {
				var result mcp.DiscoverResult
				if err := readStrictly(response.Result, &result); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// sdk reads a message as the SDK's client does: the envelope, then the result.
func sdk(t testing.TB, message []byte, unmarshal func([]byte, any) error) *mcp.DiscoverResult {
	var result mcp.DiscoverResult
	if err := unmarshal(decode(t, message).Result, &result); err != nil {
		t.Fatal(err)
	}
	return &result
}

func decode(t testing.TB, message []byte) *jsonrpc.Response {
	decoded, err := jsonrpc.DecodeMessage(message)
	if err != nil {
		t.Fatal(err)
	}
	return decoded.(*jsonrpc.Response)
}

// readStrictly has the settings of the SDK's internal decoder.
func readStrictly(data []byte, v any) error {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DontMatchCaseInsensitiveStructFields()
	return decoder.Decode(v)
}
