package mcpdiscover

// #include <mcp_discover.h>
import "C"

// structSizes are the sizes of the structs as this package was compiled with, for the tests, which compare them with
// the header's text.
func structSizes() map[string]uintptr {
	return map[string]uintptr{
		"mcpd_str":                 C.sizeof_mcpd_str,
		"mcpd_member":              C.sizeof_mcpd_member,
		"mcpd_error":               C.sizeof_mcpd_error,
		"mcpd_text":                C.sizeof_mcpd_text,
		"mcpd_request_options":     C.sizeof_mcpd_request_options,
		"mcpd_icon":                C.sizeof_mcpd_icon,
		"mcpd_implementation":      C.sizeof_mcpd_implementation,
		"mcpd_server_capabilities": C.sizeof_mcpd_server_capabilities,
		"mcpd_discover_result":     C.sizeof_mcpd_discover_result,
		"mcpd_initialize_result":   C.sizeof_mcpd_initialize_result,
		"mcpd_rpc_error":           C.sizeof_mcpd_rpc_error,
		"mcpd_remark":              C.sizeof_mcpd_remark,
		"mcpd_reply_options":       C.sizeof_mcpd_reply_options,
		"mcpd_reply":               C.sizeof_mcpd_reply,
		"mcpd_flat_reply":          C.sizeof_mcpd_flat_reply,
		"mcpd_process":             C.sizeof_mcpd_process,
		"mcpd_transcript_entry":    C.sizeof_mcpd_transcript_entry,
		"mcpd_verdict":             C.sizeof_mcpd_verdict,
		"mcpd_probe_options":       C.sizeof_mcpd_probe_options,
		"mcpd_scan_item":           C.sizeof_mcpd_scan_item,
		"mcpd_scan_options":        C.sizeof_mcpd_scan_options,
		"mcpd_negotiation":         C.sizeof_mcpd_negotiation,
		"mcpd_http_header":         C.sizeof_mcpd_http_header,
		"mcpd_http_post":           C.sizeof_mcpd_http_post,
		"mcpd_http_options":        C.sizeof_mcpd_http_options,
		"mcpd_connection":          C.sizeof_mcpd_connection,
	}
}

// abiVersions are the version of the binary interface that the header describes, and that of the loaded library.
func abiVersions() (header, library int) { return C.MCPD_ABI_VERSION, int(C.mcpd_abi_version()) }
