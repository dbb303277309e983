package mcpdiscover

// #include <mcp_discover.h>
//
// typedef struct { mcpd_status status; mcpd_reply *reply; mcpd_error *error; } go_reply;
//
// static go_reply go_reply_parse(const char *data, size_t length, mcpd_method method, mcpd_id_kind id_kind,
//                                const char *id_string, int64_t id_integer) {
//     go_reply r = {0};
//     mcpd_reply_options options = {0};
//     options.struct_size = sizeof options;
//     options.method = method;
//     options.id_kind = id_kind;
//     options.id_string = id_string;
//     options.id_integer = id_integer;
//     r.status = mcpd_reply_parse(data, length, &options, &r.reply, &r.error);
//     return r;
// }
// #cgo noescape go_reply_parse
// #cgo nocallback go_reply_parse
// #cgo nocallback mcpd_reply_free
import "C"

import (
	"encoding/json"
	"math"
	"time"
	"unsafe"
)

// Icon is an icon of a program (Icon in the schema). A server's address comes from the server: fetch it with care, or
// not at all.
type Icon struct {
	// Src is where it is: a URI, which may be a data: URI.
	Src string
	// MIMEType is such as "image/png".
	MIMEType string
	// Sizes are such as "48x48" or "any".
	Sizes []string
	// Theme is what it is for, "light" or "dark".
	Theme string

	empty present
}

// Implementation is who a program says it is (Implementation in the schema). Nobody has checked what a server says:
// use it for display, logs and debugging, never for a decision. Any text may be absent, and may hold control
// characters: see [Printable].
type Implementation struct {
	// Name is the program's name. The schema requires it.
	Name string
	// Version is the program's own version, not the protocol's. The schema requires it.
	Version string
	// Title is a name for people.
	Title string
	// Description says what the program does.
	Description string
	// WebsiteURL is the program's home page.
	WebsiteURL string
	// Icons are the program's icons.
	Icons []Icon

	empty present
}

// ServerCapabilities are what a server can do (ServerCapabilities in the schema).
type ServerCapabilities struct {
	// Tools: it offers tools.
	Tools bool
	// ToolsListChanged: it tells when its list of tools changes.
	ToolsListChanged bool
	// Resources: it offers resources.
	Resources bool
	// ResourcesSubscribe: it tells when a resource changes, to those who subscribe.
	ResourcesSubscribe bool
	// ResourcesListChanged: it tells when its list of resources changes.
	ResourcesListChanged bool
	// Prompts: it offers prompts.
	Prompts bool
	// PromptsListChanged: it tells when its list of prompts changes.
	PromptsListChanged bool
	// Completions: it completes arguments.
	Completions bool
	// Logging: it sends log messages.
	Logging bool
	// Extensions it supports, by identifier, with their settings.
	Extensions map[string]json.RawMessage
	// Experimental is what it can do outside of the standard, by name.
	Experimental map[string]json.RawMessage
	// JSON is the whole object, with what the library does not know.
	JSON json.RawMessage
}

// DiscoverResult is the answer to server/discover (DiscoverResult in the schema). Only SupportedVersions is sure to be
// there: a field that is missing or has the wrong type is absent, and a remark says so.
type DiscoverResult struct {
	// ResultType is "complete", or absent, which means the same.
	ResultType string
	// SupportedVersions are the protocol versions that the server speaks, in its order, which says nothing about its
	// preference; at least one. [SelectVersion] picks the best one for the client.
	SupportedVersions []string
	// Capabilities say what the server can do; nil if it does not say.
	Capabilities *ServerCapabilities
	// Server is who the server says it is; nil if it does not say.
	Server *Implementation
	// Instructions say how to use the server, written for a language model.
	Instructions string
	// TTLMs is how long the result stays fresh, in milliseconds from its arrival; see [DiscoverResult.TTL].
	TTLMs int64
	// HasTTL: the server gave ttlMs.
	HasTTL bool
	// CacheScope says who may be given the result from a cache; private if the server did not say.
	CacheScope CacheScope
	// HasCacheScope: the server gave cacheScope.
	HasCacheScope bool
	// Meta is the result's _meta, an object; nil if there is none.
	Meta json.RawMessage
	// JSON is the whole result, with what the library does not know.
	JSON json.RawMessage
}

