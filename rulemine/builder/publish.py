"""Writing a release: every file, the manifest last, and the move to where the user wants it.

Guarantees: the same parts give the same bytes; digests of compressed files are those of their content,
so they do not depend on the compressor at hand; a release folder is replaced as a whole or not at all,
and never a folder that is not a release of this program.
"""

import shutil
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from rulemine.builder.asked import Asked
from rulemine.builder.card import count_release, write_card
from rulemine.builder.names import Namer
from rulemine.builder.phrases import Phrases
from rulemine.builder.selection import Selection
from rulemine.errors import OutputError, ReleaseError
from rulemine.files import digest_of, read_bytes, write_jsonl, write_text
from rulemine.kg import KnowledgeGraph, Triple, format_tsv
from rulemine.records import (
    FORMAT_VERSION,
    NAMINGS,
    SPLITS,
    Certificate,
    EntityNames,
    Question,
    Rejection,
    Removal,
    to_json,
)
from rulemine.release import FORMAT, MANIFEST, Release, dump_manifest
from rulemine.rule import Rule, sort_rules
from rulemine.rule_text import rule_to_json

__all__ = ["ReleaseParts", "check_target", "parts_of_build", "publish", "rename", "write_release"]


@dataclass(frozen=True, slots=True)
class ReleaseParts:
    """Everything that a release is made of, in one naming.

    Attributes:
        naming: The naming of all entities in these parts; ``entity`` for those of a build.
        config: Every option that shaped the release.
        source: The graph's ``title``, ``source``, ``licence``, ``citation``, ``digest``,
            ``duplicates``.
        complete: The triples of the complete KG.
        reference: Triples of the reference KG that give answers and are not in the complete KG.
        levels: Levels in percent, ascending, the last one 100.
        removals: The removed triples.
        rules: All rules of the build.
        questions: With splits.
        rejections: What was made and not kept.
        names: The names of all entities.
        phrases: The wording of all relations.
    """

    naming: str
    config: dict[str, Any]
    source: dict[str, Any]
    complete: tuple[Triple, ...]
    reference: tuple[Triple, ...]
    levels: tuple[int, ...]
    removals: tuple[Removal, ...]
    rules: tuple[Rule, ...]
    questions: tuple[Question, ...]
    rejections: tuple[Rejection, ...]
    names: tuple[EntityNames, ...]
    phrases: Phrases

    def incomplete(self, level: int) -> tuple[Triple, ...]:
        """The complete KG without what is removed at a level."""
        gone = {removal.triple for removal in self.removals if removal.level <= level}
        return tuple(triple for triple in self.complete if triple not in gone)

    def renamed(self, to: str) -> "ReleaseParts":
        """The same parts in another naming."""
        if to == self.naming:
            return self
        namer = Namer(self.names, self.phrases, to, source=self.naming, rules=self.rules)
        return replace(
            self,
            naming=to,
            config={**self.config, "naming": to},
            complete=namer.triples(self.complete),
            reference=namer.triples(self.reference),
            removals=tuple(map(namer.removal, self.removals)),
            rules=tuple(map(namer.rule, self.rules)),
            questions=tuple(map(namer.question, self.questions)),
            rejections=tuple(map(namer.rejection, self.rejections)),
        )


def parts_of_build(
    config: dict[str, Any],
    source: dict[str, Any],
    kg: KnowledgeGraph,
    selection: Selection,
    asked: Asked,
    phrases: Phrases,
) -> ReleaseParts:
    """The parts of a release out of what the stages made."""
    return ReleaseParts(
        naming="entity",
        config=config,
        source={**source, "digest": kg.digest, "duplicates": kg.duplicates},
        complete=tuple(kg.labelled()),
        reference=asked.reference,
        levels=tuple(config["selection"]["levels"]) or (100,),
        removals=_removals(kg, selection),
        rules=sort_rules(selection.rules),
        questions=asked.questions,
        rejections=asked.rejections,
        names=asked.names,
        phrases=phrases,
    )


def _removals(kg: KnowledgeGraph, selection: Selection) -> tuple[Removal, ...]:
    triples = kg.labelled()
    found: dict[int, tuple[int, list[Certificate]]] = {}
    for head, rule, body, level in zip(
        selection.head.tolist(),
        selection.rule.tolist(),
        selection.body.tolist(),
        selection.level.tolist(),
        strict=True,
    ):
        proof = tuple(triples[row] for row in body if row >= 0)
        found.setdefault(head, (level, []))[1].append(Certificate(selection.rules[rule].id, proof))
    return tuple(
        Removal(triples[head], level, tuple(sorted(proofs, key=lambda c: (c.rule, c.body))))
        for head, (level, proofs) in sorted(found.items())
    )


def write_release(folder: Path, parts: ReleaseParts, naming: str) -> None:
    """Writes all files of a release into an empty folder, the manifest last.

    Raises:
        OutputError: Something cannot be written.
    """
    named = parts.renamed(naming)
    _write_graphs(folder, named)
    write_jsonl(folder / "removed.jsonl", map(to_json, sorted(named.removals, key=_by_triple)))
    write_jsonl(folder / "rules.jsonl", map(rule_to_json, named.rules))
    rows = sorted((n.private, n.entity, n.text) for n in named.names)
    _write_table(folder / "entities.tsv", ("private", "entity", "text"), rows)
    _write_relations(folder / "relations.tsv", named)
    for split in SPLITS:
        chosen = [to_json(q) for q in named.questions if q.split == split]
        write_jsonl(folder / f"questions/{split}.jsonl", sorted(chosen, key=lambda row: row["id"]))
    write_jsonl(folder / "rejected.jsonl", map(to_json, named.rejections))
    manifest = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "name": named.config["name"],
        "naming": named.naming,
        "levels": list(named.levels),
        "config": named.config,
        "kg": named.source,
        "counts": count_release(named),
    }
    write_text(folder / "README.md", write_card(named, manifest))
    manifest["files"] = {name: _describe(folder / name) for name in _files(folder)}
    write_text(folder / MANIFEST, dump_manifest(manifest))


