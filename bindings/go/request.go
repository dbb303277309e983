package mcpdiscover

// #include <mcp_discover.h>
//
// typedef struct { mcpd_status status; mcpd_text *text; mcpd_error *error; } go_request;
//
// static go_request go_request_build(const mcpd_request_options *options) {
//     go_request r = {0};
//     r.status = mcpd_request_build(options, &r.text, &r.error);
//     return r;
// }
import "C"

import "encoding/json"

// ID is the id of a request. JSON-RPC ids are strings or integers, and "1" is another id than 1. The zero ID is the
// default: "discover-1" or "initialize-1" in a request, and any id in a reply.
type ID struct {
	kind    C.mcpd_id_kind
	text    string
	integer int64
}

// StringID is an id that is a string.
func StringID(id string) ID { return ID{kind: C.MCPD_ID_STRING, text: id} }

// IntegerID is an id that is an integer.
func IntegerID(id int64) ID { return ID{kind: C.MCPD_ID_INTEGER, integer: id} }

func (id ID) string(in *input) *C.char {
	if id.kind != C.MCPD_ID_STRING {
		return nil
	}
	return in.given(id.text, "id_string")
}

// RequestOptions say what request to build. What is left out has its default.
type RequestOptions struct {
	// Method is what to ask; the default is [MethodDiscover].
	Method Method
	// ID is the request's id.
	ID ID
	// ProtocolVersion is the version to ask with, of the method's era; the default is the first that the library knows.
	ProtocolVersion string
	// Client says who asks: name and version are required. The default is this library, with its version.
	Client *Implementation
	// Capabilities say what the client can do: an object (ClientCapabilities in the schema). The default is {}.
	Capabilities json.RawMessage
	// LogLevel is the least severe log messages that the server should send, such as "info" (LoggingLevel in the
	// schema). It is refused with [MethodInitialize], which has no place for it.
	LogLevel string
	// Meta holds further members of the request's _meta: an object, such as {"progressToken": 7}. Keys whose prefix
	// is reserved for the protocol are refused.
	Meta json.RawMessage
}

// BuildRequest builds a request that opens a connection: server/discover, or the legacy initialize. It is one line of
// JSON without the line feed, which has to follow it over stdio. Options may be nil.
func BuildRequest(options *RequestOptions) ([]byte, error) {
	if options == nil {
		options = &RequestOptions{}
	}
	var in input
	defer in.free()
	o := C.mcpd_request_options{
		struct_size:              C.sizeof_mcpd_request_options,
		method:                   C.mcpd_method(options.Method),
		id_kind:                  options.ID.kind,
		id_string:                options.ID.string(&in),
		id_integer:               C.int64_t(options.ID.integer),
		protocol_version:         in.text(options.ProtocolVersion, "protocol_version"),
		client_capabilities_json: in.text(string(options.Capabilities), "client_capabilities_json"),
		log_level:                in.text(options.LogLevel, "log_level"),
		meta_json:                in.text(string(options.Meta), "meta_json"),
	}
	o.client_name, o.client_version, o.client_title, o.client_description, o.client_website_url, o.client_icons_json =
		in.client(options.Client)
	if in.err != nil {
		return nil, in.err
	}
	r := C.go_request_build(&o)
	if r.status != C.MCPD_OK {
		return nil, failure(r.status, r.error)
	}
	defer C.mcpd_text_free(r.text)
	return raw(r.text.text), nil
}
