"""Questions of nine structures: types, which queries may be asked, and how many of each structure.

Checks that anchors differ and are no answers or intermediates; that every branch is needed (so none is
contained in another); that all answers share a type, and so do anchors and members of a union, whose
branches have one relation; how many questions of each structure there are, and what they share.
"""

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator
from fractions import Fraction
from operator import itemgetter
from types import MappingProxyType

from rulemine.verify import shaping
from rulemine.verify.contents import Contents, Located, Row
from rulemine.verify.folder import QUESTION_FILES
from rulemine.verify.protocol import KnownKind
from rulemine.verify.questions.asked import Asked
from rulemine.verify.questions.blocks import check_lifted
from rulemine.verify.questions.forms import STRUCTURES, leaves, nodes, smaller
from rulemine.verify.questions.idle import check_idle
from rulemine.verify.questions.queries import answers
from rulemine.verify.questions.question_set import are_ratios
from rulemine.verify.questions.wording import check_composed
from rulemine.verify.report import Findings, shown

_SHARED: dict[str, Callable[[Row], list[str]]] = {
    "anchor": itemgetter("anchors"), "relation": itemgetter("relations"), "answer": itemgetter("answers"),
}  # fmt: skip
"""What only a fraction of the questions of a structure may have in common."""

_LOOSEST = {"per_structure": math.inf, "max_share": 1}
"""Options of the sampling, as they are where the manifest does not state them."""


class _Checks(KnownKind):
    fields = MappingProxyType(
        {"block": shaping.record({"answer_types": shaping.array(shaping.name)})}
    )

    def check_set(self, contents: Contents, findings: Findings) -> None:
        """Checks how many questions of each structure there are, and what they share."""
        folder, parts = contents.folder, dict[str, list[Located]]()
        for here in contents.questions:
            parts.setdefault(here.row["structure"], []).append(here)
        options = {
            key: value if type(value) in (int, float) else least
            for key, least in _LOOSEST.items()
            for value in (folder.option(folder.kind, key),)
        }
        ratios = folder.option("questions", "ratios")

        def check(what: str, number: int, most: float, key: str) -> None:
            if number > most:
                expected = f"at most {most} (manifest, config.{folder.kind}.{key})"
                findings.add("questions", None, "balance", f"{number} {what}", expected)

        for name, some in sorted(parts.items()):
            most = options["per_structure"]
            check(f"questions of {name}", len(some), most, "per_structure")
            if folder.option("questions", "split") == "group" and are_ratios(ratios):
                for file, ratio in zip(QUESTION_FILES, ratios, strict=True):
                    number = sum(here.file == file for here in some)
                    share = -(-most * ratio // sum(ratios))
                    check(f"questions of {name} in {file}", number, share, "per_structure")
            limit = max(1, int(Fraction(str(max(0, min(1, options["max_share"])))) * len(some)))
            for what, values in _SHARED.items():
                times = Counter(value for here in some for value in values(here.row))
                for value, number in sorted(times.items()):
                    check(
                        f"questions of {name} with {what} {shown(value)}",
                        number,
                        limit,
                        "max_share",
                    )

    def check_question(self, here: Asked) -> None:
        """Checks one question."""
        row, contents = here.row, here.contents
        block, known = row["block"], contents.known
        wanted = here.option("names")
        wanted = wanted if isinstance(wanted, list) else STRUCTURES.values()
        if here.form.structure not in wanted or here.form.structure not in STRUCTURES.values():
            options = f"one of {', '.join(map(str, wanted))} (manifest, config.structures.names)"
            here.add("structure", shown(here.form.structure), options)
            return
        anchors = {*row["anchors"]}
        variables = {triple[0 if end == "subject" else 2] for triple, end in here.evidence}
        check_lifted(here)
        check_composed(here)
        shared = _shared(here, here.whole)
        here.equal("answer types", block["answer_types"], shared, "the query and its evidence")
        if both := sorted(anchors & {*variables, *row["answers"]}):
            here.add("anchors apart", shown(both), "no anchor that is an answer or an intermediate")
        if (n := len(list(leaves(here.links)))) != len(anchors):
            here.add("anchors apart", f"{n} places for {len(anchors)} anchors", "different anchors")
        if any(answers(less, known) == here.whole for less in smaller(here.links)):
            here.add(
                "every branch needed", "a branch without which the answers are the same", "none"
            )
        check_idle(here)
        if not block["answer_types"]:
            here.add("answer types", "none that all answers share", "at least one")
        for union in (node for node in nodes(here.links) if node.word == "or"):
            asked = [sorted((way.word, way.name) for way in branch.parts) for branch in union.parts]
            if any(one != asked[0] for one in asked):
                here.add("one relation of a union", "another one", "the same in all branches")
            named = {name for name, _ in leaves(union)}
            for what, some in (("anchors", named), ("members", answers(union, known))):
                if not _shared(here, some):
                    here.add("types of a union", f"{what} without a common type", "one for all")

    def shared(self, row: Row, contents: Contents) -> Iterator[tuple[str, Hashable]]:
        """Anchors."""
        return (("anchor", anchor) for anchor in row["anchors"])


CHECKS = _Checks()


def _shared(here: Asked, entities: Iterable[str]) -> list[str]:
    """The types that all of some entities have, sorted."""
    types = here.contents.types
    found = [types.get(entity, frozenset()) for entity in entities]
    return sorted(frozenset.intersection(*found)) if found else []
