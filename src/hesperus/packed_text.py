"""Text in fewer bytes, as plain characters that are safe within a page: deflated, then base 64."""

from __future__ import annotations

import base64
import binascii
import zlib

from hesperus.errors import DataError

LARGEST = 64 << 20
"""Bytes of a text that is unpacked."""


def packed(text: str) -> str:
    """Deflate a text (zlib, RFC 1950; ``DecompressionStream("deflate")`` of a browser reads it) and write it in base 64."""
    return base64.b64encode(zlib.compress(text.encode("utf-8", "surrogatepass"), 9)).decode()


def unpacked(text: str) -> str:
    """The text that was packed.

    Raises:
        DataError: It is no packed text, or unpacks to more than LARGEST bytes.
    """
    unpack = zlib.decompressobj()
    try:
        found = unpack.decompress(base64.b64decode(text, validate=True), LARGEST)
        if not unpack.eof:
            raise DataError(f"is cut off, or unpacks to more than {LARGEST:,} bytes")
        return found.decode("utf-8", "surrogatepass")
    except (binascii.Error, zlib.error, ValueError) as error:
        raise DataError(f"no packed text: {error}") from None