// TTL is how long the result stays fresh from its arrival, 0 if the server does not say. Some 292 years are the most
// that a Duration takes.
func (r *DiscoverResult) TTL() time.Duration {
	if r.TTLMs > int64(math.MaxInt64/time.Millisecond) {
		return math.MaxInt64
	}
	return time.Duration(r.TTLMs) * time.Millisecond
}

// InitializeResult is the answer to initialize of the protocol versions up to 2025-11-25 (InitializeResult in their
// schema). Only ProtocolVersion is sure to be there.
type InitializeResult struct {
	// ProtocolVersion is the version that the server chose. It may be another than the one asked for.
	ProtocolVersion string
	// Capabilities say what the server can do; nil if it does not say.
	Capabilities *ServerCapabilities
	// Server is who the server says it is; nil if it does not say.
	Server *Implementation
	// Instructions say how to use the server, written for a language model.
	Instructions string
	// Meta is the result's _meta, an object; nil if there is none.
	Meta json.RawMessage
	// JSON is the whole result, with what the library does not know.
	JSON json.RawMessage
}

// RPCError is a JSON-RPC error (Error in the schema), whatever it lacks.
type RPCError struct {
	// Code is the code; 0 if there is no integer code.
	Code int64
	// Message is the message.
	Message string
	// Data is the data, of whatever type; nil if there is none.
	Data json.RawMessage
	// Supported are the versions that the server speaks, with [RPCUnsupportedProtocolVersion].
	Supported []string
	// Requested is the version that was asked for, with [RPCUnsupportedProtocolVersion].
	Requested string
	// RequiredCapabilities are the capabilities to declare, with [RPCMissingRequiredClientCapability]: an object for
	// [RequestOptions.Capabilities] or [WithCapabilities].
	RequiredCapabilities json.RawMessage
	// JSON is the whole error.
	JSON json.RawMessage

	empty present
}

// Remark is something odd that the server did, told so that its author can mend it. Remarks never change a verdict.
type Remark struct {
	// Code is what it is about.
	Code RemarkCode
	// Text is one English sentence. It may quote the server.
	Text string

	// name is the code's name, if it is of a later version.
	name string
}

// Reply is a message from a server, read.
type Reply struct {
	// Kind is what the message is.
	Kind ReplyKind
	// Discover is the result, if Kind is [ReplyDiscover].
	Discover *DiscoverResult
	// Initialize is the result, if Kind is [ReplyInitialize].
	Initialize *InitializeResult
	// Error is the error, if Kind is [ReplyRPCError].
	Error *RPCError
	// JSON is the whole message.
	JSON json.RawMessage
	// Remarks are everything odd about it.
	Remarks []Remark
}

// ReplyOptions say which request a reply should answer.
type ReplyOptions struct {
	// Method is what was asked: it decides how a result is read. The default is [MethodDiscover].
	Method Method
	// ID is the request's id. By default any id will do.
	ID ID
}

// ParseReply reads a message from a server: a line of stdio, or the body of an HTTP response. Options may be nil.
//
// It is read leniently, as servers in the wild require. A byte order mark, bytes that are not UTF-8 (read as U+FFFD),
// fields that are missing or have the wrong type cost a remark, never the reply. Of several messages on the line the
// first that answers the request counts. An error means that the message is no JSON; one that answers nothing is a
// reply of the kind [ReplyUnrelated].
func ParseReply(message []byte, options *ReplyOptions) (*Reply, error) {
	var o ReplyOptions
	var in input
	var id *C.char
	if options != nil {
		o = *options
		defer in.free()
		if id = o.ID.string(&in); in.err != nil {
			return nil, in.err
		}
	}
	if message == nil {
		message = []byte{} // which has an address
	}
	r := C.go_reply_parse((*C.char)(unsafe.Pointer(unsafe.SliceData(message))), C.size_t(len(message)),
		C.mcpd_method(o.Method), o.ID.kind, id, C.int64_t(o.ID.integer))
	if r.status != C.MCPD_OK {
		return nil, failure(r.status, r.error)
	}
	defer C.mcpd_reply_free(r.reply)
	return &Reply{
		Kind:       ReplyKind(r.reply.kind),
		Discover:   discoverResult(r.reply.discover),
		Initialize: initializeResult(r.reply.initialize),
		Error:      rpcError(r.reply.rpc_error),
		JSON:       raw(r.reply.json),
		Remarks:    remarks(r.reply.remarks, r.reply.remarks_count),
	}, nil
}

// present tells of texts that are empty whether they are there. In the API an absent text is an empty one, but a
// verdict that is written as JSON and read again must not change.
type present uint8

