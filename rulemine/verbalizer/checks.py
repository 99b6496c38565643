"""What a question in a model's words has to be, and the reason codes of everything that goes wrong.

Guarantees: a check is a function of the text and its brief alone; the checks run in a fixed order and the
first problem counts; a text that passes also passes what the verifier demands of a release in any naming.
Where a text names the topic, its name belongs to no check: it may hold any words and signs.
"""

import re
from collections.abc import Iterable, Iterator, Set
from functools import lru_cache
from itertools import accumulate

from rulemine.kg.entity_names import NAMINGS, EntityNames
from rulemine.text.answer_leaks import Leaks
from rulemine.text.language import is_other_language
from rulemine.text.mentions import cut, find_mentions
from rulemine.text.normalization import QUESTION_MARKS, is_unspaced, is_word, mentions, places
from rulemine.text.template import escape, fill
from rulemine.verbalizer.briefs import Brief, TextProblem

__all__ = ["CODES", "LONGEST", "SHORTEST", "Checker", "check_text", "explain"]

SHORTEST, LONGEST = 8, 400
"""Characters of a text, in the naming of the prompts."""

FEWEST_LETTERS = 4
"""Letters beside the topic's name; one of a script without blanks counts twice."""

CODES = {
    "empty": "There was no text.",
    "cut_off": "The reply was cut off before its end: be brief.",
    "filtered": "The reply was withheld by a filter: use other words.",
    "malformed": "The reply was not of the form asked for{detail}.",
    "several_lines": "The reply has to be one question on one line.",
    "markup": "The text has to be plain, without markup, escapes or control characters{detail}.",
    "refusal": "The task is harmless and can be done: write the question.",
    "meta_text": "Nothing but the question was asked for{detail}.",
    "triple_syntax": "Say it in words, without arrows, variables or triples{detail}.",
    "relation_id": "Say the relation in words, without its identifier{detail}.",
    "topic_missing": "The Question Entity has to be named letter by letter, as words of their own{detail}.",
    "answer_named": "An answer must not be named{detail}.",
    "not_a_question": "The text has to be a question and end in a question mark{detail}.",
    "several_questions": "One question in one sentence was asked for.",
    "too_short": "The question is too short to be clear.",
    "too_long": "The question is too long{detail}.",
    "wrong_language": "The question has to be in {detail}.",
    "ambiguous": "Another question with other answers has the same text: say more precisely what is asked "
    "for{detail}.",
    "not_distinct": "It is worded like one that there is already{detail}.",
    "audit_failed": "A reviewer rejected it{detail}.",
    "round_trip_failed": "A reader took it for another relation or direction{detail}.",
    "context_too_long": "The request is longer than the model can read.",
    "refused_by_endpoint": "The endpoint refuses this request{detail}.",
    "endpoint_error": "The endpoint failed on this request{detail}.",
}
"""Reason code → what a model is told, with a place for the detail, see `explain`."""

_GAP = "\ufffc"
"""Stands for the topic's name in a text."""

_ALLOWED_UNSEEN = frozenset(
    "\u00a0\u00ad\u061c\u200c\u200d\u200e\u200f\u202f\u2009\u2066\u2067\u2068\u2069\u3000"
)
_ENDS = re.compile(r"^[\s\u200b-\u200f\u2066-\u2069\ufeff]+|[\s\u200b-\u200f\u2066-\u2069\ufeff]+$")
"""Blanks and marks of direction around a text."""

_AROUND = "\"'`“”‘’«»()[]{}<>,;:.!?*"
"""What may stand around a word."""

