/*
 * mcp-discover 0.1.0: tells any program which MCP server it is talking to.
 * Written by cbindgen from src/capi; change it there.
 */
#ifndef MCP_DISCOVER_H
#define MCP_DISCOVER_H

#include <stddef.h>
#include <stdint.h>

/**
 * \file mcp_discover.h
 *
 * Tells any program which MCP server it is talking to.
 *
 * There are two eras of the Model Context Protocol. Modern servers, from protocol version
 * 2026-07-28 on, answer server/discover and then any request; legacy servers, up to 2025-11-25,
 * have to be sent initialize first. Nothing but asking tells which one a server is, and servers
 * in the wild fail in many ways when they are asked. This library asks, and gives a verdict with
 * its evidence:
 *
 * - mcpd_probe_stdio starts a server, asks it, ends it, and gives an mcpd_verdict; mcpd_scan does
 *   so with many servers at once;
 * - mcpd_connection_open does not end it, and gives the live server too;
 * - mcpd_request_build and mcpd_reply_parse are the two halves of that for programs with a
 *   transport of their own: the request to send, and the answer as C structs;
 * - mcpd_http_request and mcpd_http_verdict do the same over HTTP, with an HTTP client of the
 *   program's own;
 * - mcpd_negotiation_next tells a program with any other transport what to do, until there is the
 *   same verdict;
 * - mcpd_verdict_to_json and mcpd_verdict_from_json store verdicts;
 * - mcpd_versions_select picks the protocol version to go on with.
 *
 * \code
 * const char *argv[] = {"my-server", "--verbose", NULL};
 * mcpd_probe_options options = {0};
 * options.struct_size = sizeof options;
 * options.argv = argv;
 *
 * mcpd_verdict *verdict;
 * mcpd_error *error;
 * if (mcpd_probe_stdio(&options, &verdict, &error) != MCPD_OK) {
 *     fprintf(stderr, "%s\n", error->message.ptr);
 *     mcpd_error_free(error);
 *     return 1;
 * }
 * printf("%s: %s\n", mcpd_era_name(verdict->era), verdict->summary.ptr);
 * mcpd_verdict_free(verdict);
 * \endcode
 *
 * Names of sections and types are those of the specification: https://modelcontextprotocol.io,
 * revision 2026-07-28. The rules below hold for every function; what follows does not repeat
 * them.
 *
 * Failure. A function that can fail returns an mcpd_status. Its outputs are NULL unless it
 * returns MCPD_OK, whatever was in them before. Its last parameter, error, may be NULL; if it is
 * not, it gets NULL on success, and else an mcpd_error that says what went wrong and where. A
 * parameter is NULL only where its function says so; another NULL is MCPD_INVALID_ARGUMENT, or
 * from a function that gives no status, 0 or NULL.
 *
 * Ownership. What a function gives through an output belongs to the caller, who frees it with
 * the _free function of its type, exactly once. All that an object points to belongs to the
 * object and lives as long: nothing inside is freed by itself. Nothing that the caller passes in
 * is kept or changed. A _free function takes NULL, and does nothing then.
 *
 * Structs that the caller fills begin with struct_size, and zero is the default of every field:
 * \code
 * mcpd_request_options options = {0}; // C++: {}
 * options.struct_size = sizeof options;
 * \endcode
 * is a complete set of options. Later versions of the library add fields at the
 * end only, so programs that were compiled with an earlier header keep working. Bytes that this
 * version does not know must be zero, as fields called reserved must; otherwise
 * MCPD_INVALID_ARGUMENT says that the library is older than the option.
 *
 * Structs that the library fills begin with struct_size too: a program that
 * was compiled with a later header must not read a field beyond it. Such structs are only reached
 * by pointer; never copy one by value, and never make an array of them.
 *
 * Texts. What goes in is UTF-8 that ends with NUL, except what the operating system takes as
 * bytes: arguments, environment and paths. Lists end with NULL, as argv does. What comes out is
 * an mcpd_str: UTF-8 with its length, and a NUL behind it; ptr is NULL if there is no text.
 * Texts from a server may hold anything, escape sequences for terminals included.
 *
 * Codes are integers with named constants. A number that the library does not know is refused.
 * The library may return numbers that an earlier header does not name: a switch needs a default.
 *
 * Threads. Any function may be called from any thread, and a call affects no other. An object
 * that the library gives is not changed after that, so threads may read it at the same time;
 * free it when none does any more. An mcpd_cancel may be fired by any thread while others use
 * it. An mcpd_http and an mcpd_negotiation change as they are used: by one thread at a time. So does
 * an mcpd_connection, when it is closed. An mcpd_scan takes one call at a time as well, but may be
 * cancelled by any thread. What starts servers reads the environment, as getenv does, unless
 * env_mode is MCPD_ENV_EXACT: meanwhile no other thread may change it.
 *
 * Signals. Only mcpd_cancel_fire and mcpd_scan_cancel may be called in a signal handler. The
 * library installs no handler, changes no disposition, and does not depend on SIGCHLD or SIGPIPE;
 * calls go on after EINTR.
 *
 * Processes. But for what an mcpd_connection or an mcpd_scan holds, the library leaves no thread, no
 * descriptor and no child behind; it prints nothing, and changes neither the environment nor the
 * working directory of the program. In the child of a fork new calls work; a cancel handle, a
 * connection or a scan of the parent's gives MCPD_WRONG_PROCESS.
 *
 * Memory. Where a server decides how much is needed, for its lines, its standard error and the
 * texts in objects, a lack of memory costs a line or is MCPD_OUT_OF_MEMORY. Any other allocation
 * that fails ends the program, by abort(). A thread that has probed keeps 48 bytes until it ends;
 * valgrind calls those of the main thread possibly lost, and older ones warn that they do not know
 * pidfd_open, without which the library does as well. Nothing else is left behind.
 *
 * Linking. cc program.c -lmcp_discover; the shared library needs nothing beyond the C library
 * and threads. What the static one needs, pkg-config --static tells.
 */

