"""What only questions of the kind ``structures`` have: types, and which queries may be asked.

Checks that anchors differ and are no answers or intermediates; that every branch is needed (so none is
contained in another); that all answers share a type, and so do anchors and members of a union.
"""

from collections.abc import Iterable

from rulemine.verify.questions.asked import Asked
from rulemine.verify.questions.blocks import check_block
from rulemine.verify.questions.forms import STRUCTURES, leaves, smaller, unions_in
from rulemine.verify.questions.idle import check_idle
from rulemine.verify.questions.queries import answers
from rulemine.verify.report import shown

__all__ = ["check_structure"]


def check_structure(here: Asked) -> None:
    """Checks one question."""
    row, contents = here.row, here.contents
    block, known = row["structures"], contents.known
    wanted = contents.folder.option("structures", "names")
    wanted = wanted if isinstance(wanted, list) else STRUCTURES.values()
    if here.form.structure not in wanted or here.form.structure not in STRUCTURES.values():
        options = f"one of {', '.join(map(str, wanted))} (manifest, config.structures.names)"
        here.add("structure", shown(here.form.structure), options)
        return
    anchors = {*row["anchors"]}
    variables = {triple[0 if end == "subject" else 2] for triple, end in here.evidence}
    check_block(here)
    shared = _shared(here, here.whole)
    here.equal("answer types", block["answer_types"], shared, "the query and its evidence")
    if both := sorted(anchors & {*variables, *row["answers"]}):
        here.add("anchors apart", shown(both), "no anchor that is an answer or an intermediate")
    if (n := len(list(leaves(here.links)))) != len(anchors):
        here.add("anchors apart", f"{n} places for {len(anchors)} anchors", "different anchors")
    if contents.folder.option("structures", "missing") == "full":
        least = next((i["missing"] for i in row["hard"] if i["answer"] == row["hard_answer"]), 0)
        if least < len(row["evidence"]):
            found = f"{least} of {len(row['evidence'])} missing"
            here.add("full inference", found, "all (manifest, config.structures.missing)")
    if any(answers(less, known) == here.whole for less in smaller(here.links)):
        here.add("every branch needed", "a branch without which the answers are the same", "none")
    check_idle(here)
    if not block["answer_types"]:
        here.add("answer types", "none that all answers share", "at least one")
    for union in unions_in(here.links):
        named = {name for name, _ in leaves(union)}
        for what, some in (("anchors", named), ("members", answers(union, known))):
            if not _shared(here, some):
                here.add("types of a union", f"{what} without a common type", "one for all")


def _shared(here: Asked, entities: Iterable[str]) -> list[str]:
    """The types that all of some entities have, sorted."""
    types = here.contents.types
    found = [types.get(entity, frozenset()) for entity in entities]
    return sorted(frozenset.intersection(*found)) if found else []
