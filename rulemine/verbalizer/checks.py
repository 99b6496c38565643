"""Questions to verbalize, and the checks of a model's texts about them.

Guarantees: a check is a function of the text and of what is known of its question alone; the checks run in a
fixed order and the first problem counts; a text that passes also passes the verifier in every naming. The
names of the topic entities are cut out before the checks: they may contain any words and signs.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import astuple, dataclass
from functools import lru_cache
from itertools import accumulate
from typing import Any, ClassVar

from rulemine.kg.entity_names import NAMINGS, EntityNames
from rulemine.kinds.registry import kind_named
from rulemine.phrasing.glosses import Gloss
from rulemine.phrasing.templates import RelationTemplates
from rulemine.release.records import Question
from rulemine.text.language import asks_whether, is_other_language, language_code
from rulemine.text.mentions import FUNCTION_WORDS, Span, cut, find_mentions_of_all, interleaved
from rulemine.text.naming_rules import named_answer, naming_problem
from rulemine.text.normalization import (
    QUESTION_MARKS,
    fold_loosely,
    is_unspaced,
    is_word,
    mentions,
    places,
    unify,
)
from rulemine.text.template import escape
from rulemine.verbalizer.replies import PICTURE, TextProblem, unwrapped

__all__ = ["LONGEST", "SHORTEST", "Checker", "QuestionInput", "check_text", "placeholders"]

SHORTEST, LONGEST = 8, 400
"""Characters of a text, in the naming of the prompts."""

FEWEST_LETTERS = 4
"""Letters besides the names of topic entities; one of a script without spaces counts twice."""

_GAP = "\ufffc"
"""Stands for the name of a topic entity in a text."""

_ALLOWED_UNSEEN = frozenset(
    "\u00a0\u00ad\u061c\u200c\u200d\u200e\u200f\u202f\u2009\u2066\u2067\u2068\u2069\u3000"
)
_ENDS = re.compile(r"^[\s\u200b-\u200f\u2066-\u2069\ufeff]+|[\s\u200b-\u200f\u2066-\u2069\ufeff]+$")
"""White space and direction marks around a text."""

_AROUND = "\"'`“”‘’«»()[]{}<>,;:.!?*"
"""What may stand around a word."""

_MARKUP = re.compile(
    r"(?<!\w)[*_]{1,3}[\w\ufffc]|[\w\ufffc?][*_]{1,3}(?!\w)|~~|[`\\{}\[\]]|<\||\|>|</?[A-Za-z!][^<>]*>"
    rf"|^\s*(?:#+|[>*•–-]|\(?(?:\d{{1,2}}[.)]|[a-zA-Z]\)))\s|{PICTURE}"
    r"|&(?:amp|quot|apos|lt|gt|nbsp|#\w+);|\$\$"
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
    r"^\W*(?:here(?:['’]s|\sis|\sare)\b"
    r"(?:.{0,60}\b(?:question|paraphrase|rewording|version|one)\b|[^:?]{0,80}[:\uff1a]|[^?]{0,80}\s[–—-]\s)"
    r"|(?:sure|certainly|of\scourse|absolutely|okay|ok|great|alright|understood|got\sit)(?:\sthing)?(?:\s?[,!.:;–—]|\s-)"
    r"|[qa]\s?\d*\s?(?:[:\uff1a]|[–—-]\s))"
    # A label such as "Rephrased question (1):"; questions may have a colon, too.
    r"|^(?!\W*(?:wh|how))[^:\uff1a?\ufffc]{0,60}?(?:\b(?:questions?|answers?|(?:para|re)phras\w*|reword\w*|rewrit\w*"
    r"|revis\w+|corrected|ways?\sto|versions?|options?|output|response|reply|result|note|assistant|user|asked\sfor"
    r"|frage|pregunta|domanda|pergunta|vraag|вопрос|ερώτηση|سؤال)\b|问题|問題|質問|질문)"
    r"[^:\uff1a?\ufffc]{0,30}(?:[:\uff1a]|\s[–—-]\s)"
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
    r"|[.!]\s+(?:Who|Whom|Whose|What|Which|Where|When|Why|How)\b"
)
_CAMEL = re.compile(r"[^\W\d_A-Z][A-Z]")
_PLAIN = re.compile(r"[^\W\d_]+(?:[ '’-][^\W\d_]+)*")
_WORD = re.compile(r"[^\W_]+")
_INITIAL = re.compile(r"(?<=\b[^\W\d_])\.(?=[^\W\d_]\b)")
"""The point inside ``U.S.``, which is one word."""
_CAPITALIZING = frozenset((None, "de", "lb"))
"""Languages whose common nouns have capitals, by code; None: one that is unknown."""


def placeholders(topics: int) -> tuple[str, ...]:
    """The placeholders of patterns with so many topic entities, see `Question.patterns`.

    Example:
        >>> placeholders(1), placeholders(2)
        (('topic',), ('topic1', 'topic2'))
    """
    return ("topic",) if topics == 1 else tuple(f"topic{n}" for n in range(1, topics + 1))


@dataclass(frozen=True, slots=True)
class QuestionInput:
    """A question, and what the checks of its texts need to know; kinds add what only their prompts say.

    Attributes:
        question: The question; all names in it are source labels.
        naming: How prompts and texts name entities.
        topics: The topic entities, in the order of their private ids.
        hidden: The entities that must not be named, each group with the code of the problem if one is.
        asked: What it asks for, in the words of templates and the naming of the prompts; empty: not shown.
    """

    prefix: ClassVar[str] = ""
    """What the purposes of calls about such questions begin with."""

    always_judged: ClassVar[bool] = False
    """Whether a judge sees every text, and may propose another one."""

    question: Question
    naming: str
    topics: tuple[EntityNames, ...]
    hidden: tuple[tuple[str, tuple[EntityNames, ...]], ...]
    asked: str

    @property
    def names(self) -> list[str]:
        """The names of the topic entities, in the naming."""
        return [topic.name_in(self.naming) for topic in self.topics]

    @property
    def template(self) -> str:
        """The pattern of the text from templates, in which names may stand as they are."""
        return escape(self.asked)

    @property
    def for_entities(self) -> bool:
        """Whether it asks for entities, rather than for rows of values."""
        return kind_named(self.question.kind).answers.form == "entities"

    def shown(self) -> Mapping[str, Any]:
        """What prompts say of it besides, see `rulemine.verbalizer.prompts.Shown`."""
        return {}

    def check(self, text: str, language: str, checker: "Checker") -> str | TextProblem:
        """See `check_text`."""
        return check_text(text, self, language, checker)


class Checker:
    """What the checks of many texts share: names, normalized once, and what is known of relations.

    Args:
        relations: All relations of the graph: no text may contain the identifier of one.
        described: What is said of them; names in it ("the Olympic Games") may stand in texts.
    """

    def __init__(
        self, relations: Iterable[str] = (), described: Iterable[Gloss | RelationTemplates] = ()
    ) -> None:
        self.identifiers = frozenset(name for name in relations if not _is_plain(name))
        self.described = {row.relation: row for row in described}


def check_text(
    text: str,
    item: QuestionInput,
    language: str,
    checker: Checker | None = None,
    values: Sequence[str] = (),
) -> str | TextProblem:
    """Checks a model's text.

    Args:
        text: The text, in the naming of the input.
        item: The question.
        language: The required language, by its English name.
        checker: Shared by the checks of many texts, for speed; None: a new one.
        values: What it has to keep besides names.

    Returns:
        The text, without what the model put around it, with `placeholders` in place of the names of the topic
        entities; or the first problem.
    """
    text = _ENDS.sub("", unwrapped(_ENDS.sub("", text), [*item.names, *values]))
    if not text:
        return TextProblem("empty")
    named = find_mentions_of_all(text, item.names)
    pieces = cut(text, tuple(span for span, _ in named))
    if len(pieces) > 1 and not pieces[-1] and text[-1] in QUESTION_MARKS:
        # The mark ends both the name and the sentence; in another naming it ends only the sentence.
        pieces = (*pieces[:-1], text[-1])
    topics = [item.topics[which] for _, which in named]
    if either := _either(text, named, item.names):
        return TextProblem("topic_missing", f"“{either}” could be one or another")
    found = next(_problems(text, pieces, topics, item, language, checker or Checker()), None)
    if found is not None:
        return TextProblem(*found)
    slots = [f"{{{name}}}" for name in placeholders(len(item.topics))]
    return "".join(interleaved([*map(escape, pieces)], [slots[which] for _, which in named]))


def _problems(
    text: str,
    pieces: tuple[str, ...],
    topics: Sequence[EntityNames],
    item: QuestionInput,
    language: str,
    checker: Checker,
) -> Iterator[tuple[str, str]]:
    """Yields the code and the detail of each problem of a text, gravest first."""
    blank, words = _GAP.join(pieces), " ".join(pieces)
    relations = item.question.relations
    if (count := len(blank.splitlines())) > 1:
        yield "several_lines", f"{count} lines"
    yield from _found("triple_syntax", _ARROW.search(blank) or _TRIPLE.search(blank))
    yield from _identifiers_in(blank, words, relations, checker.identifiers)
    for c in "" if text.isascii() and text.isprintable() else words:
        if c in "\ufffc\ufffd" or not (c.isprintable() or c in _ALLOWED_UNSEEN):
            yield "markup", f"U+{ord(c):04X}"
    yield from _found("markup", _MARKUP.search(blank))
    if _REFUSAL.search(words):
        yield "refusal", ""
    yield from _found("meta_text", _META.search(blank))
    for topic in item.topics:
        if topic not in topics:
            yield "topic_missing", f"“{topic.name_in(item.naming)}”"
    if (joined := _joined(pieces, topics)) is not None:
        yield "topic_missing", f"“{joined.name_in(item.naming)}” is joined to other words"
    if len(item.topics) > 1 and naming_problem(
        lambda naming: "".join(interleaved(pieces, [row.name_in(naming) for row in topics])),
        item.topics,
        (),
        (),
    ):
        yield "topic_missing", "one is only part of another name"
    for code, hidden in item.hidden:
        if name := named_answer(pieces, topics, hidden):
            yield code, f"“{name}”"
    marks = QUESTION_MARKS + ";" * any("\u0370" <= c <= "\u03ff" for c in blank)  # in Greek
    if blank[-1] not in marks:
        yield "not_a_question", ""
    if sum(map(blank.count, marks)) > 1 or _SENTENCE_END.search(blank):
        yield "several_questions", ""
    letters = sum(is_word(c) + is_unspaced(c) for c in words)
    if len(text) < SHORTEST or letters < FEWEST_LETTERS:
        yield "too_short", ""
    if len(text) > LONGEST:
        yield "too_long", f"{len(text)} characters; at most {LONGEST} are allowed"
    for relation in relations:
        words = words.replace(relation, " ")
    if is_other_language(words, language):
        yield "wrong_language", language
    # Comparisons are asked so over a property graph.
    if item.for_entities and language == "English" and asks_whether(blank):
        yield "yes_or_no", ""
    if foreign := _foreign(pieces, item, language, checker):
        yield "foreign_name", f"“{foreign}”"


def _found(code: str, found: re.Match[str] | None) -> Iterator[tuple[str, str]]:
    if found is not None:
        yield code, f"“{found[0].replace(_GAP, '…').strip()}”"


def _identifiers_in(
    blank: str, words: str, relations: Iterable[str], others: Set[str]
) -> Iterator[tuple[str, str]]:
    blank = blank.casefold()
    for relation in relations:
        for name in _identifiers(relation):
            if name in blank and mentions(blank, name):
                yield "relation_id", f"“{name}”"
    for word in words.split() if others else ():
        if word in others or word.strip(_AROUND) in others:
            yield "relation_id", f"“{word}”"


def _foreign(
    pieces: tuple[str, ...], item: QuestionInput, language: str, checker: Checker
) -> str | None:
    """The first word of a text that is a name, date or number the model was not given; None: there is none.

    A capital letter makes a name, but of the word that opens the text, a function word, and *I*; and a letter
    of a script without capitals in a text of another script. What stands in the draft, in the identifier of a
    relation, or in its description was given.
    """
    capitals = language_code(language) not in _CAPITALIZING
    numbers = item.for_entities  # the values that rows have are checked on their own
    found = [word for piece in pieces for word in _WORD.findall(_INITIAL.sub("", unify(piece)))]
    opening = bool(_WORD.search(pieces[0]))
    letters = [*filter(str.isalpha, "".join(found))]
    cased = 2 * sum(map(_is_caseless, letters)) < len(letters)
    names: list[str] = [
        word
        for at, word in enumerate(found)
        if (numbers and any(map(str.isdigit, word)))
        or (capitals and at >= opening and word != "I" and any(map(str.isupper, word)))
        or (cased and any(map(_is_caseless, filter(str.isalpha, word))))
    ]
    if not names:
        return None
    own = item.question
    relations = {*own.relations, *(relation for _, relation, _ in own.full_evidence)}
    identifiers = fold_loosely(" ".join(relations))
    spans = tuple(span for span, _ in find_mentions_of_all(item.asked, item.names))
    texts = [*cut(item.asked, spans), identifiers]
    texts += [" ".join(astuple(row)) for row in map(checker.described.get, relations) if row]
    known = FUNCTION_WORDS.union(_WORD.findall(fold_loosely(" ".join(texts))))
    for name in names:
        word = fold_loosely(name)
        forms = {word, word.removesuffix("s"), f"{word}s"}
        if not forms & known and not (len(word) > 3 and word in identifiers):
            return name
    return None


def _is_caseless(letter: str) -> bool:
    return letter.lower() == letter.upper()


def _either(text: str, named: Iterable[tuple[Span, int]], names: Sequence[str]) -> str | None:
    """A mention that fits two topic entities and has the exact spelling of neither; None: there is none."""
    read = [fold_loosely(name).strip() for name in names]
    said = (text[start:end] for (start, end), which in named if read.count(read[which]) > 1)
    return next((spelling for spelling in said if spelling not in names), None)


@lru_cache(maxsize=4096)
def _identifiers(relation: str) -> tuple[str, ...]:
    """Spellings of a relation's name and its parts that are not plain words, case folded.

    Example:
        >>> _identifiers("/film/film/running_time"), _identifiers("aunt")
        (('/film/film/running_time', 'film/film/running_time', 'film.film.running_time', 'running_time'), ())
    """
    parts = [part for part in re.split(r"_*[/#:.<>]+_*|^_+|_+$", relation) if part]
    forms = (relation, "/".join(parts), ".".join(parts), *parts)
    return tuple(dict.fromkeys(form.casefold() for form in forms if not _is_plain(form)))


def _is_plain(name: str) -> bool:
    """Whether a name is plain words: letters, but not ``camelCase``."""
    return bool(_PLAIN.fullmatch(name)) and not _CAMEL.search(name)


def _joined(pieces: tuple[str, ...], topics: Sequence[EntityNames]) -> EntityNames | None:
    """The first topic entity whose name, in some naming, would run into the letters around it."""
    for naming in NAMINGS:
        names = [topic.name_in(naming) for topic in topics]
        parts = [*interleaved(pieces, names)]
        text, starts = "".join(parts), [*accumulate(map(len, parts))][:-2:2]
        for topic, name, start in zip(topics, names, starts, strict=True):
            if start not in places(text, name):
                return topic
    return None
