"""Names in the text of a question: it names every anchor, no answer, and no intermediate.

Guarantees: a text that passes does so in every naming, so it does not depend on the naming of a release;
the verifier finds nothing in it either; names are compared as whole tokens. `naming_problem` takes texts
from templates: names are case-folded, and a name inside an anchor's own name does not count, not as that of
an answer, and not as that of another anchor. `named_answer` takes what a model wrote: there spellings that
read the same count too (see `rulemine.text.normalization`), without accents, in the plural, and an answer's
aliases: those that the release has, and its label without what makes it unique, without a final parenthesis,
without punctuation. Whether
an anchor's name gives an answer away is another question, which `telling_anchor` answers.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple

from rulemine.kg.entity_names import NAMINGS, EntityNames
from rulemine.text.mentions import FUNCTION_WORDS, Span, interleaved
from rulemine.text.normalization import fold, fold_loosely, mentions, places, unaccented, unify

__all__ = [
    "ANCHOR_MISSING",
    "ANCHOR_TELLS",
    "ANSWER_NAMED",
    "INTERMEDIATE_NAMED",
    "named_answer",
    "naming_problem",
    "telling_anchor",
]

ANCHOR_MISSING = "the text does not name an anchor"
ANSWER_NAMED = "the text names an answer"
INTERMEDIATE_NAMED = "the text names an intermediate entity"
ANCHOR_TELLS = "the name of an anchor has that of an answer in it"

_PARENTHESIS = re.compile(r"\s*\([^()]*\)$")
_POSSESSIVE = re.compile(r"(?<=[\w.])'(?=s\b)")
_DROPPED = re.compile(r"['.]")
_SIGNS = re.compile(r"(?:[^\w\s]|_)+")
_BLANKS = re.compile(r"\s+")


def naming_problem(
    text_in: Callable[[str], str],
    anchors: Sequence[EntityNames],
    answers: Sequence[EntityNames],
    intermediates: Sequence[EntityNames],
) -> tuple[str, str, str] | None:
    """Why the text of a question cannot be used; None if it can.

    Args:
        text_in: The text in a naming, see `rulemine.kg.entity_names.NAMINGS`.
        anchors: The anchors, all different.
        answers: All answers, further ones included; an anchor among them is not searched for.
        intermediates: All other entities of all witnesses; an anchor among them is not searched for.

    Returns:
        `ANCHOR_MISSING`, `ANSWER_NAMED` or `INTERMEDIATE_NAMED`; in which naming; and the text in it.

    Raises:
        InputError: As `EntityNames.name_in`.
    """
    for naming in NAMINGS:
        text = text_in(naming)
        broken = _broken_rules(fold(text), naming, anchors, answers, intermediates)
        if reason := next(broken, None):
            return reason, f"in the naming {naming}", text
    return None


def _broken_rules(
    text: str,
    naming: str,
    anchors: Sequence[EntityNames],
    answers: Sequence[EntityNames],
    intermediates: Sequence[EntityNames],
) -> Iterator[str]:
    """The rules that a folded text breaks in one naming, as `naming_problem`."""
    named = [list(_spans(text, entity, naming)) for entity in anchors]
    for place, spans in enumerate(named):
        others = [span for at, some in enumerate(named) if at != place for span in some]
        if not any(_is_free(span, others) for span in spans):
            yield ANCHOR_MISSING
    own = [span for spans in named for span in spans]
    for entities, reason in ((answers, ANSWER_NAMED), (intermediates, INTERMEDIATE_NAMED)):
        for entity in (entity for entity in entities if entity not in anchors):
            if any(_is_free(span, own) for span in _spans(text, entity, naming)):
                yield reason


def telling_anchor(anchors: Sequence[EntityNames], answers: Iterable[EntityNames]) -> str | None:
    """The first naming in which the name of an anchor has that of an answer in it; None: there is none.

    Example:
        >>> anchor = EntityNames("e1", "Q1", "Panjab University, Chandigarh")
        >>> telling_anchor([anchor], [EntityNames("e2", "Q2", "Chandigarh")])
        'text'
    """
    others = [answer for answer in answers if answer not in anchors]
    telling = (
        naming
        for naming in NAMINGS
        for text in [_folded(anchor.name_in(naming)) for anchor in anchors]
        if any(mentions(text, _folded(answer.name_in(naming))) for answer in others)
    )
    return next(telling, None)


def _spans(text: str, entity: EntityNames, naming: str) -> Iterator[Span]:
    """Yields where a folded text has the name of an entity as a whole token."""
    name = _folded(entity.name_in(naming))
    return ((at, at + len(name)) for at in places(text, name))


def _is_free(span: Span, others: Sequence[Span]) -> bool:
    """Whether a span is not within one of the others."""
    return not any(start <= span[0] and span[1] <= end for start, end in others)


_folded = lru_cache(maxsize=1 << 16)(fold)  # every entity is searched for in many texts


class _Forms(NamedTuple):
    """The spellings of one entity.

    Attributes:
        names: For each of `NAMINGS` its distinct names: case folded, folded loosely, and without accents.
        aliases: Names without punctuation that are searched in any case; case folded.
        exact: Those that are searched in their own case, because they could be common words otherwise.
    """

    names: tuple[tuple[str, ...], ...]
    aliases: tuple[str, ...]
    exact: tuple[str, ...]


def named_answer(
    pieces: Sequence[str], topics: Sequence[EntityNames], answers: Iterable[EntityNames]
) -> str | None:
    """Finds an answer that a text names.

    Args:
        pieces: The text cut at the names of topic entities, see `rulemine.text.mentions.cut`.
        topics: The topic entity named in each gap, one fewer than pieces; they are not searched for,
            even if they are answers.
        answers: The answers, and what else must not be named.

    Returns:
        The first name or alias found, as searched; None if there is none.
    """
    rivals = [_forms(answer) for answer in answers if answer not in topics]
    cased, loose = [p.casefold() for p in pieces], [fold_loosely(p) for p in pieces]
    named = [_forms(topic).names for topic in topics]
    for place in range(len(NAMINGS)):
        names = [name for forms in rivals for name in forms.names[place]]
        first, last = [own[place][0] for own in named], [own[place][-1] for own in named]
        if found := _first(names, cased, first) or _first(names, loose, last):
            return found
    bare = [_bare(piece) for piece in pieces]
    folded = [part.casefold() for part in bare]
    aliases = [alias for forms in rivals for alias in forms.aliases]
    exact = [alias for forms in rivals for alias in forms.exact]
    for owns in ([topic.text for topic in topics], [topic.entity for topic in topics]):
        owns = [_bare(own) for own in owns]
        lowered = [own.casefold() for own in owns]
        if found := _first(aliases, folded, lowered) or _first(exact, bare, owns, opens=True):
            return found
    return None


def _first(
    names: Iterable[str], parts: Sequence[str], owns: Sequence[str], *, opens: bool = False
) -> str | None:
    """The first name in a text that is not inside the name of a topic entity.

    Args:
        names: The names.
        parts: The text cut at the names of topic entities.
        owns: Those names.
        opens: Whether to ignore a function word that opens the text: ``Who`` is not ``Who (band)``.
    """
    text = "".join(interleaved(parts, owns))
    ends = list(accumulate(map(len, interleaved(parts, owns))))[1:-1:2]
    for name in (name for name in names if name in text):
        skipped = opens and name.casefold() in FUNCTION_WORDS
        for form in _singular_and_plural(name):
            for at in places(text, form):
                if not (skipped and at == 0) and not any(
                    end - len(own) <= at and at + len(form) <= end
                    for own, end in zip(owns, ends, strict=True)
                ):
                    return name
    return None


def _singular_and_plural(name: str) -> Iterator[str]:
    yield name
    if len(name) > 1 and name[-1].isalnum():
        plurals = (name + "s", name + "es")
        yield from (plural for plural in plurals if plural.casefold() not in FUNCTION_WORDS)


@lru_cache(maxsize=1 << 16)  # the same entities are answers to many questions
def _forms(entity: EntityNames) -> _Forms:
    aliases: dict[bool, dict[str, None]] = {False: {}, True: {}}
    for alias in _aliases(entity):
        words = alias.casefold().split()
        loosely = len(words) > 1 and not FUNCTION_WORDS.issuperset(words)
        aliases[loosely][alias.casefold() if loosely else alias] = None
    names = (_spellings(entity.name_in(naming)) for naming in NAMINGS)
    return _Forms(tuple(names), tuple(aliases[True]), tuple(aliases[False]))


def _spellings(name: str) -> tuple[str, ...]:
    loose = fold_loosely(name).strip()
    return tuple(filter(None, dict.fromkeys((name.casefold(), loose, unaccented(loose)))))


def _aliases(entity: EntityNames) -> Iterator[str]:
    """Other ways to write an entity's label, and its other names, without punctuation."""
    label = re.sub(rf"(?: \({re.escape(entity.entity)}\))+\Z", "", entity.text)  # made unique
    for name in (label, entity.entity, *entity.aliases):
        for form in (name, _PARENTHESIS.sub("", name)):
            bare = _bare(form).strip()
            # A single word is already found as a name.
            by_name = bare == form and form in (entity.text, entity.entity) and " " not in bare
            if bare and not by_name:
                yield from (bare, unaccented(bare))


def _bare(text: str) -> str:
    """A text without punctuation; case and spaces at its ends stay.

    Example:
        >>> _bare("Who met Spider-Man's J. R. & Bob_York?")
        'Who met Spider Man s J R and Bob York '
    """
    if text.isalnum():
        return text
    text = _DROPPED.sub("", _POSSESSIVE.sub(" ", unify(text).replace("&", " and ")))
    return _BLANKS.sub(" ", _SIGNS.sub(" ", text))
