"""The questions one by one, each against the graphs and the removed triples.

Checks that the query asks for all statements of its relations, and its form; that answers are exactly those
of the query on the complete graph (and the reference), the disjoint union of stated, hard and further ones,
and all their evidence; what only the incomplete graph gives, and the values of counts; of each hard answer
how much is missing, its level, witness and core; that the one asked for is the one that the format names;
that no triple that stays restates what is asked, where nothing may; and, for the kinds that call it, that no
part of the query is idle, and what the question says of its evidence.
"""

import json

from rulemine.verify.contents import Contents, Record, Row, as_triple
from rulemine.verify.questions.asked import Asked, links_in, smaller
from rulemine.verify.questions.queries import answers, asks, derivations, nodes, read
from rulemine.verify.questions.texts import check_origin, check_patterns, check_texts, occurrences

__all__ = ["check_evidence", "check_needed", "check_question"]


def check_question(contents: Contents, at: Record) -> None:
    """Checks one question of any kind that asks a query."""
    row, kind = at.row, contents.checks
    try:
        here = Asked(contents, at, read(row["query"]))
        _ = here.form
    except ValueError:
        if kind.known:
            return contents.wrong(
                at, "query", row["query"], "a canonical query, with all statements of each relation"
            )
        return contents.findings.notes.append(
            "queries that its kind alone can read, and their answers: not checked"
        )
    _check_answers(here)
    _check_choice(here, [item for item in row["hard"] if _check_hard(here, item)])
    kind.question(here)
    # Texts of a kind that is not known may name what its block has.
    own = json.dumps({} if kind.known else row["block"])
    named = kind.named(row) if kind.known else [e for e in row["answers"] if json.dumps(e) in own]
    check_texts(here, [e for e in named if kind.known or occurrences(row["question"], e)])
    if kind.known:
        check_origin(contents, at)
        if row["wording"] == "model":
            list(check_patterns(contents, at))
        else:
            here.equal("wording", [row["paraphrases"], row["patterns"]], [[], []])
    return None


def _check_answers(here: Asked) -> None:
    row, query, contents, whole = here.row, here.links, here.contents, here.whole
    given = answers(query, contents.incomplete)
    wider = whole if contents.wider is contents.complete else answers(query, contents.wider)
    # What else the incomplete graph gives follows where a difference needs a triple that it lacks.
    stated, counts = given & whole, query.word == "count"
    full, lost = sorted({triple for triple, _ in here.evidence}), {*map(as_triple, row["removed"])}
    for what, found, expected in (
        *((key, row[key], value) for key, value in here.form.items()),
        ("kind", row["kind"], contents.kind),
        ("asks for an end", asks(query, contents.relations), True),
        ("value", row["value"], len(whole) if counts else None),
        ("stated value", row["stated_value"], len(given) if counts else None),
        ("answers", row["answers"], sorted(wider)),
        ("stated answers", row["stated"], sorted(stated)),
        ("hard answers", [item["answer"] for item in row["hard"]], sorted(whole - stated)),
        ("further answers", row["further"], sorted(wider - whole)),
        ("spurious answers", row["spurious"], sorted(given - whole)),
        ("full evidence", [*map(as_triple, row["full_evidence"])], full),
        ("removed", [triple for triple in lost if triple not in contents.removed], []),
    ):
        here.equal(what, found, expected)


def _ends(here: Asked, answer: str, witness: list[list[str]]) -> tuple[str, ...] | None:
    """The ends that the triples of a cheapest derivation lead to; None: they are a problem."""
    triples = [*map(as_triple, witness)]
    missing = sum(triple in here.contents.removed for triple in triples)
    if {triple for triple, _ in here.evidence}.issuperset(triples):
        for found, ends in derivations(here.links, triples, here.contents.complete):
            if found == answer and len(ends) == len(triples) and missing == here.missing[answer]:
                return ends
    here.wrong("witness", witness, f"a cheapest derivation of {answer!r}, a triple a step")
    return None


