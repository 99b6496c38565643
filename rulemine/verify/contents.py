"""What the checks look at: the records of a release as JSON has them, its graphs, and what is wrong."""

from collections.abc import Iterator
from functools import cached_property, lru_cache
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

from msgspec.json import decode

from rulemine.release.reader import Release
from rulemine.verify.graph import Facts, Graph, Priors, Terms, Triple
from rulemine.verify.kinds import checks_of
from rulemine.verify.proofs import HornRule, Prover
from rulemine.verify.report import Findings, shown

__all__ = ["NAMINGS", "SPLITS", "Contents", "Record", "Row", "as_triple", "certified"]

Row = dict[str, Any]

SPLITS = ("train", "validation", "test")
NAMINGS = ("private", "entity", "text", "numeric")
"""The columns of ``entities.tsv``, and the digits of the first."""


class Record(NamedTuple):
    """A line of a file, with where it stands."""

    file: str
    line: int
    row: Row

    @property
    def place(self) -> str:
        """Where it is."""
        return f"{self.file} line {self.line}"


def as_triple(value: list[str]) -> Triple:
    """A triple as JSON has it."""
    return value[0], value[1], value[2]


def certified(row: Row) -> list[str]:
    """The rules of the certificates of a removed triple, the published one first."""
    return [one["rule"] for one in (row["certificate"], *row["further_certificates"])]


class Contents:
    """An opened release.

    Args:
        release: The release; its files have been checked against their digests.
        findings: Collects what is wrong.
    """

    def __init__(self, release: Release, findings: Findings) -> None:
        self.release, self.findings = release, findings
        self.manifest: Row = release.manifest
        self.config: Row = self.manifest["config"]
        self.kind, self.checks = release.kind, checks_of(release.kind)
        self.brink = self.option("selection", "mode") == "brink"
        self.given = self.option("selection", "mode") == "given"

    def option(self, section: str, key: str) -> Any:
        """An option of the recipe; None if it states none."""
        options = self.config.get(section)
        return options.get(key) if isinstance(options, dict) else None

    def has(self, name: str) -> bool:
        """Whether there is a file."""
        return name in self.manifest["files"]

    def text(self, name: str) -> str:
        """The content of a file; none if it is not there."""
        return (self.release.folder / name).read_text("utf-8") if self.has(name) else ""

    def records(self, name: str) -> Iterator[Record]:
        """The lines of a JSON Lines file; none if it is not there."""
        if self.has(name):
            with (self.release.folder / name).open("rb") as lines:
                for number, line in enumerate(lines, start=1):
                    yield Record(name, number, decode(line))

    def table(self, name: str) -> list[Record]:
        """The rows of a table, column → text; none if it is not there."""
        header, *rows = [line.split("\t") for line in self.text(name).split("\n")]
        return [
            Record(name, number, dict(zip(header, row, strict=True)))
            for number, row in enumerate(rows[:-1], start=2)
        ]

    def graph(self, name: str) -> Graph:
        """A graph of ``kg/``; an empty one if it is not there."""
        if not self.has(file := f"kg/{name}.tsv.gz"):
            return Graph.of((), self.terms)
        return Graph.read(self.release.folder / file, self.terms)

    @cached_property
    def terms(self) -> Terms:
        """The names of all graphs; those of the tables come first."""
        return Terms(self.entities, self.relations)

    @cached_property
    def questions(self) -> list[Record]:
        """All questions, file by file."""
        return [at for split in SPLITS for at in self.records(f"questions/{split}.jsonl")]

    @cached_property
    def rejected(self) -> list[Record]:
        """All rejected questions and texts."""
        return [*self.records("rejected.jsonl")]

    @cached_property
    def rules(self) -> dict[str, HornRule]:
        """Id → rule."""
        return {at.row["id"]: HornRule.of(at.line, at.row) for at in self.records("rules.jsonl")}

    @cached_property
    def removed(self) -> dict[Triple, Record]:
        """Removed triple → its record; one of ``missing.jsonl`` has nothing but a level."""
        return {as_triple(at.row["triple"]): at for at in self.removals}

    @cached_property
    def removals(self) -> list[Record]:
        """The records of all removed triples."""
        return [*self.records("removed.jsonl"), *self.records("missing.jsonl")]

    @cached_property
    def entities(self) -> dict[str, str]:
        """Entity in the naming of the release → its line of ``entities.tsv``."""
        return {
            _names(line)[self.release.naming]: line
            for line in self.text("entities.tsv").split("\n")[1:-1]
        }

    def names(self, entity: str) -> dict[str, str]:
        """The name of an entity in each of the `NAMINGS`."""
        return _names(self.entities[entity])

    @cached_property
    def relations(self) -> dict[str, Row]:
        """Relation → its row of ``relations.tsv``."""
        return {at.row["relation"]: at.row for at in self.table("relations.tsv")}

    @cached_property
    def types(self) -> dict[str, frozenset[str]]:
        """Entity → its types; none if the release has no such table."""
        rows = [line.split("\t") for line in self.text("types.tsv").split("\n")[1:-1]]
        by_entity = groupby(sorted(rows), itemgetter(0))
        return {entity: frozenset(type_ for _, type_ in own) for entity, own in by_entity}

    @cached_property
    def dropped(self) -> set[str]:
        """The relations that no question is about and no body has."""
        return {*self.manifest["kg"].get("dropped", {})}

    @cached_property
    def complete(self) -> Graph:
        """The complete graph."""
        return self.graph("complete")

    @cached_property
    def incomplete(self) -> Graph:
        """The complete graph without anything removed, which its file is compared with."""
        return self.complete - Graph.of(self.removed, self.terms)

    @property
    def mined(self) -> Graph:
        """The graph that rules are counted on: where a user named what is missing, the incomplete one."""
        return self.incomplete if self.given else self.complete

    @cached_property
    def wider(self) -> Graph:
        """The complete graph and the reference."""
        has = self.has("kg/reference.tsv.gz")
        return self.complete | self.graph("reference") if has else self.complete

    @cached_property
    def facts(self) -> Facts:
        """What triples state for selection and questions; the published procedure knows no declarations."""
        return Facts({} if self.brink else self.relations)

    @cached_property
    def priors(self) -> Priors:
        """The priors of the complete graph."""
        return Priors(self.complete, self.facts)

    @cached_property
    def prover(self) -> Prover:
        """Counts proofs in the incomplete graph."""
        return Prover(self.rules.values(), self.incomplete)

    @cached_property
    def whole_prover(self) -> Prover:
        """Counts proofs in the complete graph."""
        return Prover(self.rules.values(), self.complete)

    def wrong(self, at: Record, what: str, found: object, expected: object) -> None:
        """Adds a problem of a record; what was expected is a value, or a text that describes it."""
        wanted = expected if isinstance(expected, str) else shown(expected)
        self.findings.add(at.file, at.line, what, shown(found), wanted)

    def equal(
        self, at: Record, what: str, found: object, expected: object, source: str = ""
    ) -> None:
        """Adds a problem if two values differ.

        Args:
            at: The record.
            what: The invariant.
            found: What the record has.
            expected: What it should have.
            source: Where that comes from.
        """
        if found != expected:
            self.wrong(at, what, found, shown(expected) + (f" ({source})" if source else ""))


@lru_cache(1 << 12)
def _names(line: str) -> dict[str, str]:
    private, *others = line.split("\t")
    numeric = private[1:].lstrip("0") or "0"
    return dict(zip(NAMINGS, (private, *others, numeric), strict=True))
