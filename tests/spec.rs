//! The protocol's own schema and example messages, revision 2026-07-28, against what is built and what is read.
//!
//! They are not part of this repository: they are looked for in `MCP_SPEC_DIR`, or else in `../shared/spec`.
//! Where they are not, each test says that it was skipped.

mod workshop;

use std::fs;
use std::path::{Path, PathBuf};
use std::{ptr, slice};

use mcp_discover::capi::cache_scope::MCPD_CACHE_SCOPE_PUBLIC;
use mcp_discover::capi::reply::{mcpd_reply, mcpd_reply_free, mcpd_reply_parse};
use mcp_discover::capi::reply_kind::{MCPD_REPLY_DISCOVER, MCPD_REPLY_RPC_ERROR};
use mcp_discover::capi::server_capabilities::mcpd_server_capabilities;
use mcp_discover::capi::status::MCPD_OK;
use mcp_discover::capi::str::mcpd_str;
use mcp_discover::core::json::Json;
use mcp_discover::core::remark::Remarks;
use mcp_discover::core::reply::{self, Incoming, Open, Reply};
use mcp_discover::core::request::{Client, Fragment, Id, LOG_LEVELS, Method, Request};
use mcp_discover::core::result::{CacheScope, DiscoverResult, Implementation, ServerCapabilities};
use mcp_discover::core::rpc_error::{
    HEADER_MISMATCH, MISSING_REQUIRED_CLIENT_CAPABILITY, RpcError, UNSUPPORTED_PROTOCOL_VERSION,
};
use mcp_discover::core::version;
use serde_json::{Value, json};
use workshop::{in_repository, say_skipped};

/// The folder, if it is there.
fn spec(test: &str) -> Option<PathBuf> {
    let beside_the_repository = in_repository("../shared/spec");
    let folder = std::env::var_os("MCP_SPEC_DIR").map_or(beside_the_repository, PathBuf::from);
    if folder.join("examples").is_dir() {
        return Some(folder);
    }
    say_skipped(&format!("{test}: no specification in {}", folder.display()));
    None
}

fn schema(spec: &Path) -> Value {
    let path = spec.join("schema-2026-07-28.json");
    let text = fs::read_to_string(path).expect("the schema is there");
    serde_json::from_str(&text).expect("the schema is JSON")
}

/// The texts of the examples of a type, at least one, with the names of their files.
fn examples(spec: &Path, of: &str) -> Vec<(String, String)> {
    let files = fs::read_dir(spec.join("examples").join(of)).expect("examples of this type");
    let examples: Vec<_> = files
        .map(|file| {
            let path = file.expect("a readable folder").path();
            let text = fs::read_to_string(&path).expect("a readable example");
            (path.display().to_string(), text)
        })
        .collect();
    assert!(!examples.is_empty(), "no example of {of}");
    examples
}

fn value(text: &str) -> Value {
    serde_json::from_str(text).expect("JSON")
}

/// What a member is as a string, if it is one.
fn text_of<'a>(object: &'a Value, name: &str) -> Option<&'a str> {
    object[name].as_str()
}

fn texts(list: &Value) -> Vec<&str> {
    list.as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect()
}

/// Whatever is odd about an example is odd about us.
#[track_caller]
fn assert_nothing_odd(remarks: &Remarks) {
    assert_eq!(remarks.as_slice(), [], "a remark on an example");
}

// What is built

fn validator(spec: &Path, of: &str) -> jsonschema::Validator {
    let mut schema = schema(spec);
    schema["$ref"] = json!(format!("#/$defs/{of}"));
    jsonschema::validator_for(&schema).expect("a schema")
}

#[test]
fn a_built_request_is_the_protocols_own_example() {
    let Some(spec) = spec("a_built_request_is_the_protocols_own_example") else {
        return;
    };
    for (file, text) in examples(&spec, "DiscoverRequest") {
        let example = value(&text);
        let meta = &example["params"]["_meta"];
        let info = &meta["io.modelcontextprotocol/clientInfo"];
        let capabilities = &meta["io.modelcontextprotocol/clientCapabilities"];
        let client = Client {
            name: text_of(info, "name").expect("a name").into(),
            version: text_of(info, "version").expect("a version").into(),
            capabilities: Some(
                Fragment::capabilities(&capabilities.to_string()).expect("an object"),
            ),
            ..Client::default()
        };
        let request = Request {
            method: Method::Discover,
            id: Id::Text(text_of(&example, "id").expect("an id").into()),
            version: text_of(meta, "io.modelcontextprotocol/protocolVersion").expect("a version"),
            client: &client,
            log_level: None,
            meta: None,
        };
        assert_eq!(value(&request.to_json()), example, "{file}");
    }
}

