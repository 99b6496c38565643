"""Questions for one end of a removed triple, one each.

Checks that the query has one link; that the removed triple is the one asked about, in an allowed direction,
with the rule of its certificate and its type; that a text from a template is that of ``relations.tsv`` for
the end asked for; that every removed fact is asked for or rejected, once; and that limits on answers,
relations and types of rules hold, in the core and outside it. The published procedure (``brink``) asks once
per certificate and is held to no limits of the core.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterator
from fractions import Fraction

from rulemine.verify.contents import Contents, Record, Row, as_triple, certified
from rulemine.verify.kinds import KindChecks
from rulemine.verify.names import is_kept
from rulemine.verify.questions.asked import Asked
from rulemine.verify.questions.question_set import check_limit, check_splits
from rulemine.verify.questions.texts import check_composed


def _check_question(here: Asked) -> None:
    row, block, contents = here.row, here.block, here.contents
    numbers = [len(row[key]) for key in ("relations", "intermediates", "removed", "rules")]
    here.equal("one link", [here.form["shape"], *numbers], ["(1)", 1, 0, 1, 1])
    here.at_most("number of answers", len(row["answers"]), "max_answers", "questions")
    check_composed(here)
    triple, rule, end = as_triple(row["removed"][0]), row["rules"][0], block["direction"]
    asked = [triple[0 if end == "subject" else 2], triple[1], (triple, end) in here.evidence]
    here.equal("removed", asked, [row["hard_answer"], row["relations"][0], True])
    if triple in contents.removed and rule in contents.rules:
        directions, kind = contents.removed[triple].row["directions"], contents.rules[rule].row
        here.expect(end in directions, "direction", end, f"one of {directions}")
        stated = [block["rule_type"], block["rule_subtype"]]
        here.equal("rule type", stated, [kind["type"], kind["subtype"]])
    proofs = certified(contents.removed[triple].row) if triple in contents.removed else []
    here.expect(rule in proofs[: None if contents.brink else 1], "rule", rule, f"one of {proofs}")


def _apart(row: Row, _contents: Contents) -> Iterator[tuple[str, Hashable]]:
    """Its query, removed triples, and pairs of topic and hard answer."""
    witnesses = [triple for item in row["hard"] for triple in item["witness"]]
    pairs = [tuple(sorted((row["anchors"][0], item["answer"]))) for item in row["hard"]]
    yield "query", row["query"]
    yield from (("removed triple", as_triple(one)) for one in (*row["removed"], *witnesses))
    yield from (("pair of topic and hard answer", pair) for pair in pairs)


def _check_whole(contents: Contents) -> None:
    """Checks splits, that each removed fact is asked for once, and balance."""
    check_splits(contents)
    gone = [at for at in contents.rejected if not is_kept(at)]
    _check_asked(contents, gone)
    rows = [at.row for at in contents.questions]
    most = contents.option("questions", "max_questions") or None
    check_limit(contents, ("in all" for _ in rows), most, "questions.max_questions")
    core = [row for row in rows if row["core"]]
    for section, key, value in _LIMITS:
        share = Fraction(str(contents.option(section, key)))  # 0.29 as written, no nearest float
        for part in [rows, core][: 2 if section == "questions" and not contents.brink else 1]:
            made = len(part) + contents.brink * sum(at.row["question"] != "" for at in gone)
            limit = max(1, int(share * made)) if share < 1 else None
            own = (f"of {made} with {value(row)}" for row in part)
            check_limit(contents, own, limit, f"{section}.{key}")


def _check_asked(contents: Contents, gone: list[Record]) -> None:
    """Checks that each removed fact (``brink``: certificate) has one question or rejection."""
    one: Hashable
    held, made, where = Counter[Hashable](), Counter[Hashable](), dict[Hashable, Record]()
    for triple, at in contents.removed.items():
        for rule in certified(at.row):
            one = (triple, rule) if contents.brink else contents.facts.of(triple)
            held[one] = held[one] + 1 if contents.brink else 1
            where[one] = at
    for at in (*contents.questions, *gone):
        rules, triples = [at.row.get("rule"), *at.row.get("rules", ())], at.row["removed"] or [""]
        triple = as_triple(triples[0] if "rules" in at.row else triples)
        one = (triple, rules[-1]) if contents.brink else contents.facts.of(triple)
        made[one] += 1
        where[one] = at if made[one] > held[one] else where[one]
    for one, at in where.items():
        contents.equal(at, "asked once", [made[one], one], [held[one], one])


_LIMITS: tuple[tuple[str, str, Callable[[Row], Hashable]], ...] = (
    ("questions", "max_answer_share", lambda row: row["hard_answer"]),
    ("questions", "max_relation_share", lambda row: row["relations"][0]),
    (
        "selection",
        "per_type",
        lambda row: (row["block"]["rule_type"], row["block"]["rule_subtype"]),
    ),
)
"""Section and key of a limit on the fraction of questions with one value, and a question's value."""

CHECKS = KindChecks(question=_check_question, whole=_check_whole, apart=_apart)
