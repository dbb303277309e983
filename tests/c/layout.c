/* The layout of every struct, field by field: no padding, and the sizes that programs are compiled with. */
#include <assert.h>

#include "mcp_discover.h"

#define END(type, field) (offsetof(type, field) + sizeof(((type *)0)->field))
#define FIRST(type, field) static_assert(offsetof(type, field) == 0, #type " begins with " #field)
#define NEXT(type, before, field) \
    static_assert(offsetof(type, field) == END(type, before), #type "." #field " follows " #before)
#define SIZE(type, last, size) \
    static_assert(sizeof(type) == END(type, last), #type " ends with " #last); \
    static_assert(sizeof(void *) != 8 || sizeof(type) == (size), #type " has its size")

FIRST(mcpd_str, ptr);
NEXT(mcpd_str, ptr, len);
SIZE(mcpd_str, len, 16);

FIRST(mcpd_member, name);
NEXT(mcpd_member, name, json);
SIZE(mcpd_member, json, 32);

FIRST(mcpd_text, struct_size);
NEXT(mcpd_text, struct_size, text);
SIZE(mcpd_text, text, 24);

FIRST(mcpd_error, struct_size);
NEXT(mcpd_error, struct_size, status);
NEXT(mcpd_error, status, reserved);
NEXT(mcpd_error, reserved, message);
NEXT(mcpd_error, message, argument);
NEXT(mcpd_error, argument, offset);
SIZE(mcpd_error, offset, 56);

FIRST(mcpd_request_options, struct_size);
NEXT(mcpd_request_options, struct_size, method);
NEXT(mcpd_request_options, method, id_kind);
NEXT(mcpd_request_options, id_kind, id_string);
NEXT(mcpd_request_options, id_string, id_integer);
NEXT(mcpd_request_options, id_integer, protocol_version);
NEXT(mcpd_request_options, protocol_version, client_name);
NEXT(mcpd_request_options, client_name, client_version);
NEXT(mcpd_request_options, client_version, client_title);
NEXT(mcpd_request_options, client_title, client_description);
NEXT(mcpd_request_options, client_description, client_website_url);
NEXT(mcpd_request_options, client_website_url, client_icons_json);
NEXT(mcpd_request_options, client_icons_json, client_capabilities_json);
NEXT(mcpd_request_options, client_capabilities_json, log_level);
NEXT(mcpd_request_options, log_level, meta_json);
SIZE(mcpd_request_options, meta_json, 112);

FIRST(mcpd_icon, struct_size);
NEXT(mcpd_icon, struct_size, src);
NEXT(mcpd_icon, src, mime_type);
NEXT(mcpd_icon, mime_type, sizes);
NEXT(mcpd_icon, sizes, sizes_count);
NEXT(mcpd_icon, sizes_count, theme);
SIZE(mcpd_icon, theme, 72);

FIRST(mcpd_implementation, struct_size);
NEXT(mcpd_implementation, struct_size, name);
NEXT(mcpd_implementation, name, version);
NEXT(mcpd_implementation, version, title);
NEXT(mcpd_implementation, title, description);
NEXT(mcpd_implementation, description, website_url);
NEXT(mcpd_implementation, website_url, icons);
NEXT(mcpd_implementation, icons, icons_count);
SIZE(mcpd_implementation, icons_count, 104);

FIRST(mcpd_server_capabilities, struct_size);
NEXT(mcpd_server_capabilities, struct_size, tools);
NEXT(mcpd_server_capabilities, tools, tools_list_changed);
NEXT(mcpd_server_capabilities, tools_list_changed, resources);
NEXT(mcpd_server_capabilities, resources, resources_subscribe);
NEXT(mcpd_server_capabilities, resources_subscribe, resources_list_changed);
NEXT(mcpd_server_capabilities, resources_list_changed, prompts);
NEXT(mcpd_server_capabilities, prompts, prompts_list_changed);
NEXT(mcpd_server_capabilities, prompts_list_changed, completions);
NEXT(mcpd_server_capabilities, completions, logging);
NEXT(mcpd_server_capabilities, logging, reserved);
NEXT(mcpd_server_capabilities, reserved, extensions);
NEXT(mcpd_server_capabilities, extensions, extensions_count);
NEXT(mcpd_server_capabilities, extensions_count, experimental);
NEXT(mcpd_server_capabilities, experimental, experimental_count);
NEXT(mcpd_server_capabilities, experimental_count, json);
SIZE(mcpd_server_capabilities, json, 96);

FIRST(mcpd_discover_result, struct_size);
NEXT(mcpd_discover_result, struct_size, result_type);
NEXT(mcpd_discover_result, result_type, supported_versions);
NEXT(mcpd_discover_result, supported_versions, supported_versions_count);
NEXT(mcpd_discover_result, supported_versions_count, capabilities);
NEXT(mcpd_discover_result, capabilities, server);
NEXT(mcpd_discover_result, server, instructions);
NEXT(mcpd_discover_result, instructions, ttl_ms);
NEXT(mcpd_discover_result, ttl_ms, has_ttl_ms);
NEXT(mcpd_discover_result, has_ttl_ms, cache_scope);
NEXT(mcpd_discover_result, cache_scope, has_cache_scope);
NEXT(mcpd_discover_result, has_cache_scope, reserved);
NEXT(mcpd_discover_result, reserved, meta_json);
NEXT(mcpd_discover_result, meta_json, json);
SIZE(mcpd_discover_result, json, 128);

FIRST(mcpd_initialize_result, struct_size);
NEXT(mcpd_initialize_result, struct_size, protocol_version);
NEXT(mcpd_initialize_result, protocol_version, capabilities);
NEXT(mcpd_initialize_result, capabilities, server);
NEXT(mcpd_initialize_result, server, instructions);
NEXT(mcpd_initialize_result, instructions, meta_json);
NEXT(mcpd_initialize_result, meta_json, json);
SIZE(mcpd_initialize_result, json, 88);

FIRST(mcpd_rpc_error, struct_size);
NEXT(mcpd_rpc_error, struct_size, code);
NEXT(mcpd_rpc_error, code, message);
NEXT(mcpd_rpc_error, message, data_json);
NEXT(mcpd_rpc_error, data_json, supported);
NEXT(mcpd_rpc_error, supported, supported_count);
NEXT(mcpd_rpc_error, supported_count, requested);
NEXT(mcpd_rpc_error, requested, required_capabilities_json);
NEXT(mcpd_rpc_error, required_capabilities_json, json);
SIZE(mcpd_rpc_error, json, 112);

FIRST(mcpd_remark, struct_size);
NEXT(mcpd_remark, struct_size, code);
NEXT(mcpd_remark, code, reserved);
NEXT(mcpd_remark, reserved, text);
SIZE(mcpd_remark, text, 32);

FIRST(mcpd_reply_options, struct_size);
NEXT(mcpd_reply_options, struct_size, method);
NEXT(mcpd_reply_options, method, id_kind);
NEXT(mcpd_reply_options, id_kind, id_string);
NEXT(mcpd_reply_options, id_string, id_integer);
SIZE(mcpd_reply_options, id_integer, 32);

FIRST(mcpd_reply, struct_size);
NEXT(mcpd_reply, struct_size, kind);
NEXT(mcpd_reply, kind, reserved);
NEXT(mcpd_reply, reserved, discover);
NEXT(mcpd_reply, discover, initialize);
NEXT(mcpd_reply, initialize, rpc_error);
NEXT(mcpd_reply, rpc_error, json);
NEXT(mcpd_reply, json, remarks);
NEXT(mcpd_reply, remarks, remarks_count);
SIZE(mcpd_reply, remarks_count, 72);

FIRST(mcpd_flat_reply, struct_size);
NEXT(mcpd_flat_reply, struct_size, size);
NEXT(mcpd_flat_reply, size, texts_offset);
NEXT(mcpd_flat_reply, texts_offset, texts_count);
NEXT(mcpd_flat_reply, texts_count, json_offset);
NEXT(mcpd_flat_reply, json_offset, json_length);
NEXT(mcpd_flat_reply, json_length, versions_count);
NEXT(mcpd_flat_reply, versions_count, extensions_count);
NEXT(mcpd_flat_reply, extensions_count, experimental_count);
NEXT(mcpd_flat_reply, experimental_count, remarks_count);
NEXT(mcpd_flat_reply, remarks_count, ttl_ms);
NEXT(mcpd_flat_reply, ttl_ms, rpc_code);
NEXT(mcpd_flat_reply, rpc_code, kind);
NEXT(mcpd_flat_reply, kind, present);
NEXT(mcpd_flat_reply, present, capabilities);
NEXT(mcpd_flat_reply, capabilities, has_server);
NEXT(mcpd_flat_reply, has_server, has_ttl_ms);
NEXT(mcpd_flat_reply, has_ttl_ms, cache_scope);
NEXT(mcpd_flat_reply, cache_scope, has_cache_scope);
NEXT(mcpd_flat_reply, has_cache_scope, reserved);
SIZE(mcpd_flat_reply, reserved, 128);

FIRST(mcpd_process, struct_size);
NEXT(mcpd_process, struct_size, exit_kind);
NEXT(mcpd_process, exit_kind, exit_value);
NEXT(mcpd_process, exit_value, shutdown);
NEXT(mcpd_process, shutdown, reserved);
NEXT(mcpd_process, reserved, bytes_received);
NEXT(mcpd_process, bytes_received, skipped_lines);
NEXT(mcpd_process, skipped_lines, skipped_sample);
NEXT(mcpd_process, skipped_sample, skipped_sample_count);
NEXT(mcpd_process, skipped_sample_count, stderr_tail);
SIZE(mcpd_process, stderr_tail, 72);

FIRST(mcpd_transcript_entry, struct_size);
NEXT(mcpd_transcript_entry, struct_size, at_ms);
NEXT(mcpd_transcript_entry, at_ms, process);
NEXT(mcpd_transcript_entry, process, direction);
NEXT(mcpd_transcript_entry, direction, data);
NEXT(mcpd_transcript_entry, data, length);
SIZE(mcpd_transcript_entry, length, 40);

FIRST(mcpd_negotiation, struct_size);
NEXT(mcpd_negotiation, struct_size, step);
NEXT(mcpd_negotiation, step, reserved);
NEXT(mcpd_negotiation, reserved, line);
NEXT(mcpd_negotiation, line, deadline_ms);
SIZE(mcpd_negotiation, deadline_ms, 40);

FIRST(mcpd_verdict, struct_size);
NEXT(mcpd_verdict, struct_size, era);
NEXT(mcpd_verdict, era, next);
NEXT(mcpd_verdict, next, version);
NEXT(mcpd_verdict, version, confirmed);
NEXT(mcpd_verdict, confirmed, storable);
NEXT(mcpd_verdict, storable, discover_outcome);
NEXT(mcpd_verdict, discover_outcome, initialize_outcome);
NEXT(mcpd_verdict, initialize_outcome, summary);
NEXT(mcpd_verdict, summary, received_at_ms);
NEXT(mcpd_verdict, received_at_ms, has_received_at_ms);
NEXT(mcpd_verdict, has_received_at_ms, starts);
NEXT(mcpd_verdict, starts, server);
NEXT(mcpd_verdict, server, capabilities);
NEXT(mcpd_verdict, capabilities, instructions);
NEXT(mcpd_verdict, instructions, supported_versions);
NEXT(mcpd_verdict, supported_versions, supported_versions_count);
NEXT(mcpd_verdict, supported_versions_count, discover);
NEXT(mcpd_verdict, discover, initialize);
NEXT(mcpd_verdict, initialize, discover_error);
NEXT(mcpd_verdict, discover_error, initialize_error);
NEXT(mcpd_verdict, initialize_error, remarks);
NEXT(mcpd_verdict, remarks, remarks_count);
NEXT(mcpd_verdict, remarks_count, processes);
NEXT(mcpd_verdict, processes, processes_count);
NEXT(mcpd_verdict, processes_count, elapsed_ms);
NEXT(mcpd_verdict, elapsed_ms, reply_ms);
NEXT(mcpd_verdict, reply_ms, has_reply_ms);
NEXT(mcpd_verdict, has_reply_ms, transcript_truncated);
NEXT(mcpd_verdict, transcript_truncated, transcript);
NEXT(mcpd_verdict, transcript, transcript_count);
SIZE(mcpd_verdict, transcript_count, 232);

FIRST(mcpd_probe_options, struct_size);
NEXT(mcpd_probe_options, struct_size, argv);
NEXT(mcpd_probe_options, argv, env);
NEXT(mcpd_probe_options, env, cwd);
NEXT(mcpd_probe_options, cwd, client_name);
NEXT(mcpd_probe_options, client_name, client_version);
NEXT(mcpd_probe_options, client_version, client_title);
NEXT(mcpd_probe_options, client_title, client_description);
NEXT(mcpd_probe_options, client_description, client_website_url);
NEXT(mcpd_probe_options, client_website_url, client_icons_json);
NEXT(mcpd_probe_options, client_icons_json, client_capabilities_json);
NEXT(mcpd_probe_options, client_capabilities_json, cancel);
NEXT(mcpd_probe_options, cancel, modern_versions);
NEXT(mcpd_probe_options, modern_versions, legacy_versions);
NEXT(mcpd_probe_options, legacy_versions, timeout_ms);
NEXT(mcpd_probe_options, timeout_ms, discover_timeout_ms);
NEXT(mcpd_probe_options, discover_timeout_ms, grace_ms);
NEXT(mcpd_probe_options, grace_ms, max_line_bytes);
NEXT(mcpd_probe_options, max_line_bytes, max_stderr_bytes);
NEXT(mcpd_probe_options, max_stderr_bytes, max_transcript_bytes);
NEXT(mcpd_probe_options, max_transcript_bytes, max_starts);
NEXT(mcpd_probe_options, max_starts, fallback);
NEXT(mcpd_probe_options, fallback, env_mode);
NEXT(mcpd_probe_options, env_mode, stderr_mode);
SIZE(mcpd_probe_options, stderr_mode, 176);

FIRST(mcpd_connection, struct_size);
NEXT(mcpd_connection, struct_size, version);
NEXT(mcpd_connection, version, pid);
NEXT(mcpd_connection, pid, unread);
NEXT(mcpd_connection, unread, unread_length);
NEXT(mcpd_connection, unread_length, era);
NEXT(mcpd_connection, era, stdin_fd);
NEXT(mcpd_connection, stdin_fd, stdout_fd);
NEXT(mcpd_connection, stdout_fd, stderr_fd);
NEXT(mcpd_connection, stderr_fd, exit_kind);
NEXT(mcpd_connection, exit_kind, exit_value);
NEXT(mcpd_connection, exit_value, shutdown);
NEXT(mcpd_connection, shutdown, reserved);
SIZE(mcpd_connection, reserved, 80);

FIRST(mcpd_scan_item, struct_size);
NEXT(mcpd_scan_item, struct_size, tag);
NEXT(mcpd_scan_item, tag, status);
NEXT(mcpd_scan_item, status, reserved);
NEXT(mcpd_scan_item, reserved, verdict);
NEXT(mcpd_scan_item, verdict, error);
SIZE(mcpd_scan_item, error, 40);

FIRST(mcpd_scan_options, struct_size);
NEXT(mcpd_scan_options, struct_size, max_running);
NEXT(mcpd_scan_options, max_running, reserved);
SIZE(mcpd_scan_options, reserved, 16);
FIRST(mcpd_http_header, name);
NEXT(mcpd_http_header, name, value);
SIZE(mcpd_http_header, value, 32);

FIRST(mcpd_http_post, struct_size);
NEXT(mcpd_http_post, struct_size, headers);
NEXT(mcpd_http_post, headers, headers_count);
NEXT(mcpd_http_post, headers_count, body);
SIZE(mcpd_http_post, body, 40);

FIRST(mcpd_http_options, struct_size);
NEXT(mcpd_http_options, struct_size, client_name);
NEXT(mcpd_http_options, client_name, client_version);
NEXT(mcpd_http_options, client_version, client_title);
NEXT(mcpd_http_options, client_title, client_description);
NEXT(mcpd_http_options, client_description, client_website_url);
NEXT(mcpd_http_options, client_website_url, client_icons_json);
NEXT(mcpd_http_options, client_icons_json, client_capabilities_json);
NEXT(mcpd_http_options, client_capabilities_json, modern_versions);
NEXT(mcpd_http_options, modern_versions, legacy_versions);
NEXT(mcpd_http_options, legacy_versions, max_body_bytes);
SIZE(mcpd_http_options, max_body_bytes, 88);

int main(void)
{
    return 0;
}
