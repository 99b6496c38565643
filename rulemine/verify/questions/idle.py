"""Parts of questions that do nothing, and questions that ask the same thing.

Checks that every difference takes something away, that no step of a chain leads to all entities of its type
that its relation leads to from anywhere, and that no two questions have the same answers and two constants in
common. Whether a branch is needed is checked kind by kind; on the larger graph, of which a release has a
part, only the builder knows.
"""

from itertools import combinations

from rulemine.verify.contents import Contents, Located
from rulemine.verify.questions.asked import Asked
from rulemine.verify.questions.forms import LINK, nodes
from rulemine.verify.questions.queries import ENDS, answers
from rulemine.verify.report import Findings, shown

__all__ = ["check_idle", "check_near_duplicates"]


def check_idle(here: Asked) -> None:
    """Checks the differences and chains of one question."""
    known = here.contents.known
    every = list(nodes(here.links))
    for node in every:
        if node.word == "minus":
            of, minus = (answers(part, known) for part in node.parts)
            if of.isdisjoint(minus):
                here.add("nothing idle", "a difference that takes nothing away", "none")
    for link in (node for node in every if node.word == LINK) if here.form.hops > 1 else ():
        ends = [(part.name, ENDS[part.word]) for part in link.parts]
        reached, types = answers(link, known), here.contents.types
        found_types = [types.get(one, frozenset()) for one in reached]
        shared = frozenset.intersection(*found_types) if found_types else frozenset()
        if not any(  # mostly found soon
            one not in reached and (not shared or shared <= types.get(one, frozenset()))
            for name, end in ends
            for one in known.all_at(name, 0 if end == "subject" else 2)
        ):
            found = f"{shown(sorted(ends))} leads to all {len(reached)} there are"
            here.add("nothing idle", found, "a chain each of whose steps leads to some")


def check_near_duplicates(contents: Contents, findings: Findings) -> None:
    """Checks that no two questions have the same answers and two constants in common."""
    first: dict[tuple[object, ...], Located] = {}
    for here in contents.questions:
        known = frozenset(here.row["answers"])
        for pair in combinations(sorted({*contents.folder.checks.constants(here.row)}), 2):
            if (other := first.setdefault((known, pair), here)) is not here:
                found = f"the answers and constants {shown(pair)} of {other.place}"
                findings.add(here.file, here.line, "near duplicates", found, "one of both")
