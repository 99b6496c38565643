"""The query in what a model wrote: Cypher, or a query of another `Language`.

Guarantee: a query is handed on letter by letter, right or wrong. Only what is no part of it is left out: what
stands around it, and of Cypher comments before it and what a database is asked to do with it (``CYPHER 5``,
``PROFILE``, ``EXPLAIN``, ``USE``).
"""

import html
import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from rulemine.text.json_reply import decode, json_values
from rulemine.text.visible_reply import visible_reply

__all__ = ["CLAUSES", "Language", "cypher_of", "query_of"]

CLAUSES = ("MATCH", "OPTIONAL", "CALL", "UNWIND", "WITH", "RETURN")
"""What a query that only reads begins with."""

_ANY = rf"(?i:{'|'.join(CLAUSES)})\b"
_LEAD = (
    r"(?i:\s+|//[^\n]*(?:\n|\Z)|/\*.{0,2000}?\*/|(?:CYPHER(?:\s+\d+(?:\.\d+)?)?(?:\s+\w+\s*=\s*\w+)*|PROFILE|EXPLAIN"
    r"|USE\s+[\w.`]+)(?=\s)){0,20}+"
)
_BEGIN = re.compile(rf"{_LEAD}(?={_ANY})", re.DOTALL)
_AFTER_WORDS = re.compile(
    rf"(?:^|\A(?:\(?\d{{1,2}}[.)]|[*•-])\s|(?<=[:\uff1a!$>→])|(?<=\s)(?=`))[ \t>]*"
    rf"(?:<\w+>\s?)?(?=\S)(\*\*|[`\"'“]?){_LEAD}"
    r"(?=(?i:OPTIONAL\s+MATCH|MATCH)\s*(?:\(|\w+\s*=)|(?:UNWIND|CALL|WITH|RETURN)\s)",
    re.DOTALL | re.MULTILINE,
)
"""Where a query begins that is not the whole reply: a line, after a colon or the like, or in backquotes."""

_PATTERN = re.compile(r"[({]\s*`?\w*`?\s*:|-\[|->|<-")
"""What words before a query do not have."""

_CLOSING = {"“": "”"}
_LABEL = re.compile(
    rf"[ \t]*(?:(cypher|sparql|sql)\b(?!\s+\d)|(?!{_ANY})\w*[ \t]*\r?\n)", re.IGNORECASE
)
_TITLE = re.compile(
    r"\A[#*_\s]*(?:the\s)?(?:final\s)?(?:(?:cypher|sparql)(?:\s(?:query|statement))?|query|answer|statement)[*_]*"
    r"\s*[:\uff1a]"
    r"[*_]*\s*(?:[|>]-?[ \t]*\n\s*)?",
    re.IGNORECASE,
)
_TAG = re.compile(
    r"<((?:final_)?(?:cypher|sparql|query|answer|cypher_query|statement|code))>(.{0,5000}?)</\1>"
    r"|\[(CYPHER|SPARQL)\](.{0,5000}?)\[/\3\]",
    re.IGNORECASE | re.DOTALL,
)
MOST = 3
"""Objects within one another in which a query is looked for."""

_KEYS = frozenset(
    (
        "cypher", "sparql", "query", "cypherquery", "sparqlquery", "finalquery", "statement", "answer",
        "output",
    )
)  # fmt: skip
_FENCE = re.compile(
    r"^[ \t]*(?:\w+\s*=\s*)?(?:~~~|\$\$|\"{3}|'{3})|(?:~~~|\$\$|\"{3}|'{3})[ \t]*$", re.MULTILINE
)
"""What else stands where ``` might; in a query only inside a text, so at no end of a line."""

_CODE = re.compile(rf"(\"{{3}}|'{{3}}|[\"'])(\s*{_ANY}.*?)(?<!\\)\1", re.DOTALL)
"""A text in the code of a program that begins like a query."""

_NEW_LINE = re.compile(r"\\n(?=\s*(?:(?i:AND|OR|WHERE|ORDER|SKIP|LIMIT|UNION)\b|" + _ANY + "))")
"""A line break that is spelled out."""

_ENTITY = re.compile(r"&(?:amp|lt|gt|quot|#39|#x27);")

_END = re.compile(r"(?:<end_of_turn>|<\|[a-z_]+\|>|</s>)\Z")
"""What some models close their turn with."""