#[test]
fn built_requests_are_valid_whatever_options_are_used() {
    let Some(spec) = spec("built_requests_are_valid_whatever_options_are_used") else {
        return;
    };
    let validator = validator(&spec, "DiscoverRequest");
    let plain = Client::default();
    let mut clients = vec![plain.clone()];
    for (_, capabilities) in examples(&spec, "ClientCapabilities") {
        clients.push(Client {
            title: Some("A \"client\"\n\u{2028}".into()),
            description: Some("Tests.".into()),
            website_url: Some("https://example.com/".into()),
            icons: Some(
                Fragment::icons(
                    r#"[{"src": "https://example.com/icon.png", "mimeType": "image/png", "sizes": ["48x48"], "theme": "dark"}]"#,
                )
                .expect("icons"),
            ),
            capabilities: Some(Fragment::capabilities(&capabilities).expect("capabilities")),
            ..plain.clone()
        });
    }
    let meta = Fragment::meta(
        r#"{"progressToken": 7, "traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "com.example/x": {"y": [null]}}"#,
    )
    .expect("members of _meta");
    for client in &clients {
        for id in [Id::Text("a".into()), Id::Integer(0), Id::Integer(-1)] {
            for log_level in LOG_LEVELS.iter().copied().map(Some).chain([None]) {
                for meta in [Some(&meta), None] {
                    let request = Request {
                        method: Method::Discover,
                        id: id.clone(),
                        version: version::MODERN[0],
                        client,
                        log_level,
                        meta,
                    };
                    let message = value(&request.to_json());
                    if let Err(error) = validator.validate(&message) {
                        panic!("{error} at {}: {message:#}", error.instance_path());
                    }
                }
            }
        }
    }
    // The schema does refuse what is wrong.
    let mut wrong = value(
        &Request {
            method: Method::Discover,
            id: Id::Integer(1),
            version: version::MODERN[0],
            client: &plain,
            log_level: Some("loud"),
            meta: None,
        }
        .to_json(),
    );
    assert!(!validator.is_valid(&wrong));
    wrong["params"] = json!({});
    assert!(!validator.is_valid(&wrong));
}

#[test]
fn the_lists_of_names_are_those_of_the_schema() {
    let Some(spec) = spec("the_lists_of_names_are_those_of_the_schema") else {
        return;
    };
    let schema = schema(&spec);
    let sorted = |mut names: Vec<&str>| -> Vec<String> {
        names.sort_unstable();
        names.into_iter().map(str::to_owned).collect()
    };
    let defs = &schema["$defs"];
    assert_eq!(
        sorted(LOG_LEVELS.to_vec()),
        sorted(texts(&defs["LoggingLevel"]["enum"]))
    );
    let scopes = [CacheScope::Public.name(), CacheScope::Private.name()];
    let scope = &defs["DiscoverResult"]["properties"]["cacheScope"]["enum"];
    assert_eq!(sorted(scopes.to_vec()), sorted(texts(scope)));
    // A member that the structs have no field for would be missed by whoever reads only them.
    for (of, fields) in [
        (
            "ServerCapabilities",
            &[
                "completions",
                "experimental",
                "extensions",
                "logging",
                "prompts",
                "resources",
                "tools",
            ][..],
        ),
        (
            "DiscoverResult",
            &[
                "_meta",
                "cacheScope",
                "capabilities",
                "instructions",
                "resultType",
                "supportedVersions",
                "ttlMs",
            ],
        ),
        (
            "Implementation",
            &[
                "description",
                "icons",
                "name",
                "title",
                "version",
                "websiteUrl",
            ],
        ),
        ("Icon", &["mimeType", "sizes", "src", "theme"]),
    ] {
        let properties = defs[of]["properties"].as_object().expect("properties");
        let names = properties.keys().map(String::as_str).collect();
        assert_eq!(sorted(names), fields, "{of}");
    }
    for (of, code) in [
        ("HeaderMismatchError", HEADER_MISMATCH),
        (
            "MissingRequiredClientCapabilityError",
            MISSING_REQUIRED_CLIENT_CAPABILITY,
        ),
        (
            "UnsupportedProtocolVersionError",
            UNSUPPORTED_PROTOCOL_VERSION,
        ),
    ] {
        let text = defs[of].to_string();
        assert!(
            text.contains(&format!("\"const\":{code}")),
            "{of} is not {code}"
        );
    }
}