#ifdef __cplusplus
extern "C" {
#endif

/* Versions of the library */

/**
 * The version of the binary interface that this header describes. It is the number at the end
 * of the shared library's SONAME, and changes only if programs have to be compiled again.
 */
#define MCPD_ABI_VERSION 0

/** The version of the library that is loaded, such as "0.1.0". Static; never NULL. */
const char *mcpd_version(void);

/**
 * The MCPD_ABI_VERSION of the library that is loaded. A program that loads the library at run
 * time compares it with the MCPD_ABI_VERSION it was compiled with; they have to be equal.
 */
int32_t mcpd_abi_version(void);


/* Statuses, errors and texts */

/**
 * What a call came to: MCPD_OK, or why it did not do what was asked. A server that answers with
 * an error, or not at all, is no failure of a call: that is what a verdict tells.
 */
typedef int32_t mcpd_status;

/** The call did what was asked. */
#define MCPD_OK 0

/**
 * An argument or an option is not what the function takes. The error's argument names it, and
 * its message says what was expected.
 */
#define MCPD_INVALID_ARGUMENT 1

/**
 * A text is no JSON, or nests arrays and objects deeper than 128 levels. The error's offset
 * tells where.
 */
#define MCPD_INVALID_JSON 2

/** A text is not UTF-8. The error's offset tells where. */
#define MCPD_INVALID_UTF8 3

/** There is no such program, or the interpreter that its first line names is missing. */
#define MCPD_COMMAND_NOT_FOUND 4

/** The program is there, but may not be run. */
#define MCPD_PERMISSION_DENIED 5

/**
 * The program could not be started for another reason; a working directory that cannot be
 * entered is one.
 */
#define MCPD_START_FAILED 6

/** The system has no descriptors or processes left for this program or user. */
#define MCPD_OUT_OF_RESOURCES 7

/** There is not enough memory. */
#define MCPD_OUT_OF_MEMORY 8

/** A cancel handle was fired before there was a verdict. */
#define MCPD_CANCELLED 9

/** The handle was made before a fork, by the parent process. */
#define MCPD_WRONG_PROCESS 10

/** This version of the library cannot do it yet on this system. */
#define MCPD_NOT_SUPPORTED 11

/** The library failed in a way it should not: please report it with the error's message. */
#define MCPD_INTERNAL_ERROR 12

/** Nothing has come within the time that the call was given. */
#define MCPD_TIMED_OUT 13

/**
 * The name of a status, such as "command_not_found"; "unrecognized" for a number that is none.
 * Static; never NULL.
 */
const char *mcpd_status_name(mcpd_status status);

/**
 * A text, borrowed from the object it hangs off. It is UTF-8, with a NUL behind it that len
 * does not count, so where ptr is not NULL printf("%s") will do for most purposes. A server may
 * send NUL inside of a text: then only len tells where it ends. This struct is frozen: it has no
 * size field and never grows.
 */
typedef struct mcpd_str {
    /** The first byte; NULL if there is no text. An empty text is not NULL. */
    const char *ptr;
    /** The length in bytes, without the NUL at the end; 0 if there is no text. */
    size_t len;
} mcpd_str;

/**
 * A member of a JSON object: its name and its value, borrowed from the object it hangs off.
 * This struct is frozen: it has no size field and never grows.
 */
typedef struct mcpd_member {
    /** The name, unescaped. */
    mcpd_str name;
    /** The value, as JSON. */
    mcpd_str json;
} mcpd_member;

/**
 * Why a call failed. Every function that returns a status makes one, if its last argument is
 * not NULL and the status is not MCPD_OK. The caller owns it. Read it from as many threads as
 * you like; free it with mcpd_error_free.
 */
typedef struct mcpd_error {
    /** The size of this struct in the library that made it. */
    size_t struct_size;
    /** The status that the function returned. */
    mcpd_status status;
    /** Always 0. */
    int32_t reserved;
    /**
     * What went wrong, and what was expected, in English; never absent. It never holds the
     * value of a command's argument, nor of an environment variable other than PATH.
     */
    mcpd_str message;
    /**
     * The parameter or the field of the options that is at fault, such as "client_icons_json"
     * or "env[2]"; absent if none is.
     */
    mcpd_str argument;
    /** Where in that text, in bytes from its start; -1 if the fault has no place. */
    int64_t offset;
} mcpd_error;

/** Frees an error. NULL is fine. */
void mcpd_error_free(mcpd_error *error);

/**
 * A text that the caller owns: a built request, or JSON. Read it from as many threads as you
 * like; free it with mcpd_text_free.
 */
typedef struct mcpd_text {
    /** The size of this struct in the library that made it. */
    size_t struct_size;
    /** The text; valid until mcpd_text_free. It is never absent. */
    mcpd_str text;
} mcpd_text;

/**
 * Makes a copy of a text that is safe to print: control and escape characters, line breaks and
 * characters that change the direction of text are written as escapes, a backslash with n, x1b,
 * u202e and so on, so that nothing a server says moves the cursor, changes colours or hides
 * what is there.
 *
 * \param data the text; bytes that are not UTF-8 are shown as U+FFFD. It need not end with NUL,
 *     and may be NULL if length is 0, as in an absent mcpd_str.
 * \param length how many bytes it has.
 * \param text gets the copy: one line. The caller frees it with mcpd_text_free.
 * \param error gets why the call failed; may be NULL.
 * \return MCPD_OK; MCPD_INVALID_ARGUMENT; MCPD_OUT_OF_MEMORY.
 */
mcpd_status mcpd_text_printable(const char *data,
                                size_t length,
                                mcpd_text **text,
                                mcpd_error **error);

/** Frees a text. NULL is fine. */
void mcpd_text_free(mcpd_text *text);


/* Eras and protocol versions */

/** How a server is spoken to. */
typedef int32_t mcpd_era;

/** Nothing the server did tells. */
#define MCPD_ERA_UNKNOWN 0

/** Stateless requests; protocol versions from 2026-07-28 on. */
#define MCPD_ERA_MODERN 1

/** A session that the client opens with initialize; protocol versions up to 2025-11-25. */
#define MCPD_ERA_LEGACY 2

/**
 * The name of an era: "unknown", "modern" or "legacy"; "unrecognized" for a number that is
 * none. Static; never NULL.
 */
const char *mcpd_era_name(mcpd_era era);

/**
 * The modern protocol versions that this library knows, best first; the array ends with NULL.
 * They are the default wherever a list of modern versions is asked for. Static; never NULL.
 */
const char *const *mcpd_versions_modern(void);

/**
 * The legacy protocol versions that this library knows, best first; the array ends with NULL.
 * They are the default wherever a list of legacy versions is asked for. Static; never NULL.
 */
const char *const *mcpd_versions_legacy(void);

/**
 * The era of a protocol version: MCPD_ERA_LEGACY for a date up to 2025-11-25, MCPD_ERA_MODERN
 * for any other text, MCPD_ERA_UNKNOWN for NULL.
 */
mcpd_era mcpd_version_era(const char *version);

/**
 * Picks the best protocol version that both sides speak: the first of modern that the server
 * names too, else the first of legacy that it names too. Only the client's order counts.
 * Nothing is copied, so nothing is to be freed.
 *
 * \param modern the client's modern versions, best first; a list that ends with NULL. NULL
 *     itself stands for mcpd_versions_modern(), and a list that begins with NULL for none.
 * \param legacy the client's legacy versions, best first, likewise; NULL itself stands for
 *     mcpd_versions_legacy().
 * \param named the versions that the server names, such as supported_versions of
 *     mcpd_discover_result or supported of mcpd_rpc_error. Absent texts name nothing. NULL if
 *     named_count is 0.
 * \param named_count how many versions the server names.
 * \param version gets a text out of the client's lists; NULL, with MCPD_OK, if there is no
 *     common version.
 * \param error gets why the call failed; may be NULL.
 * \return MCPD_OK; MCPD_INVALID_ARGUMENT, also for a version in the list of the other era;
 *     MCPD_INVALID_UTF8 for a version in a list of the client's.
 */
mcpd_status mcpd_versions_select(const char *const *modern,
                                 const char *const *legacy,
                                 const mcpd_str *named,
                                 size_t named_count,
                                 const char **version,
                                 mcpd_error **error);


/* Building a request */

/** What is asked. */
typedef int32_t mcpd_method;

/** server/discover of protocol version 2026-07-28. */
#define MCPD_METHOD_DISCOVER 0

/** initialize of the protocol versions up to 2025-11-25. */
#define MCPD_METHOD_INITIALIZE 1

/**
 * What the id of a request is. JSON-RPC ids are strings or integers, and "1" is another id than
 * 1.
 */
typedef int32_t mcpd_id_kind;

/** In a request: "discover-1" or "initialize-1", by the method. In a reply: any id. */
#define MCPD_ID_DEFAULT 0

/** The string in id_string. */
#define MCPD_ID_STRING 1

/** The integer in id_integer. */
#define MCPD_ID_INTEGER 2

/**
 * What request to build. All texts are UTF-8 that ends with NUL; NULL stands for the default.
 * The function copies what it needs.
 */
typedef struct mcpd_request_options {
    /** Set it to sizeof(mcpd_request_options). */
    size_t struct_size;
    /** What to ask. Default: MCPD_METHOD_DISCOVER. */
    mcpd_method method;
    /** What the id is. Default: "discover-1" or "initialize-1", by the method. */
    mcpd_id_kind id_kind;
    /** The id, if id_kind is MCPD_ID_STRING; else NULL. */
    const char *id_string;
    /** The id, if id_kind is MCPD_ID_INTEGER; else 0. */
    int64_t id_integer;
    /**
     * The protocol version to ask with, of the method's era. Default: the first of
     * mcpd_versions_modern() or mcpd_versions_legacy(), by the method.
     */
    const char *protocol_version;
    /** Who asks: the client's name. Default: "mcp-discover", with the library's version. */
    const char *client_name;
    /**
     * The client's own version: required with client_name, refused without. So are the four that
     * follow refused without client_name; with it they are optional.
     */
    const char *client_version;
    /** The client's name for people. Default: none. */
    const char *client_title;
    /** What the client does. Default: none. */
    const char *client_description;
    /** The client's home page. Default: none. */
    const char *client_website_url;
    /**
     * Icons of the client, as JSON: an array of objects with a string "src" (Icon in the
     * schema). Default: none.
     */
    const char *client_icons_json;
    /**
     * What the client can do, as JSON: an object (ClientCapabilities in the schema). Default:
     * {}. It needs no client_name. Only that it is an object is checked.
     */
    const char *client_capabilities_json;
    /**
     * The least severe log messages that the server should send: "debug", "info", "notice",
     * "warning", "error", "critical", "alert" or "emergency" (LoggingLevel in the schema).
     * Refused with MCPD_METHOD_INITIALIZE, which has no place for it. Default: none.
     */
    const char *log_level;
    /**
     * Further members of the request's _meta, as JSON: an object, such as {"progressToken": 7}.
     * Keys whose prefix is reserved for the protocol (basic/index, _meta) are refused. Default:
     * none.
     */
    const char *meta_json;
} mcpd_request_options;

/**
 * Builds a request that opens a connection: server/discover (server/discover in the
 * specification), or the legacy initialize (basic/lifecycle up to 2025-11-25).
 *
 * \param options what to build; NULL for all defaults.
 * \param request gets the request: one line of JSON without the line feed, whatever the options
 *     hold. Over stdio a line feed has to follow it. The caller frees it with mcpd_text_free.
 * \param error gets why the call failed; may be NULL.
 * \return MCPD_OK; MCPD_INVALID_ARGUMENT; MCPD_INVALID_UTF8; MCPD_INVALID_JSON for an option
 *     that ends in _json; MCPD_OUT_OF_MEMORY.
 */
mcpd_status mcpd_request_build(const mcpd_request_options *options,
                               mcpd_text **request,
                               mcpd_error **error);


/* What servers answer */

/**
 * An icon of a program (Icon in the schema). The address comes from the server: fetch it with
 * care, or not at all.
 */
typedef struct mcpd_icon {
    /** The size of this struct in the library that made it. */
    size_t struct_size;
    /** Where it is: a URI, which may be a data: URI; never absent. */
    mcpd_str src;
    /** Its MIME type, such as "image/png". */
    mcpd_str mime_type;
    /** Its sizes, such as "48x48" or "any"; NULL if there are none. */
    const mcpd_str *sizes;
    /** How many sizes there are. */
    size_t sizes_count;
    /** The theme it is for, "light" or "dark". */
    mcpd_str theme;
} mcpd_icon;

/**
 * Who a server says it is (Implementation in the schema). Nobody has checked it: use it for
 * display, logs and debugging, never for a decision. Any text may be absent, and may hold
 * control characters: do not print it to a terminal unfiltered.
 */
typedef struct mcpd_implementation {
    /** The size of this struct in the library that made it. */
    size_t struct_size;
    /** The program's name. The schema requires it. */
    mcpd_str name;
    /** The program's own version, not the protocol's. The schema requires it. */
    mcpd_str version;
    /** A name for people. */
    mcpd_str title;
    /** What the program does. */
    mcpd_str description;
    /** The program's home page. */
    mcpd_str website_url;
    /** Its icons; NULL if there are none. */
    const mcpd_icon *const *icons;
    /** How many icons there are. */
    size_t icons_count;
} mcpd_implementation;

/**
 * What a server can do (ServerCapabilities in the schema). Each int32_t is 1 for yes and 0 for
 * no.
 */
typedef struct mcpd_server_capabilities {
    /** The size of this struct in the library that made it. */
    size_t struct_size;
    /** It offers tools. */
    int32_t tools;
    /** It tells when its list of tools changes (tools.listChanged). */
    int32_t tools_list_changed;
    /** It offers resources. */
    int32_t resources;
    /** It tells when a resource changes, to those who subscribe (resources.subscribe). */
    int32_t resources_subscribe;
    /** It tells when its list of resources changes (resources.listChanged). */
    int32_t resources_list_changed;
    /** It offers prompts. */
    int32_t prompts;
    /** It tells when its list of prompts changes (prompts.listChanged). */
    int32_t prompts_list_changed;
    /** It completes arguments. */
    int32_t completions;
    /** It sends log messages. */
    int32_t logging;
    /** Always 0. */
    int32_t reserved;
    /** Extensions it supports, by identifier, with their settings; NULL if there are none. */
    const mcpd_member *extensions;
    /** How many extensions there are. */
    size_t extensions_count;
    /** What it can do outside of the standard, by name; NULL if there is nothing. */
    const mcpd_member *experimental;
    /** How many members experimental has. */
    size_t experimental_count;
    /** The whole object as JSON, with what this library does not know; never absent. */
    mcpd_str json;
} mcpd_server_capabilities;

/** Who may be given a cached result (CacheableResult.cacheScope in the schema). */
typedef int32_t mcpd_cache_scope;

/**
 * Only whoever asked, with the same authorization. The safe choice, so it stands for an absent
 * or unknown scope too.
 */
#define MCPD_CACHE_SCOPE_PRIVATE 0

/** Anyone. */
#define MCPD_CACHE_SCOPE_PUBLIC 1

/**
 * The name of a cache scope: "private" or "public"; "unrecognized" for a number that is none.
 * Static; never NULL.
 */
const char *mcpd_cache_scope_name(mcpd_cache_scope cache_scope);

/**
 * The answer to server/discover (DiscoverResult in the schema). Only supported_versions is sure
 * to be there: a field that is missing or has the wrong type is absent, and a remark says so.
 */
typedef struct mcpd_discover_result {
    /** The size of this struct in the library that made it. */
    size_t struct_size;
    /**
     * "complete", or absent, which means the same. A result of another type is unusable and
     * never gets here.
     */
    mcpd_str result_type;
    /**
     * The protocol versions that the server speaks, in its order, which says nothing about its
     * preference; at least one. mcpd_versions_select picks the best one for the client.
     */
    const mcpd_str *supported_versions;
    /** How many versions there are. */
    size_t supported_versions_count;
    /** What the server can do; NULL if it does not say. */
    const mcpd_server_capabilities *capabilities;
    /** Who the server says it is; NULL if it does not say. */
    const mcpd_implementation *server;
    /** How to use the server, written for a language model. */
    mcpd_str instructions;
    /** How long the result stays fresh, in milliseconds from its arrival; 0 if absent. */
    int64_t ttl_ms;
    /** 1 if the server gave ttlMs, 0 if not. */
    int32_t has_ttl_ms;
    /** Who may be given the result from a cache. MCPD_CACHE_SCOPE_PRIVATE if absent. */
    mcpd_cache_scope cache_scope;
    /** 1 if the server gave cacheScope, 0 if not. */
    int32_t has_cache_scope;
    /** Always 0. */
    int32_t reserved;
    /** The result's _meta as JSON, an object. */
    mcpd_str meta_json;
    /** The whole result as JSON, with what this library does not know; never absent. */
    mcpd_str json;
} mcpd_discover_result;

/**
 * The answer to initialize of the protocol versions up to 2025-11-25 (InitializeResult in their
 * schema). Only protocol_version is sure to be there.
 */
typedef struct mcpd_initialize_result {
    /** The size of this struct in the library that made it. */
    size_t struct_size;
    /**
     * The protocol version that the server chose; never absent. It may be another than the one
     * asked for.
     */
    mcpd_str protocol_version;
    /** What the server can do; NULL if it does not say. */
    const mcpd_server_capabilities *capabilities;
    /** Who the server says it is; NULL if it does not say. */
    const mcpd_implementation *server;
    /** How to use the server, written for a language model. */
    mcpd_str instructions;
    /** The result's _meta as JSON, an object. */
    mcpd_str meta_json;
    /** The whole result as JSON, with what this library does not know; never absent. */
    mcpd_str json;
} mcpd_initialize_result;

/**
 * The request's headers and body disagree (HeaderMismatchError in the schema). Only modern
 * servers have this error.
 */
#define MCPD_RPC_HEADER_MISMATCH (-32020)

/**
 * The request needs a client capability that it does not declare
 * (MissingRequiredClientCapabilityError in the schema). Only modern servers have this error.
 */
#define MCPD_RPC_MISSING_REQUIRED_CLIENT_CAPABILITY (-32021)

/**
 * The server does not speak the request's protocol version (UnsupportedProtocolVersionError in
 * the schema). Only modern servers have this error.
 */
#define MCPD_RPC_UNSUPPORTED_PROTOCOL_VERSION (-32022)

/** A JSON-RPC error (Error in the schema), whatever it lacks. */
typedef struct mcpd_rpc_error {
    /** The size of this struct in the library that made it. */
    size_t struct_size;
    /** The code; 0 if there is no integer code, and then a remark says so. */
    int64_t code;
    /** The message. */
    mcpd_str message;
    /** The data as JSON, of whatever type. */
    mcpd_str data_json;
    /**
     * With MCPD_RPC_UNSUPPORTED_PROTOCOL_VERSION: the versions that the server speaks; NULL if
     * it names none.
     */
    const mcpd_str *supported;
    /** How many versions there are. */
    size_t supported_count;
    /** With MCPD_RPC_UNSUPPORTED_PROTOCOL_VERSION: the version that was asked for. */
    mcpd_str requested;
    /**
     * With MCPD_RPC_MISSING_REQUIRED_CLIENT_CAPABILITY: the capabilities to declare, as JSON:
     * an object that client_capabilities_json takes.
     */
    mcpd_str required_capabilities_json;
    /** The whole error as JSON; never absent. */
    mcpd_str json;
} mcpd_rpc_error;


/* Remarks */

/**
 * What a remark is about: one number for each oddity this library looks for. Later versions add
 * numbers and change none.
 */
typedef int32_t mcpd_remark_code;

/** The result has no ttlMs, which the specification requires. */
#define MCPD_REMARK_MISSING_TTL 1

/** The result's ttlMs is no number; it counts as absent. */
#define MCPD_REMARK_MALFORMED_TTL 2

/** The result's ttlMs is negative; it counts as 0. */
#define MCPD_REMARK_NEGATIVE_TTL 3

/** The result's ttlMs is no whole number; the fraction is dropped. */
#define MCPD_REMARK_FRACTIONAL_TTL 4

/** The result's ttlMs is beyond 64 bits; the largest number is taken for it. */
#define MCPD_REMARK_HUGE_TTL 5

/** The result has no cacheScope, which the specification requires; private is assumed. */
#define MCPD_REMARK_MISSING_CACHE_SCOPE 6

/** The result's cacheScope is no string; it counts as absent. */
#define MCPD_REMARK_MALFORMED_CACHE_SCOPE 7

/** The result's cacheScope is neither public nor private; private is assumed. */
#define MCPD_REMARK_UNKNOWN_CACHE_SCOPE 8

/** The result does not say who the server is (serverInfo). */
#define MCPD_REMARK_MISSING_SERVER_INFO 9

/**
 * serverInfo stands in the result itself; its place is _meta, as
 * io.modelcontextprotocol/serverInfo.
 */
#define MCPD_REMARK_MISPLACED_SERVER_INFO 10

/** serverInfo or a member of it has the wrong type, or lacks its name or version. */
#define MCPD_REMARK_MALFORMED_SERVER_INFO 11

/** The result has no resultType, which the specification requires; complete is assumed. */
#define MCPD_REMARK_MISSING_RESULT_TYPE 12

/** The result's resultType is not complete, so it answers nothing. */
#define MCPD_REMARK_UNKNOWN_RESULT_TYPE 13

/** The result has no capabilities, which the specification requires. */
#define MCPD_REMARK_MISSING_CAPABILITIES 14

/** A capability has the wrong type; it counts as absent. */
#define MCPD_REMARK_MALFORMED_CAPABILITIES 15

/** The result has no supportedVersions, so it is no DiscoverResult. */
#define MCPD_REMARK_MISSING_VERSIONS 16

/** supportedVersions is no array, or holds something that is no string. */
#define MCPD_REMARK_MALFORMED_VERSIONS 17

/** supportedVersions is empty, so the result is no DiscoverResult. */
#define MCPD_REMARK_EMPTY_VERSIONS 18

/** The result's instructions are no string; they count as absent. */
#define MCPD_REMARK_MALFORMED_INSTRUCTIONS 19

/** The result's _meta is no object; it counts as absent. */
#define MCPD_REMARK_MALFORMED_META 20

/** The error lacks an integer code or a string message. */
#define MCPD_REMARK_MALFORMED_ERROR 21

/** The unsupported-version error does not list the supported versions as an array of strings. */
#define MCPD_REMARK_MALFORMED_SUPPORTED 22

/** The result has no protocolVersion string, so it is no InitializeResult. */
#define MCPD_REMARK_MISSING_PROTOCOL_VERSION 23

/** The response has both a result and an error. */
#define MCPD_REMARK_RESULT_AND_ERROR 24

/** The response has neither a result nor an error. */
#define MCPD_REMARK_NO_RESULT_OR_ERROR 25

/** The response's result is no object. */
#define MCPD_REMARK_MALFORMED_RESULT 26

/**
 * Standard output carries something that is no JSON-RPC message; logs belong on standard
 * error.
 */
#define MCPD_REMARK_NOISE 27

/** A message starts with a byte order mark. */
#define MCPD_REMARK_BYTE_ORDER_MARK 28

/** Lines end in CR LF; the delimiter is LF alone. */
#define MCPD_REMARK_CRLF 29

/** Standard output carries bytes that are not UTF-8; in a reply they are read as U+FFFD. */
#define MCPD_REMARK_INVALID_UTF8 30

/** Standard output looks like UTF-16; messages are UTF-8. */
#define MCPD_REMARK_UTF16 31

/** A string escape is half of a surrogate pair; it is read as U+FFFD. */
#define MCPD_REMARK_LONE_SURROGATE 32

/** A JSON text is spread over several lines; a message is one line. */
#define MCPD_REMARK_SPLIT_JSON 33

/** One line holds several messages; a message is one line. */
#define MCPD_REMARK_SEVERAL_MESSAGES 34

/** A response lacks "jsonrpc": "2.0". */
#define MCPD_REMARK_MISSING_JSONRPC 35

/** A response came without the id of the request it answers. */
#define MCPD_REMARK_NULL_ID 36

/** A response came with an id that no open request has. */
#define MCPD_REMARK_FOREIGN_ID 37

/** A message came inside an array; batches are not part of the protocol. */
#define MCPD_REMARK_BATCH 38

/** The server sent a request before any reply; it was not answered. */
#define MCPD_REMARK_SERVER_REQUEST 39

/** The server sent our own request back. */
#define MCPD_REMARK_ECHOED_REQUEST 40

/** Messages come with Content-Length headers; the delimiter is LF alone. */
#define MCPD_REMARK_CONTENT_LENGTH 41

/** An answer came after the deadline of its request. */
#define MCPD_REMARK_LATE_REPLY 42

/** An answer came without the line feed that ends a message. */
#define MCPD_REMARK_UNTERMINATED_REPLY 43

/** A line on standard output passed the limit and was skipped. */
#define MCPD_REMARK_LINE_TOO_LONG 44

/** A message nests arrays or objects too deeply and was skipped. */
#define MCPD_REMARK_TOO_DEEP 45

/** The server named a version that it then did not answer for. */
#define MCPD_REMARK_RETRY_FAILED 46

/** The server did not leave when its standard input ended; SIGTERM ended it. */
#define MCPD_REMARK_TERMINATED 47

/** The server did not leave on SIGTERM; SIGKILL ended it. */
#define MCPD_REMARK_KILLED 48

/** The server outlived SIGKILL and was left behind. */
#define MCPD_REMARK_ABANDONED 49

/** The server ended before it was asked to. */
#define MCPD_REMARK_EXITED_EARLY 50

/** Standard error passed the limit; only its tail is kept. */
#define MCPD_REMARK_STDERR_TRUNCATED 51

/** The answer came with another HTTP status than the specification has for it. */
#define MCPD_REMARK_HTTP_STATUS 52

/** The answer's Content-Type is neither application/json nor text/event-stream. */
#define MCPD_REMARK_CONTENT_TYPE 53

/** The stored verdict proved to be wrong, so the server was probed again. */
#define MCPD_REMARK_STALE_VERDICT 54

/** The server could be used, but no process of it could be opened and handed over. */
#define MCPD_REMARK_NOT_HANDED_OVER 55

/**
 * The name of a remark's code, such as "missing_ttl"; "unrecognized" for a number that is none.
 * Static; never NULL.
 */
const char *mcpd_remark_name(mcpd_remark_code code);

/**
 * What a remark's code says of a server, as one English sentence; "unrecognized" for a number
 * that is none. A remark's own text may say more. Static; never NULL.
 */
const char *mcpd_remark_sentence(mcpd_remark_code code);

/**
 * Something odd that the server did, told so that its author can mend it. Remarks never change
 * a verdict.
 */
typedef struct mcpd_remark {
    /** The size of this struct in the library that made it. */
    size_t struct_size;
    /** What it is about. */
    mcpd_remark_code code;
    /** Always 0. */
    int32_t reserved;
    /** One English sentence; never absent. It may quote the server. */
    mcpd_str text;
} mcpd_remark;


/* Parsing a reply */

/** What a message is to the client that waits for an answer. */
typedef int32_t mcpd_reply_kind;

/**
 * No answer to the request: a request or notification of the server's, an answer to another id,
 * or JSON that is no JSON-RPC message at all. Go on waiting for the answer.
 */
#define MCPD_REPLY_UNRELATED 0

/** The result of server/discover; see discover. */
#define MCPD_REPLY_DISCOVER 1

/** The result of initialize; see initialize. */
#define MCPD_REPLY_INITIALIZE 2

/**
 * A JSON-RPC error; see rpc_error. An error whose id is null or missing counts as the answer
 * too.
 */
#define MCPD_REPLY_RPC_ERROR 3

/** The answer to the request, but one that can't be used; the remarks say why. */
#define MCPD_REPLY_UNUSABLE 4

/**
 * The name of a kind of reply, such as "rpc_error"; "unrecognized" for a number that is none.
 * Static; never NULL.
 */
const char *mcpd_reply_kind_name(mcpd_reply_kind reply_kind);

/** Which request a reply should answer. The function copies what it needs. */
typedef struct mcpd_reply_options {
    /** Set it to sizeof(mcpd_reply_options). */
    size_t struct_size;
    /** What was asked: it decides how a result is read. Default: MCPD_METHOD_DISCOVER. */
    mcpd_method method;
    /** What the request's id is. Default: any id will do. */
    mcpd_id_kind id_kind;
    /** The request's id, if id_kind is MCPD_ID_STRING; else NULL. */
    const char *id_string;
    /** The request's id, if id_kind is MCPD_ID_INTEGER; else 0. */
    int64_t id_integer;
} mcpd_reply_options;

/**
 * A message from a server, read. The caller owns it, and all it points to lives until
 * mcpd_reply_free. Read it from as many threads as you like.
 */
typedef struct mcpd_reply {
    /** The size of this struct in the library that made it. */
    size_t struct_size;
    /** What the message is. */
    mcpd_reply_kind kind;
    /** Always 0. */
    int32_t reserved;
    /** The result, if kind is MCPD_REPLY_DISCOVER; else NULL. */
    const mcpd_discover_result *discover;
    /** The result, if kind is MCPD_REPLY_INITIALIZE; else NULL. */
    const mcpd_initialize_result *initialize;
    /** The error, if kind is MCPD_REPLY_RPC_ERROR; else NULL. */
    const mcpd_rpc_error *rpc_error;
    /** The whole message as JSON; never absent. */
    mcpd_str json;
    /** Everything odd about it; NULL if nothing is. */
    const mcpd_remark *const *remarks;
    /** How many remarks there are. */
    size_t remarks_count;
} mcpd_reply;

/**
 * Reads a message from a server: a line of stdio, or the JSON body of an HTTP response. Of an
 * event stream, give it the data of one event. A blank line is no message: skip it.
 *
 * It is read leniently, as servers in the wild require. A byte order mark, bytes that are not
 * UTF-8 (read as U+FFFD), fields that are missing or have the wrong type cost a remark, never
 * the reply. Of several messages on the line the first that answers the request counts, and
 * what stands behind them is ignored, with a remark; nothing may stand before.
 *
 * \param data the message, with or without the line ending. It need not end with NUL.
 * \param length how many bytes it has.
 * \param options what the message should answer; NULL for all defaults.
 * \param reply gets the message; its kind tells what it is. The caller frees it with
 *     mcpd_reply_free.
 * \param error gets why the call failed; may be NULL.
 * \return MCPD_OK, also for a message that answers nothing; MCPD_INVALID_JSON, with an offset
 *     into data; MCPD_INVALID_ARGUMENT; MCPD_INVALID_UTF8 for an option; MCPD_OUT_OF_MEMORY.
 */
mcpd_status mcpd_reply_parse(const char *data,
                             size_t length,
                             const mcpd_reply_options *options,
                             mcpd_reply **reply,
                             mcpd_error **error);

/** Frees a reply and all it points to. NULL is fine. */
void mcpd_reply_free(mcpd_reply *reply);

/**
 * A message from a server as one block without a pointer in it, for bindings to languages that
 * read a block faster than they follow pointers. Programs in C and C++ want mcpd_reply, which
 * has the same in it.
 *
 * Behind the struct stand the lengths of the texts, each a size_t, and at texts_offset the texts
 * themselves, each with a NUL behind it that its length does not count. First the message's
 * json, which is absent if it stands in the data that was parsed; then, by kind, with the names
 * they have in the structs of a reply:
 *
 * - MCPD_REPLY_DISCOVER: result_type; the server's name, version, title, description,
 *   website_url, and its icons as JSON: an array of Icon in the schema;
 * - MCPD_REPLY_INITIALIZE: protocol_version, then the same of the server;
 * - MCPD_REPLY_RPC_ERROR: message, requested, required_capabilities_json.
 *
 * Then come the lists, as many texts as their counts tell: versions, which are
 * supported_versions or supported; the members of extensions and of experimental, name and JSON;
 * the remarks, the name of the code and the sentence. The last text is the one that may well be
 * long: the result's instructions, or the error's data_json; for other kinds it is absent.
 *
 * The bytes from versions_count on are the same in most replies: a binding may keep by them what
 * it needs to read a reply, and find it again in one step.
 */
typedef struct mcpd_flat_reply {
    /** The size of this struct in the library that made it; the lengths stand behind it. */
    size_t struct_size;
    /** The size of the whole block. If there was not as much room, only this struct is there. */
    size_t size;
    /** Where the texts begin, in bytes from the start of the block. */
    size_t texts_offset;
    /** How many texts there are. */
    size_t texts_count;
    /** Where in the data the message stands. */
    size_t json_offset;
    /** How long it is there; 0 if it had to be repaired, and is among the texts. */
    size_t json_length;
    /** The result's ttl_ms. */
    int64_t ttl_ms;
    /** The error's code. */
    int64_t rpc_code;
    /** How many versions the server names. */
    size_t versions_count;
    /** How many extensions the server supports. */
    size_t extensions_count;
    /** How many members experimental has. */
    size_t experimental_count;
    /** How many remarks there are. */
    size_t remarks_count;
    /** What the message is. */
    mcpd_reply_kind kind;
    /**
     * One bit for each text that is in no list, in their order, the lowest for json: 1 if it is
     * there, 0 if it is absent, and then its length is 0.
     */
    int32_t present;
    /**
     * One bit for each flag of the result's capabilities, the lowest for tools; -1 if the server
     * does not say what it can do.
     */
    int32_t capabilities;
    /** 1 if the server says who it is, 0 if not. */
    int32_t has_server;
    /** 1 if the server gave ttlMs, 0 if not. */
    int32_t has_ttl_ms;
    /** The result's cache_scope. */
    mcpd_cache_scope cache_scope;
    /** 1 if the server gave cacheScope, 0 if not. */
    int32_t has_cache_scope;
    /** Always 0. */
    int32_t reserved;
} mcpd_flat_reply;

/**
 * Reads a message from a server as mcpd_reply_parse does, into memory of the caller's: there is
 * nothing to free.
 *
 * \param data the message, with or without the line ending. It need not end with NUL.
 * \param length how many bytes it has.
 * \param options what the message should answer; NULL for all defaults.
 * \param reply where the block is written. If its size is more than room, it was too long: call
 *     again with as much.
 * \param room how many bytes there are; at least sizeof(mcpd_flat_reply). The length of the
 *     data and 4096 more nearly always suffice.
 * \param error gets why the call failed, and then nothing is written; may be NULL.
 * \return MCPD_OK, also for a message that answers nothing; MCPD_INVALID_JSON, with an offset
 *     into data; MCPD_INVALID_ARGUMENT; MCPD_INVALID_UTF8 for an option; MCPD_OUT_OF_MEMORY.
 */
mcpd_status mcpd_flat_reply_parse(const char *data,
                                  size_t length,
                                  const mcpd_reply_options *options,
                                  mcpd_flat_reply *reply,
                                  size_t room,
                                  mcpd_error **error);


/* The verdict */

/**
 * Any code of a verdict that was read from JSON and holds a name of a later version of the
 * library.
 */
#define MCPD_UNRECOGNIZED (-1)

/** What the client should do next. */
typedef int32_t mcpd_next;

/** Do not go on: client and server have no version in common, or nothing is known. */
#define MCPD_NEXT_GIVE_UP 0

/** Send modern requests with the verdict's version. */
#define MCPD_NEXT_USE_MODERN 1

/**
 * Send initialize with the verdict's version. Over stdio it has to be the first message of a new
 * process: one that has seen server/discover may not answer initialize any more.
 */
#define MCPD_NEXT_INITIALIZE 2

/**
 * The request is refused as it was. Where the era is modern, the server did so, and the error in
 * the verdict says what to correct, for example the client capabilities it requires. Where it is
 * unknown, the way to the server did, over HTTP: the address or the headers have to be corrected.
 */
#define MCPD_NEXT_CORRECT_REQUEST 3

/**
 * Over HTTP: send initialize with the verdict's version; if that gets no JSON-RPC answer either,
 * try the HTTP+SSE transport of protocol version 2024-11-05, which begins with a GET.
 */
#define MCPD_NEXT_INITIALIZE_OR_SSE 4

/** Over HTTP: get authorization, then ask again. What the server is cannot be told before. */
#define MCPD_NEXT_AUTHORIZE 5

/** Over HTTP: ask again later. */
#define MCPD_NEXT_RETRY 6

/**
 * The name of a next step, such as "use_modern"; "unrecognized" for a number that is none.
 * Static; never NULL.
 */
const char *mcpd_next_name(mcpd_next next);

/** What came of a request. */
typedef int32_t mcpd_outcome;

/** The request was not sent. */
#define MCPD_OUTCOME_NOT_ASKED 0

/** The server answered with a result that can be used. */
#define MCPD_OUTCOME_RESULT 1

/** The server answered with something that can't be used; the remarks or the summary say why. */
#define MCPD_OUTCOME_UNUSABLE 2

/** The server answered with a JSON-RPC error. */
#define MCPD_OUTCOME_ERROR 3

/** No answer came up to the deadline. */
#define MCPD_OUTCOME_SILENCE 4

/** The server exited without an answer. */
#define MCPD_OUTCOME_EXIT 5

/** The server closed its standard output without an answer, and lived on. */
#define MCPD_OUTCOME_STDOUT_CLOSED 6

/**
 * The name of an outcome, such as "not_asked"; "unrecognized" for a number that is none.
 * Static; never NULL.
 */
const char *mcpd_outcome_name(mcpd_outcome outcome);

/** How a process ended. */
typedef int32_t mcpd_exit_kind;

/**
 * It is not known: the process was left behind, or the host program ignores or reaps children
 * itself.
 */
#define MCPD_EXIT_UNKNOWN 0

/**
 * It exited; exit_value is its exit code, 0 to 255. Many servers exit with 1 though nothing is
 * wrong.
 */
#define MCPD_EXIT_CODE 1

/** A signal ended it; exit_value is the signal's number. */
#define MCPD_EXIT_SIGNAL 2

/**
 * The name of how a process ended: "unknown", "code" or "signal"; "unrecognized" for a number
 * that is none. Static; never NULL.
 */
const char *mcpd_exit_kind_name(mcpd_exit_kind exit_kind);

/** What it took to end a process (basic/transports, stdio, shutdown). */
typedef int32_t mcpd_shutdown;

/** There was nothing to end. */
#define MCPD_SHUTDOWN_NONE 0

/** Nothing: it ended before it was asked to. */
#define MCPD_SHUTDOWN_EXITED 1

/** The end of its standard input, as the specification wants it. */
#define MCPD_SHUTDOWN_STDIN_CLOSED 2

/** SIGTERM to its process group. */
#define MCPD_SHUTDOWN_TERMINATED 3

/** SIGKILL to its process group. */
#define MCPD_SHUTDOWN_KILLED 4

/** Nothing did: it outlived SIGKILL by 2 seconds and was left behind. */
#define MCPD_SHUTDOWN_ABANDONED 5

/** Nothing was done: it was handed over, and runs. See mcpd_connection. */
#define MCPD_SHUTDOWN_KEPT 6

/**
 * The name of what ended a process, such as "stdin_closed"; "unrecognized" for a number that is
 * none. Static; never NULL.
 */
const char *mcpd_shutdown_name(mcpd_shutdown shutdown);

/** What is known of a process that was started for a probe. */
typedef struct mcpd_process {
    /** The size of this struct in the library that made it. */
    size_t struct_size;
    /** How it ended. */
    mcpd_exit_kind exit_kind;
    /** Its exit code or the number of the signal, by exit_kind; else 0. */
    int32_t exit_value;
    /** What it took to end it. */
    mcpd_shutdown shutdown;
    /** Always 0. */
    int32_t reserved;
    /** Bytes read from its standard output. */
    uint64_t bytes_received;
    /** Lines on its standard output that were no JSON-RPC messages. */
    uint64_t skipped_lines;
    /** The first 200 bytes of each of the first 5 such lines; NULL if there were none. */
    const mcpd_str *skipped_sample;
    /** How many lines are shown. */
    size_t skipped_sample_count;
    /**
     * The end of what it wrote to standard error, up to max_stderr_bytes; empty if that was
     * nothing, or was not captured.
     */
    mcpd_str stderr_tail;
} mcpd_process;

/** Who said a piece of a transcript. */
typedef int32_t mcpd_direction;

/** The library, on the server's standard input. */
#define MCPD_DIRECTION_TO_SERVER 0

/** The server, on its standard output. */
#define MCPD_DIRECTION_FROM_SERVER 1

/**
 * The name of a direction: "to_server" or "from_server"; "unrecognized" for a number that is
 * none. Static; never NULL.
 */
const char *mcpd_direction_name(mcpd_direction direction);

/** Bytes that went over a pipe in one piece; see max_transcript_bytes of mcpd_probe_options. */
typedef struct mcpd_transcript_entry {
    /** The size of this struct in the library that made it. */
    size_t struct_size;
    /** When, in milliseconds since the start of the first process. */
    double at_ms;
    /** Which process: an index into the verdict's processes. */
    int32_t process;
    /** Who said it. */
    mcpd_direction direction;
    /** The bytes, whatever they are. No NUL is behind them. */
    const unsigned char *data;
    /** How many bytes there are; at least one. */
    size_t length;
} mcpd_transcript_entry;

/**
 * What a server is, what to do next, and why. The caller owns it, and all it points to lives
 * until mcpd_verdict_free. Read it from as many threads as you like.
 *
 * A DiscoverResult, or one of the three errors that only modern servers have
 * (MCPD_RPC_HEADER_MISMATCH and the two that follow it), proves a modern server, and nothing
 * that comes later makes it legacy. An InitializeResult, or a DiscoverResult that names legacy
 * versions only, proves a legacy one. Any other error, whatever its code, an answer that can't
 * be used, silence, an exit: these prove nothing, and initialize is asked instead, in a fresh
 * process where it is needed. If that proves nothing either, the era is unknown.
 */
typedef struct mcpd_verdict {
    /** The size of this struct in the library that made it. */
    size_t struct_size;
    /** How the server is spoken to. */
    mcpd_era era;
    /** What to do next. */
    mcpd_next next;
    /**
     * The protocol version to do it with, if next is MCPD_NEXT_USE_MODERN,
     * MCPD_NEXT_INITIALIZE or MCPD_NEXT_INITIALIZE_OR_SSE; else absent.
     */
    mcpd_str version;
    /**
     * 1 if the server said so itself, by a result or by an error that only modern servers have;
     * 0 if it is a conclusion.
     */
    int32_t confirmed;
    /**
     * 1 if the verdict may be stored and used for later connections: it is confirmed, and
     * server/discover was answered, so that a start that failed by chance is never stored; else
     * 0. What may be used of it later, and how long, is told at mcpd_verdict_is_fresh.
     */
    int32_t storable;
    /** What came of server/discover. */
    mcpd_outcome discover_outcome;
    /** What came of initialize. */
    mcpd_outcome initialize_outcome;
    /** Why, in one English sentence; never absent. It may quote the server. */
    mcpd_str summary;
    /**
     * When the last answer that counted arrived, in milliseconds since 1970-01-01 UTC; 0 if
     * none did. With the ttl_ms of discover it tells how long the result stays fresh.
     */
    int64_t received_at_ms;
    /** 1 if received_at_ms is set, 0 if not. */
    int32_t has_received_at_ms;
    /** How many processes were started. */
    int32_t starts;
    /** Who the server says it is, in whichever result it sent; NULL if it does not say. */
    const mcpd_implementation *server;
    /** What the server can do, by whichever result it sent; NULL if it does not say. */
    const mcpd_server_capabilities *capabilities;
    /** How to use the server, written for a language model, from whichever result it sent. */
    mcpd_str instructions;
    /**
     * The protocol versions that the server named, in a DiscoverResult or an error; NULL if it
     * named none.
     */
    const mcpd_str *supported_versions;
    /** How many versions there are. */
    size_t supported_versions_count;
    /** The result of server/discover; NULL if there was none. */
    const mcpd_discover_result *discover;
    /** The result of initialize; NULL if there was none. */
    const mcpd_initialize_result *initialize;
    /**
     * The error that answered server/discover; NULL if none did. Of several the one that proved
     * the server modern.
     */
    const mcpd_rpc_error *discover_error;
    /** The error that answered initialize; NULL if none did. */
    const mcpd_rpc_error *initialize_error;
    /** Everything odd that the server did; NULL if it did nothing odd. */
    const mcpd_remark *const *remarks;
    /** How many remarks there are. */
    size_t remarks_count;
    /**
     * The processes that were started, in order; each has ended, unless its shutdown is
     * MCPD_SHUTDOWN_ABANDONED or MCPD_SHUTDOWN_KEPT.
     */
    const mcpd_process *const *processes;
    /** How many processes there are. */
    size_t processes_count;
    /** From the start of the first process to the end of the last, in milliseconds. */
    double elapsed_ms;
    /**
     * From the start of the first process to the last answer that counted, in milliseconds; 0
     * if none did.
     */
    double reply_ms;
    /** 1 if reply_ms is set, 0 if not. */
    int32_t has_reply_ms;
    /** 1 if more was said than max_transcript_bytes let into the transcript, 0 if not. */
    int32_t transcript_truncated;
    /** What was said, both ways; NULL if max_transcript_bytes was 0. */
    const mcpd_transcript_entry *const *transcript;
    /** How many pieces the transcript has. */
    size_t transcript_count;
} mcpd_verdict;

/**
 * Writes a verdict as one line of JSON, for logs and caches: an object with the members schema
 * (1), era, next, version, confirmed, storable, summary, discoverOutcome, initializeOutcome,
 * receivedAt, supportedVersions, server, capabilities, instructions, ttlMs, cacheScope,
 * discover, initialize, discoverError, initializeError, remarks (objects of code and text),
 * processes (objects of exit, which is {"code": n}, {"signal": n} or null, shutdown,
 * bytesReceived, skippedLines, skippedSample and stderrTail), timing (elapsedMs and replyMs),
 * and transcript if there is one. Codes are written as their names, and what is absent as null.
 * It holds neither the arguments nor the environment of the command.
 *
 * \param verdict the verdict.
 * \param json gets the JSON, which does not need the verdict any more. The caller frees it with
 *     mcpd_text_free.
 * \param error gets why the call failed; may be NULL.
 * \return MCPD_OK; MCPD_INVALID_ARGUMENT; MCPD_OUT_OF_MEMORY.
 */
mcpd_status mcpd_verdict_to_json(const mcpd_verdict *verdict,
                                 mcpd_text **json,
                                 mcpd_error **error);

/**
 * Reads a verdict back from the JSON that mcpd_verdict_to_json wrote, in this version of the
 * library or in a later one, on the same machine or another.
 *
 * What a later version has added is kept: written again, the verdict is the JSON it was read
 * from, as one line. Members that this version does not know are passed over, and names of codes
 * that it does not know are MCPD_UNRECOGNIZED. Nobody can act on an era or a next that is
 * unrecognized: storable is 0 then, so the server has to be asked again, as it has to if this
 * function fails. What is missing is absent; only schema, era and next have to be there.
 *
 * \param json the JSON, in UTF-8, on one line or several. It need not end with NUL.
 * \param length how many bytes it has.
 * \param verdict gets the verdict. The caller frees it with mcpd_verdict_free.
 * \param error gets why the call failed; may be NULL.
 * \return MCPD_OK; MCPD_INVALID_JSON for what is no JSON, MCPD_INVALID_UTF8, or
 *     MCPD_INVALID_ARGUMENT for JSON that is no verdict, each with an offset into json;
 *     MCPD_OUT_OF_MEMORY.
 */
mcpd_status mcpd_verdict_from_json(const char *json,
                                   size_t length,
                                   mcpd_verdict **verdict,
                                   mcpd_error **error);

/**
 * Tells whether what the server said of itself in its DiscoverResult is still fresh: its
 * capabilities, its instructions, its versions. It is from its arrival until its ttlMs has
 * passed (server/utilities/caching); a result without ttlMs, or with 0, is stale at once. So is
 * any other verdict, and one from the future, which means that the clock was set back.
 *
 * A storable verdict that is not fresh any more still tells how to speak to the server: its era,
 * next and version hold until the server is updated, which shows when it refuses them. So use
 * those, and ask server/discover again for the rest when it is needed.
 *
 * \param verdict the verdict.
 * \param now_ms the time, in milliseconds since 1970-01-01 UTC.
 * \return 1 if it is fresh, 0 if it is not, or NULL.
 */
int32_t mcpd_verdict_is_fresh(const mcpd_verdict *verdict, int64_t now_ms);

/** Frees a verdict and all it points to. NULL is fine. */
void mcpd_verdict_free(mcpd_verdict *verdict);


/* Probing a stdio server */

/**
 * A switch that stops blocking calls. The caller makes it, passes it to any number of calls,
 * and fires it from any thread or signal handler; it stays fired. It holds two descriptors.
 * Free it with mcpd_cancel_free when no call has it any more.
 */
typedef struct mcpd_cancel mcpd_cancel;

/**
 * Makes a cancel handle that has not been fired.
 *
 * \param cancel gets the handle. The caller frees it with mcpd_cancel_free.
 * \param error gets why the call failed; may be NULL.
 * \return MCPD_OK; MCPD_INVALID_ARGUMENT; MCPD_OUT_OF_RESOURCES; MCPD_NOT_SUPPORTED on a system
 *     that is not Unix.
 */
mcpd_status mcpd_cancel_new(mcpd_cancel **cancel, mcpd_error **error);

/**
 * Fires a cancel handle, for good: every call that has it, now or later, returns
 * MCPD_CANCELLED, unless it has its verdict already; mcpd_connection_close alone only hurries. A
 * call that is stopped still ends its server, in a hurry whatever grace_ms says: its standard
 * input is closed, SIGTERM comes at the same time, and SIGKILL 50 ms later. What was learned so
 * far is lost. This is async-signal-safe and leaves errno alone; firing twice is fine.
 *
 * \param cancel the handle.
 * \return MCPD_OK; MCPD_INVALID_ARGUMENT for NULL; MCPD_WRONG_PROCESS.
 */
mcpd_status mcpd_cancel_fire(const mcpd_cancel *cancel);

/**
 * Frees a cancel handle, which no call may be using. In a forked child it is fine for a handle
 * of the parent's. NULL is fine.
 */
void mcpd_cancel_free(mcpd_cancel *cancel);

/** What to do where server/discover proves nothing. */
typedef int32_t mcpd_fallback;

/** Ask initialize for proof, in a fresh process where the first one has ended. */
#define MCPD_FALLBACK_INITIALIZE 0

/**
 * Never send initialize. Silence, an unknown error and an unusable answer then mean a legacy
 * server, not confirmed; an exit leaves the era unknown, and next is MCPD_NEXT_INITIALIZE.
 */
#define MCPD_FALLBACK_NONE 1

/** What a server's environment is made from. */
typedef int32_t mcpd_env_mode;

/** The environment of the calling process, changed by env. */
#define MCPD_ENV_INHERIT 0

/** Only the variables that env sets. */
#define MCPD_ENV_EXACT 1

/** What becomes of a server's standard error. It carries logs, and says nothing about failure. */
typedef int32_t mcpd_stderr_mode;

/** It is read, and its end kept for the verdict. */
#define MCPD_STDERR_CAPTURE 0

/** It goes where the standard error of the calling process goes. */
#define MCPD_STDERR_INHERIT 1

/** It goes to /dev/null. */
#define MCPD_STDERR_DISCARD 2

/** For grace_ms: no time at all. */
#define MCPD_NO_GRACE (-1)

/**
 * What to probe, and how. Texts end with NUL, and lists with NULL; those about the client are
 * UTF-8, the others bytes. The function copies what it needs.
 */
typedef struct mcpd_probe_options {
    /** Set it to sizeof(mcpd_probe_options). */
    size_t struct_size;
    /**
     * The command: the program and its arguments; required. A name without a slash is searched
     * in the PATH that the server gets; no shell is involved.
     */
    const char *const *argv;
    /**
     * Changes of the environment: "NAME=VALUE" sets a variable, "NAME" alone unsets it, and the
     * last one for a name counts. Default: none.
     */
    const char *const *env;
    /**
     * The server's working directory; a relative path of a program is relative to it. Default:
     * that of the calling process.
     */
    const char *cwd;
    /** Who asks: the client's name. Default: "mcp-discover", with the library's version. */
    const char *client_name;
    /**
     * The client's own version: required with client_name, refused without. So are the four that
     * follow refused without client_name; with it they are optional.
     */
    const char *client_version;
    /** The client's name for people. Default: none. */
    const char *client_title;
    /** What the client does. Default: none. */
    const char *client_description;
    /** The client's home page. Default: none. */
    const char *client_website_url;
    /**
     * Icons of the client, as JSON: an array of objects with a string "src" (Icon in the
     * schema). Default: none.
     */
    const char *client_icons_json;
    /**
     * What the client can do, as JSON: an object (ClientCapabilities in the schema). Default:
     * {}. It needs no client_name. Only that it is an object is checked.
     */
    const char *client_capabilities_json;
    /**
     * Stops the call when it is fired; it has to live until the call returns. Default: nothing
     * does.
     */
    const mcpd_cancel *cancel;
    /**
     * The modern protocol versions that the client speaks, best first; at least one. Default:
     * mcpd_versions_modern().
     */
    const char *const *modern_versions;
    /**
     * The legacy protocol versions that the client speaks, best first. A list that begins with
     * NULL is a modern-only client: initialize is never sent. Default: mcpd_versions_legacy().
     */
    const char *const *legacy_versions;
    /**
     * How long everything but shutdown may take, in milliseconds from the first start. An answer
     * that comes while the process is being ended still counts. Default: 30,000; at most a day.
     */
    int64_t timeout_ms;
    /**
     * How long to wait for the answer to server/discover before asking initialize too, in
     * milliseconds; never more than timeout_ms. It may be short, for a late answer still wins.
     * Default: the smaller of 5,000 and half of timeout_ms. Where initialize is not going to be
     * asked it is all of timeout_ms, whatever is set here.
     */
    int64_t discover_timeout_ms;
    /**
     * How long a server may take to exit after its standard input ends, and again after
     * SIGTERM, in milliseconds. Default: 2,000; at most a day. MCPD_NO_GRACE is no time at all:
     * SIGTERM and SIGKILL follow at once, and are not remarked on.
     */
    int64_t grace_ms;
    /**
     * The longest line that is read from the server, in bytes; longer ones are skipped, with a
     * remark. Default: 10,485,760 (10 MiB); at most 1 GiB.
     */
    size_t max_line_bytes;
    /**
     * How much of the end of standard error is kept, in bytes. Default: 65,536 (64 KiB); at
     * most 1 GiB.
     */
    size_t max_stderr_bytes;
    /**
     * How much of what is said, both ways, is written down in the verdict's transcript, in bytes:
     * for bug reports. Default: 0, nothing; at most 1 GiB.
     */
    size_t max_transcript_bytes;
    /**
     * How many processes may be started one after the other, since some servers end on a
     * request they do not know. Default: 2; at most 100.
     */
    int32_t max_starts;
    /** What to do where server/discover proves nothing. Default: MCPD_FALLBACK_INITIALIZE. */
    mcpd_fallback fallback;
    /** What the server's environment is made from. Default: MCPD_ENV_INHERIT. */
    mcpd_env_mode env_mode;
    /** What becomes of the server's standard error. Default: MCPD_STDERR_CAPTURE. */
    mcpd_stderr_mode stderr_mode;
} mcpd_probe_options;

/**
 * Starts a stdio server, asks it what it is, ends it, and tells. It blocks.
 *
 * The server is asked server/discover, and initialize where that proves nothing; nothing else
 * is sent to it. Every process that was started is ended as the specification wants it
 * (basic/transports, stdio, shutdown: its standard input is closed, then SIGTERM, then SIGKILL,
 * each to its process group) and reaped before the call returns. The call takes at most
 * timeout_ms, and for each process twice grace_ms and some 2 seconds more.
 *
 * That a server is unknown, broken or silent is a verdict and no failure of the call.
 *
 * \param options what to probe; argv is required.
 * \param verdict gets the verdict. The caller frees it with mcpd_verdict_free.
 * \param error gets why the call failed; may be NULL.
 * \return MCPD_OK; MCPD_COMMAND_NOT_FOUND, MCPD_PERMISSION_DENIED or MCPD_START_FAILED if the
 *     command can't be started; MCPD_CANCELLED; MCPD_OUT_OF_RESOURCES; MCPD_OUT_OF_MEMORY;
 *     MCPD_WRONG_PROCESS for cancel; MCPD_NOT_SUPPORTED on a system that is not Unix;
 *     MCPD_INVALID_ARGUMENT; MCPD_INVALID_UTF8; MCPD_INVALID_JSON for an option that ends in
 *     _json.
 */
mcpd_status mcpd_probe_stdio(const mcpd_probe_options *options,
                             mcpd_verdict **verdict,
                             mcpd_error **error);


/* Many servers at once */

/**
 * What came of one probe of a scan. The caller owns it, and all it points to lives until
 * mcpd_scan_item_free; it does not need the scan. Read it from as many threads as you like.
 */
typedef struct mcpd_scan_item {
    /** The size of this struct in the library that made it. */
    size_t struct_size;
    /** The tag that the probe was added with. */
    uint64_t tag;
    /** MCPD_OK, or why there is no verdict: what mcpd_probe_stdio returns. */
    mcpd_status status;
    /** Always 0. */
    int32_t reserved;
    /** The verdict; NULL if there is none. It is freed with the item. */
    const mcpd_verdict *verdict;
    /** Why there is no verdict; NULL if there is one. It is freed with the item. */
    const mcpd_error *error;
} mcpd_scan_item;

/** Frees an item, with its verdict or its error. NULL is fine. */
void mcpd_scan_item_free(mcpd_scan_item *item);

/** For timeout_ms of mcpd_scan_next: no time at all. */
#define MCPD_NO_WAIT (-1)

/**
 * Many probes at once, on the thread that calls. The caller makes it, adds probes, and asks for
 * what they find until nothing is left. Free it with mcpd_scan_free.
 *
 * Probes go on only within mcpd_scan_next: no thread works on them in between, and their clocks
 * stand still. So a caller may take as long as it likes between two calls, and no server loses
 * its verdict for that; what a server writes meanwhile is read by the next call. The times in a
 * verdict are those of these clocks.
 *
 * One call at a time may use a scan, on any thread; mcpd_scan_cancel may come at any time.
 */
typedef struct mcpd_scan mcpd_scan;

/** How to scan. */
typedef struct mcpd_scan_options {
    /** Set it to sizeof(mcpd_scan_options). */
    size_t struct_size;
    /**
     * How many probes may run at once, each with a process and up to five descriptors. Default:
     * 8; at most 1,024.
     */
    int32_t max_running;
    /** Set it to 0. */
    int32_t reserved;
} mcpd_scan_options;

/**
 * Makes a scan with nothing in it. It holds a few descriptors.
 *
 * \param options how to scan; NULL is the default for all.
 * \param scan gets the scan. The caller frees it with mcpd_scan_free.
 * \param error gets why the call failed; may be NULL.
 * \return MCPD_OK; MCPD_OUT_OF_RESOURCES; MCPD_OUT_OF_MEMORY; MCPD_INVALID_ARGUMENT;
 *     MCPD_NOT_SUPPORTED on a system that is not Unix.
 */
mcpd_status mcpd_scan_new(const mcpd_scan_options *options,
                          mcpd_scan **scan,
                          mcpd_error **error);

/**
 * Adds a probe, also between calls of mcpd_scan_next. The options are checked and copied; what
 * they point to is not needed any more, cancel included, though to fire it takes the handle.
 * The server is started by mcpd_scan_next, in the order of adding, when less than max_running
 * are running.
 *
 * \param scan the scan.
 * \param options what to probe; argv is required.
 * \param tag any number by which the caller knows the probe again, such as an index, or a
 *     pointer by way of uintptr_t.
 * \param error gets why the call failed; may be NULL.
 * \return MCPD_OK; MCPD_CANCELLED if the scan was cancelled; MCPD_WRONG_PROCESS for scan and
 *     cancel; MCPD_OUT_OF_MEMORY; MCPD_INVALID_ARGUMENT;
 *     MCPD_INVALID_UTF8; MCPD_INVALID_JSON for an option that ends in _json.
 */
mcpd_status mcpd_scan_add(mcpd_scan *scan,
                          const mcpd_probe_options *options,
                          uint64_t tag,
                          mcpd_error **error);

/**
 * Waits until a probe has finished, whichever is the first. Every probe that was added comes out
 * once; one that failed, because its command can't be started or because it was cancelled, does
 * so with its error, and the others go on.
 *
 * After mcpd_scan_cancel this first ends what runs, all of it at once. Then it gives what was
 * left, one call after the other and without waiting: those that had their verdict with it, and
 * the others with MCPD_CANCELLED.
 *
 * \param scan the scan.
 * \param timeout_ms how long to wait, in milliseconds; at most a year. 0 waits without a limit.
 *     MCPD_NO_WAIT gives what has finished, lets the others go on with what is there to be read,
 *     and does not wait; since time passes for the probes only within these calls, a program
 *     that does nothing but look never sees a timeout of theirs.
 * \param item gets what came of the probe. The caller frees it with mcpd_scan_item_free. NULL
 *     with MCPD_OK means that nothing is left; more may be added then.
 * \param error gets why the call failed; may be NULL.
 * \return MCPD_OK; MCPD_TIMED_OUT if none has finished by then, which changes nothing;
 *     MCPD_OUT_OF_MEMORY; MCPD_WRONG_PROCESS; MCPD_INVALID_ARGUMENT.
 */
mcpd_status mcpd_scan_next(mcpd_scan *scan,
                           int64_t timeout_ms,
                           mcpd_scan_item **item,
                           mcpd_error **error);

/**
 * Cancels a scan, for good: mcpd_scan_next returns soon, also one that is waiting, and says what
 * becomes of the probes. Servers that run are ended by it, or by mcpd_scan_free, in a hurry as
 * after mcpd_cancel_fire. May be called from any thread while others use the scan, and in a
 * signal handler; firing twice is fine.
 *
 * \param scan the scan.
 * \return MCPD_OK; MCPD_INVALID_ARGUMENT for NULL; MCPD_WRONG_PROCESS.
 */
mcpd_status mcpd_scan_cancel(const mcpd_scan *scan);

/**
 * Frees a scan, which no call may be using. Servers that run are ended first, all of them at
 * once and in a hurry as after mcpd_cancel_fire. In a forked child it is fine for a scan of the
 * parent's, whose servers it leaves alone; what the child has of it stays until the child ends.
 * NULL is fine.
 */
void mcpd_scan_free(mcpd_scan *scan);


/* Asking a server over HTTP */

/**
 * A header of an HTTP request, borrowed from the mcpd_http it hangs off. Both texts are visible
 * ASCII and spaces. This struct is frozen: it has no size field and never grows.
 */
typedef struct mcpd_http_header {
    /** The name, such as "MCP-Protocol-Version". */
    mcpd_str name;
    /** The value. */
    mcpd_str value;
} mcpd_http_header;

/**
 * A request to send by POST to the server's endpoint. It belongs to the mcpd_http that gave it,
 * and lives as long.
 */
typedef struct mcpd_http_post {
    /** The size of this struct in the library that made it. */
    size_t struct_size;
    /**
     * The headers that the protocol wants on it: Content-Type, Accept, MCP-Protocol-Version and
     * Mcp-Method. Add your own, such as Authorization; Content-Length is the HTTP client's.
     */
    const mcpd_http_header *headers;
    /** How many headers there are. */
    size_t headers_count;
    /** The body: JSON, to be sent as it is. */
    mcpd_str body;
} mcpd_http_post;

/**
 * An exchange with one server over Streamable HTTP (basic/transports, streamable-http). It says
 * what to POST, reads what comes back, and gives the verdict; the HTTP client is the program's.
 * The caller owns it and frees it with mcpd_http_free. It is for one thread at a time, does no
 * I/O and never blocks.
 *
 * \code
 * mcpd_http *http;
 * mcpd_verdict *verdict = NULL;
 * mcpd_status status = mcpd_http_new(NULL, &http, NULL);
 * while (status == MCPD_OK && verdict == NULL) {
 *     const mcpd_http_post *post;
 *     status = mcpd_http_request(http, &post, NULL);
 *     // Send it: post->headers and post->body. When the response begins:
 *     mcpd_http_status(http, 200, "application/json", NULL);
 *     // For each piece of its body, until the body ends or enough is 1:
 *     mcpd_http_feed(http, data, length, &enough, NULL);
 *     // And then:
 *     status = mcpd_http_verdict(http, &verdict, NULL);
 * }
 * \endcode
 *
 * The body is judged first, whatever the status: a DiscoverResult, or an error that only modern
 * servers have, means what it means over stdio. Any other JSON-RPC error gives legacy,
 * MCPD_NEXT_INITIALIZE, not confirmed, for a modern server has to know server/discover; but with
 * a status that speaks for itself, 401, 403, 407, 408, 421, 425, 429, 502, 503 or 504, the status
 * counts. So it does where no answer came:
 *
 * - 400, 404, 405: legacy, MCPD_NEXT_INITIALIZE_OR_SSE; any other 4xx that is not named below:
 *   legacy, MCPD_NEXT_INITIALIZE;
 * - 401, 403, 407: unknown, MCPD_NEXT_AUTHORIZE;
 * - 408, 425, 429, 5xx: unknown, MCPD_NEXT_RETRY;
 * - 3xx, 406, 415, 421: unknown, MCPD_NEXT_CORRECT_REQUEST;
 * - 2xx: unknown, MCPD_NEXT_GIVE_UP: an answer should have come, and the summary says what came.
 *
 * Where no response begins, because no connection came about or it broke, there is nothing to
 * judge: send the same request again, or free the exchange.
 *
 * The verdict has no processes, and elapsed_ms is 0: only the program knows when it asked.
 * initialize is never asked; that is what next says to do.
 */
typedef struct mcpd_http mcpd_http;

/**
 * Who asks over HTTP, and how. All texts are UTF-8 that ends with NUL, and lists end with NULL.
 * The function copies what it needs.
 */
typedef struct mcpd_http_options {
    /** Set it to sizeof(mcpd_http_options). */
    size_t struct_size;
    /** Who asks: the client's name. Default: "mcp-discover", with the library's version. */
    const char *client_name;
    /**
     * The client's own version: required with client_name, refused without. So are the four that
     * follow refused without client_name; with it they are optional.
     */
    const char *client_version;
    /** The client's name for people. Default: none. */
    const char *client_title;
    /** What the client does. Default: none. */
    const char *client_description;
    /** The client's home page. Default: none. */
    const char *client_website_url;
    /**
     * Icons of the client, as JSON: an array of objects with a string "src" (Icon in the
     * schema). Default: none.
     */
    const char *client_icons_json;
    /**
     * What the client can do, as JSON: an object (ClientCapabilities in the schema). Default:
     * {}. It needs no client_name. Only that it is an object is checked.
     */
    const char *client_capabilities_json;
    /**
     * The modern protocol versions that the client speaks, best first; at least one, and each
     * visible ASCII, since it goes into a header. Default: mcpd_versions_modern().
     */
    const char *const *modern_versions;
    /**
     * The legacy protocol versions that the client speaks, best first. A list that begins with
     * NULL is a modern-only client. Default: mcpd_versions_legacy().
     */
    const char *const *legacy_versions;
    /**
     * The longest body that is read, or of an event stream the longest message, in bytes; what is
     * longer is skipped, with a remark. Default: 10,485,760 (10 MiB); at most 1 GiB.
     */
    size_t max_body_bytes;
} mcpd_http_options;

/**
 * Begins an exchange.
 *
 * \param options who asks; NULL for all defaults.
 * \param http gets the exchange. The caller frees it with mcpd_http_free.
 * \param error gets why the call failed; may be NULL.
 * \return MCPD_OK; MCPD_INVALID_ARGUMENT; MCPD_INVALID_UTF8; MCPD_INVALID_JSON for an option
 *     that ends in _json.
 */
mcpd_status mcpd_http_new(const mcpd_http_options *options,
                          mcpd_http **http,
                          mcpd_error **error);

/**
 * Gives the request to send now. Until mcpd_http_verdict has asked for another one it is always
 * the same.
 *
 * \param http the exchange.
 * \param post gets the request. It belongs to the exchange, and lives until mcpd_http_free.
 * \param error gets why the call failed; may be NULL.
 * \return MCPD_OK; MCPD_INVALID_ARGUMENT, also where the verdict was given; MCPD_OUT_OF_MEMORY.
 */
mcpd_status mcpd_http_request(mcpd_http *http,
                              const mcpd_http_post **post,
                              mcpd_error **error);

/**
 * Tells how the response to the request begins: once for each request, before its body.
 *
 * \param http the exchange.
 * \param status the HTTP status, 200 to 999; redirects may be followed before, where the program
 *     trusts them.
 * \param content_type the value of the Content-Type header; NULL if there is none. An event stream is
 *     only read as one if it says so.
 * \param error gets why the call failed; may be NULL.
 * \return MCPD_OK; MCPD_INVALID_ARGUMENT, also where it was told before, or the verdict was given.
 */
mcpd_status mcpd_http_status(mcpd_http *http,
                             int32_t status,
                             const char *content_type,
                             mcpd_error **error);

/**
 * Reads a piece of the response's body, after the content coding, such as gzip, is removed.
 *
 * \param http the exchange.
 * \param data the piece, of any size, cut anywhere; may be NULL if length is 0.
 * \param length how many bytes it has.
 * \param enough gets 1 if nothing more is needed, so that the response can be closed, which for an
 *     event stream may otherwise take for ever; 0 if the body should be read on.
 * \param error gets why the call failed; may be NULL.
 * \return MCPD_OK; MCPD_INVALID_ARGUMENT, also where mcpd_http_status was not called before.
 */
mcpd_status mcpd_http_feed(mcpd_http *http,
                           const char *data,
                           size_t length,
                           int32_t *enough,
                           mcpd_error **error);

/**
 * Ends the response, also one that is not waited for any longer, and gives the verdict; or asks
 * for one request more, where the server has named a version to ask with: at most one for each of
 * modern_versions.
 *
 * \param http the exchange.
 * \param verdict gets the verdict, which does not need the exchange any more, and which the caller
 *     frees with mcpd_verdict_free; or NULL with MCPD_OK, if mcpd_http_request now has another
 *     request.
 * \param error gets why the call failed; may be NULL.
 * \return MCPD_OK; MCPD_INVALID_ARGUMENT, also where mcpd_http_status was not called before, or
 *     the verdict was given; MCPD_OUT_OF_MEMORY.
 */
mcpd_status mcpd_http_verdict(mcpd_http *http, mcpd_verdict **verdict, mcpd_error **error);

/** Frees an exchange and the requests it gave, in whatever state it is. NULL is fine. */
void mcpd_http_free(mcpd_http *http);


/* Keeping the connection */

/**
 * A server that runs and is ready for use: a modern one has been sent no initialize, and may be
 * sent any request; a legacy one has been sent no server/discover, has answered initialize, and
 * has been sent notifications/initialized.
 *
 * The caller owns it, ends it with mcpd_connection_close or takes it over with
 * mcpd_connection_release, and frees it with mcpd_connection_free. Between the calls nothing of
 * the library runs: the caller reads and writes the descriptors, which are blocking and
 * close-on-exec, but leaves it to the library to close them and to reap the process. One thread
 * at a time may close, release or free it.
 *
 * The descriptors are pipes. To write to stdin_fd once the server has ended raises SIGPIPE, which
 * ends a program that neither ignores nor blocks it; if it does, write fails with EPIPE.
 *
 * With MCPD_STDERR_CAPTURE the caller has to read standard error too, for a server waits once the
 * pipe is full; the other modes spare that.
 */
typedef struct mcpd_connection {
    /** The size of this struct in the library that made it. */
    size_t struct_size;
    /** The protocol version to go on with. */
    mcpd_str version;
    /** The process id, and the number of its process group; 0 over descriptors of the caller's. */
    int64_t pid;
    /**
     * What was read from the server behind its last answer: it comes before whatever is read from
     * stdout_fd. It may end within a line. NULL if there is nothing.
     */
    const unsigned char *unread;
    /** How many bytes that is. */
    size_t unread_length;
    /**
     * How the server is spoken to: MCPD_ERA_MODERN or MCPD_ERA_LEGACY. It follows from version,
     * and is not that of the verdict where a modern server is spoken to in a legacy version.
     */
    mcpd_era era;
    /** What leads to the server's standard input; -1 once it is closed. */
    int32_t stdin_fd;
    /** What comes from its standard output; -1 once it is closed. */
    int32_t stdout_fd;
    /** What comes from its standard error; -1 if that is not captured, and once it is closed. */
    int32_t stderr_fd;
    /** Once it is closed: how the process ended. */
    mcpd_exit_kind exit_kind;
    /** Once it is closed: its exit code or the number of the signal, by exit_kind; else 0. */
    int32_t exit_value;
    /** Once it is closed: what it took to end it. */
    mcpd_shutdown shutdown;
    /** Always 0. */
    int32_t reserved;
} mcpd_connection;

/**
 * Starts a stdio server, asks it what it is as mcpd_probe_stdio does, and keeps it running if it
 * can be used. It blocks.
 *
 * The verdict is that of a probe. Where its next is MCPD_NEXT_USE_MODERN or MCPD_NEXT_INITIALIZE
 * there is a connection too. If the process that answered has been asked what stands in its way
 * it is ended, and another is started to be kept, which does not count against max_starts; a
 * legacy one is asked initialize within timeout_ms. Where that fails the verdict stands, has the
 * remark MCPD_REMARK_NOT_HANDED_OVER, and there is no connection. With MCPD_FALLBACK_NONE
 * initialize is never sent, so only modern connections come about. The process that is kept is
 * the last one of the verdict, with MCPD_SHUTDOWN_KEPT.
 *
 * With a verdict from before, the server is not asked what it is: a modern one is started and
 * kept, and a legacy one asked initialize, which the discover timeout limits. The verdict then
 * repeats the old one, with the new process and the new InitializeResult. If the server does not
 * answer initialize with a version of the client's, or has ended, it is probed as without prior,
 * and the verdict has the remark MCPD_REMARK_STALE_VERDICT. A prior that is not storable, or
 * whose version is not among those of options, is not used.
 *
 * \param options what to start; argv is required.
 * \param prior a verdict on the same command, such as one that was stored; may be NULL.
 * \param connection gets the connection, or NULL if there is none. The caller frees it with
 *     mcpd_connection_free.
 * \param verdict gets the verdict. The caller frees it with mcpd_verdict_free; the connection
 *     does not need it.
 * \param error gets why the call failed; may be NULL.
 * \return as mcpd_probe_stdio. If it fails nothing is left running.
 */
mcpd_status mcpd_connection_open(const mcpd_probe_options *options,
                                 const mcpd_verdict *prior,
                                 mcpd_connection **connection,
                                 mcpd_verdict **verdict,
                                 mcpd_error **error);

/**
 * Asks a server what it is over descriptors that the caller has opened, such as the pipes of a
 * container, a Unix socket or a TCP connection: messages are lines of JSON there too. It blocks.
 *
 * Nobody else may read or write them meanwhile. They are the caller's, stay open, and wait or do
 * not wait as before. Nothing is started: argv, env and cwd must be NULL, and what else of the
 * options is about processes counts for nothing. The verdict has one process, without exit and
 * with MCPD_SHUTDOWN_NONE; the end of from_server is MCPD_OUTCOME_STDOUT_CLOSED.
 *
 * Without connection, initialize is asked where server/discover proves nothing, as ever, and the
 * descriptors may be of no use afterwards. With connection, what is there can still be used:
 * nothing is asked after server/discover but server/discover. If the server is modern there is a
 * connection, with the caller's descriptors and what was read beyond the answer. Otherwise there
 * is none, and where server/discover proves nothing the verdict is that of MCPD_FALLBACK_NONE: a
 * conclusion. If its next is MCPD_NEXT_INITIALIZE, open new descriptors to a server that has seen
 * nothing yet, and call again with the verdict as prior.
 *
 * With prior, the server is not asked what it is. If the verdict's next is
 * MCPD_NEXT_USE_MODERN, nothing is sent at all; if it is MCPD_NEXT_INITIALIZE, initialize is asked
 * and confirms it, storable or not. If that fails the verdict says what this answer alone means.
 * A prior with another next, or a version that is not among those of options, is not used.
 *
 * \param options who asks, and how patiently.
 * \param to_server what to write to; regular files are refused.
 * \param from_server what to read from; it may be the same.
 * \param prior a verdict on the same server; may be NULL, and must be without connection.
 * \param connection gets the connection, or NULL if there is none; may be NULL. The caller frees
 *     it with mcpd_connection_free, which closes nothing.
 * \param verdict gets the verdict. The caller frees it with mcpd_verdict_free.
 * \param error gets why the call failed; may be NULL.
 * \return MCPD_OK; MCPD_CANCELLED; MCPD_OUT_OF_RESOURCES; MCPD_OUT_OF_MEMORY;
 *     MCPD_WRONG_PROCESS for cancel; MCPD_INVALID_ARGUMENT; MCPD_INVALID_UTF8; MCPD_INVALID_JSON
 *     for an option that ends in _json.
 */
mcpd_status mcpd_probe_descriptors(const mcpd_probe_options *options,
                                   int32_t to_server,
                                   int32_t from_server,
                                   const mcpd_verdict *prior,
                                   mcpd_connection **connection,
                                   mcpd_verdict **verdict,
                                   mcpd_error **error);

/**
 * Ends a server that was kept, as a probe ends one: its standard input is closed, then SIGTERM
 * comes, then SIGKILL, each to its process group; then it is reaped. What it still says is read
 * and dropped. Afterwards the connection tells how it ended, and its descriptors are -1. Over
 * descriptors of the caller's it does nothing but that: those stay open.
 *
 * It takes at most twice grace_ms, and some 2 seconds more; a cancel handle that is fired makes it
 * hurry, and does not make it fail. Threads that read the descriptors meanwhile come to the end
 * of the stream, or to an error.
 *
 * \param connection the connection.
 * \param grace_ms how long the server may take to exit after its standard input ends, and again
 *     after SIGTERM, in milliseconds; 0 is 2,000, and MCPD_NO_GRACE no time at all.
 * \param cancel makes the call hurry when it is fired; may be NULL.
 * \param error gets why the call failed; may be NULL.
 * \return MCPD_OK; MCPD_OUT_OF_RESOURCES, and the connection is as it was; MCPD_WRONG_PROCESS, for
 *     a connection or a handle that was made before a fork; MCPD_INVALID_ARGUMENT, also if it was
 *     closed or released before.
 */
mcpd_status mcpd_connection_close(mcpd_connection *connection,
                                  int64_t grace_ms,
                                  const mcpd_cancel *cancel,
                                  mcpd_error **error);

/**
 * Hands the process and its descriptors over to the caller for good: who closes them, ends the
 * process, and reaps it with waitpid. The connection only tells what they are from here on, and is
 * still to be freed.
 *
 * \param connection the connection.
 * \param error gets why the call failed; may be NULL.
 * \return MCPD_OK; MCPD_WRONG_PROCESS, for a connection that was made before a fork;
 *     MCPD_INVALID_ARGUMENT, also if it was closed or released before.
 */
mcpd_status mcpd_connection_release(mcpd_connection *connection, mcpd_error **error);

/**
 * Frees a connection. A server that was neither closed nor released is ended in a hurry, as that
 * of a cancelled call. In a forked child the server of the parent's is left alone, and only the
 * child's copies of the descriptors are closed. NULL is fine.
 */
void mcpd_connection_free(mcpd_connection *connection);


/* Any other transport */

/** What a negotiation wants done. */
typedef int32_t mcpd_step;

/**
 * Start a server, or connect to one that has seen nothing yet, and call
 * mcpd_negotiation_started.
 */
#define MCPD_STEP_START 0

/** Send the negotiation's line to the server. */
#define MCPD_STEP_SEND 1

/**
 * Wait for what the server says, for its end, or for the negotiation's deadline_ms. Pass on what
 * has come, by mcpd_negotiation_received or mcpd_negotiation_closed.
 */
#define MCPD_STEP_WAIT 2

/**
 * End the server, or the connection: close the side that sends, pass on what still comes, as
 * long as you care to wait for the end, and call mcpd_negotiation_closed.
 */
#define MCPD_STEP_CLOSE 3

/** Take the verdict, by mcpd_negotiation_verdict. Nothing is open any more. */
#define MCPD_STEP_FINISH 4

/**
 * The name of a step, such as "send"; "unrecognized" for a number that is none. Static; never
 * NULL.
 */
const char *mcpd_step_name(mcpd_step step);

/**
 * A negotiation with a server over a transport of the caller's: SSH, a WebSocket, a virtual
 * machine's socket, a test. It says what to do, the caller does it and tells what came of it,
 * and in the end there is the verdict that mcpd_probe_stdio would have given. It does no I/O,
 * starts nothing, and knows no clock but the caller's.
 *
 * \code
 * mcpd_negotiation *negotiation;
 * if (mcpd_negotiation_new(NULL, &negotiation, &error) != MCPD_OK) ...
 * while (mcpd_negotiation_next(negotiation, now_ms(), &error) == MCPD_OK) {
 *     if (negotiation->step == MCPD_STEP_START) {
 *         connect_to_the_server();
 *         mcpd_negotiation_started(negotiation, now_ms(), NULL);
 *     } else if (negotiation->step == MCPD_STEP_SEND) {
 *         send_all(negotiation->line.ptr, negotiation->line.len);
 *     } else if (negotiation->step == MCPD_STEP_WAIT) {
 *         // -1 where the time is up, 0 at the end of the stream
 *         length = receive_until(negotiation->deadline_ms, data, sizeof data);
 *         if (length > 0)
 *             mcpd_negotiation_received(negotiation, data, length, now_ms(), NULL);
 *         else if (length == 0)
 *             mcpd_negotiation_closed(negotiation, MCPD_OUTCOME_STDOUT_CLOSED, now_ms(), NULL);
 *     } else if (negotiation->step == MCPD_STEP_CLOSE) {
 *         close_the_connection();
 *         mcpd_negotiation_closed(negotiation, MCPD_OUTCOME_STDOUT_CLOSED, now_ms(), NULL);
 *     } else if (negotiation->step == MCPD_STEP_FINISH) {
 *         break;
 *     }
 * }
 * mcpd_negotiation_verdict(negotiation, since_1970_ms(), &verdict, &error);
 * mcpd_negotiation_free(negotiation);
 * \endcode
 *
 * Every call takes the time, in milliseconds by any clock that does not jump, such as
 * CLOCK_MONOTONIC; if it goes back nevertheless it counts as standing still. What has come from
 * the server is to be passed on before mcpd_negotiation_next is called: what the negotiation
 * does not know it takes for silence once a deadline has passed.
 *
 * The fields are set by mcpd_negotiation_new and mcpd_negotiation_next, and stay until the next
 * call. Use a negotiation on one thread at a time. The caller owns it; free it with
 * mcpd_negotiation_free, which may be done at any step.
 */
typedef struct mcpd_negotiation {
    /** The size of this struct in the library that made it. */
    size_t struct_size;
    /** What to do. */
    mcpd_step step;
    /** Always 0. */
    int32_t reserved;
    /**
     * With MCPD_STEP_SEND: a message with the line feed that ends it on a stream. Over a
     * transport that keeps messages apart, leave out the line feed, which is the last byte. Else
     * absent.
     */
    mcpd_str line;
    /**
     * With MCPD_STEP_WAIT: when mcpd_negotiation_next has to be called again at the latest, by
     * the caller's clock. Else 0.
     */
    int64_t deadline_ms;
} mcpd_negotiation;

/**
 * Makes a negotiation, whose first step is MCPD_STEP_START.
 *
 * \param options who asks, and how patiently, as for mcpd_probe_stdio: the fields about the
 *     client, the versions, the two timeouts, max_line_bytes, max_transcript_bytes, max_starts
 *     and fallback. argv, env and cwd must be NULL, and the others count for nothing. NULL for
 *     all defaults.
 * \param negotiation gets the negotiation. The caller frees it with mcpd_negotiation_free.
 * \param error gets why the call failed; may be NULL.
 * \return MCPD_OK; MCPD_INVALID_ARGUMENT; MCPD_INVALID_UTF8; MCPD_INVALID_JSON for an option
 *     that ends in _json; MCPD_OUT_OF_MEMORY.
 */
mcpd_status mcpd_negotiation_new(const mcpd_probe_options *options,
                                 mcpd_negotiation **negotiation,
                                 mcpd_error **error);

/**
 * Tells what to do, in the fields of the negotiation. Deadlines that have passed by now_ms are
 * passed. A call after MCPD_STEP_SEND means that the line was sent.
 *
 * \param negotiation the negotiation.
 * \param now_ms the time.
 * \param error gets why the call failed; may be NULL.
 * \return MCPD_OK; MCPD_INVALID_ARGUMENT, also once the verdict was taken.
 */
mcpd_status mcpd_negotiation_next(mcpd_negotiation *negotiation,
                                  int64_t now_ms,
                                  mcpd_error **error);

/**
 * Tells that a server has been started or connected to, at MCPD_STEP_START. It must have seen
 * nothing yet. The first call starts the clocks of the timeouts.
 *
 * \param negotiation the negotiation.
 * \param now_ms the time.
 * \param error gets why the call failed; may be NULL.
 * \return MCPD_OK; MCPD_INVALID_ARGUMENT, also at another step.
 */
mcpd_status mcpd_negotiation_started(mcpd_negotiation *negotiation,
                                     int64_t now_ms,
                                     mcpd_error **error);

/**
 * Passes on what has come from the server over a stream, cut anywhere. It may come at any time
 * between mcpd_negotiation_started and mcpd_negotiation_closed, and counts however late it is.
 *
 * \param negotiation the negotiation.
 * \param data the bytes. They need not end with NUL.
 * \param length how many there are.
 * \param now_ms the time.
 * \param error gets why the call failed; may be NULL.
 * \return MCPD_OK; MCPD_INVALID_ARGUMENT, also while no server is there.
 */
mcpd_status mcpd_negotiation_received(mcpd_negotiation *negotiation,
                                      const char *data,
                                      size_t length,
                                      int64_t now_ms,
                                      mcpd_error **error);

/**
 * As mcpd_negotiation_received, over a transport that keeps messages apart, such as a WebSocket:
 * the bytes are one whole message, which need not be one line.
 *
 * \param negotiation the negotiation.
 * \param data the message. It need not end with NUL.
 * \param length how many bytes it has.
 * \param now_ms the time.
 * \param error gets why the call failed; may be NULL.
 * \return MCPD_OK; MCPD_INVALID_ARGUMENT, also while no server is there.
 */
mcpd_status mcpd_negotiation_received_message(mcpd_negotiation *negotiation,
                                              const char *data,
                                              size_t length,
                                              int64_t now_ms,
                                              mcpd_error **error);

/**
 * Tells that the server will say no more: it has ended, the connection is closed or broken, a
 * line could not be sent, or at MCPD_STEP_CLOSE the caller has waited long enough. Pass on what
 * has come before that first.
 *
 * \param negotiation the negotiation.
 * \param how MCPD_OUTCOME_EXIT if the server's process is known to have exited, else
 *     MCPD_OUTCOME_STDOUT_CLOSED. It counts for the verdict's outcomes and its words alone.
 * \param now_ms the time. What passed since MCPD_STEP_CLOSE does not count against timeout_ms.
 * \param error gets why the call failed; may be NULL.
 * \return MCPD_OK; MCPD_INVALID_ARGUMENT, also while no server is there.
 */
mcpd_status mcpd_negotiation_closed(mcpd_negotiation *negotiation,
                                    mcpd_outcome how,
                                    int64_t now_ms,
                                    mcpd_error **error);

/**
 * Takes the verdict. Before MCPD_STEP_FINISH it is the verdict on a server that has not answered
 * in time. Afterwards the negotiation can only be freed.
 *
 * Each of the verdict's processes is a server that was started, with MCPD_EXIT_UNKNOWN and
 * MCPD_SHUTDOWN_NONE, for the library has not seen how it ended.
 *
 * \param negotiation the negotiation.
 * \param since_1970_ms the time in milliseconds since 1970-01-01 UTC, from which the verdict's
 *     received_at_ms is reckoned; 0 if it is not known, and received_at_ms is not set.
 * \param verdict gets the verdict. The caller frees it with mcpd_verdict_free; it does not need
 *     the negotiation.
 * \param error gets why the call failed; may be NULL.
 * \return MCPD_OK; MCPD_INVALID_ARGUMENT, also if the verdict was taken before;
 *     MCPD_OUT_OF_MEMORY.
 */
mcpd_status mcpd_negotiation_verdict(mcpd_negotiation *negotiation,
                                     int64_t since_1970_ms,
                                     mcpd_verdict **verdict,
                                     mcpd_error **error);

/** Frees a negotiation. NULL is fine. */
void mcpd_negotiation_free(mcpd_negotiation *negotiation);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* MCP_DISCOVER_H */
