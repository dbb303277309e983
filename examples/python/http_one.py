"""Asks one MCP server over HTTP what it is, with httpx: python http_one.py URL [TOKEN]"""

import sys

import httpx
import mcp_discover
from mcp_discover import Next, printable

WORDS = {
    Next.USE_MODERN: "send modern requests",
    Next.INITIALIZE: "send initialize",
    Next.INITIALIZE_OR_SSE: "send initialize, and if that fails try the HTTP+SSE transport",
    Next.CORRECT_REQUEST: "correct the request",
    Next.AUTHORIZE: "get authorization, then ask again",
    Next.RETRY: "ask again later",
}


def ask(client, url, headers):
    exchange, verdict = mcp_discover.HttpExchange(), None
    while verdict is None:
        request = exchange.request
        with client.stream("POST", url, headers=headers | request.headers, content=request.body) as response:
            exchange.begin_response(response.status_code, response.headers.get("content-type"))
            for data in response.iter_bytes():
                # An event stream may go on for ever behind the answer.
                if exchange.feed(data):
                    break
        verdict = exchange.end_response()
    return verdict


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit("usage: http_one.py URL [TOKEN]")
    headers = {"Authorization": f"Bearer {sys.argv[2]}"} if len(sys.argv) == 3 else {}
    try:
        # A token goes to the address it is for, and nowhere else.
        with httpx.Client(follow_redirects=not headers, timeout=10) as client:
            verdict = ask(client, sys.argv[1], headers)
    except httpx.HTTPError as error:
        sys.exit(f"http_one: {type(error).__name__}: {error}")
    print(f"era:    {verdict.era}{'' if verdict.confirmed else ' (not confirmed)'}")
    print(f"next:   {WORDS.get(verdict.next, 'give up')}{f' with {verdict.version}' if verdict.version else ''}")
    print(f"why:    {printable(verdict.summary)}")


if __name__ == "__main__":
    main()
