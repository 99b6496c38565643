"""Reads releases; a release is a folder with a whole benchmark, or an archive of one.

A release is complete if it has a ``manifest.json``, which is written last and lists every other file
with its size and digest. Opening reads only the manifest; each part is read when it is first used,
checked against its digest, and never changed. Nothing here needs a JVM or a network.
"""

import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import groupby, islice
from operator import attrgetter, itemgetter
from pathlib import Path
from typing import Any, TypeVar, cast

from rulemine.codec import dump_line, from_json, parse_object
from rulemine.errors import InputError, ReleaseError
from rulemine.files import describe_content, digest_of, read_jsonl, read_lines, read_text
from rulemine.kg.entity_names import NAMINGS, EntityNames
from rulemine.kg.graph import KnowledgeGraph
from rulemine.kg.property_graph.graph import PropertyGraph
from rulemine.kg.property_graph.simplekg import read_simplekg
from rulemine.kinds.registry import USUAL, is_built, kind_named
from rulemine.phrasing.templates import Templates
from rulemine.release.outputs import FORMAT, MANIFEST
from rulemine.release.records import (
    FORMAT_VERSION,
    MISSING,
    SEED_TEXTS,
    SPLITS,
    TWIN_GRAPHS,
    UNPROVABLE,
    Missing,
    Question,
    Rejection,
    Removal,
    SeedRow,
    Twin,
    question_from_json,
    without_answers,
)
from rulemine.release.unpacking import unpacked
from rulemine.rules.formats import read_rules
from rulemine.rules.rule import Rule

__all__ = ["ALIASES", "MANIFEST", "PROPERTY_GRAPHS", "TYPES", "Release", "identity_of"]

TYPES, ALIASES = "types.tsv", "aliases.tsv"
PROPERTY_GRAPHS = "property_graph"

_R = TypeVar("_R")


def identity_of(manifest: Mapping[str, Any]) -> str:
    """The SHA-256 of what a benchmark is, the same in every naming: its options, graph and counts."""
    config = {k: v for k, v in manifest["config"].items() if k != "naming"}
    verbalizer = config.get("verbalizer", {})
    if verbalizer.get("name") == "template":  # which has no prompts that could name entities
        config["verbalizer"] = {**verbalizer, "naming": "private"}
    counts = dict(manifest["counts"])
    counts.pop("statistics", None)  # which has the lengths of texts
    what = [manifest["name"], config, manifest["kg"].get("digest"), counts]
    return digest_of(json.dumps(what, sort_keys=True).encode())


def _is_config(value: Any) -> bool:
    """Whether a value has the options of a build, with the section of its kind, or a file in its place."""
    if not isinstance(value, dict) or not isinstance(kind := value.get("kind", USUAL), str):
        return False
    tables = ("mining", "selection", "questions", "verbalizer")
    own = value.get(kind, "kind" in value or {})
    return all(isinstance(value.get(name, {}), dict) for name in tables) and isinstance(
        own, dict | str
    )


_FITS: dict[str, Callable[[Any], bool]] = {
    "name": lambda v: isinstance(v, str) and v.replace("-", "").replace("_", "").isalnum(),
    "naming": lambda v: isinstance(v, str) and v in NAMINGS,
    "config": _is_config,
    "kg": lambda v: isinstance(v, dict),
    "counts": lambda v: isinstance(v, dict),
    "files": lambda v: (
        isinstance(v, dict)
        and all(isinstance(entry, dict) for entry in v.values())
        and not any(Path(name).is_absolute() or ".." in Path(name).parts for name in v)
    ),
    "hidden": lambda v: v in ([], ["test"]),
    "full": lambda v: isinstance(v, str),
    "levels": lambda v: (
        isinstance(v, list)
        and all(type(level) is int and level >= 1 for level in v)
        and v == sorted({*v, 100})
    ),
}
"""Key → what its value must be; the rest is for people and for `rulemine verify`."""


def _check_manifest(manifest: dict[str, Any], where: Path) -> None:
    """Checks what a reader relies on.

    Args:
        manifest: The manifest.
        where: Its file, for messages.

    Raises:
        ReleaseError: It is of no release, or of one of another format version.
    """
    form, version = manifest.get("format"), manifest.get("format_version")
    advice = "Fetch or build the release again."
    if form != FORMAT:
        raise ReleaseError(
            f"{where}: format is {form!r}; expected {FORMAT!r}. Name the folder of a release."
        )
    if version != FORMAT_VERSION:
        newer = type(version) is int and version > FORMAT_VERSION
        raise ReleaseError(
            f"{where}: format version is {dump_line(version)}; expected {FORMAT_VERSION}. "
            f"{'Upgrade: pip install -U rulemine.' if newer else 'Build the release again.'}"
        )
    values = {"levels": [100], "hidden": [], "full": "", **manifest}
    for key, fits in _FITS.items():
        if not fits(values.get(key)):
            found = dump_line(values[key])[:60] if key in values else "missing"
            raise ReleaseError(f"{where}: {key} is {found}, which no release has. {advice}")


