/*
 * mcp-discover for C++17: the C library, with owners that free, texts, lists and exceptions.
 */
#ifndef MCP_DISCOVER_HPP
#define MCP_DISCOVER_HPP

#include "mcp_discover.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

/**
 * \file mcp_discover.hpp
 *
 * A thin face of mcp_discover.h for C++17 and later, in this header alone. What each function and
 * field means is said there, under the same name; here is how it looks from C++:
 *
 * - What the library makes is owned: a verdict or a reply frees itself, moves, and is not copied.
 * - What hangs off an owner is a view: small, copied at will, and valid as long as its owner.
 *   A text is a std::string_view, an absent one std::nullopt, and a list is a range.
 * - What goes in is a struct with defaults; std::nullopt, zero and an empty list are the default
 *   unless a field says otherwise. Nothing of it is kept.
 * - What fails throws mcpd::error. That a server fails is no error: a verdict tells it.
 * - Codes are enumerations that may hold numbers without a name, from later versions of the
 *   library: a switch needs a default.
 *
 * \code
 * mcpd::probe_options options;
 * options.argv = {"my-server", "--verbose"};
 * mcpd::verdict verdict = mcpd::probe(options);
 * std::cout << mcpd::name(verdict.era()) << ": " << verdict.summary() << '\n';
 * for (mcpd::remark remark : verdict.remarks())
 *     std::cout << mcpd::printable(remark.text()) << '\n';
 * \endcode
 *
 * An owner that was moved from may only be assigned to or destroyed. Threads may share owners and
 * views as the C header says of the objects behind them; get() gives those.
 */
