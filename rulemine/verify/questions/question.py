"""The questions, each against the graphs, the removed triples and the rules.

Checks that the query asks for all statements of its relations, and its form; that answers are exactly those
of the query on the complete KG (and the reference KG), the disjoint union of stated, hard and further ones,
and all their evidence; what only the incomplete KG gives, and the values of counts; of each hard answer how
much is missing, its level, witness and core; that the one asked for is the one that the format names; that
rules are those of certificates; that no triple that stays restates what is asked, where nothing may; that the
text names the topic entities and, in every naming, no answer and no intermediate; and that no topic entity's
name has an answer's name in it, but where all relations at the topic entity are between places.
"""

from collections.abc import Iterable, Mapping, Set
from typing import Any

from rulemine.verify.contents import Contents, Located
from rulemine.verify.graphs import REMOVED, as_triple
from rulemine.verify.names import Entity
from rulemine.verify.questions.asked import Asked, Checked
from rulemine.verify.questions.forms import LINK, nodes
from rulemine.verify.questions.mentions import find_leaks, occurrences, told_by
from rulemine.verify.questions.queries import (
    answers,
    asks,
    derivations,
    read,
)
from rulemine.verify.questions.wording import Cut, check_wording, texts_of
from rulemine.verify.report import Findings, difference, shown
from rulemine.verify.shapes import NAMINGS

__all__ = ["check_question", "check_split", "check_telling"]


def check_question(at: Located, contents: Contents, findings: Findings) -> None:
    """Checks one question."""
    row, checks = at.row, contents.folder.checks
    try:
        here = Asked(at, findings, contents, read(row["query"]))
        form = here.form
    except ValueError:
        if not checks.known:
            findings.note("queries that its kind alone can read, and their answers: not checked")
        else:
            what = "a canonical query, with all statements of each relation"
            findings.add(at.file, at.line, "query", shown(row["query"]), what)
        return
    for key, expected in form._asdict().items():
        here.equal(key, row[key], expected, "the query")
    check_split(here)
    if not asks(here.query, contents.names.relations):
        expected = "a query for an end that is asked for (relations.tsv, ask)"
        here.add("asks for an end", shown(row["query"]), expected)
    _check_answers(here)
    possible = {item["answer"]: item for item in row["hard"] if _check_hard(here, item)}
    if row["hard"] and row["hard_answer"] not in {item["answer"] for item in row["hard"]}:
        here.add("hard answer", shown(row["hard_answer"]), "one of the hard answers")
    elif not row["hard"]:
        _check_easy(here)
    else:
        item = next(item for item in row["hard"] if item["answer"] == row["hard_answer"])
        here.equal("core", row["core"], item["core"], "as of the hard answer")
        here.equal("evidence", row["evidence"], item["witness"], "witness of the hard answer")
        if not contents.brink:
            _check_choice(here, possible)
            _check_restated(here)
    if lost := [one for one in row["removed"] if as_triple(one) not in contents.removed]:
        here.add("removed", shown(lost), f"triples of {REMOVED}")
    checks.check_question(here)
    entities = contents.names.entities
    named = [name for name in checks.named(row) if name in entities or checks.known]
    for cut in texts_of(row, contents, named):
        _check_text(here, cut, [*row["anchors"], *named], entities)
    ways = [way for node in nodes(here.links) if node.word == LINK for way in node.parts]
    joined = {e: {w.name for w in ways if w.parts[0][:2] == ("", e)} for e in row["anchors"]}
    check_telling(here, joined, row["answers"])
    if checks.known:
        check_wording(here)


def check_split(here: Checked) -> None:
    """Checks that a question is of the split of its file."""
    here.equal("split", here.row["split"], here.at.file.split("/")[-1].removesuffix(".jsonl"))


def _check_answers(here: Asked) -> None:
    row, query, whole = here.row, here.query, here.whole
    given, wider = (answers(query, kg) for kg in (here.contents.left, here.contents.wider))
    stated = (
        given & whole
    )  # the rest only follows where a triple is missing that a difference needs
    counts = query.word == "count"
    here.equal("value", row["value"], len(whole) if counts else None, "the query")
    here.equal("stated value", row["stated_value"], len(given) if counts else None, "the query")
    listed: tuple[tuple[str, list[Any], set[Any]], ...] = (
        ("answers", row["answers"], wider),
        ("stated answers", row["stated"], stated),
        ("hard answers", [item["answer"] for item in row["hard"]], whole - stated),
        ("further answers", row["further"], wider - whole),
        ("spurious answers", row["spurious"], given - whole),
        (
            "full evidence",
            list(map(as_triple, row["full_evidence"])),
            {triple for triple, _ in here.evidence},
        ),
    )
    for what, found, expected in listed:
        if set(found) != expected:
            here.add(what, difference(set(found), expected), "all that the query gives")
        elif found != sorted(expected):
            here.add(f"{what} sorted", shown(found), "code point order, unique")