// note notes that the n-th text is there, if it is empty.
func (p *present) note(n int, s C.mcpd_str) {
	if s.ptr != nil && s.len == 0 {
		*p |= 1 << n
	}
}

func discoverResult(r *C.mcpd_discover_result) *DiscoverResult {
	if r == nil {
		return nil
	}
	return &DiscoverResult{
		ResultType:        text(r.result_type),
		SupportedVersions: texts(r.supported_versions, r.supported_versions_count),
		Capabilities:      capabilities(r.capabilities),
		Server:            implementation(r.server),
		Instructions:      text(r.instructions),
		TTLMs:             int64(r.ttl_ms),
		HasTTL:            r.has_ttl_ms != 0,
		CacheScope:        CacheScope(r.cache_scope),
		HasCacheScope:     r.has_cache_scope != 0,
		Meta:              raw(r.meta_json),
		JSON:              raw(r.json),
	}
}

func initializeResult(r *C.mcpd_initialize_result) *InitializeResult {
	if r == nil {
		return nil
	}
	return &InitializeResult{
		ProtocolVersion: text(r.protocol_version),
		Capabilities:    capabilities(r.capabilities),
		Server:          implementation(r.server),
		Instructions:    text(r.instructions),
		Meta:            raw(r.meta_json),
		JSON:            raw(r.json),
	}
}

func rpcError(e *C.mcpd_rpc_error) *RPCError {
	if e == nil {
		return nil
	}
	err := &RPCError{
		Code:                 int64(e.code),
		Message:              text(e.message),
		Data:                 raw(e.data_json),
		Supported:            texts(e.supported, e.supported_count),
		Requested:            text(e.requested),
		RequiredCapabilities: raw(e.required_capabilities_json),
		JSON:                 raw(e.json),
	}
	err.empty.note(0, e.message)
	return err
}

func capabilities(c *C.mcpd_server_capabilities) *ServerCapabilities {
	if c == nil {
		return nil
	}
	return &ServerCapabilities{
		Tools:                c.tools != 0,
		ToolsListChanged:     c.tools_list_changed != 0,
		Resources:            c.resources != 0,
		ResourcesSubscribe:   c.resources_subscribe != 0,
		ResourcesListChanged: c.resources_list_changed != 0,
		Prompts:              c.prompts != 0,
		PromptsListChanged:   c.prompts_list_changed != 0,
		Completions:          c.completions != 0,
		Logging:              c.logging != 0,
		Extensions:           members(c.extensions, c.extensions_count),
		Experimental:         members(c.experimental, c.experimental_count),
		JSON:                 raw(c.json),
	}
}

func members(first *C.mcpd_member, count C.size_t) map[string]json.RawMessage {
	if count == 0 {
		return nil
	}
	all := make(map[string]json.RawMessage, count)
	for _, member := range unsafe.Slice(first, count) {
		all[text(member.name)] = raw(member.json)
	}
	return all
}

// The texts of an Implementation that present tells of, in order.
const (
	nameText = iota
	versionText
	titleText
	descriptionText
	websiteURLText
)

func implementation(i *C.mcpd_implementation) *Implementation {
	if i == nil {
		return nil
	}
	who := &Implementation{
		Name:        text(i.name),
		Version:     text(i.version),
		Title:       text(i.title),
		Description: text(i.description),
		WebsiteURL:  text(i.website_url),
	}
	who.empty.note(nameText, i.name)
	who.empty.note(versionText, i.version)
	who.empty.note(titleText, i.title)
	who.empty.note(descriptionText, i.description)
	who.empty.note(websiteURLText, i.website_url)
	for _, c := range unsafe.Slice(i.icons, i.icons_count) {
		icon := Icon{
			Src:      text(c.src),
			MIMEType: text(c.mime_type),
			Sizes:    texts(c.sizes, c.sizes_count),
			Theme:    text(c.theme),
		}
		icon.empty.note(mimeTypeText, c.mime_type)
		icon.empty.note(themeText, c.theme)
		who.Icons = append(who.Icons, icon)
	}
	return who
}

// The texts of an Icon that present tells of.
const (
	mimeTypeText = iota
	themeText
)

func remarks(first **C.mcpd_remark, count C.size_t) []Remark {
	if count == 0 {
		return nil
	}
	all := make([]Remark, count)
	for i, remark := range unsafe.Slice(first, count) {
		all[i] = Remark{Code: RemarkCode(remark.code), Text: text(remark.text)}
	}
	return all
}