namespace mcpd {

/** What a call came to. Whatever is not ok comes as an error. */
enum class status : std::int32_t {
    ok = MCPD_OK,
    invalid_argument = MCPD_INVALID_ARGUMENT,
    invalid_json = MCPD_INVALID_JSON,
    invalid_utf8 = MCPD_INVALID_UTF8,
    command_not_found = MCPD_COMMAND_NOT_FOUND,
    permission_denied = MCPD_PERMISSION_DENIED,
    start_failed = MCPD_START_FAILED,
    out_of_resources = MCPD_OUT_OF_RESOURCES,
    out_of_memory = MCPD_OUT_OF_MEMORY,
    cancelled = MCPD_CANCELLED,
    wrong_process = MCPD_WRONG_PROCESS,
    not_supported = MCPD_NOT_SUPPORTED,
    internal_error = MCPD_INTERNAL_ERROR,
    timed_out = MCPD_TIMED_OUT,
};

/** How a server is spoken to. */
enum class era : std::int32_t {
    unknown = MCPD_ERA_UNKNOWN,
    modern = MCPD_ERA_MODERN,
    legacy = MCPD_ERA_LEGACY,
    /** A name of a later version, in a verdict that was read from JSON. */
    unrecognized = MCPD_UNRECOGNIZED,
};

/** What is asked. */
enum class method : std::int32_t {
    discover = MCPD_METHOD_DISCOVER,
    initialize = MCPD_METHOD_INITIALIZE,
};

/** Who may be given a cached result. */
enum class cache_scope : std::int32_t {
    private_ = MCPD_CACHE_SCOPE_PRIVATE,
    public_ = MCPD_CACHE_SCOPE_PUBLIC,
};

/** What a remark is about. */
enum class remark_code : std::int32_t {
    missing_ttl = MCPD_REMARK_MISSING_TTL,
    malformed_ttl = MCPD_REMARK_MALFORMED_TTL,
    negative_ttl = MCPD_REMARK_NEGATIVE_TTL,
    fractional_ttl = MCPD_REMARK_FRACTIONAL_TTL,
    huge_ttl = MCPD_REMARK_HUGE_TTL,
    missing_cache_scope = MCPD_REMARK_MISSING_CACHE_SCOPE,
    malformed_cache_scope = MCPD_REMARK_MALFORMED_CACHE_SCOPE,
    unknown_cache_scope = MCPD_REMARK_UNKNOWN_CACHE_SCOPE,
    missing_server_info = MCPD_REMARK_MISSING_SERVER_INFO,
    misplaced_server_info = MCPD_REMARK_MISPLACED_SERVER_INFO,
    malformed_server_info = MCPD_REMARK_MALFORMED_SERVER_INFO,
    missing_result_type = MCPD_REMARK_MISSING_RESULT_TYPE,
    unknown_result_type = MCPD_REMARK_UNKNOWN_RESULT_TYPE,
    missing_capabilities = MCPD_REMARK_MISSING_CAPABILITIES,
    malformed_capabilities = MCPD_REMARK_MALFORMED_CAPABILITIES,
    missing_versions = MCPD_REMARK_MISSING_VERSIONS,
    malformed_versions = MCPD_REMARK_MALFORMED_VERSIONS,
    empty_versions = MCPD_REMARK_EMPTY_VERSIONS,
    malformed_instructions = MCPD_REMARK_MALFORMED_INSTRUCTIONS,
    malformed_meta = MCPD_REMARK_MALFORMED_META,
    malformed_error = MCPD_REMARK_MALFORMED_ERROR,
    malformed_supported = MCPD_REMARK_MALFORMED_SUPPORTED,
    missing_protocol_version = MCPD_REMARK_MISSING_PROTOCOL_VERSION,
    result_and_error = MCPD_REMARK_RESULT_AND_ERROR,
    no_result_or_error = MCPD_REMARK_NO_RESULT_OR_ERROR,
    malformed_result = MCPD_REMARK_MALFORMED_RESULT,
    noise = MCPD_REMARK_NOISE,
    byte_order_mark = MCPD_REMARK_BYTE_ORDER_MARK,
    crlf = MCPD_REMARK_CRLF,
    invalid_utf8 = MCPD_REMARK_INVALID_UTF8,
    utf16 = MCPD_REMARK_UTF16,
    lone_surrogate = MCPD_REMARK_LONE_SURROGATE,
    split_json = MCPD_REMARK_SPLIT_JSON,
    several_messages = MCPD_REMARK_SEVERAL_MESSAGES,
    missing_jsonrpc = MCPD_REMARK_MISSING_JSONRPC,
    null_id = MCPD_REMARK_NULL_ID,
    foreign_id = MCPD_REMARK_FOREIGN_ID,
    batch = MCPD_REMARK_BATCH,
    server_request = MCPD_REMARK_SERVER_REQUEST,
    echoed_request = MCPD_REMARK_ECHOED_REQUEST,
    content_length = MCPD_REMARK_CONTENT_LENGTH,
    late_reply = MCPD_REMARK_LATE_REPLY,
    unterminated_reply = MCPD_REMARK_UNTERMINATED_REPLY,
    line_too_long = MCPD_REMARK_LINE_TOO_LONG,
    too_deep = MCPD_REMARK_TOO_DEEP,
    retry_failed = MCPD_REMARK_RETRY_FAILED,
    terminated = MCPD_REMARK_TERMINATED,
    killed = MCPD_REMARK_KILLED,
    abandoned = MCPD_REMARK_ABANDONED,
    exited_early = MCPD_REMARK_EXITED_EARLY,
    stderr_truncated = MCPD_REMARK_STDERR_TRUNCATED,
    http_status = MCPD_REMARK_HTTP_STATUS,
    content_type = MCPD_REMARK_CONTENT_TYPE,
    stale_verdict = MCPD_REMARK_STALE_VERDICT,
    not_handed_over = MCPD_REMARK_NOT_HANDED_OVER,
    /** A name of a later version, in a verdict that was read from JSON. */
    unrecognized = MCPD_UNRECOGNIZED,
};

/** What a message is to the client that waits for an answer. */
enum class reply_kind : std::int32_t {
    unrelated = MCPD_REPLY_UNRELATED,
    discover = MCPD_REPLY_DISCOVER,
    initialize = MCPD_REPLY_INITIALIZE,
    rpc_error = MCPD_REPLY_RPC_ERROR,
    unusable = MCPD_REPLY_UNUSABLE,
};

/** What the client should do next. */
enum class next : std::int32_t {
    give_up = MCPD_NEXT_GIVE_UP,
    use_modern = MCPD_NEXT_USE_MODERN,
    initialize = MCPD_NEXT_INITIALIZE,
    correct_request = MCPD_NEXT_CORRECT_REQUEST,
    initialize_or_sse = MCPD_NEXT_INITIALIZE_OR_SSE,
    authorize = MCPD_NEXT_AUTHORIZE,
    retry = MCPD_NEXT_RETRY,
    /** A name of a later version, in a verdict that was read from JSON. */
    unrecognized = MCPD_UNRECOGNIZED,
};

/** What came of a request. */
enum class outcome : std::int32_t {
    not_asked = MCPD_OUTCOME_NOT_ASKED,
    result = MCPD_OUTCOME_RESULT,
    unusable = MCPD_OUTCOME_UNUSABLE,
    error = MCPD_OUTCOME_ERROR,
    silence = MCPD_OUTCOME_SILENCE,
    exit = MCPD_OUTCOME_EXIT,
    stdout_closed = MCPD_OUTCOME_STDOUT_CLOSED,
    /** A name of a later version, in a verdict that was read from JSON. */
    unrecognized = MCPD_UNRECOGNIZED,
};

/** How a process ended. */
enum class exit_kind : std::int32_t {
    unknown = MCPD_EXIT_UNKNOWN,
    code = MCPD_EXIT_CODE,
    signal = MCPD_EXIT_SIGNAL,
};

/** What it took to end a process. */
enum class shutdown : std::int32_t {
    none = MCPD_SHUTDOWN_NONE,
    exited = MCPD_SHUTDOWN_EXITED,
    stdin_closed = MCPD_SHUTDOWN_STDIN_CLOSED,
    terminated = MCPD_SHUTDOWN_TERMINATED,
    killed = MCPD_SHUTDOWN_KILLED,
    abandoned = MCPD_SHUTDOWN_ABANDONED,
    kept = MCPD_SHUTDOWN_KEPT,
    /** A name of a later version, in a verdict that was read from JSON. */
    unrecognized = MCPD_UNRECOGNIZED,
};

/** Who said a piece of a transcript. */
enum class direction : std::int32_t {
    to_server = MCPD_DIRECTION_TO_SERVER,
    from_server = MCPD_DIRECTION_FROM_SERVER,
    /** A name of a later version, in a verdict that was read from JSON. */
    unrecognized = MCPD_UNRECOGNIZED,
};

/** What to do where server/discover proves nothing. */
enum class fallback : std::int32_t {
    initialize = MCPD_FALLBACK_INITIALIZE,
    none = MCPD_FALLBACK_NONE,
};

/** What a server's environment is made from. */
enum class env_mode : std::int32_t {
    inherit = MCPD_ENV_INHERIT,
    exact = MCPD_ENV_EXACT,
};

/** What becomes of a server's standard error. */
enum class stderr_mode : std::int32_t {
    capture = MCPD_STDERR_CAPTURE,
    inherit = MCPD_STDERR_INHERIT,
    discard = MCPD_STDERR_DISCARD,
};

/** What a negotiation wants done. */
enum class step : std::int32_t {
    start = MCPD_STEP_START,
    send = MCPD_STEP_SEND,
    wait = MCPD_STEP_WAIT,
    close = MCPD_STEP_CLOSE,
    finish = MCPD_STEP_FINISH,
};

/** The name of a code, as the C library has it; "unrecognized" for a number that it does not know. */
inline std::string_view name(status code) { return mcpd_status_name(static_cast<mcpd_status>(code)); }
/** As above. */
inline std::string_view name(era code) { return mcpd_era_name(static_cast<mcpd_era>(code)); }
/** As above. */
inline std::string_view name(cache_scope code) { return mcpd_cache_scope_name(static_cast<mcpd_cache_scope>(code)); }
/** As above. */
inline std::string_view name(remark_code code) { return mcpd_remark_name(static_cast<mcpd_remark_code>(code)); }
/** As above. */
inline std::string_view name(reply_kind code) { return mcpd_reply_kind_name(static_cast<mcpd_reply_kind>(code)); }
/** As above. */
inline std::string_view name(next code) { return mcpd_next_name(static_cast<mcpd_next>(code)); }
/** As above. */
inline std::string_view name(outcome code) { return mcpd_outcome_name(static_cast<mcpd_outcome>(code)); }
/** As above. */
inline std::string_view name(exit_kind code) { return mcpd_exit_kind_name(static_cast<mcpd_exit_kind>(code)); }
/** As above. */
inline std::string_view name(shutdown code) { return mcpd_shutdown_name(static_cast<mcpd_shutdown>(code)); }
/** As above. */
inline std::string_view name(direction code) { return mcpd_direction_name(static_cast<mcpd_direction>(code)); }
/** As above. */
inline std::string_view name(step code) { return mcpd_step_name(static_cast<mcpd_step>(code)); }

/** What a remark's code says of a server, as one English sentence. */
inline std::string_view sentence(remark_code code) { return mcpd_remark_sentence(static_cast<mcpd_remark_code>(code)); }

/** A span of time as the library measures it. */
using milliseconds = std::chrono::duration<double, std::milli>;

/** A moment as the library notes it. */
using time_point = std::chrono::time_point<std::chrono::system_clock, std::chrono::milliseconds>;

/** Why a call failed. Copies share what they tell. */
class error : public std::exception {
    struct details {
        mcpd::status status;
        std::string message;
        std::optional<std::string> argument;
        std::optional<std::size_t> offset;
    };
    std::shared_ptr<const details> details_;

public:
    error(mcpd::status status, std::string message, std::optional<std::string> argument,
          std::optional<std::size_t> offset)
        : details_(std::make_shared<const details>(details{status, std::move(message), std::move(argument), offset}))
    {
    }