// What is read

fn assert_capabilities(ours: &ServerCapabilities<'_>, example: &Value) {
    let offered = |name: &str| example.get(name).is_some();
    let flag = |name: &str, flag: &str| example[name][flag] == true;
    assert_eq!(ours.tools, offered("tools"));
    assert_eq!(ours.tools_list_changed, flag("tools", "listChanged"));
    assert_eq!(ours.resources, offered("resources"));
    assert_eq!(ours.resources_subscribe, flag("resources", "subscribe"));
    assert_eq!(
        ours.resources_list_changed,
        flag("resources", "listChanged")
    );
    assert_eq!(ours.prompts, offered("prompts"));
    assert_eq!(ours.prompts_list_changed, flag("prompts", "listChanged"));
    assert_eq!(ours.completions, offered("completions"));
    assert_eq!(ours.logging, offered("logging"));
    for (list, name) in [
        (&ours.extensions, "extensions"),
        (&ours.experimental, "experimental"),
    ] {
        let members = list
            .iter()
            .map(|(name, json)| (name.to_string(), value(json.text())));
        let theirs = example.get(name).cloned().unwrap_or_else(|| json!({}));
        assert_eq!(Value::Object(members.collect()), theirs);
    }
    assert_eq!(&value(ours.raw.text()), example);
}

fn assert_implementation(ours: &Implementation<'_>, example: &Value) {
    assert_eq!(ours.name.as_deref(), text_of(example, "name"));
    assert_eq!(ours.version.as_deref(), text_of(example, "version"));
    assert_eq!(ours.title.as_deref(), text_of(example, "title"));
    assert_eq!(ours.description.as_deref(), text_of(example, "description"));
    assert_eq!(ours.website_url.as_deref(), text_of(example, "websiteUrl"));
    assert_eq!(
        ours.icons.len(),
        example["icons"].as_array().map_or(0, Vec::len)
    );
}

fn assert_discover_result(ours: &DiscoverResult<'_>, example: &Value) {
    assert_eq!(ours.result_type.as_deref(), text_of(example, "resultType"));
    assert_eq!(
        ours.supported_versions,
        texts(&example["supportedVersions"])
    );
    assert_capabilities(
        ours.capabilities.as_ref().expect("capabilities"),
        &example["capabilities"],
    );
    let info = &example["_meta"]["io.modelcontextprotocol/serverInfo"];
    assert_implementation(ours.server.as_ref().expect("a server"), info);
    assert_eq!(
        ours.instructions.as_deref(),
        text_of(example, "instructions")
    );
    assert_eq!(ours.ttl_ms, example["ttlMs"].as_i64());
    assert_eq!(
        ours.cache_scope.map(CacheScope::name),
        text_of(example, "cacheScope")
    );
    assert_eq!(value(ours.meta.expect("a _meta").text()), example["_meta"]);
    assert_eq!(&value(ours.raw.text()), example);
}

#[test]
fn the_examples_of_results_are_read_whole() {
    let Some(spec) = spec("the_examples_of_results_are_read_whole") else {
        return;
    };
    for (file, text) in examples(&spec, "DiscoverResult") {
        let mut remarks = Remarks::default();
        let json = Json::parse(&text).expect("JSON");
        let result = DiscoverResult::read(&mut json.reader(), &mut remarks).expect(&file);
        assert_discover_result(&result, &value(&text));
        assert_nothing_odd(&remarks);
    }
    for (file, text) in examples(&spec, "DiscoverResultResponse") {
        match answer(&text) {
            Reply::Discover(result) => assert_discover_result(&result, &value(&text)["result"]),
            other => panic!("{file}: {other:?}"),
        }
    }
}

/// What an example message is to the discover that has its id.
fn answer(text: &str) -> Reply<'_> {
    let mut remarks = Remarks::default();
    let message = value(text);
    let id = match &message["id"] {
        Value::String(id) => Id::Text(id.clone().into()),
        id => Id::Integer(id.as_i64().expect("an integer")),
    };
    let open = [Open {
        id: Some(id),
        method: Method::Discover,
    }];
    match reply::read_first(text, &open, &mut remarks)
        .expect("JSON")
        .0
    {
        Incoming::Reply(0, reply) => {
            assert_nothing_odd(&remarks);
            reply
        }
        other => panic!("{text} is {other:?}"),
    }
}

