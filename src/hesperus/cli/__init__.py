"""The command `hesperus`: one thin file per command. Nothing here is imported by the library."""

from hesperus.cli.app import main

__all__ = ["main"]
