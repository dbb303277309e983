"""Asking a server over HTTP, with an HTTP client of the caller's."""

import ctypes
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Callable, Optional, Union

from . import _abi
from ._errors import invalid
from ._library import lib
from ._options import count, each, octets, optional_text, set_client, set_versions
from ._owner import Owner
from ._reading import Output
from ._record import Record
from ._results import Implementation
from ._verdict import Verdict, take_verdict

__all__ = ["HttpExchange", "HttpRequest", "discover_http"]

_MOST_STATUS = 999


@dataclass(frozen=True, repr=False)
class HttpRequest(Record):
    """A request to send by POST to the server's endpoint."""

    #: The headers that the protocol wants on it; add your own, such as Authorization.
    headers: dict[str, str]
    #: The body, to be sent as it is.
    body: bytes


class HttpExchange(Owner):
    """An exchange with one server over Streamable HTTP, without I/O: it says what to POST and judges what comes back.

    ::

        exchange, verdict = HttpExchange(), None
        while verdict is None:
            request = exchange.request
            with httpx.stream("POST", url, headers=request.headers, content=request.body) as response:
                exchange.begin_response(response.status_code, response.headers.get("content-type"))
                for data in response.iter_bytes():
                    if exchange.feed(data):
                        break
            verdict = exchange.end_response()

    It is for one thread at a time. initialize is never asked; `Verdict.next` says whether to.

    :param prefer: the protocol versions that the client speaks, best first, of both eras. An era of which none is
        named keeps its default. `modern_versions` and `legacy_versions` tell it era by era.
    :param client: who asks. Default: this library.
    :param client_capabilities: what the client can do (`ClientCapabilities` in the schema).
    :param max_body_bytes: the longest body, or message of an event stream, that is read. Default: 10 MiB.
    :raises InvalidArgument: with `argument` telling which.
    """

    def __init__(
        self,
        *,
        prefer: Optional[Sequence[str]] = None,
        modern_versions: Optional[Sequence[str]] = None,
        legacy_versions: Optional[Sequence[str]] = None,
        client: Optional[Implementation] = None,
        client_capabilities: Optional[Mapping[str, Any]] = None,
        max_body_bytes: Optional[int] = None,
    ) -> None:
        options = _abi.mcpd_http_options(struct_size=ctypes.sizeof(_abi.mcpd_http_options))
        set_versions(options, prefer, modern_versions, legacy_versions)
        set_client(options, client, client_capabilities)
        options.max_body_bytes = count(max_body_bytes, "max_body_bytes")
        output = Output()
        status = lib.mcpd_http_new(options, output.reference, output.error_reference)
        if status:
            raise output.failure(status)
        self._address = output.address.value

    @property
    def request(self) -> HttpRequest:
        """What to send now."""
        output = Output()
        status = lib.mcpd_http_request(self._address, output.reference, output.error_reference)
        if status:
            raise output.failure(status)
        assert output.address.value is not None
        post = _abi.mcpd_http_post.from_address(output.address.value)
        headers = (_abi.mcpd_http_header * post.headers_count).from_address(post.headers)
        return HttpRequest(
            headers={header.name.ptr.decode(): header.value.ptr.decode() for header in headers},
            body=post.body.ptr,
        )

    def begin_response(self, status: int, content_type: Optional[str] = None) -> None:
        """The response has begun, with this HTTP status and this value of its Content-Type header."""
        if not isinstance(status, int) or not 0 <= status <= _MOST_STATUS:
            raise invalid("status", f"is {status!r}; expected a final HTTP status, 200 to 999")
        error = Output()
        failed = lib.mcpd_http_status(
            self._address, status, optional_text(content_type, "content_type"), error.error_reference
        )
        if failed:
            raise error.failure(failed)

    def feed(self, data: Union[bytes, bytearray, memoryview]) -> bool:
        """Reads a piece of the body, cut anywhere. True: that is enough, and the response may be closed."""
        data = octets(data, "data")
        enough = ctypes.c_int32()
        error = Output()
        status = lib.mcpd_http_feed(self._address, data, len(data), ctypes.byref(enough), error.error_reference)
        if status:
            raise error.failure(status)
        return bool(enough.value)

    def end_response(self) -> Optional[Verdict]:
        """The response has ended, or is not waited for any longer: the verdict, or None if `request` has to be sent."""
        output = Output()
        status = lib.mcpd_http_verdict(self._address, output.reference, output.error_reference)
        if status:
            raise output.failure(status)
        return None if output.address.value is None else take_verdict(output)

    def __del__(self) -> None:
        self._library.mcpd_http_free(self._address)


def discover_http(
    send: "Callable[[HttpRequest], tuple[int, Optional[str], Union[bytes, Iterable[bytes]]]]",
    *,
    prefer: Optional[Sequence[str]] = None,
    modern_versions: Optional[Sequence[str]] = None,
    legacy_versions: Optional[Sequence[str]] = None,
    client: Optional[Implementation] = None,
    client_capabilities: Optional[Mapping[str, Any]] = None,
    max_body_bytes: Optional[int] = None,
) -> Verdict:
    """Asks a server over Streamable HTTP what it is. The options are those of `HttpExchange`.

    :param send: sends the request by POST, and gives the status, the Content-Type and the body, whole or in pieces.
        It is called again where the server names another version. What it raises comes out.

    ::

        def send(request):
            response = httpx.post(url, headers=request.headers, content=request.body)
            return response.status_code, response.headers.get("content-type"), response.content


        verdict = discover_http(send)
    """
    exchange = HttpExchange(
        prefer=prefer,
        modern_versions=modern_versions,
        legacy_versions=legacy_versions,
        client=client,
        client_capabilities=client_capabilities,
        max_body_bytes=max_body_bytes,
    )
    while True:
        status, content_type, body = send(exchange.request)
        exchange.begin_response(status, content_type)
        whole = isinstance(body, (bytes, bytearray, memoryview))
        pieces: Iterator[Any] = iter([body]) if whole else each(body, "body", "bytes, or an iterable of bytes")
        for data in pieces:
            if exchange.feed(data):
                break
        verdict = exchange.end_response()
        if verdict is not None:
            return verdict
