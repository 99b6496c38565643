"""Writes the files of a release, the manifest last.

Guarantees: the same parts give the same bytes; digests of compressed files are those of their content,
so they do not depend on the compressor.
"""

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import chain
from operator import attrgetter
from pathlib import Path
from typing import Any

from rulemine.files import describe_content, write_jsonl, write_lines, write_text
from rulemine.kg.graph import format_tsv
from rulemine.kg.property_graph.simplekg import write_simplekg
from rulemine.kinds.registry import kind_named
from rulemine.release.card.figures import figures_of
from rulemine.release.card.page import write_card
from rulemine.release.contents import GLOSSES, JOURNAL, PROMPT, ModelTrace, ReleaseParts
from rulemine.release.outputs import FORMAT, MANIFEST
from rulemine.release.reader import ALIASES, PROPERTY_GRAPHS, TYPES
from rulemine.release.records import FORMAT_VERSION, SPLITS
from rulemine.release.sheet import SHEET, SHEET_COLUMNS, sheet_rows
from rulemine.rules.formats import write_rules

__all__ = ["dump_manifest", "write_release", "write_trace"]


def write_release(
    folder: Path,
    parts: ReleaseParts,
    naming: str,
    known: Mapping[str, dict[str, Any]] | None = None,
) -> None:
    """Writes all files of a release into an empty folder, the manifest last.

    Args:
        folder: The folder.
        parts: What it is made of.
        naming: How it names entities.
        known: Graphs as a manifest describes them; one that would be the same is described, not written.

    Raises:
        OutputError: Something cannot be written.
    """
    named = parts.renamed(naming)
    same = _write_graphs(folder, named, known or {})
    write_jsonl(folder / "removed.jsonl", sorted(named.removals, key=attrgetter("triple")))
    write_rules(folder / "rules.jsonl", sorted(named.rules, key=attrgetter("sort_key")))
    rows = sorted((n.private, n.entity, n.text) for n in named.names)
    _write_table(folder / "entities.tsv", ("private", "entity", "text"), rows)
    if aliases := sorted((n.entity, alias) for n in named.names for alias in n.aliases):
        _write_table(folder / ALIASES, ("entity", "alias"), aliases)
    _write_relations(folder / "relations.tsv", named)
    for split in SPLITS:
        chosen = [q for q in named.questions if q.split == split]
        write_jsonl(folder / f"questions/{split}.jsonl", sorted(chosen, key=attrgetter("id")))
    write_jsonl(folder / "rejected.jsonl", sorted(named.rejections, key=repr))
    if named.types is not None:
        pairs = sorted((entity, type_) for entity, types in named.types.items() for type_ in types)
        _write_table(folder / TYPES, ("entity", "type"), pairs)
        _write_table(folder / SHEET, SHEET_COLUMNS, sheet_rows(named))
    for file in kind_named(named.kind).files:
        if own := list(named.records.get(file.name, ())):
            if file.by:
                own.sort(key=attrgetter(*file.by))
            write_jsonl(folder / file.name, own)
    for level, graph in named.property_graphs():
        write_simplekg(graph, folder / PROPERTY_GRAPHS / f"{_name_of(level)}.json.gz")
    for name, graph in named.graphs.items():
        write_simplekg(graph, folder / PROPERTY_GRAPHS / f"{name}.json.gz")
    if named.trace is not None:
        write_trace(folder, named.trace)
    manifest = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "name": named.config["name"],
        "naming": named.naming,
        "levels": list(named.levels),
        "config": named.config,
        "kg": named.source,
        "counts": figures_of(named),
    }
    write_text(folder / "README.md", write_card(named, manifest))
    files = dict(same)
    for path in (path for path in folder.rglob("*") if path.is_file()):
        size, digest = describe_content(path)
        files[path.relative_to(folder).as_posix()] = {"bytes": size, "sha256": digest}
    manifest["files"] = dict(sorted(files.items()))
    write_text(folder / MANIFEST, dump_manifest(manifest))


def write_trace(folder: Path, trace: ModelTrace) -> None:
    """Writes the record of a language model, under the file names of a release."""
    write_lines(folder / JOURNAL, (f"{line.decode()}\n" for line in trace.journal))
    write_text(folder / PROMPT, trace.prompt)
    write_text(folder / GLOSSES, trace.glosses)


def _write_graphs(
    folder: Path, parts: ReleaseParts, known: Mapping[str, dict[str, Any]]
) -> dict[str, dict[str, Any]]:
    """Writes the graphs, but for known ones, which it returns."""
    same: dict[str, dict[str, Any]] = {}
    if not len(parts.complete):
        return same  # questions that others published may have no graph, and no file is without a triple
    levels = (
        (_name_of(level), kg) for level, kg in chain([(0, parts.complete)], parts.incomplete())
    )
    for graph, kg in chain(levels, parts.twin_graphs()):
        name = f"kg/{graph}.tsv.gz"
        if name in known and known[name]["sha256"] == kg.digest:
            same[name] = known[name]
        else:
            kg.write(folder / name)
    if parts.reference:
        write_text(folder / "kg/reference.tsv.gz", format_tsv(sorted(parts.reference)))
    return same


def _name_of(level: int) -> str:
    """What the graph of a level is called; 0 is that of the complete one."""
    return {0: "complete", 100: "incomplete"}.get(level, f"incomplete-{level}")


def _write_table(path: Path, header: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> None:
    write_text(path, "".join("\t".join(row) + "\n" for row in (header, *rows)))


def _write_relations(path: Path, parts: ReleaseParts) -> None:
    sizes = parts.complete.relation_sizes().tolist()
    complete = dict(zip(parts.complete.relations, sizes, strict=True))
    removed = Counter(removal.triple[1] for removal in parts.missing)
    header = (
        "relation", "statement", "ask_subject", "ask_object", "ask_subjects", "ask_objects",
        "describe_subject", "describe_object", "source", "triples", "removed", "fact", "reversed",
        "symmetric", "place", "single", "ask",
    )  # fmt: skip
    rows = []
    for row in parts.templates.to_plain():
        name = row["relation"]
        row |= {"triples": str(complete.get(name, 0)), "removed": str(removed[name])}
        rows.append(tuple(row[column] for column in header))
    _write_table(path, header, rows)


def dump_manifest(manifest: dict[str, Any]) -> str:
    """A manifest as text: two-space JSON, keys in the order given, LF at the end."""
    return json.dumps(manifest, ensure_ascii=False, allow_nan=False, indent=2) + "\n"
