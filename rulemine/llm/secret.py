"""Keeping keys out of everything that is shown or written.

Guarantee: no stretch of `WINDOW` signs of a secret is left in a text, whoever quoted it; in messages also
not its masked forms (``sk-ab***wxyz``) and not its last signs alone.
"""

import base64
import re
from collections.abc import Iterable
from urllib.parse import quote

__all__ = ["Redactor"]

WINDOW = 8
"""Signs of a secret that may not be seen in a row; fewer also occur by chance."""

SHORTEST = 6
"""What is shorter, e.g. ``none``, keeps no secret: it would be struck out of innocent texts."""

_MASKED = re.compile(r"[^\s\"'`<>()]*(?:\*{2,}|\.{3,}|…|x{4,}|X{4,})[^\s\"'`<>()]*")


class Redactor:
    """Strikes secrets out of texts."""

    __slots__ = ("_ends", "_windows")

    def __init__(self, secrets: Iterable[str]) -> None:
        """Takes the secrets.

        Args:
            secrets: Keys and passwords; empty and short ones are passed over.
        """
        kept = [secret for secret in secrets if len(secret) >= SHORTEST]
        forms = {
            form
            for secret in kept
            for form in (secret, quote(secret, safe=""), base64.b64encode(secret.encode()).decode())
        }
        self._ends = [(secret[:3], secret[-4:]) for secret in kept]
        self._windows = sorted(
            {
                form[start : start + WINDOW]
                for form in forms
                for start in range(max(1, len(form) - WINDOW + 1))
            }
        )

    def __repr__(self) -> str:
        return "Redactor(…)"

    def text(self, text: str) -> str:
        """A text with every stretch of a secret replaced by ``…``; else unchanged."""
        spans = []
        for window in self._windows:
            start = text.find(window)
            while start >= 0:
                spans.append((start, start + len(window)))
                start = text.find(window, start + 1)
        if not spans:
            return text
        pieces: list[str] = []
        end = 0
        for start, stop in sorted(spans):
            if start > end or not pieces:
                pieces += [text[end:start], "…"]
            end = max(end, stop)
        return "".join(pieces) + text[end:]

    def message(self, text: str) -> str:
        """The same for what an endpoint says of an error, which may quote parts of a key; valid Unicode."""
        text = self.text(text.encode("utf-8", "replace").decode())  # may hold halves of signs
        for first, last in self._ends:
            text = _MASKED.sub(
                lambda found, ends=(first, last): (  # type: ignore[misc]
                    "…" if any(end in found[0] for end in ends) else found[0]
                ),
                text,
            )
            text = re.sub(rf"(?<![A-Za-z0-9]){re.escape(last)}(?![A-Za-z0-9])", "…", text)
        return text