@dataclass(frozen=True)
class Release:
    """An opened release; see `Release.open`.

    Attributes:
        path: The folder or the archive, as given.
        folder: The folder; of an archive, where it is unpacked (see
            `rulemine.release.unpacking.unpacked`).
        manifest: The content of its manifest: ``format_version``, ``name``, ``naming``, ``config``
            (every option that affects it), ``levels``, ``kg`` (sizes, digests), ``counts``, ``files``.
    """

    path: Path
    folder: Path = field(repr=False, compare=False)
    manifest: dict[str, Any] = field(repr=False)
    _read: dict[str, tuple[Any, ...]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    @classmethod
    def open(cls, path: str | Path) -> "Release":
        """Opens a release.

        Args:
            path: Its folder, or an archive that `rulemine.release.archive.write_archive` wrote.

        Raises:
            ReleaseError: There is no release, or it is unfinished or of another format version; or see
                `rulemine.release.unpacking.unpacked`.
        """
        given = Path(path)
        folder = unpacked(given)
        file, where = folder / MANIFEST, given / MANIFEST
        if not file.is_file():  # reading a pipe would block
            raise ReleaseError(
                f"{where}: no such file, so this is not a release, or an unfinished one. Name a release, or "
                "make one: rulemine build demo."
            )
        try:
            manifest = parse_object(read_text(file), str(where))
        except InputError as problem:
            raise ReleaseError(str(problem)) from None
        _check_manifest(manifest, where)
        return cls(given, folder, manifest)

    @property
    def name(self) -> str:
        """The name of the benchmark."""
        return str(self.manifest["name"])

    @property
    def naming(self) -> str:
        """The naming of entities in all files of the release (one of `NAMINGS`)."""
        return str(self.manifest["naming"])

    @property
    def kind(self) -> str:
        """The kind of its questions, a name of `rulemine.kinds.registry.KINDS`."""
        return str(self.manifest["config"].get("kind", USUAL))

    @property
    def answers(self) -> str:
        """What its answers are: ``entities``, or ``rows`` of a property graph."""
        return kind_named(self.kind).answers.form

    @property
    def has_property_graph(self) -> bool:
        """Whether its questions are about a property graph, see `property_graph`."""
        return f"{PROPERTY_GRAPHS}/complete.json.gz" in self.manifest["files"]

    @cached_property
    def named_graphs(self) -> dict[str, Path]:
        """The files of its property graphs by name, where questions are about several."""
        start = f"{PROPERTY_GRAPHS}/"
        files = [name for name in sorted(self.manifest["files"]) if name.startswith(start)]
        if self.has_property_graph:
            return {}
        return {
            name.removeprefix(start).removesuffix(".json.gz"): self.file(name) for name in files
        }

    def expect_entities(self, what: str, taken: Collection[str] = ()) -> None:
        """Refuses questions whose answers are no entities.

        Args:
            what: What is about entities.
            taken: Forms of answers, and kinds, that are taken all the same.

        Raises:
            ReleaseError: They are something else.
        """
        if not {self.kind, self.answers} & {"entities", *taken}:
            raise ReleaseError(
                f"{self.path}: {what} is for questions whose answers are entities; those of the kind "
                f"{self.kind} ask a property graph for rows. Take a release of another kind."
            )

    def expect_certificates(self, what: str) -> None:
        """Refuses a release that has no certificates.

        Args:
            what: What needs them.

        Raises:
            ReleaseError: Others published its questions.
        """
        if not is_built(self.kind):
            raise ReleaseError(
                f"{self.path}: {what} is for releases with rules and certificates; questions of the kind "
                f"{self.kind} are those that others published, without. Take a release that rulemine built."
            )

    @property
    def levels(self) -> tuple[int, ...]:
        """The incompleteness levels in percent, ascending; (100,) if there is only one."""
        return tuple(self.manifest.get("levels", (100,)))

    @property
    def graphs(self) -> tuple[str, ...]:
        """The names of its graphs, for `kg`, sorted."""
        files = sorted(name[3:-7] for name in self.manifest["files"] if name.startswith("kg/"))
        return tuple(name for name in files if name != "reference")

    def file(self, name: str) -> Path:
        """The path of a file of the release, checked against its digest.

        Raises:
            ReleaseError: It is not part of the release, missing, or was edited.
        """
        path = self.folder / name
        entry = self.manifest["files"].get(name)
        if entry is None:
            known = ", ".join(sorted(self.manifest["files"])) or "no file at all"
            raise ReleaseError(f"{self.path}: has no file {name!r}; its manifest lists {known}.")
        if not path.is_file():
            raise ReleaseError(
                f"{path}: no such file, or no regular file, though the release lists it. Fetch it again."
            )
        if describe_content(path)[1] != entry.get("sha256"):
            raise ReleaseError(
                f"{self.path / name}: its digest is not the one in {MANIFEST}, so it was edited or damaged. "
                "Fetch or build the release again; rulemine verify lists all faults."
            )
        return path

    def kg(self, which: str = "incomplete") -> KnowledgeGraph:
        """A knowledge graph of the release.

        Args:
            which: ``complete``, ``incomplete``, or ``incomplete-LEVEL``, LEVEL being any percentage of the
                removal from 0 to 100, whether the release has a file of it or not; ``unprovable`` or
                ``control`` where it has twins.

        Raises:
            ReleaseError: The release has no such graph, or see `file`.
        """
        if which in self.graphs or which == "reference":
            return KnowledgeGraph.read(self.file(f"kg/{which}.tsv.gz"))
        level = self.level_of(which)
        if not self.graphs:
            return KnowledgeGraph.from_triples(())
        gone = {row.triple for row in self.missing() if row.level <= level}
        whole = KnowledgeGraph.read(self.file("kg/complete.tsv.gz")).labeled()
        return KnowledgeGraph.from_triples(triple for triple in whole if triple not in gone)

    def graph_of(self, question: Question) -> tuple[str, str | None]:
        """The name of the property graph that a question is about, "" if only one, and its file, if known."""
        name = kind_named(self.kind).published(question).graph
        return name, str(self.named_graphs[name]) if name in self.named_graphs else None

    def property_graph(self, which: str = "incomplete") -> PropertyGraph:
        """A property graph of the release; only in releases whose questions are about some.

        Args:
            which: See `kg`; or one of the files of `named_graphs`.

        Raises:
            ReleaseError: The release has no such graph, or see `file`.
        """
        if Path(which) in self.named_graphs.values():
            return read_simplekg(Path(which))
        if which in self.graphs:
            return read_simplekg(self.file(f"{PROPERTY_GRAPHS}/{which}.json.gz"))
        level = self.level_of(which)
        gone = (row.triple for row in self.removals() if row.level <= level)
        whole = read_simplekg(self.file(f"{PROPERTY_GRAPHS}/complete.json.gz"))
        return whole.without(gone)

    def level_of(self, which: str) -> int:
        """The percentage of the removal that a graph lacks: 0 for ``complete``, 100 for ``incomplete``.

        Raises:
            ReleaseError: There is no such graph.
        """
        if which in TWIN_GRAPHS and which in self.graphs:
            return 100
        found = re.fullmatch("complete()|incomplete(?:-([0-9]{1,3}))?", which)
        level = 0 if found is None or found[1] is not None else int(found[2] or 100)
        if found is None or level > 100:
            raise ReleaseError(
                f"{self.path}: has no graph {which!r}; expected complete, incomplete or incomplete-LEVEL, "
                "LEVEL from 0 to 100, and unprovable or control where there are twins."
            )
        return level

    @property
    def hidden(self) -> tuple[str, ...]:
        """The splits whose answers it lacks, see `rulemine.release.hiding`."""
        return tuple(self.manifest.get("hidden", ()))

    def expect_answers(self, what: str, split: str | None = None) -> None:
        """Refuses a split, or None for all, without answers.

        Args:
            what: What needs them.
            split: The split.

        Raises:
            ReleaseError: They are hidden.
        """
        if self.hidden and split in (None, *self.hidden):
            raise ReleaseError(
                f"{self.path}: the answers of {', '.join(self.hidden)} are hidden, and {what} needs them: "
                "only who has the full release can do that. Send them your predictions."
            )

    @cached_property
    def hidden_ids(self) -> dict[str, str]:
        """The id that each question has where answers are hidden → its own.

        They are digests with that of the complete graph, which is not known there.
        """
        secret = self.manifest["kg"].get("digest")
        return {f"h{digest_of(f'{secret} {q.id}'.encode())[:12]}": q.id for q in self.questions()}

    @cached_property
    def identity(self) -> str:
        """See `identity_of`; of a release without answers, that of the full one."""
        return str(self.manifest.get("full") or identity_of(self.manifest))

    def questions(self, split: str | None = None) -> tuple[Question, ...]:
        """The questions of a split, or of all, sorted by id.

        Raises:
            ReleaseError: The split does not exist, or its questions are of another kind than the manifest
                says, or see `file`.
        """
        if split is not None and split not in SPLITS:
            raise ReleaseError(f"{self.path}: no split {split!r}; there are {', '.join(SPLITS)}.")
        names = [f"questions/{name}.jsonl" for name in SPLITS if split in (None, name)]
        found = [question for name in names for question in self.records(Question, name)]
        if other := {question.kind for question in found} - {self.kind}:
            raise ReleaseError(
                f"{self.path / MANIFEST}: config.kind is {self.kind}, but it has questions of the kind "
                f"{other.pop()}. Fetch or build the release again."
            )
        return tuple(sorted(found, key=attrgetter("id")))

    def question(self, wanted: str) -> Question | None:
        """The question of an id, found without decoding the others; None: `questions` says what is wrong."""
        names = [f"questions/{split}.jsonl" for split in SPLITS]
        for name, path in [(name, self.file(name)) for name in names]:
            lines = read_jsonl(path, dump_line(wanted))
            read = (self._decoder(name)(row, f"{path}: line {n}") for n, row in lines)
            for question in self._read.get(name) or read:
                if (question.id, question.kind) == (wanted, self.kind):
                    return cast(Question, question)
        return None

    def removals(self) -> tuple[Removal, ...]:
        """The removed triples with their certificates, in file order."""
        return self.records(Removal, "removed.jsonl")

    def missing(self) -> tuple[Missing, ...]:
        """The triples that the incomplete KG lacks, with certificates or without, in file order."""
        own = self.records(Missing, MISSING) if MISSING in self.manifest["files"] else ()
        return self.removals() + own

    def rejections(self) -> tuple[Rejection, ...]:
        """The rejected questions and texts, in file order."""
        return self.records(Rejection, "rejected.jsonl")

    def twins(self) -> tuple[Twin, ...]:
        """The questions that are asked again where they cannot be answered; none in most releases."""
        return self.records(Twin, UNPROVABLE) if UNPROVABLE in self.manifest["files"] else ()

    def seed_rows(self) -> tuple[SeedRow, ...]:
        """The entities of the seed texts, in file order; none in releases without this file, as below."""
        return self.records(SeedRow, SEED_TEXTS) if SEED_TEXTS in self.manifest["files"] else ()

    def records(self, kind: type[_R], name: str) -> tuple[_R, ...]:
        """The records of a file, in its order.

        Args:
            kind: A frozen dataclass, whose objects its lines are.
            name: The file.

        Raises:
            ReleaseError: See `file`.
            InputError: A line is no such object.
        """
        if name not in self._read:
            path = self.file(name)
            read: Any = self._decoder(name) if kind is Question else partial(from_json, kind)
            self._read[name] = tuple(read(row, f"{path}: line {n}") for n, row in read_jsonl(path))
        return self._read[name]

    def _decoder(self, name: str) -> Callable[[dict[str, Any], str], Question]:
        split = Path(name).stem
        if split in self.hidden:
            return lambda row, _where: without_answers(row, self.kind, split)
        return question_from_json

    def rules(self) -> tuple[Rule, ...]:
        """The rules with their measures on the complete KG, in canonical order."""
        return self._rules

    @cached_property
    def _rules(self) -> tuple[Rule, ...]:
        file = self.file("rules.jsonl")
        # It is empty where nothing is removed, or all that is removed is hidden.
        return read_rules(file) if file.stat().st_size else ()

    @cached_property
    def entities(self) -> tuple[EntityNames, ...]:
        """The names of every entity, sorted by private id."""
        aliases = self._lists(ALIASES) if ALIASES in self.manifest["files"] else {}
        return tuple(
            EntityNames(private, entity, text, aliases.get(entity, ()))
            for private, entity, text in islice(self._table("entities.tsv", 3), 1, None)
        )

    def types(self) -> dict[str, tuple[str, ...]]:
        """Entity → its types, sorted; in releases of all kinds but ``rules``."""
        return self._lists(TYPES)

    def _lists(self, table: str) -> dict[str, tuple[str, ...]]:
        """Entity → its texts in a table, sorted."""
        rows = groupby(sorted(islice(self._table(table, 2), 1, None)), itemgetter(0))
        return {entity: tuple(text for _, text in own) for entity, own in rows}

    def relations(self) -> dict[str, dict[str, str]]:
        """Relation → its row of ``relations.tsv``: column name → text."""
        header, *rows = self._table("relations.tsv")
        return {row[0]: dict(zip(header, row, strict=True)) for row in rows}

    def templates(self) -> Templates:
        """The templates of its relations, and what they declare."""
        return Templates.from_plain(self.relations().values())

    def _table(self, name: str, columns: int = 0) -> Iterator[list[str]]:
        """The rows of a table, its header first; 0 columns: as many as the header has."""
        path = self.file(name)
        for number, line in enumerate(read_lines(path), start=1):
            row = line.split("\t")
            columns = columns or len(row)
            if len(row) != columns:
                raise ReleaseError(f"{path}: line {number} has {len(row)} columns, not {columns}.")
            yield row
