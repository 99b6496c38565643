"""The measures of rules, counted again on the complete KG.

Checks support, body size, PCA body size, head size and functional variable of the rules by joining whole
columns: bindings of variables are a table, each atom widens or filters it, and a variable that no further
atom needs is dropped. The subjects of the head are taken in parts, so that no table gets large.
"""

import random
from collections.abc import Iterator, Sequence

import numpy as np

from rulemine.verify.contents import Contents
from rulemine.verify.report import Findings
from rulemine.verify.rules import RULES, Atom, HornRule
from rulemine.verify.triples import Graph, Ints, distinct, member

__all__ = ["Columns", "RuleChecks", "rules_to_count", "sizes_of"]

LARGE = 3
"""Body atoms from which on only a sample of the rules is counted again."""

SMALL = 100_000
"""Triples of a graph on which the rules behind no published proof are all counted again."""

SAMPLE = 200
"""Rules of a sample."""

MOST_ROWS = 1 << 21
"""Rows of a table of bindings, roughly."""

Table = dict[int, Ints]
"""Variable → its values, one a row."""


def rules_to_count(contents: Contents, thorough: bool, findings: Findings) -> list[str]:
    """Counts the heads of all rules, and chooses the rules that are counted by joins, see `RuleChecks`.

    These are, of the rules behind published proofs, all of one and two body atoms and a seeded sample of
    longer ones; of the others all on a small graph, else a sample; or if `thorough` all. A note says what was
    not. Rules that were given may have measures from another graph: they are not counted.

    Returns:
        Their ids, sorted.
    """
    folder, rules, complete = contents.folder, contents.rules, contents.complete
    if folder.manifest["config"].get("rules"):
        findings.note(
            "rules that the recipe took from a file have measures of their own: not counted"
        )
        return []
    published = {name for record in contents.removed.values() for name, _ in record.certificates}
    known = complete.terms.relations.keys()
    wanted = sorted(
        name
        for name, rule in rules.items()
        if {relation for _, relation, _ in (rule.head, *rule.body)} <= known
    )
    columns = Columns(complete)
    for name in wanted:
        _compare(rules[name], head_of(rules[name], columns), findings)
    behind = [name for name in wanted if name in published]
    long = [name for name in behind if len(rules[name].body) >= LARGE]
    others = [name for name in wanted if name not in published]
    chosen = {name for name in behind if len(rules[name].body) < LARGE}
    chosen |= {*(long if thorough else _sample(long))}
    chosen |= {*(others if thorough or len(complete) <= SMALL else _sample(others))}
    findings.count("rules counted again", len(chosen))
    if len(chosen) < len(wanted):
        rest = (
            f"{len(names):,} {what}"
            for names, what in (
                ({*long} - chosen, "long ones behind published proofs"),
                ({*others} - chosen, "behind none"),
            )
            if names
        )
        findings.note(f"supports not counted again of rules: {' and '.join(rest)} (--thorough)")
    return sorted(chosen)


class RuleChecks:
    """Counts rules by joins, and keeps the sorted columns of the graph.

    Args:
        contents: The contents of the release.
    """

    def __init__(self, contents: Contents) -> None:
        self._rules, self._columns = contents.rules, Columns(contents.complete)

    def check(self, names: Sequence[str], findings: Findings) -> None:
        """Checks the rules of these ids."""
        for name in names:
            _compare(self._rules[name], sizes_of(self._rules[name], self._columns), findings)


def _sample(names: list[str]) -> list[str]:
    drawn = random.Random(0)  # noqa: S311
    return drawn.sample(names, SAMPLE) if len(names) > SAMPLE else names


def _compare(rule: HornRule, counted: dict[str, int | str], findings: Findings) -> None:
    stated = {key: rule.row[key] for key in counted}
    if stated != counted:
        found, expected = (
            ", ".join(f"{k} {v}" for k, v in sizes.items()) for sizes in (stated, counted)
        )
        findings.add(RULES, rule.line, "measures", found, f"{expected}, counted on the graph")


class Columns:
    """The triples of each relation, sorted by either end."""

    def __init__(self, graph: Graph) -> None:
        self.terms, self.n = graph.terms, graph.terms.sizes[0]
        self._graph = graph
        self._sorted: dict[tuple[str, int], tuple[Ints, Ints]] = {}

    def sorted_by(self, relation: str, end: int) -> tuple[Ints, Ints]:
        """One end of the triples of a relation, ascending, and the other end."""
        if (relation, end) not in self._sorted:
            one, other = self._graph.ends(self.terms.relations[relation], 2 * end)
            self._sorted[relation, end] = one.astype(np.int64), other.astype(np.int64)
        return self._sorted[relation, end]

    def keys(self, relation: str) -> Ints:
        """The triples of a relation, each as one number, ascending."""
        s, o = self.sorted_by(relation, 0)
        return s * self.n + o