fn assert_error(ours: &RpcError<'_>, example: &Value) {
    let data = &example["data"];
    assert_eq!(Some(ours.code), example["code"].as_i64());
    assert_eq!(ours.message.as_deref(), text_of(example, "message"));
    assert_eq!(
        ours.data.map(|data| value(data.text())),
        example.get("data").cloned()
    );
    assert_eq!(ours.supported, texts(&data["supported"]));
    assert_eq!(ours.requested.as_deref(), text_of(data, "requested"));
    assert_eq!(
        ours.required_capabilities.map(|json| value(json.text())),
        data.get("requiredCapabilities").cloned()
    );
    assert_eq!(&value(ours.raw.text()), example);
}

#[test]
fn the_examples_of_errors_are_read_whole() {
    let Some(spec) = spec("the_examples_of_errors_are_read_whole") else {
        return;
    };
    for of in [
        "UnsupportedProtocolVersionError",
        "MissingRequiredClientCapabilityError",
        "HeaderMismatchError",
    ] {
        for (file, text) in examples(&spec, of) {
            match answer(&text) {
                Reply::Error(error) => {
                    assert_error(&error, &value(&text)["error"]);
                    assert!(error.is_modern(), "{file}");
                }
                other => panic!("{file}: {other:?}"),
            }
        }
    }
    for (file, text) in examples(&spec, "MethodNotFoundError") {
        let mut remarks = Remarks::default();
        let error = RpcError::read(Json::parse(&text).expect(&file), &mut remarks);
        assert_error(&error, &value(&text));
        assert!(!error.is_modern(), "{file}");
        assert_nothing_odd(&remarks);
    }
}