    const char *what() const noexcept override { return details_->message.c_str(); }
    mcpd::status status() const noexcept { return details_->status; }
    /** The parameter or option at fault, by its name in C, such as "client_icons_json" or "env[2]". */
    const std::optional<std::string> &argument() const noexcept { return details_->argument; }
    /** Where in that text, in bytes. */
    std::optional<std::size_t> offset() const noexcept { return details_->offset; }
};

/** What the classes below are made with; not for use. */
namespace detail {

inline std::optional<std::string_view> optional(mcpd_str text) noexcept
{
    if (text.ptr == nullptr)
        return std::nullopt;
    return std::string_view(text.ptr, text.len);
}

inline std::string_view present(mcpd_str text) noexcept
{
    return {text.ptr, text.len};
}

template <class View> std::optional<View> optional(const typename View::c_type *raw) noexcept
{
    if (raw == nullptr)
        return std::nullopt;
    return View(raw);
}

/** Why a call failed, from what the library says of it. */
inline error error_of(mcpd_status status, const mcpd_error *raw)
{
    if (raw == nullptr)
        return {mcpd::status(status), mcpd_status_name(status), std::nullopt, std::nullopt};
    std::optional<std::string> argument(optional(raw->argument));
    std::optional<std::size_t> offset;
    if (raw->offset >= 0)
        offset = static_cast<std::size_t>(raw->offset);
    return {mcpd::status(status), std::string(present(raw->message)), std::move(argument), offset};
}

/** Throws what a call reported. */
inline void check(mcpd_status status, mcpd_error *raw)
{
    const std::unique_ptr<mcpd_error, decltype(&mcpd_error_free)> owner(raw, mcpd_error_free);
    if (status != MCPD_OK)
        throw error_of(status, raw);
}

/** Makes a call that gives nothing but a status. */
template <class Call> void done_by(Call call)
{
    mcpd_error *error = nullptr;
    const mcpd_status status = call(&error);
    check(status, error);
}

/** The address of a text, which an empty one may not have, though the C functions want one. */
inline const char *address(std::string_view data) noexcept
{
    return data.empty() ? "" : data.data();
}

/** What a call made. */
template <class C, class Call> C *made_by(Call call)
{
    C *made = nullptr;
    mcpd_error *error = nullptr;
    const mcpd_status status = call(&made, &error);
    check(status, error);
    return made;
}

/** The text that a call made. */
template <class Call> std::string text_by(Call call)
{
    const std::unique_ptr<mcpd_text, decltype(&mcpd_text_free)> text(made_by<mcpd_text>(call), mcpd_text_free);
    return std::string(present(text->text));
}

/** A text for C, which would not see what stands behind a NUL. */
inline const char *to_c(const std::string &text, const std::string &argument)
{
    const std::size_t nul = text.find('\0');
    if (nul != std::string::npos)
        throw error(status::invalid_argument, argument + ": expected no NUL, which byte " + std::to_string(nul) + " is",
                    argument, nul);
    return text.c_str();
}

inline const char *to_c(const std::optional<std::string> &text, const std::string &argument)
{
    return text ? to_c(*text, argument) : nullptr;
}

/** A list of texts for C, which ends with NULL. */
class c_list {
    std::vector<const char *> pointers_;

public:
    c_list(const std::vector<std::string> &texts, const std::string &argument)
    {
        pointers_.reserve(texts.size() + 1);
        for (const std::string &text : texts)
            pointers_.push_back(to_c(text, argument + '[' + std::to_string(pointers_.size()) + ']'));
        pointers_.push_back(nullptr);
    }
    c_list(const std::optional<std::vector<std::string>> &texts, const std::string &argument)
    {
        if (texts)
            *this = c_list(*texts, argument);
    }
    const char *const *get() const noexcept { return pointers_.empty() ? nullptr : pointers_.data(); }
};

/** What an object of the library's looks like. */
template <class C> class view {
    const C *raw_;

public:
    using c_type = C;
    explicit view(const C *raw) noexcept : raw_(raw) {}
    /** The object of the C library. */
    const C *get() const noexcept { return raw_; }
};

/** An object of the library's, until it goes. */
template <class C, void (*Free)(C *)> class owner {
    struct freeing {
        void operator()(C *raw) const noexcept { Free(raw); }
    };
    std::unique_ptr<C, freeing> raw_;

public:
    using c_type = C;
    /** Takes over an object of the C library. */
    explicit owner(C *raw) noexcept : raw_(raw) {}
    /** The object of the C library. */
    C *get() const noexcept { return raw_.get(); }
    /** Gives up the object of the C library: the caller frees it. */
    C *release() noexcept { return raw_.release(); }
};

} // namespace detail

/** A member of a JSON object. */
struct member {
    std::string_view name;
    /** The value, as JSON. */
    std::string_view json;
};

/** A header of an HTTP request. */
struct http_header {
    std::string_view name;
    std::string_view value;
};

namespace detail {

/** How C has the elements of a list. */
template <class T> struct element {
    using c_type = const typename T::c_type *;
    static T of(c_type raw) noexcept { return T(raw); }
};
template <> struct element<std::string_view> {
    using c_type = mcpd_str;
    static std::string_view of(mcpd_str raw) noexcept { return {raw.ptr, raw.len}; }
};
template <> struct element<member> {
    using c_type = mcpd_member;
    static member of(const mcpd_member &raw) noexcept { return {present(raw.name), present(raw.json)}; }
};
template <> struct element<http_header> {
    using c_type = mcpd_http_header;
    static http_header of(const mcpd_http_header &raw) noexcept { return {present(raw.name), present(raw.value)}; }
};

} // namespace detail

/** A list that hangs off an owner: a range of values. */
template <class T> class list {
    using c_type = typename detail::element<T>::c_type;
    const c_type *data_ = nullptr;
    std::size_t size_ = 0;

public:
    /** Walks the list; what it gives are values, so they may outlive it. */
    class iterator {
        const c_type *at_ = nullptr;

    public:
        using value_type = T;
        using difference_type = std::ptrdiff_t;
        using reference = T;
        using pointer = void;
        using iterator_category = std::input_iterator_tag;
        using iterator_concept = std::forward_iterator_tag;

        iterator() = default;
        explicit iterator(const c_type *at) noexcept : at_(at) {}
        T operator*() const noexcept { return detail::element<T>::of(*at_); }
        iterator &operator++() noexcept
        {
            ++at_;
            return *this;
        }
        iterator operator++(int) noexcept { return iterator(at_++); }
        friend bool operator==(iterator a, iterator b) noexcept { return a.at_ == b.at_; }
        friend bool operator!=(iterator a, iterator b) noexcept { return a.at_ != b.at_; }
    };
    using value_type = T;
    using const_iterator = iterator;

    list() = default;
    list(const c_type *data, std::size_t size) noexcept : data_(data), size_(size) {}
    iterator begin() const noexcept { return iterator(data_); }
    iterator end() const noexcept { return iterator(data_ + size_); }
    std::size_t size() const noexcept { return size_; }
    bool empty() const noexcept { return size_ == 0; }
    T operator[](std::size_t at) const noexcept { return detail::element<T>::of(data_[at]); }
};

/** An icon of a program; see mcpd_icon. */
class icon : public detail::view<mcpd_icon> {
public:
    using view::view;
    std::string_view src() const noexcept { return detail::present(get()->src); }
    std::optional<std::string_view> mime_type() const noexcept { return detail::optional(get()->mime_type); }
    list<std::string_view> sizes() const noexcept { return {get()->sizes, get()->sizes_count}; }
    std::optional<std::string_view> theme() const noexcept { return detail::optional(get()->theme); }
};

/** Who a server says it is, which nobody has checked; see mcpd_implementation. */
class implementation : public detail::view<mcpd_implementation> {
public:
    using view::view;
    std::optional<std::string_view> name() const noexcept { return detail::optional(get()->name); }
    std::optional<std::string_view> version() const noexcept { return detail::optional(get()->version); }
    std::optional<std::string_view> title() const noexcept { return detail::optional(get()->title); }
    std::optional<std::string_view> description() const noexcept { return detail::optional(get()->description); }
    std::optional<std::string_view> website_url() const noexcept { return detail::optional(get()->website_url); }
    list<icon> icons() const noexcept { return {get()->icons, get()->icons_count}; }
};

/** What a server can do; see mcpd_server_capabilities. */
class server_capabilities : public detail::view<mcpd_server_capabilities> {
public:
    using view::view;
    bool tools() const noexcept { return get()->tools != 0; }
    bool tools_list_changed() const noexcept { return get()->tools_list_changed != 0; }
    bool resources() const noexcept { return get()->resources != 0; }
    bool resources_subscribe() const noexcept { return get()->resources_subscribe != 0; }
    bool resources_list_changed() const noexcept { return get()->resources_list_changed != 0; }
    bool prompts() const noexcept { return get()->prompts != 0; }
    bool prompts_list_changed() const noexcept { return get()->prompts_list_changed != 0; }
    bool completions() const noexcept { return get()->completions != 0; }
    bool logging() const noexcept { return get()->logging != 0; }
    list<member> extensions() const noexcept { return {get()->extensions, get()->extensions_count}; }
    list<member> experimental() const noexcept { return {get()->experimental, get()->experimental_count}; }
    std::string_view json() const noexcept { return detail::present(get()->json); }
};

/** The answer to server/discover; see mcpd_discover_result. */
class discover_result : public detail::view<mcpd_discover_result> {
public:
    using view::view;
    std::optional<std::string_view> result_type() const noexcept { return detail::optional(get()->result_type); }
    list<std::string_view> supported_versions() const noexcept
    {
        return {get()->supported_versions, get()->supported_versions_count};
    }
    std::optional<server_capabilities> capabilities() const noexcept
    {
        return detail::optional<server_capabilities>(get()->capabilities);
    }
    std::optional<implementation> server() const noexcept { return detail::optional<implementation>(get()->server); }
    std::optional<std::string_view> instructions() const noexcept { return detail::optional(get()->instructions); }
    std::optional<std::chrono::milliseconds> ttl() const noexcept
    {
        if (get()->has_ttl_ms == 0)
            return std::nullopt;
        return std::chrono::milliseconds(get()->ttl_ms);
    }
    /** cache_scope::private_ stands for an absent one too, see has_cache_scope. */
    mcpd::cache_scope cache_scope() const noexcept { return mcpd::cache_scope(get()->cache_scope); }
    bool has_cache_scope() const noexcept { return get()->has_cache_scope != 0; }
    std::optional<std::string_view> meta_json() const noexcept { return detail::optional(get()->meta_json); }
    std::string_view json() const noexcept { return detail::present(get()->json); }
};

/** The answer to initialize; see mcpd_initialize_result. */
class initialize_result : public detail::view<mcpd_initialize_result> {
public:
    using view::view;
    std::string_view protocol_version() const noexcept { return detail::present(get()->protocol_version); }
    std::optional<server_capabilities> capabilities() const noexcept
    {
        return detail::optional<server_capabilities>(get()->capabilities);
    }
    std::optional<implementation> server() const noexcept { return detail::optional<implementation>(get()->server); }
    std::optional<std::string_view> instructions() const noexcept { return detail::optional(get()->instructions); }
    std::optional<std::string_view> meta_json() const noexcept { return detail::optional(get()->meta_json); }
    std::string_view json() const noexcept { return detail::present(get()->json); }
};

/** A JSON-RPC error, as a server sent it; see mcpd_rpc_error. */
class rpc_error : public detail::view<mcpd_rpc_error> {
public:
    using view::view;
    static constexpr std::int64_t header_mismatch = MCPD_RPC_HEADER_MISMATCH;
    static constexpr std::int64_t missing_required_client_capability = MCPD_RPC_MISSING_REQUIRED_CLIENT_CAPABILITY;
    static constexpr std::int64_t unsupported_protocol_version = MCPD_RPC_UNSUPPORTED_PROTOCOL_VERSION;

