"""The query in what a model wrote."""

import re

from rulemine.text.visible_reply import visible_reply

__all__ = ["CLAUSES", "cypher_of"]

CLAUSES = ("MATCH", "OPTIONAL", "CALL", "UNWIND", "WITH", "RETURN")
"""What a query that only reads begins with."""

_CLAUSE = rf"(?:{'|'.join(CLAUSES)})\b"
_BEGIN = re.compile(_CLAUSE, re.IGNORECASE)
_LABEL = re.compile(rf"[ \t]*(?:(cypher)\b|(?!{_CLAUSE})\w*[ \t]*\r?\n)", re.IGNORECASE)
_TITLE = re.compile(r"(?:cypher|cypher query|query)[ \t]*:\s*", re.IGNORECASE)
_END = re.compile(r"(?:<end_of_turn>|<\|[a-z_]+\|>|</s>)\Z")
"""What some models close their turn with."""


def cypher_of(text: str) -> tuple[str | None, str]:
    r"""The query in what a model wrote.

    It is the last block between ``` and ``` that is called cypher; without one, the last block; without
    any, the whole text if it begins with one of `CLAUSES`. A block that is not closed ends with the text.
    Neither what a model thinks aloud nor a title (``Cypher:``) nor a mark of the end of
    its turn (``</s>``) is part of it.

    Returns:
        The query and "", or None and why there is none.

    Example:
        >>> cypher_of("Here it is:\n```cypher\nMATCH (t:Town) RETURN t.name\n```")
        ('MATCH (t:Town) RETURN t.name', '')
        >>> cypher_of("  ")
        (None, 'it is empty')
    """
    said = _END.sub("", visible_reply(text).rstrip())
    blocks: list[tuple[bool, str]] = []
    for block in said.split("```")[1::2]:
        label = _LABEL.match(block)
        if query := _untitled(block[label.end() if label else 0 :]):
            blocks.append((bool(label and label[1]), query))
    if blocks:
        called = [query for is_cypher, query in blocks if is_cypher]
        return (called or [query for _, query in blocks])[-1], ""
    bare = _untitled(said.replace("```", ""))
    if _BEGIN.match(bare):
        return bare, ""
    if not bare:
        return None, "it is empty"
    clauses = f"{', '.join(CLAUSES[:-1])} or {CLAUSES[-1]}"
    return None, f"no block between ``` and ```, and it does not begin with {clauses}"


def _untitled(text: str) -> str:
    text = text.strip()
    title = _TITLE.match(text)
    return text[title.end() :] if title else text