def _by_triple(removal: Removal) -> Triple:
    return removal.triple


def _write_graphs(folder: Path, parts: ReleaseParts) -> None:
    graphs = {"complete": parts.complete}
    for level in parts.levels:
        graphs["incomplete" if level == 100 else f"incomplete-{level}"] = parts.incomplete(level)
    if parts.reference:
        graphs["reference"] = parts.reference
    for name, triples in graphs.items():
        write_text(folder / f"kg/{name}.tsv.gz", format_tsv(sorted(triples)))


def _write_table(path: Path, header: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> None:
    write_text(path, "".join("\t".join(row) + "\n" for row in (header, *rows)))


def _write_relations(path: Path, parts: ReleaseParts) -> None:
    complete, removed = (
        _count(r for _, r, _ in triples)
        for triples in (parts.complete, (removal.triple for removal in parts.removals))
    )
    header = (
        "relation", "statement", "ask_subject", "ask_object", "source", "triples", "removed",
    )  # fmt: skip
    rows = (
        (*row, str(complete.get(row[0], 0)), str(removed.get(row[0], 0)))
        for row in parts.phrases.to_plain()
    )
    _write_table(path, header, rows)


def _count(items: Iterable[str]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for item in items:
        counts[item] = counts.get(item, 0) + 1
    return counts


def _files(folder: Path) -> list[str]:
    return sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file())


def _describe(path: Path) -> dict[str, Any]:
    content = read_bytes(path)
    return {"bytes": len(content), "sha256": digest_of(content)}


def check_target(target: Path) -> None:
    """Whether a release may be put here.

    Raises:
        OutputError: It is a file, or a folder that is not empty and not a release.
    """
    if target.name in ("", ".."):
        raise OutputError(f"{target}: the folder of a release needs a name. Choose one with -o.")
    if not target.exists():
        return
    if not target.is_dir():
        raise OutputError(f"{target}: is a file; a folder for the release was expected.")
    try:
        Release.open(target)
    except ReleaseError:
        if any(target.iterdir()):
            raise OutputError(
                f"{target}: is a folder with other things in it and no release; nothing was changed. "
                "Name an empty or new folder with -o."
            ) from None


def publish(made: Path, target: Path) -> None:
    """Puts a finished release into its place, as a whole.

    Args:
        made: The folder in which it was made; stays as it is.
        target: Where it goes; a release that is there already is replaced if it differs.

    Raises:
        OutputError: See `check_target`, or something cannot be written.
    """
    check_target(target)
    # The same names every time, so that what a killed process left is found and taken away.
    fresh, old = (target.with_name(f".{target.name}.{end}") for end in ("new", "old"))
    _settle(fresh, old, target)
    wanted = [name for name in _files(made) if not name.startswith("stage.")]
    if target.exists() and _same(made, target, wanted):
        return
    try:
        for name in wanted:
            (fresh / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(made / name, fresh / name)
        if target.exists():
            target.rename(old)
        fresh.rename(target)
    except OSError as problem:
        raise OutputError(
            f"{target}: cannot be written ({problem.strerror}). Free space or choose another place "
            "with -o; the finished stages are kept."
        ) from None
    finally:
        _settle(fresh, old, target)


def _settle(fresh: Path, old: Path, target: Path) -> None:
    """Ends an exchange: what was there comes back unless the new release is in its place."""
    if old.exists() and not target.exists():
        old.rename(target)
    for folder in (fresh, old):
        shutil.rmtree(folder, ignore_errors=True)


def _same(made: Path, target: Path, names: list[str]) -> bool:
    if _files(target) != names:
        return False
    return all((made / name).read_bytes() == (target / name).read_bytes() for name in names)


def read_parts(release: Release) -> ReleaseParts:
    """The parts of a release, in its naming.

    Raises:
        ReleaseError: A file is missing or was edited.
    """
    relations = release.relations()
    columns = ("relation", "statement", "ask_subject", "ask_object", "source")
    reference: tuple[Triple, ...] = ()
    if "kg/reference.tsv.gz" in release.manifest["files"]:
        reference = tuple(release.kg("reference").labelled())
    return ReleaseParts(
        naming=release.naming,
        config=release.manifest["config"],
        source=release.manifest["kg"],
        complete=tuple(release.kg("complete").labelled()),
        reference=reference,
        levels=release.levels,
        removals=release.removals(),
        rules=release.rules(),
        questions=release.questions(),
        rejections=release.rejections(),
        names=release.entities,
        phrases=Phrases.from_plain([row[c] for c in columns] for row in relations.values()),
    )


def rename(release: Release, target: Path, naming: str) -> None:
    """Writes a release again in another naming: the same questions, other names.

    Raises:
        OutputError: There is no such naming, or see `publish`.
        ReleaseError: A file of the release is missing or was edited.
    """
    if naming not in NAMINGS:
        raise OutputError(f"naming {naming!r}; expected {', '.join(NAMINGS)}.")
    check_target(target)
    for name in release.manifest["files"]:
        release.file(name)  # also those that are derived afresh: an edited release is not passed on
    made = target.with_name(f".{target.name}.made")
    shutil.rmtree(made, ignore_errors=True)  # of a process that was killed
    try:
        made.mkdir(parents=True)
        write_release(made, read_parts(release), naming)
        publish(made, target)
    except OSError as problem:
        raise OutputError(f"{target}: cannot be written ({problem.strerror}).") from None
    finally:
        shutil.rmtree(made, ignore_errors=True)
