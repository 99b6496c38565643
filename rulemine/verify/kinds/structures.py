"""Questions of nine structures: types, which queries may be asked, and how many of each structure.

Checks that anchors differ and are no answers or intermediates; that every branch is needed (so none is
contained in another); that all answers share a type, and so do anchors and members of a union, whose
branches have one relation; how many questions of each structure there are, and what they share.
"""

from collections import Counter
from fractions import Fraction

from rulemine.verify.contents import Contents
from rulemine.verify.kinds import KindChecks
from rulemine.verify.questions.asked import STRUCTURES, Asked, leaves
from rulemine.verify.questions.queries import answers, nodes
from rulemine.verify.questions.question import check_evidence, check_needed
from rulemine.verify.questions.question_set import check_limit, check_splits
from rulemine.verify.questions.texts import check_composed


def _check_whole(contents: Contents) -> None:
    """Checks how many questions of each structure there are, and what they share."""
    check_splits(contents)
    most, share = (contents.option("structures", key) for key in ("per_structure", "max_share"))
    rows = [at.row for at in contents.questions]
    check_limit(
        contents, (f"of {row['structure']}" for row in rows), most, "structures.per_structure"
    )
    for name, number in Counter(row["structure"] for row in rows).items():
        shared = (
            f"of {name} with {key} {one}"
            for row in rows
            for key in ("anchors", "answers")
            for one in (row[key] if row["structure"] == name else ())
        )
        limit = max(1, int(Fraction(str(share)) * number))
        check_limit(contents, shared, limit, "structures.max_share")


def _check_question(here: Asked) -> None:
    structure = here.form["structure"]
    check_evidence(here)
    check_composed(here)
    check_needed(here)
    wanted = {*(here.option("names") or STRUCTURES.values())} & {*STRUCTURES.values()}
    here.expect(structure in wanted, "structure", structure, "one of config.structures.names")
    types = sorted(here.types_of(here.whole)) or ["one at least"]
    here.equal("answer types", here.block["answer_types"], types)
    ends = {triple[0 if end == "subject" else 2] for triple, end in here.evidence}
    anchors = leaves(here.links)
    here.expect(
        len({*anchors}) == len(anchors) and not {*anchors} & {*ends, *here.row["answers"]},
        "anchors apart", anchors, "different, no answers and no intermediates",
    )  # fmt: skip
    for union in (node for node in nodes(here.links) if node.word == "or"):
        ways = {part.ways for part in union.parts}
        here.expect(len(ways) == 1, "one relation of a union", ways, "the same in all branches")
        for some in (leaves(union), answers(union, here.contents.complete)):
            here.expect(here.types_of(some), "types of a union", some, "a type that all have")


CHECKS = KindChecks(
    question=_check_question,
    whole=_check_whole,
    apart=lambda row, _contents: (("anchor", anchor) for anchor in row["anchors"]),
)
