"""Answer leakage: whether the text of a question names an answer, in any naming.

Guarantees: in every naming, a text that passes has no answer's name as a whole token, except inside the name
of a topic entity; the verifier finds nothing in it either. Spellings that read the same count too (see
`rulemine.text.normalization`), without accents, in the plural, and an answer's aliases: its label without
what makes it unique, without a final parenthesis, without punctuation.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from rulemine.kg.entity_names import NAMINGS, EntityNames
from rulemine.text.mentions import FUNCTION_WORDS, interleaved
from rulemine.text.normalization import fold_loosely, places, unaccented, unify

__all__ = ["LeakageChecker"]

_PARENTHESIS = re.compile(r"\s*\([^()]*\)$")
_POSSESSIVE = re.compile(r"(?<=[\w.])'(?=s\b)")
_DROPPED = re.compile(r"['.]")
_SIGNS = re.compile(r"(?:[^\w\s]|_)+")
_BLANKS = re.compile(r"\s+")


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


class LeakageChecker:
    """Finds answers in texts; the names of each entity are folded once."""

    def __init__(self) -> None:
        self._forms: dict[EntityNames, _Forms] = {}

    def find(
        self, pieces: Sequence[str], topics: Sequence[EntityNames], answers: Iterable[EntityNames]
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
        rivals = [self._forms_of(answer) for answer in answers if answer not in topics]
        cased, loose = [p.casefold() for p in pieces], [fold_loosely(p) for p in pieces]
        named = [self._forms_of(topic).names for topic in topics]
        for place in range(len(NAMINGS)):
            names = [name for forms in rivals for name in forms.names[place]]
            first, last = [own[place][0] for own in named], [own[place][-1] for own in named]
            if found := _first(names, cased, first):
                return found
            if (loose, last) != (cased, first) and (found := _first(names, loose, last)):
                return found
        bare = [_bare(piece) for piece in pieces]
        folded = [part.casefold() for part in bare]
        aliases = [alias for forms in rivals for alias in forms.aliases]
        exact = [alias for forms in rivals for alias in forms.exact]
        texts, sources = [topic.text for topic in topics], [topic.entity for topic in topics]
        for owns in [texts] if texts == sources else [texts, sources]:
            owns = [_bare(own) for own in owns]
            lowered = [own.casefold() for own in owns]
            if found := _first(aliases, folded, lowered) or _first(exact, bare, owns, opens=True):
                return found
        return None

    def _forms_of(self, entity: EntityNames) -> _Forms:
        forms = self._forms.get(entity)
        if forms is None:
            forms = self._forms[entity] = _forms(entity)
        return forms


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
    for name in names:
        if name not in text:
            continue
        ends = list(accumulate(map(len, interleaved(parts, owns))))[1:-1:2]
        for form in _singular_and_plural(name):
            for at in places(text, form):
                if opens and at == 0 and name.casefold() in FUNCTION_WORDS:
                    continue
                if not any(
                    end - len(own) <= at and at + len(form) <= end
                    for own, end in zip(owns, ends, strict=True)
                ):
                    return name
    return None


def _singular_and_plural(name: str) -> Iterator[str]:
    yield name
    if len(name) > 1 and name[-1].isalnum():
        for plural in (name + "s", name + "es"):
            if plural.casefold() not in FUNCTION_WORDS:
                yield plural


def _forms(entity: EntityNames) -> _Forms:
    aliases, exact = dict[str, None](), dict[str, None]()
    for alias in _aliases(entity):
        words = alias.casefold().split()
        if len(words) > 1 and not FUNCTION_WORDS.issuperset(words):
            aliases[alias.casefold()] = None
        else:
            exact[alias] = None
    names = (_folded(entity.name_in(naming)) for naming in NAMINGS)
    return _Forms(tuple(names), tuple(aliases), tuple(exact))


def _folded(name: str) -> tuple[str, ...]:
    loose = fold_loosely(name).strip()
    return tuple(filter(None, dict.fromkeys((name.casefold(), loose, unaccented(loose)))))


def _aliases(entity: EntityNames) -> Iterator[str]:
    """Other ways to write an entity's label, without punctuation."""
    label, suffix = entity.text, f" ({entity.entity})"
    while label.endswith(suffix):
        label = label.removesuffix(suffix)
    for name in (label, entity.entity):
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