_FINAL = re.compile(
    r"\b(?:final|corrected|correction|fixed|mended|revised|better)\b", re.IGNORECASE
)
_OTHER = re.compile(
    r"\b(?:alternative(?:ly)?|equivalent(?:ly)?|another\s\w+|(?:could|can|may|might)\salso)\b|^\W*or\b",
    re.IGNORECASE,
)
"""What the line before a block may call it."""

_RETURN = re.compile(r"\breturn\b", re.IGNORECASE)
_PROSE = re.compile(
    r"[#*_(\s-]*(?:this|these|it|the|note|explanation|output|result|here|that|in\sthis|you|we|i)\b"
    r"(?!\s*[.,)=<>]|\s+(?:as|in|asc|desc|and|or|is\s(?:not\s)?null)\b)",
    re.IGNORECASE,
)
_SENTENCE = re.compile(
    r"[\W\d_]*(?:I|[^\W\d_a-z][^\W\d_A-Z]+)(?:(?:[*_,:]*\s[*_]*[\w'’`-]+){2}|.*[.!:][*_)]*\Z)|[-*_=]{3,}\Z"
)
"""What marks words, not the rest of a query: three of them, the first with a capital, or the last mark."""

_WORDS = (
    "MATCH|OPTIONAL|WHERE|WITH|RETURN|ORDER|SKIP|LIMIT|UNION|UNWIND|CALL|AND|OR|CASE|WHEN|THEN|ELSE|END|ASC|DESC"
    "|AS|IN|IS|NOT|BY|DISTINCT"
)
_GOES_ON = re.compile(
    rf"//|/\*|[)\]}},;|]|-\[|<-|\(\w*\s*[:){{]|(?:{_WORDS}|{_WORDS.lower()})\b"
    r"|(?i:ORDER\s+BY|UNION|(?:LIMIT|SKIP)\s+\d|(?:OPTIONAL\s+)?MATCH\s*\(|(?:RETURN|WHERE|WITH)\s+\w+\s*[.,(])"
)
"""What a line of a query begins with, also after a blank one."""


class Language(NamedTuple):
    """How queries of a language stand in replies.

    Attributes:
        label: What the label of a block calls it.
        begun: Gives the query in a block, "" if the block is none; of SPARQL words may stand around it.
        bare: Gives the query in a reply without blocks, where words may stand around it; "" if it has none.
        expected: What was looked for, as the end of a message.
    """

    label: re.Pattern[str]
    begun: Callable[[str], str]
    bare: Callable[[str], str]
    expected: str


def cypher_of(text: str) -> tuple[str | None, str]:
    r"""The query in what a model wrote, see `query_of`.

    Example:
        >>> cypher_of("Here it is:\n```cypher\nMATCH (t:Town) RETURN t.name\n```")
        ('MATCH (t:Town) RETURN t.name', '')
        >>> cypher_of("  ")
        (None, 'it is empty')
    """
    return query_of(text, _CYPHER)


def query_of(text: str, language: Language) -> tuple[str | None, str]:
    """The query in what a model wrote.

    It stands in JSON under a key such as ``query`` (also in the arguments of a tool), in a tag such as
    ``<query>``, in a block between ``` and ```, or bare, where words may stand before and after it. A block
    that is not closed ends with the text; one of a program counts for the query in its quotes. Of several
    blocks those called by the language count, or else those that begin like a query. If they differ, one
    that the line before it calls an alternative does not count, and of the others the last does if that line
    calls it final, corrected or the like; else it is ambiguous. Neither what a model thinks aloud nor a title
    (``Query:``) nor a mark of the end of its turn (``</s>``) is part of it. Entities (``&gt;``) and line
    breaks that are spelled out are read as what they stand for.

    Returns:
        The query and "", or None and why there is none.
    """
    reply = _END.sub("", visible_reply(text).rstrip()).strip()
    reply = reply.removesuffix("**") if reply.count("**") % 2 else reply
    reply = reply if "```" in reply else _FENCE.sub("```", reply)
    reply = html.unescape(reply) if _ENTITY.search(reply) else reply
    reply = reply if "\n" in reply else _NEW_LINE.sub("\n", reply)
    return _query_of(_unquoted(reply), language) if reply.strip("`") else (None, "it is empty")


