"""One HTTP exchange on aiohttp: bounded, without redirects, its failures named.

aiohttp on uvloop is the fastest well-kept asyncio client measured by ``benchmarks/http_clients.py``. This is the
only file that knows it. Its session makes each request anew (address, headers, cookies, redirects), which takes more than half of
its time; here each differs from the last in its body alone. So it goes over a connection of the session's pool with a head that is
written once, and aiohttp's parser reads the response.
"""

from __future__ import annotations

import asyncio
import os
import ssl
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import aiohttp
from aiohttp.http_exceptions import HttpProcessingError
from yarl import URL

from hesperus.errors import PermanentError, TransientError
from hesperus.models.providers import is_loopback

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, BinaryIO

    from aiohttp.connector import Connection
    from aiohttp.http_parser import RawResponseMessage

MAX_BODY = 32 * 2**20
"""Largest response body that is read, in bytes; a reply of 2048 tokens with log-probabilities is under 1 MiB."""

CONNECT_SECONDS = 30.0
TOTAL_SECONDS = 900.0
"""Bound, of silence where a body is sent, for callers that set none of their own; asking sets a tighter one."""

_LARGE_FILE = aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_SECONDS, sock_read=300.0)


@dataclass(frozen=True, slots=True)
class RawReply:
    """What came back, unread.

    Attributes:
        status: HTTP status.
        headers: Response headers; lookup ignores case.
        body: The decompressed body.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes


class Transport:
    """A pool of connections to one endpoint.

    Args:
        base_url: Cleaned root of the API.
        headers: Sent with every request; may hold a secret, so they are never shown.
    """

    def __init__(self, base_url: str, headers: Mapping[str, str]) -> None:
        self._base_url, question, query = base_url.partition("?")
        self._query = question + query
        self._host = urlsplit(base_url).netloc
        self._headers = dict(headers)
        self._session: aiohttp.ClientSession | None = None
        self._proxy: str | None = None
        self._posts: dict[str, _Post] = {}

    async def open(self) -> None:
        """Make the pool; needs a running event loop. A second call changes nothing."""
        if self._session is None:
            self._proxy = _proxy(self._base_url)
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0, ttl_dns_cache=300, keepalive_timeout=60),
                headers=self._headers,
                timeout=aiohttp.ClientTimeout(total=TOTAL_SECONDS, sock_connect=CONNECT_SECONDS),
                cookie_jar=aiohttp.DummyCookieJar(),
                skip_auto_headers=("User-Agent",),
            )

    async def close(self) -> None:
        """Close every connection."""
        if self._session is not None:
            session, self._session = self._session, None
            self._posts.clear()
            await session.close()

    async def post(self, path: str, body: bytes) -> RawReply:
        """Send a JSON body and read what comes back, whatever the status.

        Args:
            path: Below the base URL, such as ``/chat/completions``.
            body: Encoded JSON.

        Raises:
            ModelError: See ``_exchange``.
        """
        if self._session is None or self._proxy is not None:
            return await self._exchange("POST", path, data=body)
        post = self._posts.get(path)
        if post is None:
            post = self._posts[path] = _Post(self._session, self._address(path), self._headers)
        try:
            connection = await post.connected()
            try:
                message, content = await post.answered(connection, body)
                raw = RawReply(message.code, message.headers, await self._read(message.headers, content))
            except (
                BaseException
            ):  # cancelled, too: a response that was not read to its end would answer the next request
                connection.close()
                raise
            connection.release()
            return raw
        except Exception as error:
            raise self._fault(error) from None

    async def get(self, path: str, *, to: BinaryIO | None = None) -> RawReply:
        """Read what an address holds.

        Args:
            path: Below the base URL; may have a query.
            to: Where the body of a response with status 200 is written, of whatever size, instead of being returned.

        Raises:
            ModelError: See ``_exchange``.
        """
        return await self._exchange("GET", path, to=to, **({} if to is None else {"timeout": _LARGE_FILE}))

    async def upload(self, path: str, fields: Mapping[str, str], file: BinaryIO, name: str) -> RawReply:
        """Send a file as a form does.

        Args:
            path: Below the base URL.
            fields: Further fields of the form.
            file: Its content is read as it is sent.
            name: Its name.

        Raises:
            ModelError: See ``_exchange``.
        """
        form = aiohttp.FormData(dict(fields))
        form.add_field("file", file, filename=name, content_type="application/jsonl")
        payload = form()
        headers = {"Content-Type": payload.content_type}
        return await self._exchange("POST", path, data=payload, headers=headers, timeout=_LARGE_FILE)

    async def _exchange(self, method: str, path: str, *, to: BinaryIO | None = None, **sent: Any) -> RawReply:
        """Send a request and read the response.

        Raises:
            TransientError: No whole response came: kinds ``connect``, ``dns``, ``reset``, ``timeout``; or it came in another
                compression than it says (``bad_encoding``).
            PermanentError: The certificate does not hold (``tls``) or the body is too large (``too_large``).
        """
        if self._session is None:
            raise RuntimeError("a request before open")
        try:
            async with self._session.request(
                method, self._address(path), allow_redirects=False, proxy=self._proxy, **sent
            ) as response:
                if to is None or response.status != 200:
                    body = await self._read(response.headers, response.content)
                    return RawReply(response.status, response.headers, body)
                async for chunk in response.content.iter_any():
                    to.write(chunk)
                return RawReply(response.status, response.headers, b"")
        except Exception as error:
            raise self._fault(error) from None

    def _address(self, path: str) -> str:
        query = self._query.replace("?", "&", 1) if "?" in path else self._query
        return f"{self._base_url}{path}{query}"

    def _fault(self, error: Exception) -> Exception:
        """What to raise instead: aiohttp's errors carry the request's headers, and with them the key."""
        match error:
            case aiohttp.ClientConnectorDNSError():
                return TransientError(f"the host name of {self._host} cannot be resolved", kind="dns")
            case aiohttp.ClientConnectorCertificateError() | aiohttp.ClientSSLError() | ssl.SSLError():
                return PermanentError(
                    f"{self._host} shows no valid TLS certificate; check the base URL", kind="tls"
                )
            case aiohttp.ClientProxyConnectionError():
                return TransientError("the proxy of the environment cannot be reached", kind="connect")
            case aiohttp.ClientConnectorError():
                number = error.os_error.errno
                reason = os.strerror(number) if number else type(error.os_error).__name__
                return TransientError(
                    f"cannot connect to {self._host}: {reason}; is the server running and the base URL right?",
                    kind="connect",
                )
            case TimeoutError():
                return TransientError(f"{self._host} took too long", kind="timeout")
            case aiohttp.ClientPayloadError() if "content-encoding" in str(error).lower():
                return TransientError(
                    f"{self._host} names a compression in which its reply is not", kind="bad_encoding"
                )
            case aiohttp.ClientPayloadError():
                return TransientError(f"{self._host} broke off its reply", kind="reset")
            case aiohttp.ClientError() | HttpProcessingError() | OSError():
                return TransientError(
                    f"{self._host} broke the connection ({type(error).__name__})", kind="reset"
                )
        return error

    async def _read(self, headers: Mapping[str, str], content: aiohttp.StreamReader) -> bytes:
        """Read the body, at most MAX_BODY bytes of it, also where compression hides its size."""
        length = headers.get("Content-Length", "")
        if length.isdecimal() and int(length) <= MAX_BODY and "Content-Encoding" not in headers:
            return await content.read()
        chunks = bytearray()
        async for chunk in content.iter_any():
            chunks += chunk
            if len(chunks) > MAX_BODY:
                raise PermanentError(
                    f"{self._host} sent more than {MAX_BODY // 2**20} MiB for one reply", kind="too_large"
                )
        return bytes(chunks)


class _Post:
    """Requests to one address that differ in their body alone.

    Args:
        session: The session that owns the connections.
        url: The address.
        headers: Sent with each, next to those that aiohttp adds.
    """

    def __init__(self, session: aiohttp.ClientSession, url: str, headers: Mapping[str, str]) -> None:
        assert session.connector is not None
        self._connector, self._timeout = session.connector, session.timeout
        # Never sent: it tells the pool where to connect, and has the headers that aiohttp would send.
        self._like = aiohttp.ClientRequest(
            "POST",
            URL(url),
            headers=headers,
            skip_auto_headers=session.skip_auto_headers,
            loop=asyncio.get_running_loop(),
            session=session,
        )
        sent = self._like.headers.items()
        lines = (f"{name}: {value}\r\n" for name, value in sent if name != "Content-Length")
        self._head = (
            f"POST {self._like.url.raw_path_qs} HTTP/1.1\r\n{''.join(lines)}Content-Length: ".encode()
        )

    async def connected(self) -> Connection:
        """A connection, from the pool or new."""
        return await self._connector.connect(self._like, [], self._timeout)

    async def answered(
        self, connection: Connection, body: bytes
    ) -> tuple[RawResponseMessage, aiohttp.StreamReader]:
        """Send a body; the head of the response, and what is to be read of it."""
        protocol, transport = connection.protocol, connection.transport
        if protocol is None or transport is None:
            raise aiohttp.ServerDisconnectedError
        protocol.set_response_params(read_until_eof=True, read_timeout=TOTAL_SECONDS)
        transport.write(b"%b%d\r\n\r\n%b" % (self._head, len(body), body))
        protocol.start_timeout()
        while True:
            message, content = await protocol.read()
            if not 100 <= message.code < 200:  # "Continue", "Early Hints"
                return message, content


def _proxy(base_url: str) -> str | None:
    """The proxy that the environment names for this address, looked up once; none for this machine."""
    parts = urlsplit(base_url)
    if is_loopback(base_url) or proxy_bypass(parts.netloc):
        return None
    return getproxies().get(parts.scheme)
