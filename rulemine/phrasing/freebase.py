"""Templates for Freebase paths.

``/domain/type/property`` is a property of the subject, which is of the type; the object has or is the
property's value. Two such paths joined by a full stop have an unnamed node between them.
"""

import re

from rulemine.phrasing.ends import End, Ends
from rulemine.phrasing.grammar import DerivedTemplates, clause, doing, head_of
from rulemine.phrasing.lexicon import KIN, LONE_PLURALS, PREPOSITIONS, VERBS, is_plural
from rulemine.phrasing.relation_names import words_of
from rulemine.phrasing.roles import read_noun, role

__all__ = ["read_freebase"]

_FREEBASE = re.compile(r"(/[A-Za-z0-9_]+){2,}(\.(/[A-Za-z0-9_]+){2,})*")

_DOTTED = re.compile(r"[a-z]\w*(\.[a-z]\w*){2}(\.\.[a-z]\w*(\.[a-z]\w*){2})*")
"""The same as in the dumps: people.person.children."""


def read_freebase(relation: str, typed: bool) -> DerivedTemplates | None:
    """Derives templates from a Freebase path; None if the name is not one.

    Args:
        relation: The name.
        typed: Whether questions for the objects name the type of the topic entity.
    """
    path = relation if relation.startswith("/") or relation.count("/") < 2 else f"/{relation}"
    if _DOTTED.fullmatch(relation):
        path = "/" + relation.replace("..", "./").replace(".", "/").replace("//", "./")
    if not _FREEBASE.fullmatch(path):
        return None
    relation = path
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
        asked = f"What is {outer} the {inner} {{topic}}?", f"Which {inner} is {topic} {outer}?"
        return DerivedTemplates(f"{{subject}} is {outer} the {inner} {{object}}", *asked, *asked)
    if inner.split()[-1] in PREPOSITIONS:
        be = "are" if is_plural(head_of(outer)) else "is"
        asked = (
            f"For which {kind} {be} the {outer} {inner} {{topic}}?",
            f"What {be} the {outer} of {topic} {inner}?",
        )
        stated = f"the {outer} of {{subject}} {be} {inner} {{object}}"
        return DerivedTemplates(stated, *asked, *asked)
    return _value(f"{inner} of the {outer}", kind, topic)


def _value(noun: str, kind: str, topic: str) -> DerivedTemplates:
    found, end = read_noun(noun.split()), End()
    if found.head in KIN and kind not in ("person", "celebrity"):
        end = End(people=0.0)  # an organization has children and parents too
    has = End(people=1.0) if kind == "person" else End(noun=kind)
    made = role(found, Ends(has, end))
    return _with_topic(made, topic)


def _with_topic(templates: DerivedTemplates, topic: str) -> DerivedTemplates:
    return templates._replace(
        ask_object=templates.ask_object.replace("{topic}", topic),
        ask_objects=templates.ask_objects.replace("{topic}", topic),
    )


def _text(part: str) -> str:
    # Freebase writes "(s)" as "_s": /people/person/spouse_s.
    return " ".join(words_of(part.removesuffix("_s"))) or part


def _same(outer: str, inner: str) -> bool:
    return outer in (inner, f"{inner}s") or outer.endswith((f" {inner}", f" {inner}s"))
