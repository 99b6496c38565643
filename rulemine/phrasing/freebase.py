"""Templates for Freebase paths.

``/domain/type/property`` is a property of the subject, which is of the type; the object has or is the
property's value. Two such paths joined by a full stop have an unnamed node between them.
"""

import re

from rulemine.phrasing.grammar import DerivedTemplates, ask_who, be_of, clause, doing, head_of
from rulemine.phrasing.lexicon import KIN, LONE_PLURALS, PREPOSITIONS, VERBS, is_plural
from rulemine.phrasing.relation_names import words_of

__all__ = ["read_freebase"]

_FREEBASE = re.compile(r"(/[A-Za-z0-9_]+){2,}(\.(/[A-Za-z0-9_]+){2,})*")


def read_freebase(relation: str, typed: bool) -> DerivedTemplates | None:
    """Derives templates from a Freebase path; None if the name is not one.

    Args:
        relation: The name.
        typed: Whether questions for the objects name the type of the topic entity.
    """
    if not _FREEBASE.fullmatch(relation):
        return None
    parts = [part.strip("/").split("/") for part in relation.split(".")]
    kind = _text(parts[0][-2]) if len(parts[0]) > 1 else "entity"
    outer, inner = _text(parts[0][-1]), _text(parts[-1][-1])
    topic = f"the {kind} {{topic}}" if typed else "{topic}"
    if len(parts) == 1 or _same(outer, inner):
        inner = outer if inner.split()[-1] in PREPOSITIONS else inner
        head = head_of(inner)
        if is_plural(head) and (head not in VERBS or head in LONE_PLURALS):
            return _value(inner, kind, topic)
        found = clause(inner.split())
        if found is not None:
            return _with_topic(found, topic) if typed else found
        return _value(inner, kind, topic)
    if inner in VERBS:
        found = doing(inner, VERBS[inner], [])
        return _with_topic(found, topic) if typed else found
    if outer.split()[-1] in PREPOSITIONS:
        return DerivedTemplates(
            f"{{subject}} is {outer} the {inner} {{object}}",
            f"What is {outer} the {inner} {{topic}}?",
            f"Which {inner} is {topic} {outer}?",
        )
    if inner.split()[-1] in PREPOSITIONS:
        be = be_of(outer)
        return DerivedTemplates(
            f"the {outer} of {{subject}} {be} {inner} {{object}}",
            f"For which {kind} {be} the {outer} {inner} {{topic}}?",
            f"What {be} the {outer} of {topic} {inner}?",
        )
    return _value(f"{inner} of the {outer}", kind, topic)


def _value(noun: str, kind: str, topic: str) -> DerivedTemplates:
    be = be_of(noun)
    # An organization has children and parents too.
    who = "What" if head_of(noun) in KIN and kind not in ("person", "celebrity") else ask_who(noun)
    of = f"one of the {noun}" if be == "are" else f"the {noun}"
    return DerivedTemplates(
        f"{{object}} is {of} of {{subject}}",
        f"For which {kind} is {{topic}} {of}?",
        f"{who} {be} the {noun} of {topic}?",
    )


def _with_topic(templates: DerivedTemplates, topic: str) -> DerivedTemplates:
    return templates._replace(ask_object=templates.ask_object.replace("{topic}", topic))


def _text(part: str) -> str:
    # Freebase writes "(s)" as "_s": /people/person/spouse_s.
    return " ".join(words_of(part.removesuffix("_s"))) or part


def _same(outer: str, inner: str) -> bool:
    return outer in (inner, f"{inner}s") or outer.endswith((f" {inner}", f" {inner}s"))
