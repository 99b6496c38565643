"""The form of a model's texts.

Checks that each text of wording ``model`` is one line and one question with its mark at the end, neither very
short nor very long, not a refusal or talk about the task, without markup, triples and relation ids; and that
no other formal query has the same text. `questions` checks whom a text names.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Set

from rulemine.verify.names import Names
from rulemine.verify.question_set import Located
from rulemine.verify.report import Findings, shown
from rulemine.verify.wording import Pieces, VerbalizerConfig, texts_of

__all__ = ["check_texts", "text_problems"]

SHORTEST, LONGEST = 8, 400
"""Characters of a text, in the naming of the prompts."""

_MARKS = "?？؟⸮՞\u037e⁇⁈⁉፧᥅⳺⳻꘏꛷﹖︖𑅃"
_GAP = "\ufffc"
"""Stands for the name of the topic entity."""

_WRONG = (
    (
        r"(?<!\w)[*_]{1,2}\w|~~|[`\\\[\]\u200b\u202a-\u202e\ufffd]|</?[a-z]+>|<\||&(?:amp|quot|lt|gt|nbsp|#\d+);"
        r"|^\s*(?:#+|[>*•–-]|\(?\d[.)])\s",
        "text without markup",
    ),
    (
        r"^\W*(?:(?:i['’]?m|i\sam)\s(?:(?:really|so|very|just)\s)?(?:sorry|afraid|unable|not\sable|an\sai)\b"
        r"|(?:sorry|(?:my\s)?apologies|unfortunately|i\smust\sdecline|i\sapologi[sz]e|lo\ssiento|es\stut\smir\sleid)\b"
        r"|(?:i|we)\s(?:can\s?not|can['’]t|won['’]t|don['’]t|do\snot)\b|as\san?\s(?:ai|(?:large\s)?language\smodel)\b"
        r"|(?:can|could)\syou\s(?:please\s)?(?:clarify|give\sme\smore\s(?:information|details|context))\b"
        r"|抱歉|对不起)|\bas\san\sai(?:\slanguage)?(?:\smodel|\sassistant)?\s?,",
        "only the question",
    ),
    (
        r"^\W*(?:here(?:['’]s|\sis|\sare)\s(?:the|a|an|your|my|one)\b.{0,30}(?:question|paraphrase|rewording)"
        r"|(?:sure(?:\sthing)?|certainly|of\scourse|absolutely|okay|great|got\sit)\s?[,!.:]|q\s?\d*\s?:"
        r"|(?!wh|how)(?:[\w-]{1,12}\s){0,3}(?:question|answer|paraphrase|rephras(?:ed|ing|e)|reworded|output|response"
        r"|version|assistant|user)(?:\sis)?\s?(?:\#?\d+)?\s?[:\uff1a])"
        r"|\b(?:removed\striple|(?:question|answer|topic)\sentity|the\sknowledge\sgraph)\b"
        r"|\b(?:based\son|given|for|in)\sth(?:e|is)\s(?:given\s|removed\s)?triple\s?[,:]",
        "only the question",
    ),
    (
        r"->|<-|=>|→|⇒|↦|(?<!\S)\?[a-z]\b|(?<!<)\|(?!>)|\([^(),]*,[^(),]*,[^(),]*\ufffc\)|\(\ufffc,[^(),]*,[^(),]*\)",
        "words instead of a triple",
    ),
)
_PATTERNS = [(re.compile(pattern), expected) for pattern, expected in _WRONG]
"""Forbidden patterns, for lower-case text, and what is expected instead."""

_NEXT_SENTENCE = re.compile(r"(?:\ufffc|[a-z]{4})[.!]\s+[A-Z]|[.!]\s+¿|[。！]\s*\w")
_ID_LIKE = re.compile(r"[/_:.]|[a-z][A-Z]")
_AROUND = "\"'`“”‘’«»()[]{}<>,;:.!?*"


def text_problems(pieces: Pieces, name: str, ids: Set[str]) -> Iterator[tuple[str, str]]:
    """Yields the problems of a text.

    Args:
        pieces: The text cut at the name of its topic entity.
        name: That name.
        ids: The relations whose names are not plain words.

    Yields:
        What was found and what was expected.
    """
    text, own = name.join(pieces), _GAP.join(pieces)
    if any(unicodedata.category(c) in ("Cc", "Zl", "Zp") for c in own):
        yield "a line break or control character", "one line"
    if not SHORTEST <= len(text) <= LONGEST:
        yield f"{len(text)} characters", f"{SHORTEST} to {LONGEST}"
    is_greek = any("Ͱ" <= c <= "Ͽ" for c in own)
    if not pieces[-1].rstrip().endswith(tuple(_MARKS + ";" * is_greek)):
        yield shown(pieces[-1]), "a question mark at the end"
    if sum(map(own.count, "?？؟")) > 1 or _NEXT_SENTENCE.search(own):
        yield shown(own), "one question"
    for pattern, expected in _PATTERNS:
        if found := pattern.search(own.casefold()):
            yield shown(found[0]), expected
    for word in " ".join(pieces).split():
        for form in ids & {word, word.strip(_AROUND)}:
            yield shown(form), "words instead of a relation id"


def check_texts(
    questions: list[Located], names: Names, verbalizer: VerbalizerConfig, findings: Findings
) -> None:
    """Checks each text of wording ``model``, and that it is not ambiguous among all questions."""
    if all(here.row.get("wording") != "model" for here in questions):
        return
    ids = {relation for relation in names.relations if _ID_LIKE.search(relation)}
    users: dict[str, list[Located]] = defaultdict(list)
    for here in questions:
        if (entity := names.entities.get(here.row["topic"])) is None:
            continue
        name = entity.spelled[verbalizer.naming]
        for _, pieces in texts_of(here.row):
            users[" ".join(name.join(pieces).casefold().split())].append(here)
            if here.row.get("wording") == "model":
                for found, expected in text_problems(pieces, name, ids):
                    findings.add(here.file, here.line, "text of a model", found, expected)
    for text, group in users.items():
        if len(set(map(_query, group))) == 1:
            continue
        for here in group:
            other = next((o for o in group if _differ(here, o)), None)
            if other is not None and here.row.get("wording") == "model":
                found = f"{shown(text)}, also the text of {other.file} line {other.line}"
                expected = "distinct texts for questions with different answers"
                findings.add(here.file, here.line, "one meaning", found, expected)


def _differ(here: Located, other: Located) -> bool:
    """Whether two questions ask for different things: another formal query with other answers."""
    return _query(here) != _query(other) and here.row["answers"] != other.row["answers"]


def _query(here: Located) -> tuple[str, str, str]:
    return here.row["topic"], here.row["relation"], here.row["direction"]
