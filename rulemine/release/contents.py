"""The parts of a release, in one naming: from the stages of a build, or read from a release.

Guarantee: renaming parts to another naming and back gives the same parts.
"""

import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from rulemine.arrays import distinct
from rulemine.files import opened, read_jsonl, read_text
from rulemine.kg.entity_names import EntityNames
from rulemine.kg.graph import KnowledgeGraph, Triple
from rulemine.kg.property_graph.graph import PropertyGraph
from rulemine.kg.property_graph.simplekg import read_simplekg
from rulemine.kinds.registry import USUAL, kind_named
from rulemine.llm.journal import answer_of
from rulemine.phrasing.templates import Templates
from rulemine.release.naming import Namer
from rulemine.release.proof_triples import rows_of
from rulemine.release.reader import TYPES, Release
from rulemine.release.records import (
    MISSING,
    TWIN_GRAPHS,
    UNPROVABLE,
    Missing,
    Question,
    Rejection,
    Removal,
)
from rulemine.rules.rule import Rule

__all__ = ["JOURNAL", "ModelTrace", "ReleaseParts", "merged", "read_parts", "read_trace"]

JOURNAL, PROMPT, GLOSSES = "llm/journal.jsonl", "llm/prompt.toml", "llm/glosses.toml"
"""The files of a release that concern its language model."""

MODEL_COUNTS = ("model_calls", "model_tokens", "audits")
"""The counts of a manifest that concern it."""


@dataclass(frozen=True, slots=True)
class ModelTrace:
    """The record of a language model's part in a release; the same in every naming.

    Attributes:
        journal: The calls made for questions, sorted by key, one JSON line in UTF-8 each (see
            `rulemine.llm.journal.line_of`), with ``questions``, the sorted ids of the questions concerned.
        prompt: The text of the prompt file.
        glosses: The text of the gloss file.
    """

    journal: tuple[bytes, ...]
    prompt: str
    glosses: str


@dataclass(frozen=True, slots=True)
class ReleaseParts:
    """Everything that a release is made of, in one naming.

    Attributes:
        naming: The naming of all entities in these parts; ``entity`` for those of a build.
        config: Every option that shaped the release.
        source: The graph's ``title``, ``source``, ``license``, ``citation``, ``digest``,
            ``duplicates``.
        complete: The complete KG.
        reference: Triples of the reference KG that give answers and are not in the complete KG.
        levels: Levels in percent, ascending, the last one 100.
        removals: The removed triples.
        rules: All rules of the build.
        questions: With splits.
        rejections: The questions and texts that were rejected.
        names: The names of all entities.
        templates: The templates of all relations.
        selection_counts: What the removed triples were chosen from: ``rules_mined``, and see
            `rulemine.removal.selection.SelectionCounts`.
        model_counts: The counts about the language model for the manifest, the same in every naming.
        trace: The record of the language model; None if all questions come from templates.
        types: Entity → its types, sorted (see `rulemine.kg.entity_types`); None: it has no table of them.
        sampling_counts: What its sampling counted.
        graph: The complete property graph; None: questions are about the triples alone.
        graphs: Name → property graph, where questions are about several; nothing is removed from them.
        records: File → its records, of the files that only releases of the kind have.
    """

    naming: str
    config: dict[str, Any]
    source: dict[str, Any]
    complete: KnowledgeGraph
    reference: tuple[Triple, ...]
    levels: tuple[int, ...]
    removals: tuple[Removal, ...]
    rules: tuple[Rule, ...]
    questions: tuple[Question, ...]
    rejections: tuple[Rejection, ...]
    names: tuple[EntityNames, ...]
    templates: Templates
    selection_counts: dict[str, int]
    model_counts: dict[str, Any]
    trace: ModelTrace | None = None
    types: Mapping[str, tuple[str, ...]] | None = None
    sampling_counts: Mapping[str, Any] = field(default_factory=dict)
    graph: PropertyGraph | None = None
    graphs: Mapping[str, PropertyGraph] = field(default_factory=dict)
    records: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)

    @property
    def kind(self) -> str:
        """The kind of the questions, a name of `rulemine.kinds.registry.KINDS`."""
        return str(self.config.get("kind", USUAL))

    @property
    def missing(self) -> tuple[Missing, ...]:
        """The removed triples, with certificates or without."""
        return self.removals + self.records.get(MISSING, ())

    def incomplete(self) -> Iterator[tuple[int, KnowledgeGraph]]:
        """Yields each level with its incomplete KG, ascending."""
        for level in self.levels:
            yield level, self._without(row.triple for row in self.missing if row.level <= level)

    def twin_graphs(self) -> Iterator[tuple[str, KnowledgeGraph]]:
        """Yields the graphs on which twins are asked again, with their names; none without twins."""
        for name, field_ in TWIN_GRAPHS.items() if self.records.get(UNPROVABLE) else ():
            taken = [t for row in self.records[UNPROVABLE] for t in getattr(row, field_)]
            yield name, self._without([*taken, *(row.triple for row in self.missing)])

    def _without(self, triples: Iterable[Triple]) -> KnowledgeGraph:
        rows = rows_of(self.complete, [*triples])
        return self.complete.without(distinct(rows[rows >= 0]))

    def property_graphs(self) -> Iterator[tuple[int, PropertyGraph]]:
        """Yields the complete property graph as level 0, then each level with its own; none without one."""
        if self.graph is not None:
            for level in (0, *self.levels):
                gone = (row.triple for row in self.removals if row.level <= level)
                yield level, self.graph.without(gone)

    def renamed(self, to: str) -> "ReleaseParts":
        """The same parts in another naming."""
        if to == self.naming:
            return self
        namer = Namer(self.names, self.templates, to, source=self.naming)
        return replace(
            self,
            naming=to,
            config={**self.config, "naming": to},
            complete=self.complete.renamed(namer.names),
            reference=namer.triples(self.reference),
            types=self.types and {namer.names[name]: types for name, types in self.types.items()},
            removals=tuple(map(namer.record, self.removals)),
            questions=tuple(map(namer.question, self.questions)),
            rejections=tuple(namer.rejection(row, self.kind) for row in self.rejections),
            graph=self.graph and self.graph.renamed(namer.names),
            records={name: tuple(map(namer.record, rows)) for name, rows in self.records.items()},
        )