def head_of(rule: HornRule, columns: Columns) -> dict[str, int | str]:
    """Counts the triples of the head relation, and the functional variable: the end with more entities."""
    ends = [columns.sorted_by(rule.head[1], end)[0] for end in (0, 1)]
    subjects, objects = (len(distinct(end)) for end in ends)
    return {"head_size": len(ends[0]), "functional": "?b" if objects > subjects else "?a"}


def sizes_of(rule: HornRule, columns: Columns) -> dict[str, int | str]:
    """Counts a rule: its sizes, and what `head_of` counts."""
    subject, relation, target = rule.head
    heads, of_head = columns.keys(relation), head_of(rule, columns)
    end = int(of_head["functional"] == "?b")
    having = np.zeros(columns.n, bool)
    having[columns.sorted_by(relation, end)[0]] = True
    body = pca = support = 0
    for table in _bodies(rule, columns):
        ends = table[subject], table[target]
        body += len(ends[0])
        pca += int(having[ends[end]].sum())
        support += int(member(heads, ends[0] * columns.n + ends[1]).sum())
    return {"support": support, "body_size": body, "pca_body_size": pca, **of_head}


def _bodies(rule: HornRule, columns: Columns) -> Iterator[Table]:
    """Yields the instances of the head for which the body holds, each once."""
    first = rule.head[0]
    values: Ints | None = None
    for s, r, o in rule.body:
        for end, term in ((0, s), (1, o)):
            if term == first:
                own = distinct(columns.sorted_by(r, end)[0])
                values = own if values is None else np.intersect1d(values, own)
    waiting = [values]
    while waiting:
        part = waiting.pop()
        if part is None or not len(part):
            continue
        made = _joined(rule, first, part, columns)
        if isinstance(made, int):
            waiting += np.array_split(part, min(made, len(part)))
        else:
            yield made


def _joined(rule: HornRule, first: int, values: Ints, columns: Columns) -> Table | int:
    """The instances of the head with these values of its first variable.

    Returns:
        A table without equal rows; or, if it would get too large, into how many parts to cut the values.
    """
    table: Table = {first: values}
    left = list(rule.body)
    while left:
        atom = min(left, key=lambda atom: _cost(atom, table, columns))
        left.remove(atom)
        rows = _matches(atom, table, columns, len(values))
        if isinstance(rows, int):
            return rows
        table = rows
        needed = {t for s, _, o in (rule.head, *left) for t in (s, o)}
        if idle := table.keys() - needed:
            table = {term: column for term, column in table.items() if term not in idle}
            table = _distinct(table, columns.n)
    return _distinct({t: table[t] for t in (rule.head[0], rule.head[2])}, columns.n)


def _cost(atom: Atom, table: Table, columns: Columns) -> tuple[int, float]:
    """Sorts atoms: first those that only filter, then by how much they widen; then the unconnected."""
    s, relation, o = atom
    if s in table and o in table:
        return 0, 0
    if s not in table and o not in table:
        return 2, 0
    ends = columns.sorted_by(relation, 0 if s in table else 1)[0]
    return 1, len(ends) / max(1, len(distinct(ends)))


def _matches(atom: Atom, table: Table, columns: Columns, parts: int) -> Table | int:
    """Joins a table with an atom; too large a result as `_joined` returns it."""
    s, relation, o = atom
    if s in table and o in table:
        keep = member(columns.keys(relation), table[s] * columns.n + table[o])
        return {term: column[keep] for term, column in table.items()}
    known, new, end = (s, o, 0) if s in table else (o, s, 1)
    ends, others = columns.sorted_by(relation, end)
    low = np.searchsorted(ends, table[known])
    times = np.searchsorted(ends, table[known], side="right") - low
    total = int(times.sum())
    if total > MOST_ROWS and parts > 1:
        return total // MOST_ROWS + 2
    before = np.cumsum(times) - times
    found = others[np.repeat(low - before, times) + np.arange(total)]
    wide = {term: np.repeat(column, times) for term, column in table.items()}
    return wide | {new: found}


def _distinct(table: Table, n: int) -> Table:
    """The table without equal rows."""
    keys, *columns = table.values()
    for column in columns[:-1]:  # so that numbers stay small
        keys = np.unique(keys * n + column, return_inverse=True)[1].reshape(-1)
    if columns:
        keys = keys * n + columns[-1]
    first = _firsts(keys)
    return {term: column[first] for term, column in table.items()}


def _firsts(keys: Ints) -> Ints:
    """The place of one of each group of equal keys."""
    if not len(keys):
        return np.empty(0, np.int64)
    low = int(keys.min())
    span = int(keys.max()) - low + 1
    if span > 32 * len(keys) + 1024:
        return np.unique(keys, return_index=True)[1]
    places = np.full(span, -1, np.int32)
    places[keys - low] = np.arange(len(keys), dtype=np.int32)
    return places[places >= 0].astype(np.int64)
