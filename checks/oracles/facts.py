"""A set of facts and what is counted on it: the definitions of satisfaction and of head pairs."""

from collections import defaultdict
from collections.abc import Iterable, Iterator

Triple = tuple[str, str, str]
Pair = tuple[str, str]
BodyAtom = tuple[str, int, int]
"""A body atom as (relation, subject variable, object variable).

Variable 0 is the subject of the head, 1 its object, 2 and up are body variables.
"""


class Facts:
    """A set of facts, looked up by relation and by one or both ends."""

    def __init__(self, triples: Iterable[Triple]) -> None:
        self.pairs: defaultdict[str, set[Pair]] = defaultdict(set)
        self.objects: defaultdict[str, defaultdict[str, set[str]]]
        self.objects = defaultdict(lambda: defaultdict(set))
        self.subjects: defaultdict[str, defaultdict[str, set[str]]]
        self.subjects = defaultdict(lambda: defaultdict(set))
        for subject, relation, object_ in triples:
            self.pairs[relation].add((subject, object_))
            self.objects[relation][subject].add(object_)
            self.subjects[relation][object_].add(subject)
        self.relations = tuple(sorted(self.pairs))

    def satisfiable(self, atoms: tuple[BodyAtom, ...], values: dict[int, str]) -> bool:
        """Whether the variables without a value can be given values that satisfy all atoms.

        Each atom must have a variable with a value or one that occurs in an atom before it.
        """
        if not atoms:
            return True
        (relation, s, t), rest = atoms[0], atoms[1:]
        if s in values and t in values:
            return values[t] in self.objects[relation].get(values[s], ()) and self.satisfiable(
                rest, values
            )
        if s in values:
            unknown, found = t, self.objects[relation].get(values[s], ())
        else:
            unknown, found = s, self.subjects[relation].get(values[t], ())
        for value in found:  # noqa: SIM110 (a generator would double the time)
            if self.satisfiable(rest, {**values, unknown: value}):
                return True
        return False

    def head_pairs(self, body: tuple[BodyAtom, ...]) -> set[Pair]:
        """All distinct values of the variables (0, 1) for which a body can be satisfied.

        Both variables must occur in the body. Variables are independent: two may be equal.
        """
        columns: list[int] = []
        rows: set[tuple[str, ...]] = {()}
        remaining = list(body)
        while remaining:
            # Any order gives the same rows; atoms that touch a column keep the table small.
            atom = max(remaining, key=lambda atom: len({atom[1], atom[2]} & set(columns)))
            remaining.remove(atom)
            relation, s, t = atom
            if s in columns and t in columns:
                i, j = columns.index(s), columns.index(t)
                pairs = self.pairs[relation]
                rows = {row for row in rows if (row[i], row[j]) in pairs}
            elif s in columns:
                i = columns.index(s)
                objects = self.objects[relation]
                rows = {(*row, o) for row in rows for o in objects.get(row[i], ())}
                columns.append(t)
            elif t in columns:
                i = columns.index(t)
                subjects = self.subjects[relation]
                rows = {(*row, s_) for row in rows for s_ in subjects.get(row[i], ())}
                columns.append(s)
            else:
                rows = {(*row, *pair) for row in rows for pair in self.pairs[relation]}
                columns += [s, t]
            needed = {0, 1}.union(*((s, t) for _, s, t in remaining))
            kept = [i for i, variable in enumerate(columns) if variable in needed]
            if len(kept) < len(columns):
                rows = {tuple(row[i] for i in kept) for row in rows}
                columns = [columns[i] for i in kept]
        i, j = columns.index(0), columns.index(1)
        return {(row[i], row[j]) for row in rows}

    def functional_variable(self, relation: str) -> int:
        """0 if a relation has at least as many subjects as objects, else 1."""
        return 0 if len(self.objects[relation]) >= len(self.subjects[relation]) else 1


class InjectiveFacts(Facts):
    """The same where different variables must stand for different entities.

    Written without what makes `Facts` fast: all bindings, one atom after the other.
    """

    def bindings(
        self, atoms: tuple[BodyAtom, ...], values: dict[int, str]
    ) -> Iterator[dict[int, str]]:
        """Every way to give all variables values, of which some are given."""
        if len(set(values.values())) < len(values):
            return
        if not atoms:
            yield values
            return
        relation, s, t = atoms[0]
        for subject, object_ in self.pairs[relation]:
            fits = values.get(s, subject) == subject and values.get(t, object_) == object_
            if fits and (s != t or subject == object_):
                yield from self.bindings(atoms[1:], {**values, s: subject, t: object_})

    def satisfiable(self, atoms: tuple[BodyAtom, ...], values: dict[int, str]) -> bool:
        return any(True for _ in self.bindings(atoms, values))

    def head_pairs(self, body: tuple[BodyAtom, ...]) -> set[Pair]:
        return {(values[0], values[1]) for values in self.bindings(body, {})}