_MARKUP = re.compile(
    r"(?<!\w)[*_]{1,3}[\w\ufffc]|[\w\ufffc?][*_]{1,3}(?!\w)|~~|[`\\{}\[\]]|<\||\|>|</?[A-Za-z!][^<>]*>"
    r"|^\s*(?:#+|[>*•–-]|\(?\d{1,2}[.)])\s|&(?:amp|quot|apos|lt|gt|nbsp|#\w+);|\$\$"
)
_ITSELF = r"(?:ai|artificial\sintelligence|(?:large\s)?language\smodel)\b"
_REFUSAL = re.compile(
    r"^\W*(?:(?:i['’]?m|i\sam)\s(?:\w+\s){0,2}?(?:sorry|afraid|unable|not\sable|an?\s"
    + _ITSELF
    + r")"
    r"|sorry\b|(?:my\s)?apologies\b|i\sapologi[sz]e\b|unfortunately\b|as\san?\s" + _ITSELF + r""
    r"|i\smust\sdecline\b|(?:i|we)\s(?:(?:can|could|do|did|will|would)\s?not|(?:ca|could|do|did|wo|would)n['’]t)\b"
    r"|(?:can|could|would)\syou\b.{0,30}\b(?:clarify|(?:more|further|additional)\s(?:information|details|context))\b"
    r"|es\stut\smir\sleid\b|leider\b|lo\ssiento\b|je\ssuis\sdésolée?\b|désolée?\b|mi\sdispiace\b|desculpe\b"
    r"|抱歉|对不起|申し訳)"
    r"|\bas\san?\s" + _ITSELF + r"(?:\slanguage)?(?:\smodel|\sassistant)?\s?,",
    re.IGNORECASE,
)
_META = re.compile(
    r"^\W*(?:here(?:['’]s|\sis|\sare)\b.{0,60}\b(?:question|paraphrase|rewording|version|one)\b"
    r"|(?:sure|certainly|of\scourse|absolutely|okay|ok|great|alright|understood|got\sit)(?:\sthing)?(?:\s?[,!.:;–—]|\s-)"
    r"|[qa]\s?\d*\s?[:\uff1a])"
    # A label, like "Rephrased question (1):"; a question may have a colon, too.
    r"|^(?!\W*(?:wh|how))[^:\uff1a?\ufffc]{0,40}?(?:\b(?:questions?|answers?|(?:para|re)phras\w*|reword\w*|rewrit\w*"
    r"|revis\w+|corrected|versions?|options?|output|response|reply|result|note|assistant|user|asked\sfor"
    r"|frage|pregunta|domanda|pergunta|vraag|вопрос|ερώτηση|سؤال)\b|问题|問題|質問|질문)[^:\uff1a?\ufffc]{0,20}[:\uff1a]"
    r"|\b(?:based\son|given|from|for|in|about)\s(?:the|this|that|your)\s(?:\w+\s){0,2}triples?\b(?!\s\w)"
    r"|\b(?:removed\striple|(?:question|answer|topic)\sentity)\b|\bthe\sknowledge\sgraph\b"
    r"|\blet\sme\sknow\b|\bthis\squestion\sasks\b",
    re.IGNORECASE,
)
_ARROW = re.compile(r"-+>|=+>|<-+|[→⇒↦←⟶]|(?<!<)\|(?!>)|(?<!\S)\?\w")
_TRIPLE = re.compile(
    r"\([^()]*,[^()]*,[^()]*\ufffc\)|\(\ufffc,[^()]*,[^()]*\)|<[^<>]*\ufffc>|<\ufffc[^<>]*>"
    r"|\[[^\[\]]*,[^\[\]]*,[^\[\]]*\]|\w\((?=[^()]*\ufffc)[^()]*,[^()]*\)"
)
_SENTENCE_END = re.compile(
    r"(?:[^\W\d_A-Z]{4,}|\ufffc)[.!]\s+[^\W\d_a-z]|\s!\s+[^\W\d_a-z]|[.!]\s+¿|[。！]\s*\w"
    r"|(?<!\bDr)[.!]\s+(?:Who|Whom|Whose|What|Which|Where|When|Why|How)\b"
)
_CAMEL = re.compile(r"[^\W\d_A-Z][A-Z]")
_PLAIN = re.compile(r"[^\W\d_]+(?:[ '’-][^\W\d_]+)*")


class Checker:
    """What the checks of many texts share: names, folded once, and the relations of the graph.

    Args:
        relations: All relations, so that no text holds the identifier of another relation than its own.
    """

    def __init__(self, relations: Iterable[str] = ()) -> None:
        self.leaks = Leaks()
        self.identifiers = frozenset(name for name in relations if not _is_plain(name))


def check_text(
    text: str, brief: Brief, language: str, checker: Checker | None = None
) -> str | TextProblem:
    """Checks a question in a model's words.

    Args:
        text: The text, in the naming of the brief.
        brief: What it is about.
        language: The language asked for, by its English name.
        checker: Shared by the checks of many texts, for speed; None: one of its own.

    Returns:
        The text with ``{topic}`` in the place of the topic's name; or the first problem.
    """
    text = _ENDS.sub("", text)
    if not text:
        return TextProblem("empty")
    pieces = cut(text, find_mentions(text, brief.topic_name))
    if len(pieces) > 1 and not pieces[-1] and text[-1] in QUESTION_MARKS:
        # The mark ends both the name and the sentence; in another naming only the sentence has it.
        pieces = (*pieces[:-1], text[-1])
    found = next(_problems(text, pieces, brief, language, checker or Checker()), None)
    return "{topic}".join(map(escape, pieces)) if found is None else TextProblem(*found)