#[test]
fn the_examples_of_capabilities_are_read_whole() {
    let Some(spec) = spec("the_examples_of_capabilities_are_read_whole") else {
        return;
    };
    for (file, text) in examples(&spec, "ServerCapabilities") {
        let result = format!(r#"{{"supportedVersions":["2026-07-28"],"capabilities":{text}}}"#);
        let mut remarks = Remarks::default();
        let json = Json::parse(&result).expect("JSON");
        let result = DiscoverResult::read(&mut json.reader(), &mut remarks).expect(&file);
        let capabilities = result.capabilities.as_ref().expect(&file);
        assert_capabilities(capabilities, &value(&text));
    }
}

// What C gets

/// A text of a struct for C.
fn c_text(text: mcpd_str) -> Option<String> {
    if text.ptr.is_null() {
        return None;
    }
    // SAFETY: the library gives a pointer to so many bytes, and a NUL behind them.
    let bytes = unsafe { slice::from_raw_parts(text.ptr.cast::<u8>(), text.len + 1) };
    let (nul, bytes) = bytes.split_last()?;
    assert_eq!(*nul, 0);
    Some(str::from_utf8(bytes).expect("UTF-8").to_owned())
}

fn c_texts(first: *const mcpd_str, count: usize) -> Vec<String> {
    let list: Vec<mcpd_str> = (0..count)
        // SAFETY: the library gives an array of so many texts.
        .map(|i| unsafe { *first.add(i) })
        .collect();
    list.into_iter().filter_map(c_text).collect()
}

/// Parses a message as C does, and shows the reply.
fn with_c_reply(message: &str, show: impl FnOnce(&mcpd_reply)) {
    let mut reply = ptr::null_mut();
    // SAFETY: the message is valid for the call, NULL stands for the defaults, and the output is a valid place.
    let status = unsafe {
        mcpd_reply_parse(
            message.as_ptr().cast(),
            message.len(),
            ptr::null(),
            &mut reply,
            ptr::null_mut(),
        )
    };
    assert_eq!(status, MCPD_OK, "{message}");
    // SAFETY: the library has just made it; it is freed once, behind its last use.
    unsafe {
        show(&*reply);
        mcpd_reply_free(reply);
    }
}

fn assert_c_capabilities(ours: &mcpd_server_capabilities, example: &Value) {
    let offered = |name: &str| i32::from(example.get(name).is_some());
    let flag = |name: &str, flag: &str| i32::from(example[name][flag] == true);
    assert_eq!(ours.tools, offered("tools"));
    assert_eq!(ours.tools_list_changed, flag("tools", "listChanged"));
    assert_eq!(ours.resources, offered("resources"));
    assert_eq!(ours.resources_subscribe, flag("resources", "subscribe"));
    assert_eq!(
        ours.resources_list_changed,
        flag("resources", "listChanged")
    );
    assert_eq!(ours.prompts, offered("prompts"));
    assert_eq!(ours.prompts_list_changed, flag("prompts", "listChanged"));
    assert_eq!(ours.completions, offered("completions"));
    assert_eq!(ours.logging, offered("logging"));
    let members = |name: &str| example[name].as_object().map_or(0, serde_json::Map::len);
    assert_eq!(ours.extensions_count, members("extensions"));
    assert_eq!(ours.experimental_count, members("experimental"));
    assert_eq!(&value(&c_text(ours.json).expect("JSON")), example);
}

fn assert_c_discover_result(message: &str, example: &Value) {
    with_c_reply(message, |reply| {
        assert_eq!(reply.kind, MCPD_REPLY_DISCOVER);
        assert!(reply.initialize.is_null() && reply.rpc_error.is_null());
        // SAFETY: the kind says that it is there.
        let result = unsafe { &*reply.discover };
        let versions = c_texts(result.supported_versions, result.supported_versions_count);
        assert_eq!(versions, texts(&example["supportedVersions"]));
        // SAFETY: NULL, or part of the reply.
        let capabilities = unsafe { result.capabilities.as_ref() };
        assert_c_capabilities(capabilities.expect("some"), &example["capabilities"]);
        let info = &example["_meta"]["io.modelcontextprotocol/serverInfo"];
        // SAFETY: as above.
        let server = unsafe { result.server.as_ref() };
        assert_eq!(server.is_some(), info.is_object());
        if let Some(server) = server {
            assert_eq!(c_text(server.name).as_deref(), text_of(info, "name"));
            assert_eq!(c_text(server.version).as_deref(), text_of(info, "version"));
        }
        let instructions = c_text(result.instructions);
        assert_eq!(instructions.as_deref(), text_of(example, "instructions"));
        let ttl = (result.has_ttl_ms == 1).then_some(result.ttl_ms);
        assert_eq!(ttl, example["ttlMs"].as_i64());
        let public = text_of(example, "cacheScope") == Some("public");
        assert_eq!(result.cache_scope == MCPD_CACHE_SCOPE_PUBLIC, public);
        assert_eq!(
            result.has_cache_scope == 1,
            example.get("cacheScope").is_some()
        );
        assert_eq!(&value(&c_text(result.json).expect("JSON")), example);
    });
}

fn assert_c_error(message: &str, example: &Value) {
    with_c_reply(message, |reply| {
        assert_eq!(reply.kind, MCPD_REPLY_RPC_ERROR);
        assert!(reply.discover.is_null() && reply.initialize.is_null());
        // SAFETY: the kind says that it is there.
        let error = unsafe { &*reply.rpc_error };
        let data = &example["data"];
        assert_eq!(Some(error.code), example["code"].as_i64());
        assert_eq!(
            c_text(error.message).as_deref(),
            text_of(example, "message")
        );
        let json = |text| c_text(text).map(|json| value(&json));
        assert_eq!(json(error.data_json), example.get("data").cloned());
        let supported = c_texts(error.supported, error.supported_count);
        assert_eq!(supported, texts(&data["supported"]));
        assert_eq!(
            c_text(error.requested).as_deref(),
            text_of(data, "requested")
        );
        assert_eq!(
            json(error.required_capabilities_json),
            data.get("requiredCapabilities").cloned()
        );
    });
}

#[test]
fn the_examples_are_in_the_structs_for_c() {
    let Some(spec) = spec("the_examples_are_in_the_structs_for_c") else {
        return;
    };
    let response =
        |name: &str, text: &str| format!(r#"{{"jsonrpc":"2.0","id":1,"{name}":{text}}}"#);
    for (_, text) in examples(&spec, "DiscoverResult") {
        assert_c_discover_result(&response("result", &text), &value(&text));
    }
    for (_, text) in examples(&spec, "DiscoverResultResponse") {
        assert_c_discover_result(&text, &value(&text)["result"]);
    }
    for (_, text) in examples(&spec, "ServerCapabilities") {
        let result = format!(r#"{{"supportedVersions":["2026-07-28"],"capabilities":{text}}}"#);
        assert_c_discover_result(&response("result", &result), &value(&result));
    }
    for of in [
        "UnsupportedProtocolVersionError",
        "MissingRequiredClientCapabilityError",
        "HeaderMismatchError",
    ] {
        for (_, text) in examples(&spec, of) {
            assert_c_error(&text, &value(&text)["error"]);
        }
    }
    for (_, text) in examples(&spec, "MethodNotFoundError") {
        assert_c_error(&response("error", &text), &value(&text));
    }
}
