"""Questions for one end of a removed triple, one each.

Checks that the query asks for everything that answers like the relation does; that the removed triple is the
one asked about, in an allowed direction, with the rule of its certificate and its type; that a text from a
template is that of ``relations.tsv`` for the end asked for; that every removed fact is asked for or rejected,
once; and that limits on answers, relations and types of rules hold, in the core and outside it. The published
procedure (``brink``) asks once per certificate and is held to no limits of the core.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator
from fractions import Fraction
from operator import itemgetter
from types import MappingProxyType

from rulemine.verify import shaping
from rulemine.verify.contents import Contents, Located, Row
from rulemine.verify.folder import MANIFEST_NAME, Folder
from rulemine.verify.graphs import REMOVED, as_triple
from rulemine.verify.protocol import KnownKind
from rulemine.verify.questions.asked import Asked
from rulemine.verify.questions.queries import as_asked
from rulemine.verify.questions.question_set import is_kept
from rulemine.verify.questions.wording import check_composed
from rulemine.verify.report import Findings, shown
from rulemine.verify.rules import RULES
from rulemine.verify.shapes import DIRECTIONS, HARD, RULE_TYPES
from rulemine.verify.triples import Triple


class _Checks(KnownKind):
    fields = MappingProxyType(
        {
            "anchors": shaping.array(shaping.name, length=1),
            "hard": shaping.array(shaping.record(HARD), 1),
            "relations": shaping.array(shaping.name, length=1),
            "intermediates": shaping.array(shaping.name, length=0),
            "removed": shaping.array(shaping.triple, length=1),
            "rules": shaping.array(shaping.rule_id, length=1),
            "block": shaping.record(
                {
                    "direction": shaping.one_of(DIRECTIONS),
                    "rule_type": shaping.one_of(RULE_TYPES),
                    "rule_subtype": shaping.name,
                }
            ),
        }
    )

    def files(self, _levels: Iterable[int]) -> Iterable[str]:
        """No more than all releases have."""
        return ()

    def check_set(self, contents: Contents, findings: Findings) -> None:
        """Checks what is asked for, and balance."""
        folder, questions = contents.folder, contents.questions
        gone = [here for here in contents.rejections if not is_kept(here.row)]
        _check_asked(contents, gone, findings)
        made = len(questions) + sum(here.row["question"] != "" for here in gone)
        _check_balance(folder, questions, made, contents.brink, findings)

    def check_question(self, here: Asked) -> None:
        """Checks one question."""
        row, block, contents = here.row, here.row["block"], here.contents
        ways = contents.facts.ways(row["relations"][0], block["direction"])
        line = as_asked(ways, row["anchors"][0])
        here.equal("query", row["query"], line, "all statements of the relation, as asked")
        here.at_most("number of answers", len(row["answers"]), "max_answers", "questions")
        _check_block(here)
        check_composed(here)

    def shared(self, row: Row, _contents: Contents) -> Iterator[tuple[str, Hashable]]:
        """Its query, removed triples, and pairs of topic and hard answer."""
        yield "query", row["query"]
        yield "removed triple", as_triple(row["removed"][0])
        for item in row["hard"]:
            pair = tuple(sorted((row["anchors"][0], item["answer"])))
            yield "pair of topic and hard answer", pair
            for one in item["witness"]:
                yield "removed triple", as_triple(one)


CHECKS = _Checks()

_TYPE = itemgetter("rule_type", "rule_subtype")


def _asked_of(row: Row) -> tuple[Triple, str]:
    """The removed triple and the rule of a question or a rejection."""
    if "rules" in row:
        return as_triple(row["removed"][0]), row["rules"][0]
    return as_triple(row["removed"] or ["", "", ""]), row["rule"]


def _check_asked(contents: Contents, gone: list[Located], findings: Findings) -> None:
    """Checks that each removed fact (``brink``: certificate) has one question or rejection."""
    removed, brink = contents.removed, contents.brink

    def key(triple: Triple, rule: str) -> Hashable:
        return (triple, rule) if brink else contents.facts.of(triple)

    held = Counter(key(t, rule) for t, record in removed.items() for rule, _ in record.certificates)
    if not brink:
        held = Counter(held.keys())
    made: Counter[Hashable] = Counter()
    for here in (*contents.questions, *gone):
        asked = key(*_asked_of(here.row))
        made[asked] += 1
        if made[asked] > held[asked]:
            found = f"{shown(asked)}, {held[asked]} removed ({REMOVED})"
            expected = "one question or rejection each"
            findings.add(here.file, here.line, "asked once", found, expected)
    for triple, record in removed.items():
        for asked in (key(triple, rule) for rule, _ in record.certificates):
            if made[asked] < held[asked]:
                found = f"{made[asked]} questions and rejections of {shown(asked)}"
                findings.add(REMOVED, record.line, "asked once", found, str(held[asked]))


def _check_balance(
    folder: Folder, questions: list[Located], made: int, brink: bool, findings: Findings
) -> None:
    rows = [here.row for here in questions]
    whole = {"questions": rows}
    most = folder.option("questions", "max_questions")
    if type(most) is int and 0 < most < len(rows):
        expected = f"at most {most} (manifest, config.questions.max_questions)"
        findings.add("questions", None, "balance", f"{len(rows)} questions", expected)
    both = whole if brink else whole | {"core questions": [row for row in rows if row["core"]]}
    for section, key, parts, value in (
        ("questions", "max_answer_share", both, lambda row: row["hard_answer"]),
        ("questions", "max_relation_share", both, lambda row: row["relations"][0]),
        ("selection", "per_type", whole, lambda row: _TYPE(row["block"])),
    ):
        share = folder.option(section, key)
        if type(share) not in (int, float) or not 0 < share <= 1:
            expected = "a number above 0, at most 1"
            found = f"config.{section}.{key} = {shown(share)}"
            findings.add(MANIFEST_NAME, None, "balance", found, expected)
            continue
        for name, part in parts.items():
            total = made if brink else len(part)
            # The fraction as written, 0.29 and not the nearest float: 29 of 100, not 28.
            most = max(1, int(Fraction(str(share)) * total))
            for what, number in sorted(Counter(map(value, part)).items()):
                if share < 1 and number > most:
                    limit = f"at most {most} = ⌊{share} · {total}⌋"
                    expected = f"{limit} (manifest, config.{section}.{key})"
                    found = f"{number} {name} with {shown(what)}"
                    findings.add("questions", None, "balance", found, expected)


def _check_block(here: Asked) -> None:
    """Checks what a question says of its hard answer."""
    row, block, contents = here.row, here.row["block"], here.contents
    triple, end = as_triple(row["removed"][0]), block["direction"]
    asked = triple[0 if end == "subject" else 2] == row["hard_answer"]
    if (triple, end) not in here.evidence or not asked or triple[1] != row["relations"][0]:
        expected = f"the triple of {REMOVED} that is asked about, with its relation and direction"
        here.add("removed", f"{shown(triple)} {shown(end)}", expected)
        return
    if triple not in contents.removed:
        here.add("removed", shown(triple), f"a triple of {REMOVED}")
        return
    record = contents.removed[triple]
    if block["direction"] not in record.row["directions"]:
        expected = f"one of {record.row['directions']} ({REMOVED} line {record.line})"
        here.add("direction", shown(block["direction"]), expected)
    proofs = [rule for rule, _ in record.certificates]
    if row["rules"][0] not in (proofs if contents.brink else proofs[:1]):
        here.add("rule", shown(row["rules"][0]), f"the rule of {REMOVED} line {record.line}")
    elif (rule := contents.rules.get(row["rules"][0])) is not None:
        kind = (block["rule_type"], block["rule_subtype"])
        stated = (rule.row["type"], rule.row["subtype"])
        here.equal("rule type", kind, stated, f"{RULES} line {rule.line}")
