"""What a question in a model's words has to be, and the reason codes of everything that goes wrong.

Guarantees: a check is a function of the text and its brief alone; the checks run in a fixed order and the
first problem counts; a text that passes also passes what the verifier demands of a release in any naming.
Where a text names the topic, its name belongs to no check: it may hold any words and signs.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache

from rulemine.kg.entity_names import NAMINGS
from rulemine.text.answer_leaks import Leaks
from rulemine.text.language import is_other_language
from rulemine.text.mentions import cut, find_mentions
from rulemine.text.normalization import QUESTION_MARKS, is_unspaced, is_word, mentions, places
from rulemine.text.template import escape, fill
from rulemine.verbalizer.brief import Brief, Problem

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


@dataclass(frozen=True, slots=True)
class _Draft:
    """A text to be checked.

    Attributes:
        text: It, without blanks and unseen marks at its ends.
        pieces: What is left of it beside the topic's name.
        blank: The pieces with `_GAP` between them.
        words: The pieces with a blank between them.
        brief: What it is about.
        language: The language asked for.
        checker: See `Checker`.
    """

    text: str
    pieces: tuple[str, ...]
    blank: str
    words: str
    brief: Brief
    language: str
    checker: Checker

    @property
    def pattern(self) -> str:
        return "{topic}".join(map(escape, self.pieces))


def check_text(
    text: str, brief: Brief, language: str, checker: Checker | None = None
) -> str | Problem:
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
    pieces = cut(text, find_mentions(text, brief.topic_name))
    if len(pieces) > 1 and not pieces[-1] and text[-1] in QUESTION_MARKS:
        # The mark ends both the name and the sentence; in another naming only the sentence has it.
        pieces = (*pieces[:-1], text[-1])
    draft = _Draft(
        text, pieces, _GAP.join(pieces), " ".join(pieces), brief, language, checker or Checker()
    )
    for check in _CHECKS:
        problem = check(draft)
        if problem is not None:
            return problem
    return draft.pattern


def explain(problem: Problem) -> str:
    """A problem in a sentence for the model."""
    detail = problem.detail
    if detail and problem.code != "wrong_language":
        detail = f" ({detail.rstrip('. ')})"
    return fill(CODES[problem.code], {"detail": detail})


def _empty(draft: _Draft) -> Problem | None:
    return None if draft.text else Problem("empty")


def _several_lines(draft: _Draft) -> Problem | None:
    count = len(draft.blank.splitlines())
    return Problem("several_lines", f"{count} lines") if count > 1 else None


def _markup(draft: _Draft) -> Problem | None:
    if not (draft.text.isascii() and draft.text.isprintable()):
        for c in "".join(draft.pieces):
            if c in "\ufffc\ufffd" or not (c.isprintable() or c in _ALLOWED_UNSEEN):
                return Problem("markup", f"U+{ord(c):04X}")
    found = _MARKUP.search(draft.blank)
    return _problem("markup", found)


def _refusal(draft: _Draft) -> Problem | None:
    return Problem("refusal") if _REFUSAL.search(draft.words) else None


def _meta_text(draft: _Draft) -> Problem | None:
    return _problem("meta_text", _META.search(draft.blank))


def _triple_syntax(draft: _Draft) -> Problem | None:
    return _problem("triple_syntax", _ARROW.search(draft.blank) or _TRIPLE.search(draft.blank))


def _problem(code: str, found: re.Match[str] | None) -> Problem | None:
    if found is None:
        return None
    return Problem(code, f"“{found[0].replace(_GAP, '…').strip()}”")


def _relation_id(draft: _Draft) -> Problem | None:
    blank = draft.blank.casefold()
    for name in _identifiers(draft.brief.question.relation):
        if name in blank and mentions(blank, name):
            return Problem("relation_id", f"“{name}”")
    if identifiers := draft.checker.identifiers:
        for word in draft.words.split():
            if word in identifiers or word.strip(_AROUND) in identifiers:
                return Problem("relation_id", f"“{word}”")
    return None


@lru_cache(maxsize=4096)
def _identifiers(relation: str) -> tuple[str, ...]:
    """A relation's name, also with other signs, and its parts, case folded, those that are no plain words.

    Example:
        >>> _identifiers("/film/film/running_time"), _identifiers("aunt")
        (('/film/film/running_time', 'film/film/running_time', 'film.film.running_time', 'running_time'), ())
    """
    parts = [part.strip("_") for part in re.split(r"[/#:.<>]+", relation)]
    parts = [part for part in parts if part]
    forms = (relation, "/".join(parts), ".".join(parts), *parts)
    return tuple(dict.fromkeys(form.casefold() for form in forms if not _is_plain(form)))


def _is_plain(name: str) -> bool:
    """Whether a name is words as one writes them: letters, and nothing like ``camelCase``."""
    return bool(_PLAIN.fullmatch(name)) and not _CAMEL.search(name)


def _topic_missing(draft: _Draft) -> Problem | None:
    brief, pieces = draft.brief, draft.pieces
    if len(pieces) < 2:
        return Problem("topic_missing", f"“{brief.topic_name}”")
    for name in {brief.topic.name_in(naming) for naming in NAMINGS}:
        starts, end = set[int](), 0
        for piece in pieces[:-1]:
            starts.add(end + len(piece))
            end += len(piece) + len(name)
        # In every naming the name has to be told from the words around it.
        if not starts.issubset(places(name.join(pieces), name)):
            return Problem("topic_missing", f"“{brief.topic_name}” stands too close to other words")
    return None


def _answer_named(draft: _Draft) -> Problem | None:
    brief = draft.brief
    answers = brief.answers
    if brief.hard_answer not in answers:
        answers = (*answers, brief.hard_answer)
    found = draft.checker.leaks.find(draft.pieces, brief.topic, answers)
    return None if found is None else Problem("answer_named", f"“{found}”")


def _not_a_question(draft: _Draft) -> Problem | None:
    if draft.blank[-1] in _marks(draft.blank):
        return None
    return Problem("not_a_question")


def _marks(text: str) -> str:
    """The marks that end a question."""
    is_greek = any("\u0370" <= c <= "\u03ff" for c in text)
    return QUESTION_MARKS + ";" * is_greek


def _several_questions(draft: _Draft) -> Problem | None:
    blank = draft.blank
    count = sum(map(blank.count, _marks(blank)))
    if count > 1 or _SENTENCE_END.search(blank):
        return Problem("several_questions")
    return None


def _too_short(draft: _Draft) -> Problem | None:
    if len(draft.text) < SHORTEST:
        return Problem("too_short")
    letters = 0
    for c in "".join(draft.pieces):
        letters += is_word(c) + is_unspaced(c)
        if letters >= FEWEST_LETTERS:
            return None
    return Problem("too_short")


def _too_long(draft: _Draft) -> Problem | None:
    if len(draft.text) <= LONGEST:
        return None
    return Problem("too_long", f"{len(draft.text)} characters; at most {LONGEST} are wanted")


def _wrong_language(draft: _Draft) -> Problem | None:
    words = draft.words.replace(draft.brief.question.relation, " ")
    if is_other_language(words, draft.language):
        return Problem("wrong_language", draft.language)
    return None


_CHECKS: tuple[Callable[[_Draft], Problem | None], ...] = (
    _empty,
    _several_lines,
    _triple_syntax,
    _relation_id,
    _markup,
    _refusal,
    _meta_text,
    _topic_missing,
    _answer_named,
    _not_a_question,
    _several_questions,
    _too_short,
    _too_long,
    _wrong_language,
)