    std::int64_t code() const noexcept { return get()->code; }
    std::optional<std::string_view> message() const noexcept { return detail::optional(get()->message); }
    std::optional<std::string_view> data_json() const noexcept { return detail::optional(get()->data_json); }
    list<std::string_view> supported() const noexcept { return {get()->supported, get()->supported_count}; }
    std::optional<std::string_view> requested() const noexcept { return detail::optional(get()->requested); }
    std::optional<std::string_view> required_capabilities_json() const noexcept
    {
        return detail::optional(get()->required_capabilities_json);
    }
    std::string_view json() const noexcept { return detail::present(get()->json); }
};

/** Something odd that a server did; see mcpd_remark. */
class remark : public detail::view<mcpd_remark> {
public:
    using view::view;
    remark_code code() const noexcept { return remark_code(get()->code); }
    std::string_view text() const noexcept { return detail::present(get()->text); }
};

/** A process that was started for a probe; see mcpd_process. */
class process : public detail::view<mcpd_process> {
public:
    using view::view;
    mcpd::exit_kind exit_kind() const noexcept { return mcpd::exit_kind(get()->exit_kind); }
    int exit_value() const noexcept { return get()->exit_value; }
    mcpd::shutdown shutdown() const noexcept { return mcpd::shutdown(get()->shutdown); }
    std::uint64_t bytes_received() const noexcept { return get()->bytes_received; }
    std::uint64_t skipped_lines() const noexcept { return get()->skipped_lines; }
    list<std::string_view> skipped_sample() const noexcept
    {
        return {get()->skipped_sample, get()->skipped_sample_count};
    }
    std::string_view stderr_tail() const noexcept { return detail::present(get()->stderr_tail); }
};

/** Bytes that went over a pipe; see mcpd_transcript_entry. */
class transcript_entry : public detail::view<mcpd_transcript_entry> {
public:
    using view::view;
    /** When, since the start of the first process. */
    milliseconds at() const noexcept { return milliseconds(get()->at_ms); }
    /** An index into the verdict's processes. */
    std::size_t process() const noexcept { return static_cast<std::size_t>(get()->process); }
    mcpd::direction direction() const noexcept { return mcpd::direction(get()->direction); }
    /** The bytes, whatever they are. */
    std::string_view data() const noexcept { return {reinterpret_cast<const char *>(get()->data), get()->length}; }
};

/** A message from a server, read; see mcpd_reply. */
class reply : public detail::owner<mcpd_reply, mcpd_reply_free> {
public:
    using owner::owner;
    reply_kind kind() const noexcept { return reply_kind(get()->kind); }
    std::optional<discover_result> discover() const noexcept
    {
        return detail::optional<discover_result>(get()->discover);
    }
    std::optional<initialize_result> initialize() const noexcept
    {
        return detail::optional<initialize_result>(get()->initialize);
    }
    std::optional<mcpd::rpc_error> rpc_error() const noexcept
    {
        return detail::optional<mcpd::rpc_error>(get()->rpc_error);
    }
    std::string_view json() const noexcept { return detail::present(get()->json); }
    list<remark> remarks() const noexcept { return {get()->remarks, get()->remarks_count}; }
};

/** What a server is, what to do next, and why; see mcpd_verdict. */
class verdict_view : public detail::view<mcpd_verdict> {
public:
    using view::view;
    mcpd::era era() const noexcept { return mcpd::era(get()->era); }
    mcpd::next next() const noexcept { return mcpd::next(get()->next); }
    std::optional<std::string_view> version() const noexcept { return detail::optional(get()->version); }
    bool confirmed() const noexcept { return get()->confirmed != 0; }
    bool storable() const noexcept { return get()->storable != 0; }
    outcome discover_outcome() const noexcept { return outcome(get()->discover_outcome); }
    outcome initialize_outcome() const noexcept { return outcome(get()->initialize_outcome); }
    std::string_view summary() const noexcept { return detail::present(get()->summary); }
    /** When the last answer that counted arrived. */
    std::optional<time_point> received_at() const noexcept
    {
        if (get()->has_received_at_ms == 0)
            return std::nullopt;
        return time_point(std::chrono::milliseconds(get()->received_at_ms));
    }
    int starts() const noexcept { return get()->starts; }
    std::optional<implementation> server() const noexcept { return detail::optional<implementation>(get()->server); }
    std::optional<server_capabilities> capabilities() const noexcept
    {
        return detail::optional<server_capabilities>(get()->capabilities);
    }
    std::optional<std::string_view> instructions() const noexcept { return detail::optional(get()->instructions); }
    list<std::string_view> supported_versions() const noexcept
    {
        return {get()->supported_versions, get()->supported_versions_count};
    }
    std::optional<discover_result> discover() const noexcept
    {
        return detail::optional<discover_result>(get()->discover);
    }
    std::optional<initialize_result> initialize() const noexcept
    {
        return detail::optional<initialize_result>(get()->initialize);
    }
    std::optional<rpc_error> discover_error() const noexcept
    {
        return detail::optional<rpc_error>(get()->discover_error);
    }
    std::optional<rpc_error> initialize_error() const noexcept
    {
        return detail::optional<rpc_error>(get()->initialize_error);
    }
    list<remark> remarks() const noexcept { return {get()->remarks, get()->remarks_count}; }
    list<process> processes() const noexcept { return {get()->processes, get()->processes_count}; }
    /** From the start of the first process to the end of the last. */
    milliseconds elapsed() const noexcept { return milliseconds(get()->elapsed_ms); }
    /** From the start of the first process to the last answer that counted. */
    std::optional<milliseconds> reply_time() const noexcept
    {
        if (get()->has_reply_ms == 0)
            return std::nullopt;
        return milliseconds(get()->reply_ms);
    }
    list<transcript_entry> transcript() const noexcept { return {get()->transcript, get()->transcript_count}; }
    bool transcript_truncated() const noexcept { return get()->transcript_truncated != 0; }

