"""Writing a release: every file, the manifest last, and the move to where the user wants it.

Guarantees: the same parts give the same bytes; digests of compressed files are those of their content,
so they do not depend on the compressor at hand; a release folder is replaced as a whole or not at all,
and never a folder that is not a release of this program.
"""

import shutil
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from rulemine.builder.card import count_release, write_card
from rulemine.builder.parts import (
    GLOSSES,
    JOURNAL,
    PROMPT,
    ModelTrace,
    ReleaseParts,
    read_parts,
)
from rulemine.errors import OutputError, ReleaseError
from rulemine.files import describe_content, write_jsonl, write_text
from rulemine.kg import Triple, format_tsv
from rulemine.llm.journal_lines import write_journal
from rulemine.records import FORMAT_VERSION, NAMINGS, SPLITS, Removal, to_json
from rulemine.release import FORMAT, MANIFEST, Release, dump_manifest
from rulemine.rule_text import rule_to_json

__all__ = ["check_target", "publish", "rename", "write_release", "write_trace"]


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
        "counts": count_release(named),
    }
    write_text(folder / "README.md", write_card(named, manifest))
    manifest["files"] = {name: _describe(folder / name) for name in _files(folder)}
    write_text(folder / MANIFEST, dump_manifest(manifest))


def write_trace(folder: Path, trace: ModelTrace) -> None:
    """Writes what a language model was asked, under the names that the files have in a release."""
    write_journal(folder / JOURNAL, trace.journal)
    write_text(folder / PROMPT, trace.prompt)
    write_text(folder / GLOSSES, trace.glosses)


def _by_triple(removal: Removal) -> Triple:
    return removal.triple


def _write_graphs(folder: Path, parts: ReleaseParts) -> None:
    parts.complete.write(folder / "kg/complete.tsv.gz")
    for level in parts.levels:
        name = "incomplete" if level == 100 else f"incomplete-{level}"
        parts.incomplete(level).write(folder / f"kg/{name}.tsv.gz")
    if parts.reference:
        write_text(folder / "kg/reference.tsv.gz", format_tsv(sorted(parts.reference)))


def _write_table(path: Path, header: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> None:
    write_text(path, "".join("\t".join(row) + "\n" for row in (header, *rows)))


def _write_relations(path: Path, parts: ReleaseParts) -> None:
    sizes = parts.complete.relation_sizes().tolist()
    complete = dict(zip(parts.complete.relations, sizes, strict=True))
    removed = Counter(removal.triple[1] for removal in parts.removals)
    header = (
        "relation", "statement", "ask_subject", "ask_object", "source", "triples", "removed",
    )  # fmt: skip
    rows = (
        (*row, str(complete.get(row[0], 0)), str(removed[row[0]]))
        for row in parts.phrases.to_plain()
    )
    _write_table(path, header, rows)


def _files(folder: Path) -> list[str]:
    return sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file())


def _describe(path: Path) -> dict[str, Any]:
    size, digest = describe_content(path)
    return {"bytes": size, "sha256": digest}


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
    except KeyError as problem:
        raise ReleaseError(
            f"{release.path}: the name {problem} is used and is in neither entities.tsv nor "
            "relations.tsv. Build the release again; rulemine verify says what else is wrong."
        ) from None
    except OSError as problem:
        raise OutputError(f"{target}: cannot be written ({problem.strerror}).") from None
    finally:
        shutil.rmtree(made, ignore_errors=True)
