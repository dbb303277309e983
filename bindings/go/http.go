package mcpdiscover

// #include <mcp_discover.h>
//
// typedef struct { mcpd_status status; mcpd_http *http; mcpd_error *error; } go_http;
//
// static go_http go_http_new(const mcpd_http_options *options) {
//     go_http r = {0};
//     r.status = mcpd_http_new(options, &r.http, &r.error);
//     return r;
// }
//
// typedef struct { mcpd_status status; const mcpd_http_post *post; mcpd_error *error; } go_post;
//
// static go_post go_http_request(mcpd_http *http) {
//     go_post r = {0};
//     r.status = mcpd_http_request(http, &r.post, &r.error);
//     return r;
// }
//
// typedef struct { mcpd_status status; int32_t enough; mcpd_error *error; } go_enough;
//
// static go_enough go_http_status(mcpd_http *http, int32_t status, const char *content_type) {
//     go_enough r = {0};
//     r.status = mcpd_http_status(http, status, content_type, &r.error);
//     return r;
// }
//
// static go_enough go_http_feed(mcpd_http *http, const char *data, size_t length) {
//     go_enough r = {0};
//     r.status = mcpd_http_feed(http, data, length, &r.enough, &r.error);
//     return r;
// }
//
// typedef struct { mcpd_status status; mcpd_verdict *verdict; mcpd_error *error; } go_http_result;
//
// static go_http_result go_http_verdict(mcpd_http *http) {
//     go_http_result r = {0};
//     r.status = mcpd_http_verdict(http, &r.verdict, &r.error);
//     return r;
// }
import "C"

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"runtime"
	"strings"
	"unsafe"
)

// HTTPOptions say who asks over HTTP, and how. What is left out has its default.
type HTTPOptions struct {
	// Client says who asks: name and version are required. The default is this library, with its version.
	Client *Implementation
	// Capabilities say what the client can do: an object (ClientCapabilities in the schema). The default is {}.
	Capabilities json.RawMessage
	// ModernVersions are the modern protocol versions that the client speaks, best first, each visible ASCII. The
	// default, which nil stands for, is [ModernVersions].
	ModernVersions []string
	// LegacyVersions are the legacy protocol versions that the client speaks, best first; an empty list that is not nil
	// means a modern-only client. The default, which nil stands for, is [LegacyVersions].
	LegacyVersions []string
	// MaxBodyBytes is the longest body, or message of an event stream, that is read; what is longer is skipped, with a
	// remark. The default is 10 MiB; 1 GiB is the most.
	MaxBodyBytes int
	// Header has further headers for [DiscoverHTTP] to send, such as Authorization.
	Header http.Header
}

// HTTPExchange is an exchange with one server over Streamable HTTP, without I/O: it says what to POST and judges what
// comes back. [DiscoverHTTP] drives one with the client of net/http. It is for one goroutine at a time; Close frees it.
type HTTPExchange struct {
	http *C.mcpd_http
	stop runtime.Cleanup
}

// NewHTTPExchange begins an exchange. Options may be nil.
func NewHTTPExchange(options *HTTPOptions) (*HTTPExchange, error) {
	if options == nil {
		options = &HTTPOptions{}
	}
	var in input
	defer in.free()
	o := C.mcpd_http_options{
		struct_size:              C.sizeof_mcpd_http_options,
		client_capabilities_json: in.text(string(options.Capabilities), "client_capabilities_json"),
		max_body_bytes:           in.size(options.MaxBodyBytes, "max_body_bytes"),
	}
	if options.ModernVersions != nil {
		o.modern_versions = in.list(options.ModernVersions, "modern_versions")
	}
	if options.LegacyVersions != nil {
		o.legacy_versions = in.list(options.LegacyVersions, "legacy_versions")
	}
	o.client_name, o.client_version, o.client_title, o.client_description, o.client_website_url, o.client_icons_json =
		in.client(options.Client)
	if in.err != nil {
		return nil, in.err
	}
	r := C.go_http_new(&o)
	if r.status != C.MCPD_OK {
		return nil, failure(r.status, r.error)
	}
	e := &HTTPExchange{http: r.http}
	e.stop = runtime.AddCleanup(e, func(http *C.mcpd_http) { C.mcpd_http_free(http) }, r.http)
	return e, nil
}

