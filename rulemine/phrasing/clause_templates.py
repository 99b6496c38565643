"""The templates of a relation that a clause and the nouns of both ends say: those of phrase books.

    clause = "{object} directed {subject}", subject = "work", object = "person"

gives “Who directed X?”, “Which works did X direct?” and the descriptions of both ends. ``a/b`` is a word in
the singular and the plural, ``-`` none: "{subject} is a/- member/members of {object}"; verbs agree by
themselves. Brackets enclose words for a type: "[the film {object}]"; see `rulemine.phrasing.descriptions`.
"""

import re

from rulemine.phrasing.grammar import base_of, is_past
from rulemine.phrasing.lexicon import (
    INDEFINITE_PEOPLE,
    PARTICIPLES,
    PREPOSITIONS,
    VERBS,
    past_of,
    plural,
)

__all__ = ["clause_templates"]

_END = re.compile(r"(?:\[[^][{}]*)?\{(subject|object)\}(?:[^][{}]*\])?")
_FORMS = re.compile(r"([\w'’-]+)/([\w'’-]+)( ?)")
_BE = {"is": "is/are", "was": "was/were", "has": "has/have"}
_PARTICIPLE = {
    "beat": "beaten", "choose": "chosen", "control": "controlled", "draw": "drawn", "eat": "eaten",
    "give": "given", "grow": "grown", "know": "known", "sing": "sung", "speak": "spoken", "take": "taken",
    "wear": "worn", "write": "written",
}  # fmt: skip
"""Base form → participle, where that is not the past."""


def clause_templates(clause: str, subject: str, object: str, verb: str = "") -> dict[str, str]:
    """The keys of a template file that say the same as a clause.

    Args:
        clause: The triple in words; begins with one end.
        subject: The noun of the subjects, "work" or "series/series"; "something" is asked for with *what*,
            people with *who*.
        object: The noun of the objects.
        verb: The base form of its verb, where that is not known.

    Raises:
        ValueError: The clause cannot be asked about; says why.
    """
    ends = list(_END.finditer(clause))
    if {end[1] for end in ends} != {"subject", "object"} or len(ends) != 2 or ends[0].start():
        raise ValueError(
            f"{clause!r}: expected a clause that begins with one end and has the other"
        )
    nouns = {"subject": _both(subject), "object": _both(object)}
    first, last = (nouns[end[1]] for end in ends)
    topics = [end[0].replace(f"{{{end[1]}}}", "{topic}") for end in ends]
    said, tail = clause[ends[0].end() : ends[1].start()].strip(), clause[ends[1].end() :]
    said = _agreeing(said, verb)
    one, *_ = said.split(" ", 1)
    asks = [
        f"{_who(first, number)} {_form(said, _number_after(first, said, number))} {_bare(topics[1])}{tail}?"
        for number in (0, 1)
    ]
    auxiliary, rest = _inverted(_form(said, 0), one, verb)
    before, _, preposition = rest.rpartition(" ")
    if tail or preposition not in PREPOSITIONS:
        before, preposition = rest, ""
    middle = f"{auxiliary} {_bare(topics[0])} {before}".rstrip()
    other = [_asked(last, number, preposition, middle) + f"{tail}?" for number in (0, 1)]
    who = "who" if _is_person(first) else "that"
    keys = {
        "statement": _bare(_form(clause, 0)),
        f"describe_{ends[0][1]}": f"{first} | {who} {said} {topics[1]}{tail}",
        f"describe_{ends[1][1]}": f"{last} | {_gap(last, preposition, said, topics[0], middle)}{tail}",
    }
    for end, (single, several) in zip((ends[0][1], ends[1][1]), (asks, other), strict=True):
        keys |= {f"ask_{end}": single, f"ask_{end}s": several}
    return keys


def _both(noun: str) -> str:
    """A noun in both numbers."""
    if "/" in noun:
        return noun
    return (
        "something/things" if noun == "something" else f"{noun}/{plural(noun.rsplit(' ', 1)[-1])}"
    )


def _is_person(noun: str) -> bool:
    return _form(noun, 0) in INDEFINITE_PEOPLE


def _form(text: str, number: int) -> str:
    """A text in the singular, 0, or the plural, 1."""

    def chosen(found: re.Match[str]) -> str:
        word = found[1 + number]
        return "" if word == "-" else word + found[3]

    return _FORMS.sub(chosen, text)


def _bare(text: str) -> str:
    return text.replace("[", "").replace("]", "")


def _agreeing(said: str, verb: str) -> str:
    """A predicate with its verb in both numbers."""
    first, _, rest = said.partition(" ")
    many = (verb or VERBS.get(first)) if first.endswith("s") else None
    if "/" not in first:
        first = _BE.get(first) or (f"{first}/{many}" if many else first)
    return f"{first} {rest}".rstrip()


def _who(noun: str, number: int) -> str:
    if _is_person(noun):
        return "Who"
    return "What" if noun.startswith("something/") else f"Which {_form(noun, number)}"


def _number_after(noun: str, said: str, number: int) -> int:
    """*Who lives here?* is about one or several; *Who are the members?* about several."""
    if _who(noun, 0).startswith("Which") or "/" in said.partition(" ")[2]:
        return number
    return 0


def _inverted(one: str, verb: str, base: str) -> tuple[str, str]:
    """The auxiliary of a question, and what follows its subject."""
    first, _, rest = one.partition(" ")
    after = rest.split(" ", 1)[0]
    if one.startswith("is or was "):
        return "is or was", one.removeprefix("is or was ")
    perfect = first == "has" and (is_past(after) or after in PARTICIPLES or after == "been")
    if perfect or first in ("is", "was", "can"):
        return first, rest
    if "/" in verb:
        return "does", f"{_form(verb, 1)} {rest}".rstrip()
    if found := base or base_of(first):
        return "did", f"{found} {rest}".rstrip()
    raise ValueError(f"{one!r}: the base form of {first!r} is unknown; write it as verb")


def _asked(noun: str, number: int, preposition: str, middle: str) -> str:
    """A question for the end that is not the subject of the clause."""
    who = _who(noun, number)
    if who == "What":
        return f"What {middle} {preposition}".rstrip()
    if noun.startswith("place/") and preposition in ("in", "at"):
        return f"Where {middle}"
    who = {"Who": "Whom"}.get(who, who)
    return (
        f"{preposition.capitalize()} {who[0].lower()}{who[1:]} {middle}"
        if preposition
        else f"{who} {middle}"
    )


def _gap(noun: str, preposition: str, said: str, topic: str, middle: str) -> str:
    """The relative clause about the end that is not the subject of the clause."""
    auxiliary, who = middle.split(" ", 1)[0], _is_person(noun)
    if auxiliary in ("did", "does") and not preposition:
        verb, _, rest = middle.removeprefix(f"{auxiliary} {_bare(topic)} ").partition(" ")
        be = "was/were" if auxiliary == "did" else "is/are"
        passive = f"{_PARTICIPLE.get(verb, past_of(verb))} {rest}".rstrip()
        return f"{'who' if who else 'that'} {be} {passive} by {topic}"
    text = _form(said, 0).removesuffix(f" {preposition}")
    return f"{preposition} {'whom' if who else 'which'} {topic} {text}".strip()