def read_parts(release: Release) -> ReleaseParts:
    """Reads the parts of a release, in its naming.

    Raises:
        ReleaseError: A file is missing or was edited.
    """
    reference: tuple[Triple, ...] = ()
    files = release.manifest["files"]
    if "kg/reference.tsv.gz" in files:
        reference = tuple(release.kg("reference").labeled())
    return ReleaseParts(
        naming=release.naming,
        config=release.manifest["config"],
        source=release.manifest["kg"],
        complete=release.kg("complete"),
        reference=reference,
        levels=release.levels,
        removals=release.removals(),
        rules=release.rules(),
        questions=release.questions(),
        rejections=release.rejections(),
        names=release.entities,
        templates=release.templates(),
        selection_counts=release.manifest["counts"]["selection"],
        model_counts={name: release.manifest["counts"][name] for name in MODEL_COUNTS},
        trace=read_trace(release.file) if JOURNAL in files else None,
        types=release.types() if TYPES in files else None,
        sampling_counts=release.manifest["counts"].get("sampling", {}),
        graph=release.property_graph("complete") if release.has_property_graph else None,
        graphs={name: read_simplekg(file) for name, file in release.named_graphs.items()},
        records={
            file.name: release.records(file.record, file.name) if file.name in files else ()
            for file in kind_named(release.kind).files
        },
    )


def read_trace(file: Callable[[str], Path]) -> ModelTrace:
    """Reads the record of a language model.

    Args:
        file: Called with the name of a file in a release; returns its path.

    Raises:
        InputError: A file is missing or malformed.
    """
    path = file(JOURNAL)
    for number, row in read_jsonl(path):
        answer_of(row, f"{path}: line {number}")
    with opened(path) as raw:
        lines = tuple(line.rstrip(b"\n") for line in io.BufferedReader(raw))
    return ModelTrace(lines, read_text(file(PROMPT)), read_text(file(GLOSSES)))


def merged(traces: Sequence[ModelTrace]) -> ModelTrace | None:
    """The record of several stages, which asked different things with the same prompt file."""
    if not traces:
        return None
    lines = {json.loads(line)["key"]: line for trace in traces for line in trace.journal}
    return replace(traces[0], journal=tuple(lines[key] for key in sorted(lines)))