    /** Whether what the server said of itself is still fresh; see mcpd_verdict_is_fresh. */
    bool is_fresh(std::chrono::system_clock::time_point now = std::chrono::system_clock::now()) const noexcept
    {
        const auto since_1970 = std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch());
        return mcpd_verdict_is_fresh(get(), since_1970.count()) != 0;
    }

    /** The verdict as one line of JSON. */
    std::string to_json() const
    {
        return detail::text_by([this](auto json, auto error) { return mcpd_verdict_to_json(get(), json, error); });
    }
};

/** A verdict that frees itself. It may be used wherever a view of one is wanted. */
class verdict : public verdict_view {
    struct freeing {
        void operator()(mcpd_verdict *raw) const noexcept { mcpd_verdict_free(raw); }
    };
    std::unique_ptr<mcpd_verdict, freeing> owner_;

public:
    /** Takes over an object of the C library. */
    explicit verdict(mcpd_verdict *raw) noexcept : verdict_view(raw), owner_(raw) {}
    /** Gives up the object of the C library: the caller frees it. */
    mcpd_verdict *release() noexcept { return owner_.release(); }

    /** Reads a verdict back from its JSON, also from that of a later version; see mcpd_verdict_from_json. */
    static verdict from_json(std::string_view json)
    {
        return verdict(detail::made_by<mcpd_verdict>(
            [=](auto made, auto error) { return mcpd_verdict_from_json(detail::address(json), json.size(), made, error); }));
    }
};

/** A switch that stops blocking calls; see mcpd_cancel. It has to live as long as a call has it. */
class cancel : public detail::owner<mcpd_cancel, mcpd_cancel_free> {
public:
    cancel() : owner(detail::made_by<mcpd_cancel>(mcpd_cancel_new)) {}
    /** Fires it, for good. This is async-signal-safe, so it gives a status and throws nothing. */
    status fire() const noexcept { return status(mcpd_cancel_fire(get())); }
};

/** The id of a request; the default is by the method, in a reply_options any id. */
using request_id = std::variant<std::monostate, std::int64_t, std::string>;

/** Who asks. */
struct client_info {
    std::string name{};
    std::string version{};
    std::optional<std::string> title{};
    std::optional<std::string> description{};
    std::optional<std::string> website_url{};
    /** Icons, as JSON: an array. */
    std::optional<std::string> icons_json{};
};

/** What request to build; see mcpd_request_options. */
struct request_options {
    mcpd::method method = mcpd::method::discover;
    request_id id{};
    std::optional<std::string> protocol_version{};
    std::optional<client_info> client{};
    std::optional<std::string> client_capabilities_json{};
    std::optional<std::string> log_level{};
    std::optional<std::string> meta_json{};
};

/** Which request a reply should answer; see mcpd_reply_options. */
struct reply_options {
    mcpd::method method = mcpd::method::discover;
    request_id id{};
};

/** For probe_options::grace: no time at all. */
inline constexpr std::chrono::milliseconds no_grace{MCPD_NO_GRACE};