// Close frees the exchange, in whatever state it is; a second Close does nothing.
func (e *HTTPExchange) Close() {
	if e.http != nil {
		e.stop.Stop()
		C.mcpd_http_free(e.http)
		e.http = nil
	}
}

// Request is what to send by POST now: the headers that the protocol wants, and the body, to be sent as it is.
func (e *HTTPExchange) Request() (http.Header, []byte, error) {
	defer runtime.KeepAlive(e)
	r := C.go_http_request(e.http)
	if r.status != C.MCPD_OK {
		return nil, nil, failure(r.status, r.error)
	}
	header := http.Header{}
	for _, h := range unsafe.Slice(r.post.headers, r.post.headers_count) {
		header.Set(text(h.name), text(h.value))
	}
	return header, raw(r.post.body), nil
}

// BeginResponse tells how the response begins: its status and its Content-Type header, empty if there is none.
func (e *HTTPExchange) BeginResponse(status int, contentType string) error {
	defer runtime.KeepAlive(e)
	var in input
	defer in.free()
	// A value that no header can have names no type that matters.
	contentType, _, _ = strings.Cut(contentType, "\x00")
	r := C.go_http_status(e.http, C.int32_t(clamped(status)), in.text(contentType, "content_type"))
	if r.status != C.MCPD_OK {
		return failure(r.status, r.error)
	}
	return nil
}

// Feed reads a piece of the response's body, cut anywhere. If enough is true, nothing more is needed, and the response
// may be closed.
func (e *HTTPExchange) Feed(data []byte) (enough bool, err error) {
	defer runtime.KeepAlive(e)
	r := C.go_http_feed(e.http, (*C.char)(unsafe.Pointer(unsafe.SliceData(data))), C.size_t(len(data)))
	if r.status != C.MCPD_OK {
		return false, failure(r.status, r.error)
	}
	return r.enough != 0, nil
}

// EndResponse ends the response, also one that is not waited for any longer. It gives the verdict, or nil if another
// request has to be sent, since the server has named a version to ask with.
func (e *HTTPExchange) EndResponse() (*Verdict, error) {
	defer runtime.KeepAlive(e)
	r := C.go_http_verdict(e.http)
	if r.status != C.MCPD_OK {
		return nil, failure(r.status, r.error)
	}
	if r.verdict == nil {
		return nil, nil
	}
	defer C.mcpd_verdict_free(r.verdict)
	return verdict(r.verdict), nil
}

// DiscoverHTTP asks a server over Streamable HTTP what it is, at the URL of its endpoint. The client may be nil, for
// [http.DefaultClient], and the options too. That a server is unknown or broken is a verdict and no error; an error says
// that there was no response, or that an option is not what it should be.
//
// The server is asked server/discover, once more for each version that it names; initialize is never asked: Next says
// whether to.
func DiscoverHTTP(ctx context.Context, client *http.Client, url string, options *HTTPOptions) (*Verdict, error) {
	if client == nil {
		client = http.DefaultClient
	}
	exchange, err := NewHTTPExchange(options)
	if err != nil {
		return nil, err
	}
	defer exchange.Close()
	for {
		header, body, err := exchange.Request()
		if err != nil {
			return nil, err
		}
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
		if err != nil {
			return nil, err
		}
		if options != nil && options.Header != nil {
			request.Header = options.Header.Clone()
		}
		for name, values := range header {
			request.Header[name] = values
		}
		verdict, err := exchange.roundTrip(client, request)
		if verdict != nil || err != nil {
			return verdict, err
		}
	}
}

func (e *HTTPExchange) roundTrip(client *http.Client, request *http.Request) (*Verdict, error) {
	response, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if err := e.BeginResponse(response.StatusCode, response.Header.Get("Content-Type")); err != nil {
		return nil, err
	}
	buffer := make([]byte, 32<<10)
	for {
		n, err := response.Body.Read(buffer)
		enough, fault := e.Feed(buffer[:n])
		switch {
		case fault != nil:
			return nil, fault
		case enough || err == io.EOF:
			return e.EndResponse()
		case err != nil:
			return nil, err
		}
	}
}