def explain(problem: TextProblem) -> str:
    """A problem in a sentence for the model."""
    detail = problem.detail
    if detail and problem.code != "wrong_language":
        detail = f" ({detail.rstrip('. ')})"
    return fill(CODES[problem.code], {"detail": detail})


def _problems(
    text: str, pieces: tuple[str, ...], brief: Brief, language: str, checker: Checker
) -> Iterator[tuple[str, str]]:
    """Code and detail of what is wrong with a text, cut at the topic's name, in the order of importance."""
    blank, words = _GAP.join(pieces), " ".join(pieces)
    if (count := len(blank.splitlines())) > 1:
        yield "several_lines", f"{count} lines"
    yield from _found("triple_syntax", _ARROW.search(blank) or _TRIPLE.search(blank))
    yield from _identifiers_in(blank, words, brief.question.relation, checker.identifiers)
    for c in "" if text.isascii() and text.isprintable() else words:
        if c in "\ufffc\ufffd" or not (c.isprintable() or c in _ALLOWED_UNSEEN):
            yield "markup", f"U+{ord(c):04X}"
    yield from _found("markup", _MARKUP.search(blank))
    if _REFUSAL.search(words):
        yield "refusal", ""
    yield from _found("meta_text", _META.search(blank))
    if len(pieces) < 2:
        yield "topic_missing", f"“{brief.topic_name}”"
    elif not _stands_apart(pieces, brief.topic):
        yield "topic_missing", f"“{brief.topic_name}” stands too close to other words"
    if answer := checker.leaks.find(pieces, brief.topic, (*brief.answers, brief.hard_answer)):
        yield "answer_named", f"“{answer}”"
    is_greek = any("\u0370" <= c <= "\u03ff" for c in blank)
    marks = QUESTION_MARKS + ";" * is_greek
    if blank[-1] not in marks:
        yield "not_a_question", ""
    if sum(map(blank.count, marks)) > 1 or _SENTENCE_END.search(blank):
        yield "several_questions", ""
    letters = sum(is_word(c) + is_unspaced(c) for c in words)
    if len(text) < SHORTEST or letters < FEWEST_LETTERS:
        yield "too_short", ""
    if len(text) > LONGEST:
        yield "too_long", f"{len(text)} characters; at most {LONGEST} are wanted"
    if is_other_language(words.replace(brief.question.relation, " "), language):
        yield "wrong_language", language


def _found(code: str, found: re.Match[str] | None) -> Iterator[tuple[str, str]]:
    if found is not None:
        yield code, f"“{found[0].replace(_GAP, '…').strip()}”"


def _identifiers_in(
    blank: str, words: str, relation: str, others: Set[str]
) -> Iterator[tuple[str, str]]:
    blank = blank.casefold()
    for name in _identifiers(relation):
        if name in blank and mentions(blank, name):
            yield "relation_id", f"“{name}”"
    for word in words.split() if others else ():
        if word in others or word.strip(_AROUND) in others:
            yield "relation_id", f"“{word}”"


@lru_cache(maxsize=4096)
def _identifiers(relation: str) -> tuple[str, ...]:
    """A relation's name, also with other signs, and its parts, case folded, those that are no plain words.

    Example:
        >>> _identifiers("/film/film/running_time"), _identifiers("aunt")
        (('/film/film/running_time', 'film/film/running_time', 'film.film.running_time', 'running_time'), ())
    """
    parts = [part for part in re.split(r"_*[/#:.<>]+_*|^_+|_+$", relation) if part]
    forms = (relation, "/".join(parts), ".".join(parts), *parts)
    return tuple(dict.fromkeys(form.casefold() for form in forms if not _is_plain(form)))


def _is_plain(name: str) -> bool:
    """Whether a name is words as one writes them: letters, and nothing like ``camelCase``."""
    return bool(_PLAIN.fullmatch(name)) and not _CAMEL.search(name)


def _stands_apart(pieces: tuple[str, ...], topic: EntityNames) -> bool:
    """Whether the topic's name can be told from the words around it, in every naming."""
    for name in {topic.name_in(naming) for naming in NAMINGS}:
        ends = accumulate(len(piece) + len(name) for piece in pieces[:-1])
        if not {end - len(name) for end in ends}.issubset(places(name.join(pieces), name)):
            return False
    return True
