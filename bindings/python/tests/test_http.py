"""Asking over HTTP: the corpus in tests/http, misuse, and real servers on loopback with a common HTTP client."""

import contextlib
import http.client
import http.server
import json
import os
import re
import signal
import subprocess
import sys
import threading
from pathlib import Path

import httpx
import mcp_discover
import pytest
from conftest import REPOSITORY, differs
from mcp_discover import (
    Era,
    HttpExchange,
    Implementation,
    InvalidArgument,
    Next,
    Outcome,
    discover_http,
)

CASES = json.loads((REPOSITORY / "tests" / "http" / "cases.json").read_text(encoding="utf-8"))
OPTIONS = {
    "modernVersions": "modern_versions",
    "legacyVersions": "legacy_versions",
    "maxBodyBytes": "max_body_bytes",
}
SERVERS = REPOSITORY / "tests" / "real_servers"
#: Names the folder with the environments of the servers. Where it is set they have to be there.
FOLDER = "REAL_SERVERS"


def body_of(response):
    body = response["body"]
    return (body if isinstance(body, str) else json.dumps(body)).encode()


@pytest.mark.parametrize("piece", [1 << 20, 5], ids=["whole", "cut"])
@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_every_case_gets_its_verdict(case, piece):
    exchange = HttpExchange(**{OPTIONS[name]: value for name, value in case.get("options", {}).items()})
    asked, verdict, enough = [], None, False
    for response in case["responses"]:
        assert verdict is None
        asked.append(exchange.request.headers["MCP-Protocol-Version"])
        exchange.begin_response(response["status"], response["contentType"])
        body, enough = body_of(response), False
        for at in range(0, len(body), piece):
            enough = enough or exchange.feed(body[at : at + piece])
        verdict = exchange.end_response()
    assert verdict is not None
    faults = [differs(name, value, verdict.raw.get(name)) for name, value in case["expect"].items()]
    assert not [fault for fault in faults if fault]
    remarks = [remark.code for remark in verdict.remarks]
    assert set(case.get("remarks", [])) <= set(remarks)
    assert not set(case.get("noRemarks", [])) & set(remarks)
    assert asked == case.get("asked", asked)
    assert enough == case.get("enough", enough)


def test_the_request():
    request = HttpExchange(client=Implementation(name="a\r\nb: c", version="1")).request
    assert request.headers == {
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": "2026-07-28",
        "Mcp-Method": "server/discover",
    }
    body = json.loads(request.body)
    assert body["method"] == "server/discover"
    assert body["params"]["_meta"]["io.modelcontextprotocol/clientInfo"]["name"] == "a\r\nb: c"


def test_the_helper_asks_again_where_another_version_is_named():
    asked = []

    def send(request):
        asked.append(request.headers["MCP-Protocol-Version"])
        error = {"code": -32022, "message": "no", "data": {"supported": ["2026-07-28"]}}
        if len(asked) == 1:
            return 400, "application/json", json.dumps({"jsonrpc": "2.0", "id": None, "error": error}).encode()
        reply = {"jsonrpc": "2.0", "id": "discover-2", "result": {"supportedVersions": ["2026-07-28"]}}
        return 200, "text/event-stream", iter([b"data: ", json.dumps(reply).encode(), b"\n\n", b"data: more"])

    verdict = discover_http(send, prefer=["2026-10-01", "2026-07-28"])
    assert asked == ["2026-10-01", "2026-07-28"]
    assert (verdict.era, verdict.next, verdict.version) == (Era.MODERN, Next.USE_MODERN, "2026-07-28")
    assert verdict.received_at is not None


@pytest.mark.parametrize("body", ["{}", None, 5, ["{}"]], ids=str)
def test_a_body_that_is_no_bytes_is_refused(body):
    with pytest.raises(InvalidArgument, match="expected bytes"):
        discover_http(lambda request: (200, "application/json", body))


def test_what_the_sender_raises_comes_out():
    def send(request):
        raise ConnectionRefusedError("nobody is there")

    with pytest.raises(ConnectionRefusedError):
        discover_http(send)


def test_misuse_is_refused():
    for options, argument in [
        ({"modern_versions": ["2026-10-01\r\nEvil: 1"]}, "modern_versions[0]"),
        ({"modern_versions": []}, "modern_versions"),
        ({"prefer": ["2026-07-28"], "legacy_versions": []}, "prefer"),
        ({"max_body_bytes": 0}, "max_body_bytes"),
        ({"client": Implementation(name="n")}, "client"),
    ]:
        with pytest.raises(InvalidArgument) as caught:
            HttpExchange(**options)
        assert caught.value.argument == argument
    exchange = HttpExchange()
    for call in (lambda: exchange.feed(b"x"), exchange.end_response):
        with pytest.raises(InvalidArgument, match="no response yet"):
            call()
    for status in (0, 199, 1000, -1, "200", 2**40):
        with pytest.raises(InvalidArgument, match="200 to 999"):
            exchange.begin_response(status)
    exchange.begin_response(204)
    assert exchange.end_response() is not None
    with pytest.raises(InvalidArgument, match="is over"):
        _ = exchange.request


