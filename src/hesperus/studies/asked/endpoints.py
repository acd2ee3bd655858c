"""Addresses of endpoints: what is passed on names none, and a run is gone on with all the same.

A run folder is passed on, so its files hold a fingerprint in place of an address that is no provider's own. The address
itself is kept in `endpoints.json` besides the run folder, as the reply store is, where a later run of that folder finds it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import orjson

from hesperus.errors import DataError, UsageError
from hesperus.fingerprint import fingerprint
from hesperus.models import PROVIDERS
from hesperus.models.providers import is_loopback
from hesperus.records.files import write_whole
from hesperus.types import Failure, Reply

ENDPOINTS_FILE = "endpoints.json"
_MASK = "address-"


def masked(address: str) -> str:
    """A fingerprint, by which two runs at the same endpoint can be known as such; a provider's own address stays."""
    public = {provider.base_url for provider in PROVIDERS.values()}
    if address.startswith(_MASK) or (address in public and not is_loopback(address)):
        return address
    return f"{_MASK}{fingerprint(address)[:12]}"


def with_masked_endpoint(values: Mapping[str, Any]) -> dict[str, Any]:
    """The keys of a study without the address of its endpoint."""
    address = values.get("base_url")
    return {**values, "base_url": masked(address)} if isinstance(address, str) else dict(values)


def without_endpoint(reply: Reply | Failure, address: str | None) -> Reply | Failure:
    """A failure as the records tell it: they are passed on, so it names the model and not the host."""
    if not isinstance(reply, Failure) or address is None or masked(address) == address:
        return reply
    host = urlsplit(address).netloc
    return replace(reply, message=reply.message.replace(f" at {host}", "").replace(host, "the endpoint"))


def keep_endpoint(address: str | None, folder: Path) -> None:
    """Keep an address that a run folder does not hold, next to that folder.

    Raises:
        DataError: The file that is there already cannot be read.
        OSError: The file cannot be written.
    """
    if address is None or masked(address) == address:
        return
    path = folder.absolute().parent / ENDPOINTS_FILE
    known = _known(path)
    if known.get(masked(address)) != address:
        text = orjson.dumps({**known, masked(address): address}, option=orjson.OPT_INDENT_2)

        def write(partial: Path) -> None:
            partial.write_bytes(text)

        write_whole(path, write)


def with_known_endpoint(values: Mapping[str, Any], file: Path) -> dict[str, Any]:
    """The keys of a study with its address put back, where `endpoints.json` besides the run folder has it.

    Args:
        values: Keys as in the file, not yet validated.
        file: The `study.yaml` of a run folder, or any study file.

    Raises:
        DataError: `endpoints.json` cannot be read.
    """
    address = values.get("base_url")
    if not (isinstance(address, str) and address.startswith(_MASK)):
        return dict(values)
    return {**values, "base_url": _known(file.absolute().parents[1] / ENDPOINTS_FILE).get(address, address)}


def check_known(address: str | None) -> None:
    """Refuse to ask an endpoint of which only the fingerprint is known.

    Raises:
        UsageError: The address is a fingerprint.
    """
    if address is not None and address.startswith(_MASK):
        raise UsageError(
            f"the run folder does not tell its endpoint ({address}), as it may have been passed on, and no "
            f"{ENDPOINTS_FILE} beside it does: give --base-url"
        )


def _known(path: Path) -> dict[str, str]:
    if not path.is_file():
        return {}
    try:
        found = orjson.loads(path.read_bytes())
    except (OSError, orjson.JSONDecodeError) as error:
        raise DataError(f"cannot be read: {error}", file=path) from None
    if not (isinstance(found, dict) and all(isinstance(one, str) for one in found.values())):
        raise DataError("expected fingerprints with their addresses", file=path)
    return found