/** What to probe, and how; see mcpd_probe_options. */
struct probe_options {
    /** The program and its arguments; required. */
    std::vector<std::string> argv{};
    std::vector<std::string> env{};
    std::optional<std::string> cwd{};
    std::optional<client_info> client{};
    std::optional<std::string> client_capabilities_json{};
    /** Stops the call when it is fired. */
    const mcpd::cancel *cancel = nullptr;
    std::optional<std::vector<std::string>> modern_versions{};
    /** An empty list is a modern-only client. */
    std::optional<std::vector<std::string>> legacy_versions{};
    std::chrono::milliseconds timeout{0};
    std::chrono::milliseconds discover_timeout{0};
    std::chrono::milliseconds grace{0};
    std::size_t max_line_bytes = 0;
    std::size_t max_stderr_bytes = 0;
    std::size_t max_transcript_bytes = 0;
    std::int32_t max_starts = 0;
    mcpd::fallback fallback = mcpd::fallback::initialize;
    mcpd::env_mode env_mode = mcpd::env_mode::inherit;
    mcpd::stderr_mode stderr_mode = mcpd::stderr_mode::capture;
};

namespace detail {

template <class C> void set_id(C &raw, const request_id &id)
{
    if (const auto *integer = std::get_if<std::int64_t>(&id)) {
        raw.id_kind = MCPD_ID_INTEGER;
        raw.id_integer = *integer;
    } else if (const auto *string = std::get_if<std::string>(&id)) {
        raw.id_kind = MCPD_ID_STRING;
        raw.id_string = to_c(*string, "id_string");
    } else {
        raw.id_kind = MCPD_ID_DEFAULT;
    }
}

template <class C> void set_client(C &raw, const std::optional<client_info> &client)
{
    if (!client)
        return;
    raw.client_name = to_c(client->name, "client_name");
    raw.client_version = to_c(client->version, "client_version");
    raw.client_title = to_c(client->title, "client_title");
    raw.client_description = to_c(client->description, "client_description");
    raw.client_website_url = to_c(client->website_url, "client_website_url");
    raw.client_icons_json = to_c(client->icons_json, "client_icons_json");
}

/** The options for C, which point into those for C++. */
class c_probe_options {
    c_list argv_;
    c_list env_;
    c_list modern_versions_;
    c_list legacy_versions_;
    mcpd_probe_options raw_{};

public:
    explicit c_probe_options(const probe_options &options)
        : argv_(options.argv, "argv"), env_(options.env, "env"),
          modern_versions_(options.modern_versions, "modern_versions"),
          legacy_versions_(options.legacy_versions, "legacy_versions")
    {
        raw_.struct_size = sizeof raw_;
        raw_.argv = options.argv.empty() ? nullptr : argv_.get();
        raw_.env = options.env.empty() ? nullptr : env_.get();
        raw_.cwd = to_c(options.cwd, "cwd");
        set_client(raw_, options.client);
        raw_.client_capabilities_json = to_c(options.client_capabilities_json, "client_capabilities_json");
        raw_.cancel = options.cancel != nullptr ? options.cancel->get() : nullptr;
        raw_.modern_versions = modern_versions_.get();
        raw_.legacy_versions = legacy_versions_.get();
        raw_.timeout_ms = options.timeout.count();
        raw_.discover_timeout_ms = options.discover_timeout.count();
        raw_.grace_ms = options.grace.count();
        raw_.max_line_bytes = options.max_line_bytes;
        raw_.max_stderr_bytes = options.max_stderr_bytes;
        raw_.max_transcript_bytes = options.max_transcript_bytes;
        raw_.max_starts = options.max_starts;
        raw_.fallback = static_cast<mcpd_fallback>(options.fallback);
        raw_.env_mode = static_cast<mcpd_env_mode>(options.env_mode);
        raw_.stderr_mode = static_cast<mcpd_stderr_mode>(options.stderr_mode);
    }
    c_probe_options(const c_probe_options &) = delete;
    c_probe_options &operator=(const c_probe_options &) = delete;
    const mcpd_probe_options *get() const noexcept { return &raw_; }
};

} // namespace detail

/** The version of the library that is loaded, such as "0.1.0". */
inline std::string_view library_version() { return mcpd_version(); }

/** The MCPD_ABI_VERSION of the library that is loaded. */
inline std::int32_t abi_version() noexcept { return mcpd_abi_version(); }

/** A copy of a text that is safe to print; see mcpd_text_printable. */
inline std::string printable(std::string_view text)
{
    return detail::text_by(
        [=](auto copy, auto error) { return mcpd_text_printable(text.data(), text.size(), copy, error); });
}

/** The era of a protocol version; see mcpd_version_era. */
inline era version_era(const std::string &version)
{
    return era(mcpd_version_era(detail::to_c(version, "version")));
}

/** The modern protocol versions that the library knows, best first. */
inline std::vector<std::string_view> modern_versions()
{
    std::vector<std::string_view> versions;
    for (const char *const *version = mcpd_versions_modern(); *version != nullptr; ++version)
        versions.emplace_back(*version);
    return versions;
}

/** The legacy protocol versions that the library knows, best first. */
inline std::vector<std::string_view> legacy_versions()
{
    std::vector<std::string_view> versions;
    for (const char *const *version = mcpd_versions_legacy(); *version != nullptr; ++version)
        versions.emplace_back(*version);
    return versions;
}

/**
 * The best protocol version that both sides speak, if there is one; see mcpd_versions_select.
 *
 * \param named a range of the versions that the server names.
 * \param modern the client's modern versions; the library's by default.
 * \param legacy the client's legacy versions; the library's by default.
 */
template <class Range>
std::optional<std::string> select_version(const Range &named,
                                          const std::optional<std::vector<std::string>> &modern = std::nullopt,
                                          const std::optional<std::vector<std::string>> &legacy = std::nullopt)
{
    std::vector<mcpd_str> texts;
    for (std::string_view version : named)
        texts.push_back({version.data(), version.size()});
    const detail::c_list modern_list(modern, "modern");
    const detail::c_list legacy_list(legacy, "legacy");
    const char *version = nullptr;
    mcpd_error *error = nullptr;
    const mcpd_status status = mcpd_versions_select(modern_list.get(), legacy_list.get(), texts.data(), texts.size(),
                                                    &version, &error);
    detail::check(status, error);
    if (version == nullptr)
        return std::nullopt;
    return version;
}

/** The request that opens a connection, on one line without its end; see mcpd_request_build. */
inline std::string build_request(const request_options &options = {})
{
    mcpd_request_options raw{};
    raw.struct_size = sizeof raw;
    raw.method = static_cast<mcpd_method>(options.method);
    detail::set_id(raw, options.id);
    raw.protocol_version = detail::to_c(options.protocol_version, "protocol_version");
    detail::set_client(raw, options.client);
    raw.client_capabilities_json = detail::to_c(options.client_capabilities_json, "client_capabilities_json");
    raw.log_level = detail::to_c(options.log_level, "log_level");
    raw.meta_json = detail::to_c(options.meta_json, "meta_json");
    return detail::text_by([&](auto request, auto error) { return mcpd_request_build(&raw, request, error); });
}