def _query_of(reply: str, language: Language, packed: bool = False) -> tuple[str | None, str]:
    """As `query_of`, of what is seen; of what was itself packed in JSON or a tag, not in those again."""
    values = () if packed else json_values(reply)
    found = [text for value in values for text in _texts_under(value)]
    found += () if packed else [tag[2] or tag[4] or "" for tag in _TAG.finditer(reply)]
    queries = [query for text in found if (query := _query_of(text.strip(), language, True)[0])]
    if blocks := [("", query) for query in queries] or _blocks(reply, language):
        return _one_of(blocks)
    if bare := language.bare(reply.replace("```", "")):
        return bare, ""
    return None, f"no block between ``` and ```, and {language.expected}"


def _unquoted(reply: str) -> str:
    """What a text in JSON says, if all is one; else the text."""
    try:
        value, end = decode(reply)
    except ValueError:
        return reply
    value = value[0] if isinstance(value, list) and len(value) == 1 else value
    return value if isinstance(value, str) and end == len(reply) else reply


def _texts_under(value: Any, depth: int = 0) -> Iterator[str]:
    """The texts in a value of JSON under `_KEYS`; the capitals and signs of keys do not count."""
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    for key, item in value.items() if isinstance(value, dict) else ():
        if isinstance(item, str) and re.sub(r"[\W_]", "", key).lower() in _KEYS:
            yield item
        elif depth < MOST:  # arguments of a tool may be JSON in a text
            packed = isinstance(item, str) and item.lstrip().startswith("{")
            yield from _texts_under(next(json_values(item), None) if packed else item, depth + 1)


def _blocks(reply: str, language: Language) -> list[tuple[str, str]]:
    """The blocks that count, with the words before each: those called by the language, else that begin so."""
    parts = reply.split("```")
    found: list[tuple[int, str, str]] = []
    for words, block in zip(parts[::2], parts[1::2], strict=False):
        label = _LABEL.match(block)
        if query := _TITLE.sub("", block[label.end() if label else 0 :].strip()):
            named, begun = (label and label[1]) or "", language.begun(query)
            rank = 2 if language.label.match(named) else bool(begun)
            found.append((rank, words, begun or query))
    best = max((rank for rank, _, _ in found), default=0)
    return [(words, query) for rank, words, query in found if rank == best]


def _one_of(blocks: list[tuple[str, str]]) -> tuple[str | None, str]:
    """The query of blocks, or why there is none."""
    named = [(words.strip().rpartition("\n")[2], query) for words, query in blocks]
    left = [row for row in named if not _OTHER.search(row[0])] or named
    words, query = left[-1]
    if len({" ".join(query.split()).rstrip("; ") for _, query in left}) == 1 or _FINAL.search(
        words
    ):
        return query, ""
    return None, f"it has {len(left)} queries, and none is called the final one"


def _begun(text: str) -> str:
    """The Cypher with which a block begins; of a program, what stands in its quotes."""
    if begin := _BEGIN.match(text):
        return text[begin.end() :]
    code = _CODE.search(text)
    return code[2].strip().replace(f"\\{code[1][0]}", code[1][0]) if code else ""


def _bare(reply: str) -> str:
    """The Cypher of a reply without blocks; "" where there is none."""
    reply = _TITLE.sub("", reply)
    begin = _BEGIN.match(reply)
    words = None if begin else _AFTER_WORDS.search(reply)
    if (found := begin or words) is None or (words and _PATTERN.search(reply, 0, words.start())):
        return ""
    query = reply[found.end() :].strip()
    if words and (opened := words[1]):
        end = query.rfind(_CLOSING.get(opened, opened))
        # Names in a query may stand in backquotes, and texts in quotes.
        query = query[: max(end, 0)] if not query.count("`", 0, max(end, 0)) % 2 else ""
    lines = query.split("\n")
    returns = next((at for at, line in enumerate(lines) if _RETURN.search(line)), len(lines))
    for at in range(returns + 1, len(lines)):
        line = lines[at].strip()
        is_apart = line and not lines[at - 1].strip() and not _GOES_ON.match(line)
        if (is_apart or _PROSE.match(line)) and _SENTENCE.match(line):
            if not any(_GOES_ON.match(later.strip()) for later in lines[at:]):
                return "\n".join(lines[:at]).strip()
            break
    return query.strip()


_CYPHER = Language(
    re.compile(r"cypher\Z", re.IGNORECASE),
    _begun,
    _bare,
    f"it does not begin with {', '.join(CLAUSES[:-1])} or {CLAUSES[-1]}",
)