def ask(url, **options):
    """As the recipe in the documentation."""
    exchange, verdict = HttpExchange(**options), None
    while verdict is None:
        request = exchange.request
        with httpx.stream("POST", url, headers=request.headers, content=request.body, timeout=30) as response:
            exchange.begin_response(response.status_code, response.headers.get("content-type"))
            for data in response.iter_bytes():
                if exchange.feed(data):
                    break
        verdict = exchange.end_response()
    return verdict


@contextlib.contextmanager
def real_server(environment, *arguments):
    """A server that nobody here wrote, on a port of loopback; its address."""
    if FOLDER not in os.environ:
        pytest.skip(f"{environment} is not installed; run make test")
    python = Path(os.environ[FOLDER], environment, "bin", "python")
    assert python.exists()
    command = [str(python), str(SERVERS / "over_http.py"), *arguments]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        line = server.stdout.readline()
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/mcp\n", line), line
        yield line.strip()
    finally:
        server.send_signal(signal.SIGKILL)
        server.wait()
        server.stdout.close()


def test_a_modern_server_on_the_python_sdk():
    with real_server("modern-server", "stream") as url:
        verdict = ask(url)
        assert (verdict.era, verdict.next, verdict.version) == (Era.MODERN, Next.USE_MODERN, "2026-07-28")
        assert (verdict.server.name, verdict.server.version) == ("smallest", "1.2.3")
        assert verdict.confirmed
        assert verdict.storable
        assert verdict.processes == ()
        assert verdict.discover_outcome is Outcome.RESULT
        # It does not speak the client's favourite, and is asked again with what it names.
        verdict = ask(url, modern_versions=["2026-10-01", "2026-07-28"])
        assert (verdict.era, verdict.next, verdict.version) == (Era.MODERN, Next.USE_MODERN, "2026-07-28")
        assert verdict.discover_error.code == -32022
        # Another path of the same server is no endpoint.
        verdict = ask(url + "/elsewhere")
        assert (verdict.era, verdict.next, verdict.confirmed) == (Era.LEGACY, Next.INITIALIZE_OR_SSE, False)


@pytest.mark.parametrize("form", ["stream", "json", "stateless"])
def test_a_legacy_server_on_the_python_sdk(form):
    with real_server("legacy-server", form) as url:
        verdict = ask(url)
        assert (verdict.era, verdict.next, verdict.version) == (Era.LEGACY, Next.INITIALIZE, "2025-11-25")
        assert not verdict.confirmed
        assert not verdict.storable
        assert verdict.discover_outcome is Outcome.ERROR
        assert verdict.discover_error.code != 0


class _Handler(http.server.BaseHTTPRequestHandler):
    """Streams the answer in pieces, and goes on until the client leaves."""

    protocol_version = "HTTP/1.1"

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        assert self.headers["Mcp-Method"] == request["method"]
        reply = {"jsonrpc": "2.0", "id": request["id"], "result": {"supportedVersions": ["2026-07-28"]}}
        event = b": hi\r\n\r\ndata: " + json.dumps(reply).encode() + b"\n\n"
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for data in (event[:5], event[5:40], event[40:-1], event[-1:]):
            self.wfile.write(b"%x\r\n%b\r\n" % (len(data), data))
            self.wfile.flush()
        assert self.rfile.read(1) == b""
        self.server.left.set()

    def log_message(self, *arguments):
        pass


@pytest.fixture
def endless():
    """A server whose stream never ends, until its client leaves."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.left = threading.Event()
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_stream_that_never_ends_is_left_at_its_answer(endless):
    verdict = ask(f"http://127.0.0.1:{endless.server_port}/mcp")
    assert verdict.next is Next.USE_MODERN
    assert endless.left.wait(20)


def test_the_example(endless):
    def run(url):
        example = str(REPOSITORY / "examples" / "python" / "http_one.py")
        done = subprocess.run([sys.executable, example, url], capture_output=True, text=True, env=environment)
        return done.returncode, done.stdout, done.stderr

    environment = {**os.environ, "PYTHONPATH": str(Path(mcp_discover.__file__).parents[1])}
    code, said, _ = run(f"http://127.0.0.1:{endless.server_port}/mcp")
    assert code == 0
    assert said.splitlines()[:2] == ["era:    modern", "next:   send modern requests with 2026-07-28"]
    code, said, complaint = run("http://127.0.0.1:1/mcp")
    assert (code, said) == (1, "")
    assert complaint.startswith("http_one: ConnectError")


def test_the_client_of_the_standard_library_will_do(endless):
    connection = http.client.HTTPConnection("127.0.0.1", endless.server_port, timeout=30)

    def send(request):
        connection.request("POST", "/mcp", body=request.body, headers=request.headers)
        response = connection.getresponse()
        return response.status, response.getheader("Content-Type"), iter(lambda: response.read1(65536), b"")

    with contextlib.closing(connection):
        assert discover_http(send).next is Next.USE_MODERN
    assert endless.left.wait(20)