def _check_hard(here: Asked, item: Row) -> bool:
    """Checks a hard answer; whether it may be asked for."""
    answer, removed = item["answer"], here.contents.removed
    if answer not in here.missing:
        return False
    here.equal("missing", item["missing"], here.missing[answer])
    here.equal("level", item["level"], here.levels[answer])
    if (ends := _ends(here, answer, item["witness"])) is None:
        return False
    pairs = zip(map(as_triple, item["witness"]), ends, strict=True)
    used = [(removed[triple].row, end) for triple, end in pairs if triple in removed]
    allowed = all(end in one.get("directions", ()) for one, end in used)
    here.equal("core", item["core"], allowed and all(one["core"] for one, _ in used))
    return allowed


def _check_choice(here: Asked, possible: list[Row]) -> None:
    """Checks which answer is asked for, and what the question says of it.

    Args:
        here: The question.
        possible: The hard answers that may be asked for.
    """
    row, kg = here.row, here.contents.incomplete
    hard = {one["answer"]: one for one in row["hard"]}
    item = hard.get(row["hard_answer"], {"core": False, "witness": row["evidence"]})
    here.equal("core", row["core"], item["core"])
    here.equal("evidence", row["evidence"], item["witness"])
    here.expect(
        row["hard_answer"] in (hard or [None]),
        "hard answer",
        row["hard_answer"],
        "one of the hard answers",
    )
    for first in () if hard else sorted(here.whole, key=here.source)[:1]:
        _ends(here, first, row["evidence"])
    if here.contents.brink or not hard:
        return
    ranked = (
        (not i["core"], i["missing"], here.source(i["answer"]), i["answer"]) for i in possible
    )
    best = min(ranked, default=(False, 0, "", "one whose directions are allowed"))
    here.equal("hard answer", row["hard_answer"], best[3])
    # No triple joins a topic entity and the hard answer, beside those of its derivation.
    used = {frozenset((s, o)) for s, r, o in row["evidence"] if (s, r, o) in kg}
    for anchor in row["anchors"] if here.contents.option("questions", "restated") is False else ():
        pair = anchor, row["hard_answer"]
        left = {*kg.between(*pair), *kg.between(*pair[::-1])} if frozenset(pair) not in used else ()
        here.expect(not left, "restated", left, f"nothing between {pair}")


def check_evidence(here: Asked) -> None:
    """Checks what a question says of its query and evidence, and the limits on them.

    Relations, intermediates, removed triples and rules; no relation is excluded; answers and evidence are
    not too many.
    """
    row, contents = here.row, here.contents
    ends = {entity for (s, _, o), _ in here.evidence for entity in (s, o)}
    evidence = dict.fromkeys(map(as_triple, row["evidence"]))
    removed = [triple for triple in evidence if triple in contents.removed]
    relations = {name for link in links_in(here.links) for name, _ in link.ways}
    rules = {contents.removed[triple].row["certificate"]["rule"] for triple in removed}
    for what, found, expected in (
        ("relations", row["relations"], sorted(relations)),
        ("intermediates", row["intermediates"], sorted(ends - {*row["anchors"], *row["answers"]})),
        ("removed", row["removed"], [[*triple] for triple in removed]),
        ("rules", row["rules"], sorted(rules)),
        ("excluded relations", contents.dropped & relations, set()),
    ):
        here.equal(what, found, expected)
    here.at_most("number of answers", len(row["answers"]), "max_answers")
    here.at_most("number of full evidence", len(row["full_evidence"]), "max_evidence")


def check_needed(here: Asked) -> None:
    """Checks that no part of a query is idle.

    Every branch is needed, so every topic entity is; every difference takes something away; and no step of
    a chain leads to all entities of its type that its relation leads to from anywhere.
    """
    complete, types = here.contents.complete, here.contents.types
    idle = any(answers(less, complete) == here.whole for less in smaller(here.links))
    here.expect(not idle, "every branch needed", here.query.text, "none that changes nothing")
    taken = [
        answers(node.parts[0], complete) & answers(node.parts[1], complete)
        for node in nodes(here.links)
        if node.word == "minus"
    ]
    here.expect(all(taken), "nothing idle", here.query.text, "differences that take something away")
    for link in links_in(here.links) if here.form["hops"] > 1 else ():
        reached = answers(link, complete)
        shared = here.types_of(reached)
        more = any(  # mostly found soon
            one not in reached and shared <= types.get(one, frozenset())
            for way in link.ways
            for one in complete.targets(way)
        )
        here.expect(more, "nothing idle", link.ways, "a relation that leads to others, too")
