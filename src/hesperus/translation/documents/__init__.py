"""What of a Markdown text is to be translated, and what stays as it is."""

from __future__ import annotations

from hesperus.translation.documents.pieces import Piece, document_pieces

__all__ = ["Piece", "document_pieces"]