/** Reads a message from a server: a line, or the body of a response; see mcpd_reply_parse. */
inline reply parse_reply(std::string_view data, const reply_options &options = {})
{
    mcpd_reply_options raw{};
    raw.struct_size = sizeof raw;
    raw.method = static_cast<mcpd_method>(options.method);
    detail::set_id(raw, options.id);
    return reply(detail::made_by<mcpd_reply>(
        [&](auto made, auto error) { return mcpd_reply_parse(detail::address(data), data.size(), &raw, made, error); }));
}

/** Starts a stdio server, asks it what it is, ends it, and tells. It blocks; see mcpd_probe_stdio. */
inline verdict probe(const probe_options &options)
{
    const detail::c_probe_options raw(options);
    return verdict(detail::made_by<mcpd_verdict>(
        [&](auto made, auto error) { return mcpd_probe_stdio(raw.get(), made, error); }));
}

/** A request to send by POST; see mcpd_http_post. */
class http_post : public detail::view<mcpd_http_post> {
public:
    using view::view;
    list<http_header> headers() const noexcept { return {get()->headers, get()->headers_count}; }
    std::string_view body() const noexcept { return detail::present(get()->body); }
};

/** Who asks over HTTP, and how; see mcpd_http_options. */
struct http_options {
    std::optional<client_info> client{};
    std::optional<std::string> client_capabilities_json{};
    std::optional<std::vector<std::string>> modern_versions{};
    /** An empty list is a modern-only client. */
    std::optional<std::vector<std::string>> legacy_versions{};
    std::size_t max_body_bytes = 0;
};

/** An exchange with one server over HTTP, with an HTTP client of the program's; see mcpd_http. */
class http : public detail::owner<mcpd_http, mcpd_http_free> {
    static mcpd_http *begin(const http_options &options)
    {
        const detail::c_list modern_versions(options.modern_versions, "modern_versions");
        const detail::c_list legacy_versions(options.legacy_versions, "legacy_versions");
        mcpd_http_options raw{};
        raw.struct_size = sizeof raw;
        detail::set_client(raw, options.client);
        raw.client_capabilities_json = detail::to_c(options.client_capabilities_json, "client_capabilities_json");
        raw.modern_versions = modern_versions.get();
        raw.legacy_versions = legacy_versions.get();
        raw.max_body_bytes = options.max_body_bytes;
        return detail::made_by<mcpd_http>([&](auto made, auto error) { return mcpd_http_new(&raw, made, error); });
    }

public:
    explicit http(const http_options &options = {}) : owner(begin(options)) {}
    /** What to send now. It lives as long as the exchange. */
    http_post request()
    {
        return http_post(detail::made_by<const mcpd_http_post>(
            [this](auto post, auto error) { return mcpd_http_request(get(), post, error); }));
    }
    /** The response has begun. */
    void status(std::int32_t status, const std::optional<std::string> &content_type = std::nullopt)
    {
        mcpd_error *error = nullptr;
        const mcpd_status done = mcpd_http_status(get(), status, detail::to_c(content_type, "content_type"), &error);
        detail::check(done, error);
    }
    /** Reads a piece of the body; gives whether nothing more is needed. */
    bool feed(std::string_view data)
    {
        std::int32_t enough = 0;
        mcpd_error *error = nullptr;
        const mcpd_status done = mcpd_http_feed(get(), data.data(), data.size(), &enough, &error);
        detail::check(done, error);
        return enough != 0;
    }
    /** The response has ended: the verdict, or nothing if request() has to be sent. */
    std::optional<mcpd::verdict> verdict()
    {
        mcpd_verdict *made = detail::made_by<mcpd_verdict>(
            [this](auto verdict, auto error) { return mcpd_http_verdict(get(), verdict, error); });
        if (made == nullptr)
            return std::nullopt;
        return mcpd::verdict(made);
    }
};

/** A server that runs and is ready for use; see mcpd_connection. */
class connection : public detail::owner<mcpd_connection, mcpd_connection_free> {
public:
    using owner::owner;
    std::string_view version() const noexcept { return detail::present(get()->version); }
    mcpd::era era() const noexcept { return mcpd::era(get()->era); }
    std::int64_t pid() const noexcept { return get()->pid; }
    /** Bytes that come before whatever is read from stdout_fd. */
    std::string_view unread() const noexcept
    {
        return {reinterpret_cast<const char *>(get()->unread), get()->unread_length};
    }
    int stdin_fd() const noexcept { return get()->stdin_fd; }
    int stdout_fd() const noexcept { return get()->stdout_fd; }
    int stderr_fd() const noexcept { return get()->stderr_fd; }
    mcpd::exit_kind exit_kind() const noexcept { return mcpd::exit_kind(get()->exit_kind); }
    int exit_value() const noexcept { return get()->exit_value; }
    mcpd::shutdown shutdown() const noexcept { return mcpd::shutdown(get()->shutdown); }

    /** Ends the server, as a probe ends one; see mcpd_connection_close. */
    void close(std::chrono::milliseconds grace = {}, const cancel *cancel = nullptr)
    {
        detail::done_by([&](auto error) {
            return mcpd_connection_close(get(), grace.count(), cancel != nullptr ? cancel->get() : nullptr, error);
        });
    }
    /** Leaves the process and its descriptors to the caller for good; see mcpd_connection_release. */
    void hand_over()
    {
        detail::done_by([&](auto error) { return mcpd_connection_release(get(), error); });
    }
};

/** A verdict, and the connection if there is one. */
struct probed {
    mcpd::verdict verdict;
    std::optional<mcpd::connection> connection;
};

/** Probes a stdio server and keeps it running if it can be used; see mcpd_connection_open. */
inline probed open_connection(const probe_options &options, const verdict_view *prior = nullptr)
{
    const detail::c_probe_options raw(options);
    mcpd_connection *connection = nullptr;
    verdict verdict(detail::made_by<mcpd_verdict>([&](auto made, auto error) {
        return mcpd_connection_open(raw.get(), prior != nullptr ? prior->get() : nullptr, &connection, made, error);
    }));
    probed probed{std::move(verdict), std::nullopt};
    if (connection != nullptr)
        probed.connection.emplace(connection);
    return probed;
}

/** Asks a server over descriptors of the caller's, which may be of no use then; see mcpd_probe_descriptors. */
inline verdict probe_descriptors(const probe_options &options, int to_server, int from_server)
{
    const detail::c_probe_options raw(options);
    return verdict(detail::made_by<mcpd_verdict>([&](auto made, auto error) {
        return mcpd_probe_descriptors(raw.get(), to_server, from_server, nullptr, nullptr, made, error);
    }));
}

