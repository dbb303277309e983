"""A client for the conformance suite: the library's requests and verdicts, over httpx. client.py URL"""

import sys

import httpx
from mcp_discover import Era, HttpExchange, Implementation, Next


def main():
    exchange = HttpExchange(
        client=Implementation(name="mcp-discover-conformance", version="1"),
        client_capabilities={"roots": {}, "sampling": {}, "elicitation": {}},
    )
    verdict = None
    while verdict is None:
        request = exchange.request
        with httpx.stream("POST", sys.argv[1], headers=request.headers, content=request.body, timeout=10) as response:
            exchange.begin_response(response.status_code, response.headers.get("content-type"))
            for data in response.iter_bytes():
                if exchange.feed(data):
                    break
        verdict = exchange.end_response()
    print(verdict.to_json())
    sys.exit((verdict.era, verdict.next) != (Era.MODERN, Next.USE_MODERN))


if __name__ == "__main__":
    main()
