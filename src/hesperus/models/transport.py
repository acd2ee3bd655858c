"""One HTTP exchange on aiohttp: bounded, without redirects, its failures named.

aiohttp on uvloop is the fastest well-kept asyncio client measured by ``benchmarks/http_clients.py``. This is the
only file that knows it.
"""

from __future__ import annotations

import os
import ssl
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import aiohttp

from hesperus.errors import PermanentError, TransientError
from hesperus.models.providers import is_loopback

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, BinaryIO

MAX_BODY = 32 * 2**20
"""Largest response body that is read, in bytes; a reply of 2048 tokens with log-probabilities is under 1 MiB."""

CONNECT_SECONDS = 30.0
TOTAL_SECONDS = 900.0
"""Bound for callers that set none of their own; asking sets a tighter one."""

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
            await session.close()

    async def post(self, path: str, body: bytes) -> RawReply:
        """Send a JSON body and read what comes back, whatever the status.

        Args:
            path: Below the base URL, such as ``/chat/completions``.
            body: Encoded JSON.

        Raises:
            ModelError: See ``_exchange``.
        """
        return await self._exchange("POST", path, data=body)

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
        query = self._query.replace("?", "&", 1) if "?" in path else self._query
        # Messages are ours and causes are cut: aiohttp's errors carry the request's headers, and with them the key.
        try:
            async with self._session.request(
                method,
                f"{self._base_url}{path}{query}",
                allow_redirects=False,
                proxy=self._proxy,
                **sent,
            ) as response:
                if to is None or response.status != 200:
                    return RawReply(response.status, response.headers, await self._read(response))
                async for chunk in response.content.iter_any():
                    to.write(chunk)
                return RawReply(response.status, response.headers, b"")
        except aiohttp.ClientConnectorDNSError:
            raise TransientError(f"the host name of {self._host} cannot be resolved", kind="dns") from None
        except (aiohttp.ClientConnectorCertificateError, aiohttp.ClientSSLError, ssl.SSLError):
            raise PermanentError(
                f"{self._host} shows no valid TLS certificate; check the base URL", kind="tls"
            ) from None
        except aiohttp.ClientProxyConnectionError:
            raise TransientError("the proxy of the environment cannot be reached", kind="connect") from None
        except aiohttp.ClientConnectorError as error:
            number = error.os_error.errno
            reason = os.strerror(number) if number else type(error.os_error).__name__
            raise TransientError(
                f"cannot connect to {self._host}: {reason}; is the server running and the base URL right?",
                kind="connect",
            ) from None
        except TimeoutError:
            raise TransientError(f"{self._host} took too long", kind="timeout") from None
        except aiohttp.ClientPayloadError as error:
            if "content-encoding" in str(error).lower():
                raise TransientError(
                    f"{self._host} names a compression in which its reply is not", kind="bad_encoding"
                ) from None
            raise TransientError(f"{self._host} broke off its reply", kind="reset") from None
        except (aiohttp.ClientError, OSError) as error:
            raise TransientError(
                f"{self._host} broke the connection ({type(error).__name__})", kind="reset"
            ) from None

    async def _read(self, response: aiohttp.ClientResponse) -> bytes:
        """Read the body, at most MAX_BODY bytes of it, also where compression hides its size."""
        length = response.content_length
        if length is not None and length <= MAX_BODY and "Content-Encoding" not in response.headers:
            return await response.read()
        chunks = bytearray()
        async for chunk in response.content.iter_any():
            chunks += chunk
            if len(chunks) > MAX_BODY:
                response.close()
                raise PermanentError(
                    f"{self._host} sent more than {MAX_BODY // 2**20} MiB for one reply", kind="too_large"
                )
        return bytes(chunks)


def _proxy(base_url: str) -> str | None:
    """The proxy that the environment names for this address, looked up once; none for this machine."""
    parts = urlsplit(base_url)
    if is_loopback(base_url) or proxy_bypass(parts.netloc):
        return None
    return getproxies().get(parts.scheme)
