//! No struct of the C border has padding that its fields do not name.

use std::mem::size_of;

/// Adds up the sizes of a struct's fields; the pattern names them all, or it does not compile.
macro_rules! assert_no_padding {
    ($($type:path { $($field:ident),* $(,)? })*) => {$({
        fn size_of_field<T, F>(_: impl Fn(&T) -> &F) -> usize {
            size_of::<F>()
        }
        let _all = |value: &$type| {
            let $type { $($field: _),* } = value;
        };
        let sum: usize = [$(size_of_field(|value: &$type| &value.$field)),*].iter().sum();
        assert_eq!(size_of::<$type>(), sum, stringify!($type));
    })*};
}

#[test]
#[cfg(target_pointer_width = "64")]
fn no_struct_has_padding() {
    use super::*;
    assert_no_padding! {
        str::mcpd_str { ptr, len }
        member::mcpd_member { name, json }
        text::mcpd_text { struct_size, text }
        error::mcpd_error { struct_size, status, reserved, message, argument, offset }
        remark::mcpd_remark { struct_size, code, reserved, text }
        icon::mcpd_icon { struct_size, src, mime_type, sizes, sizes_count, theme }
        implementation::mcpd_implementation {
            struct_size, name, version, title, description, website_url, icons, icons_count,
        }
        server_capabilities::mcpd_server_capabilities {
            struct_size, tools, tools_list_changed, resources, resources_subscribe, resources_list_changed, prompts,
            prompts_list_changed, completions, logging, reserved, extensions, extensions_count, experimental,
            experimental_count, json,
        }
        discover_result::mcpd_discover_result {
            struct_size, result_type, supported_versions, supported_versions_count, capabilities, server, instructions,
            ttl_ms, has_ttl_ms, cache_scope, has_cache_scope, reserved, meta_json, json,
        }
        initialize_result::mcpd_initialize_result {
            struct_size, protocol_version, capabilities, server, instructions, meta_json, json,
        }
        rpc_error::mcpd_rpc_error {
            struct_size, code, message, data_json, supported, supported_count, requested, required_capabilities_json,
            json,
        }
        request::mcpd_request_options {
            struct_size, method, id_kind, id_string, id_integer, protocol_version, client_name, client_version,
            client_title, client_description, client_website_url, client_icons_json, client_capabilities_json,
            log_level, meta_json,
        }
        reply::mcpd_reply_options { struct_size, method, id_kind, id_string, id_integer }
        reply::mcpd_reply {
            struct_size, kind, reserved, discover, initialize, rpc_error, json, remarks, remarks_count,
        }
        flat_reply::mcpd_flat_reply {
            struct_size, size, texts_offset, texts_count, json_offset, json_length, versions_count, extensions_count,
            experimental_count, remarks_count, ttl_ms, rpc_code, kind, present, capabilities, has_server, has_ttl_ms,
            cache_scope, has_cache_scope, reserved,
        }
        transcript_entry::mcpd_transcript_entry { struct_size, at_ms, process, direction, data, length }
        process::mcpd_process {
            struct_size, exit_kind, exit_value, shutdown, reserved, bytes_received, skipped_lines, skipped_sample,
            skipped_sample_count, stderr_tail,
        }
        probe::mcpd_probe_options {
            struct_size, argv, env, cwd, client_name, client_version, client_title, client_description,
            client_website_url, client_icons_json, client_capabilities_json, cancel, modern_versions, legacy_versions,
            timeout_ms, discover_timeout_ms, grace_ms, max_line_bytes, max_stderr_bytes,
            max_transcript_bytes, max_starts, fallback, env_mode,
            stderr_mode,
        }
        connection::mcpd_connection {
            struct_size, version, pid, unread, unread_length, era, stdin_fd, stdout_fd, stderr_fd, exit_kind,
            exit_value, shutdown, reserved,
        }
        scan::mcpd_scan_options { struct_size, max_running, reserved }
        scan_item::mcpd_scan_item { struct_size, tag, status, reserved, verdict, error }
        negotiation::mcpd_negotiation { struct_size, step, reserved, line, deadline_ms }
        http_header::mcpd_http_header { name, value }
        http_post::mcpd_http_post { struct_size, headers, headers_count, body }
        http::mcpd_http_options {
            struct_size, client_name, client_version, client_title, client_description, client_website_url,
            client_icons_json, client_capabilities_json, modern_versions, legacy_versions, max_body_bytes,
        }
        verdict::mcpd_verdict {
            struct_size, era, next, version, confirmed, storable, discover_outcome, initialize_outcome, summary,
            received_at_ms, has_received_at_ms, starts, server, capabilities, instructions, supported_versions,
            supported_versions_count, discover, initialize, discover_error, initialize_error, remarks, remarks_count,
            processes, processes_count, elapsed_ms, reply_ms, has_reply_ms, transcript_truncated, transcript,
            transcript_count,
        }
    }
}