/** Asks a server over descriptors of the caller's so that they can be used then; see mcpd_probe_descriptors. */
inline probed open_descriptors(const probe_options &options, int to_server, int from_server,
                               const verdict_view *prior = nullptr)
{
    const detail::c_probe_options raw(options);
    mcpd_connection *connection = nullptr;
    verdict verdict(detail::made_by<mcpd_verdict>([&](auto made, auto error) {
        return mcpd_probe_descriptors(raw.get(), to_server, from_server, prior != nullptr ? prior->get() : nullptr,
                                      &connection, made, error);
    }));
    probed probed{std::move(verdict), std::nullopt};
    if (connection != nullptr)
        probed.connection.emplace(connection);
    return probed;
}

/** What came of one probe of a scan; see mcpd_scan_item. */
class scan_item : public detail::owner<mcpd_scan_item, mcpd_scan_item_free> {
public:
    using owner::owner;
    std::uint64_t tag() const noexcept { return get()->tag; }
    mcpd::status status() const noexcept { return mcpd::status(get()->status); }
    std::optional<verdict_view> verdict() const noexcept { return detail::optional<verdict_view>(get()->verdict); }
    /** Why there is no verdict. */
    std::optional<mcpd::error> error() const
    {
        if (get()->error == nullptr)
            return std::nullopt;
        return detail::error_of(get()->status, get()->error);
    }
};

/** How to scan; see mcpd_scan_options. */
struct scan_options {
    std::int32_t max_running = 0;
};

/**
 * Many probes at once, on the thread that calls; see mcpd_scan. It is a range of what they find,
 * in the order in which they finish, and more may be added on the way:
 *
 * \code
 * mcpd::scan scan;
 * for (std::size_t i = 0; i < servers.size(); ++i)
 *     scan.add(servers[i], i);
 * for (mcpd::scan_item &item : scan)
 *     ...
 * \endcode
 */
class scan : public detail::owner<mcpd_scan, mcpd_scan_free> {
    static mcpd_scan *begin_with(const scan_options &options)
    {
        mcpd_scan_options raw{};
        raw.struct_size = sizeof raw;
        raw.max_running = options.max_running;
        return detail::made_by<mcpd_scan>([&](auto made, auto error) { return mcpd_scan_new(&raw, made, error); });
    }
    std::optional<scan_item> next_within(std::int64_t timeout_ms)
    {
        mcpd_scan_item *item = detail::made_by<mcpd_scan_item>(
            [&](auto made, auto error) { return mcpd_scan_next(get(), timeout_ms, made, error); });
        if (item == nullptr)
            return std::nullopt;
        return scan_item(item);
    }

public:
    /** Where nothing is left. */
    struct end_of_scan {};

    /** Waits for one item after the other. */
    class iterator {
        scan *scan_;
        std::optional<scan_item> item_;

    public:
        using value_type = scan_item;
        using difference_type = std::ptrdiff_t;
        using iterator_concept = std::input_iterator_tag;

        explicit iterator(scan &scan) : scan_(&scan), item_(scan.next()) {}
        scan_item &operator*() noexcept { return *item_; }
        iterator &operator++()
        {
            item_ = scan_->next();
            return *this;
        }
        bool operator!=(end_of_scan) const noexcept { return item_.has_value(); }
    };

    explicit scan(const scan_options &options = {}) : owner(begin_with(options)) {}
    /** Adds a probe; by the tag the caller knows it again. */
    void add(const probe_options &options, std::uint64_t tag)
    {
        const detail::c_probe_options raw(options);
        detail::done_by([&](auto error) { return mcpd_scan_add(get(), raw.get(), tag, error); });
    }
    /** Waits until a probe has finished; nothing if none is left. */
    std::optional<scan_item> next() { return next_within(0); }
    /** As next(), for so long at most: then status::timed_out is thrown. No time at all waits for nothing. */
    std::optional<scan_item> next(std::chrono::milliseconds timeout)
    {
        return next_within(timeout.count() > 0 ? timeout.count() : MCPD_NO_WAIT);
    }
    /** Cancels it for good, from any thread or signal handler. */
    status cancel() const noexcept { return status(mcpd_scan_cancel(get())); }
    iterator begin() { return iterator(*this); }
    end_of_scan end() const noexcept { return {}; }
};

/**
 * A negotiation over a transport of the caller's; see mcpd_negotiation. Time is that of
 * std::chrono::steady_clock, or any other whose time is passed to every call.
 */
class negotiation : public detail::owner<mcpd_negotiation, mcpd_negotiation_free> {
public:
    /** Time by a clock that does not jump. */
    using time_point = std::chrono::steady_clock::time_point;

    explicit negotiation(const probe_options &options = {}) : owner(begin(options)) {}
    /** What to do, as next() said it last. */
    mcpd::step step() const noexcept { return mcpd::step(get()->step); }
    /** With step::send: a message with the line feed that ends it on a stream. */
    std::optional<std::string_view> line() const noexcept { return detail::optional(get()->line); }
    /** With step::wait: when next() has to be called again at the latest. */
    time_point deadline() const noexcept { return time_point(std::chrono::milliseconds(get()->deadline_ms)); }

    /** Tells what to do. */
    mcpd::step next(time_point now = std::chrono::steady_clock::now())
    {
        detail::done_by([&](auto error) { return mcpd_negotiation_next(get(), ms(now), error); });
        return step();
    }
    /** A server has been started or connected to. */
    void started(time_point now = std::chrono::steady_clock::now())
    {
        detail::done_by([&](auto error) { return mcpd_negotiation_started(get(), ms(now), error); });
    }
    /** Passes on what has come over a stream, cut anywhere. */
    void received(std::string_view data, time_point now = std::chrono::steady_clock::now())
    {
        detail::done_by([&](auto error) {
            return mcpd_negotiation_received(get(), detail::address(data), data.size(), ms(now), error);
        });
    }
    /** Passes on one whole message. */
    void received_message(std::string_view data, time_point now = std::chrono::steady_clock::now())
    {
        detail::done_by([&](auto error) {
            return mcpd_negotiation_received_message(get(), detail::address(data), data.size(), ms(now), error);
        });
    }
    /** The server will say no more: outcome::exit if its process is known to have exited, else outcome::stdout_closed. */
    void closed(outcome how, time_point now = std::chrono::steady_clock::now())
    {
        detail::done_by([&](auto error) {
            return mcpd_negotiation_closed(get(), static_cast<mcpd_outcome>(how), ms(now), error);
        });
    }
    /** Takes the verdict. */
    mcpd::verdict verdict(std::chrono::system_clock::time_point now = std::chrono::system_clock::now())
    {
        return mcpd::verdict(detail::made_by<mcpd_verdict>(
            [&](auto made, auto error) { return mcpd_negotiation_verdict(get(), ms(now), made, error); }));
    }

private:
    static mcpd_negotiation *begin(const probe_options &options)
    {
        const detail::c_probe_options raw(options);
        return detail::made_by<mcpd_negotiation>(
            [&](auto made, auto error) { return mcpd_negotiation_new(raw.get(), made, error); });
    }
    template <class Time> static std::int64_t ms(Time time)
    {
        return std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count();
    }
};

} // namespace mcpd

#endif /* MCP_DISCOVER_HPP */