def _check_witness(here: Asked, answer: str, triples: list[list[str]]) -> tuple[str, ...] | None:
    """The ends that the triples of a cheapest derivation lead to; None if they are no such."""
    witness = list(map(as_triple, triples))
    known = {triple for triple, _ in here.evidence}
    if known.issuperset(witness):
        missing = sum(triple in here.contents.removed for triple in witness)
        for found, ends in derivations(here.settled, witness):
            if found == answer and len(ends) == len(witness) and missing == here.missing[answer]:
                return ends
    expected = f"a cheapest derivation of {shown(answer)}: a triple for each step of the query"
    here.add("witness", shown(witness), expected)
    return None


def _check_hard(here: Asked, item: dict[str, Any]) -> bool:
    """Checks a hard answer; whether it may be asked for."""
    answer, removed = item["answer"], here.contents.removed
    if answer not in here.missing:
        return False
    here.equal("missing", item["missing"], here.missing[answer], f"by {REMOVED}")
    here.equal("level", item["level"], here.levels[answer], f"by {REMOVED}")
    if (ends := _check_witness(here, answer, item["witness"])) is None:
        return False
    used = [
        (removed[triple], end)
        for triple, end in zip(map(as_triple, item["witness"]), ends, strict=True)
        if triple in removed
    ]
    allowed = all(end in record.row["directions"] for record, end in used)
    core = allowed and all(record.row["core"] for record, _ in used)
    here.equal("core", item["core"], core, f"by {REMOVED}")
    return allowed


def _check_choice(here: Asked, possible: dict[str, Any]) -> None:
    """Checks that the hard answer is the right one to ask for."""
    best = min(
        (not item["core"], item["missing"], here.source(answer))
        for answer, item in (possible or {"": {"core": True, "missing": 0}}).items()
    )
    wanted = (
        "in allowed directions, of the core first, then fewest missing, then by name in the source"
    )
    here.equal("hard answer", here.source(here.row["hard_answer"]), best[2], wanted)


def _check_restated(here: Asked) -> None:
    """Checks that no triple joins a topic entity and the hard answer, beside those of its derivation."""
    row, kg = here.row, here.contents.incomplete
    if here.contents.folder.option("questions", "restated") is not False:
        return
    used = {frozenset((s, o)) for s, _, o in row["evidence"] if (s, _, o) in kg}
    for anchor in row["anchors"]:
        pair = anchor, row["hard_answer"]
        left = [*kg.between(*pair), *kg.between(*reversed(pair))]
        if left and frozenset(pair) not in used:
            here.add(
                "restated", f"{shown(left)} between {shown(anchor)} and the hard answer", "nothing"
            )


def _check_easy(here: Asked) -> None:
    """Checks a question whose answers are all stated."""
    row = here.row
    here.equal("hard answer", row["hard_answer"], None, "every answer is stated")
    here.equal("core", row["core"], False, "every answer is stated")
    if first := sorted(here.whole, key=here.source)[:1]:
        _check_witness(here, first[0], row["evidence"])


def check_telling(here: Checked, topics: Mapping[str, Set[str]], answers: Iterable[str]) -> None:
    """Checks that no name of a topic entity gives an answer away.

    Args:
        here: The question.
        topics: Topic entity → the relations that join it to others.
        answers: The entities that are asked for.
    """
    known, relations = here.contents.names.entities, here.contents.names.relations
    between = {name for name, row in relations.items() if row["place"] == "yes"}
    telling = [topic for topic, joined in topics.items() if not joined or joined - between]
    hidden = [a for a in answers if a in known and a not in topics]
    for number, naming in enumerate(NAMINGS):
        own = [known[topic].spelled[number] for topic in telling if topic in known]
        for name in told_by(own, [known[answer].spelled[number] for answer in hidden]):
            found = f"{shown(name)} in one of {shown(own)} (naming {naming})"
            here.add("names tell no answer", found, "topic entities whose names have no answer in")


def _check_text(here: Asked, cut: Cut, topics: list[str], entities: Mapping[str, Entity]) -> None:
    """Checks that a text names the topic entities and what else it has to, and nothing that it hides."""
    row, text = here.row, cut.text()
    if lost := [topic for topic in topics if not occurrences(text, topic)]:
        here.add("text names the topic", shown(text), f"{shown(lost)} as whole words")
        return
    if row["hard_answer"] in row["anchors"]:
        wanted = "a hard answer other than the topic entity"
        here.add("text hides the answers", shown(row["hard_answer"]), wanted)
    # A release can be renamed: texts must hide the answers in every naming.
    hidden = [
        entities[e].spelled
        for e in (*row["answers"], *row["intermediates"])
        if e in entities and e not in topics
    ]
    for number, naming in enumerate(NAMINGS if entities.keys() >= {*topics} else ()):
        own = {topic: entities[topic].spelled[number] for topic in topics}
        whole = cut.text(own)
        for topic, name in own.items():
            spots = {low for low, _ in occurrences(whole, name)}
            by_model = row["wording"] == "model"
            if not (spots.issuperset(cut.starts(topic, own)) if by_model else spots):
                found = f"{shown(whole)} (naming {naming})"
                here.add("text names the topic", found, f"{shown(name)} as a whole word")
        for name in find_leaks(whole, own.values(), [names[number] for names in hidden]):
            found = f"{shown(name)} in {shown(whole)} (naming {naming})"
            here.add("text hides the answers", found, "a text without answers")
