"""What a graph implies by definition: Horn rules that are true of every pair, written down by a person.

A file has one rule per line; lines that start with # are comments:

    # A capital is contained in what it is the capital of.
    capital_of(x,y) ⇒ contains(y,x)

Variables are single letters, and one of the body may occur once: `country(w,y)` says that y is a country.

Guarantees: what is implied is all that follows, rule upon rule, whatever the order of the rules (`close`);
none of it is stated by a graph already, in any statement of its fact (`rulemine.kg.facts`).
"""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np

from rulemine.arrays import distinct
from rulemine.errors import InputError, did_you_mean, list_problems
from rulemine.files import read_lines
from rulemine.kg.facts import Declarations, facts_of
from rulemine.kg.graph import KnowledgeGraph
from rulemine.kg.index import Index
from rulemine.registry import packaged_or_given
from rulemine.rules.formats import parse_readable
from rulemine.rules.rule import Rule
from rulemine.rules.walk import OpenEnds, Walks

__all__ = ["close", "load_implied", "with_implied"]


def close(
    kg: KnowledgeGraph,
    rules: Iterable[Rule],
    progress: Callable[[int, int], None] | None = None,
) -> KnowledgeGraph:
    """The graph with everything that rules derive from it, from what they derive, and so on.

    It is exactly the least graph that is closed under the rules. No triple from an entity to itself is
    derived.

    Args:
        kg: The graph.
        rules: Every variable of a head is in its body. Rules with a relation or an entity that the graph
            lacks derive nothing.
        progress: Called with (applications of rules done, those known to be needed).
    """
    known = [rule for rule in rules if rule.relations <= kg.relation_ids.keys()]
    everyone = np.arange(len(kg.entities))
    done, waiting = 0, known
    while waiting:
        found = [np.empty((0, 3), np.int32)]
        heads = sorted({rule.head.relation for rule in waiting})
        walks = Walks(Index(kg), waiting)
        for at, head in enumerate(heads):
            if progress is not None:
                progress(done + at * len(waiting) // len(heads), done + len(waiting))
            for ids in walks.triples(OpenEnds(head, "object", everyone)):
                found.append(ids[(ids[:, 0] != ids[:, 2]) & (kg.rows_of(ids) < 0)])
        done += len(waiting)
        new = np.concatenate(found)
        kg = kg.including(new)
        changed = {kg.relations[number] for number in distinct(new[:, 1])}
        waiting = [rule for rule in known if changed & {atom.relation for atom in rule.body}]
    return kg


IMPLIED_FILE = "implied.txt"
"""The name of the file in the folder of a packaged data set."""


def load_implied(source: str, relations: Iterable[str]) -> tuple[Rule, ...]:
    """Reads rules that are true by definition, in the order of the file.

    Args:
        source: The file, the name of a packaged data set that has one, or "" for none.
        relations: The relations of the graphs. The packaged rules about others are left out.

    Raises:
        InputError: The file is missing or holds no rule; or a line is no rule, repeats one, has a variable
            in the head only, or names another relation.
    """
    if not source:
        return ()
    path = packaged_or_given(source, IMPLIED_FILE)
    known = set(relations)
    rules: dict[str, Rule] = {}
    problems: list[str] = []
    for number, line in enumerate(read_lines(path), start=1):
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        try:
            rule = parse_readable(text, closed=False)
        except InputError as problem:
            problems.append(f"line {number}: {problem}")
            continue
        if rule.id in rules:
            problems.append(f"line {number}: repeats {rules[rule.id]}")
        for name in sorted(rule.relations - known) if path == Path(source) else ():
            hint = did_you_mean(name, known)
            hint = f"; {hint}" if hint.startswith("did") else ""
            problems.append(f"line {number}: relation {name!r} is not in the graph{hint}")
        rules[rule.id] = rule
    if not rules and not problems:
        problems.append("holds no rule")
    if problems:
        advice = "Expected one rule per line, e.g. capital_of(x,y) ⇒ contains(y,x), and # comments."
        raise InputError(list_problems(str(path), problems, advice))
    return tuple(rule for rule in rules.values() if rule.relations <= known)


def with_implied(
    kg: KnowledgeGraph,
    reference: KnowledgeGraph | None,
    rules: Sequence[Rule],
    declarations: Declarations,
    progress: Callable[[int, int], None] | None = None,
) -> KnowledgeGraph:
    """The triples of the reference, and those that both graphs imply together.

    Args:
        kg: The complete KG.
        reference: A larger KG, matched by labels.
        rules: Applied until nothing new follows.
        declarations: Which relations state the same facts.
        progress: See `close`.
    """
    given = [] if reference is None else reference.labeled()
    named = {name for rule in rules for name in rule.relations}
    named_facts = {declarations[name].fact for name in named}
    named |= {
        name for name, reading in declarations.readings.items() if reading.fact in named_facts
    }
    stated = KnowledgeGraph.from_triples(
        triple for triples in (kg.labeled(), given) for triple in triples if triple[1] in named
    )
    closed = close(stated, rules, progress)
    facts = facts_of(closed, declarations)
    new = ~np.isin(facts, facts[closed.rows_of(stated.triples)])
    return KnowledgeGraph.from_triples([*given, *closed.labeled(np.flatnonzero(new))])
