"""Exports a release in any format: what all of them share.

Guarantees: only a release whose every file has its digest is exported; a folder is written whole or not at
all, and replaced only if it is an export that nobody changed; the same release, options and seed give the
same bytes.
"""

import os
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from rulemine.codec import dump_line
from rulemine.errors import ConfigError, OutputError, counted, did_you_mean
from rulemine.exports.protocol import NAMINGS_OF_EXPORTS, ExportFolder, ExportInput, RowExport
from rulemine.exports.reachability import Reachability, reachability, shares
from rulemine.exports.registry import EXPORTS, find_exporter
from rulemine.files import describe_content, digest_of, write_text
from rulemine.kinds.registry import having
from rulemine.release.outputs import check_file, check_made, check_place, digests_of, replacing
from rulemine.release.reader import Release
from rulemine.release.records import Question
from rulemine.seeds import check_seed

__all__ = ["Exported", "check_export", "export", "naming_for"]

DESCRIPTION = "export.json"
FORMAT = "rulemine export"


_REACHED = {"answer_": "hard answers that can be reached", "proof_": "with their whole proof"}

_VIEWS = {
    "undirected": "in an undirected graph",
    "digraph_2": "in a digraph (2 hops)",
    "forward_2": "forward (2 hops)",
}


class Exported(NamedTuple):
    """What was written.

    Attributes:
        folder: The folder.
        questions: The number of questions in it.
        left_out: Id of a question that the format cannot express → why.
        counts: Figures that the format gives.
        answers: The file with the answers; None if they are in the export.
    """

    folder: Path
    questions: int
    left_out: dict[str, str]
    counts: dict[str, Any]
    answers: Path | None

    def to_text(self, name: str) -> str:
        """What was written for a format, in lines."""
        lines = [f"{self.folder}: {counted(self.questions, 'question')} for {name}"]
        reasons = Counter(self.left_out.values())
        lines += [f"  left out {n}: {reason}" for reason, n in sorted(reasons.items())]
        flags = {start + view for start in _REACHED for view in _VIEWS}
        lines += [
            f"  {key.replace('_', ' ')}: {value}"
            for key, value in self.counts.items()
            if key not in flags
        ]
        for start, what in _REACHED.items():
            shares = {text: self.counts.get(start + view) for view, text in _VIEWS.items()}
            views = [
                f"{100 * share:.1f} % {text}" for text, share in shares.items() if share is not None
            ]
            lines += [f"  {what}: {', '.join(views)}"] if views else []
        if self.left_out:
            lines.append(f"  {self.folder / 'left_out.tsv'} names those that were left out")
        if self.answers is not None:
            lines.append(f"  the answers are in {self.answers}")
        return "\n".join(lines)


def export(
    release: Release,
    to: str,
    output: str | Path,
    *,
    naming: str | None = None,
    kg: str = "incomplete",
    seed: int = 0,
    without_answers: bool = False,
    progress: Callable[[int, int], None] = lambda done, total: None,
    note: Callable[[str], None] = lambda text: None,
) -> Exported:
    """Writes a release in the format of another system.

    Args:
        release: The release.
        to: A name of `EXPORTS`, maybe with options (see `find_exporter`).
        output: The folder to write, new or an earlier export.
        naming: Of `NAMINGS_OF_EXPORTS`; None: the release's, or private where that is numeric.
        kg: The graph that the system will see: ``complete``, ``incomplete`` or ``incomplete-LEVEL``.
        seed: For what is drawn or shuffled, ≥ 0.
        without_answers: Writes the test split alone, without answers; these go to ``OUTPUT.answers.jsonl``.
        progress: Called with what is done and all there is to do.
        note: Called with sentences for the user.

    Raises:
        ConfigError: There is no such format, naming or option.
        ReleaseError: The format cannot express the questions, the release has no such graph, or a file is
            missing or was edited.
        OutputError: The folder cannot be written, or has files that would be lost.
        UserError: The format cannot express something that cannot be left out.
    """
    target = Path(output)
    exporter, given, answers = check_export(
        release, to, target,
        naming=naming, kg=kg, seed=seed, without_answers=without_answers, progress=progress, note=note,
    )  # fmt: skip
    for name in release.manifest["files"]:
        release.file(name)  # so that no edited release is passed on
    with replacing(target, partial(_check_output, target, answers)) as fresh:
        folder = ExportFolder(fresh)
        with EXPORTS.blaming(to.partition(":")[0]):
            exporter(given, folder)
        answers_text = _finish(folder, given, exporter, to)
    if answers is not None:
        write_text(answers, answers_text)
    asked = len(given.questions()) - len(folder.left_out)
    return Exported(target, asked, folder.left_out, folder.counts, answers)


def check_export(
    release: Release,
    to: str,
    target: Path,
    *,
    naming: str | None = None,
    kg: str = "incomplete",
    seed: int = 0,
    without_answers: bool = False,
    progress: Callable[[int, int], None] = lambda done, total: None,
    note: Callable[[str], None] = lambda text: None,
) -> tuple[RowExport, ExportInput, Path | None]:
    """Refuses what `export` would refuse before it writes; arguments and errors are the same.

    Returns:
        The exporter, what it is given, and where the answers go if not into the export.
    """
    exporter, name = find_exporter(to), to.partition(":")[0]
    release.expect_entities(f"export format {to!r}", exporter.answers)
    needs = exporter.needs
    if needs and release.kind not in (kinds := having(*needs)):
        raise ConfigError(
            f"export format {name}: reads the field {' and '.join(needs)} of questions, which those of the "
            f"kind {release.kind} lack. Take a release of the kind {' or '.join(kinds)}."
        )
    check_seed(seed)
    naming = naming_for(release, naming, note)
    release.level_of(kg)
    beside = target.with_name(f"{target.name}.answers.jsonl")
    answers = beside if without_answers and not release.hidden else None
    check_place(target, [release.path])
    _check_output(target, answers)
    splits = exporter.splits
    if without_answers:
        if "test" not in splits:
            raise ConfigError(
                f"export format {to!r}: writes the split {splits[0]}; without answers there is the test "
                "split alone. Leave out one of the two."
            )
        splits = ("test",)
    else:
        for split in splits:
            release.expect_answers("an export without --without-answers", split)
    given = ExportInput(release, naming, kg, seed, without_answers, splits, progress, note)
    with EXPORTS.blaming(name):
        exporter.check(given)
    return exporter, given, answers


def naming_for(release: Release, naming: str | None, note: Callable[[str], None]) -> str:
    """The naming of an export, see `export`.

    Raises:
        ConfigError: There is no such naming.
    """
    if naming is None:
        naming = release.naming
        if naming not in NAMINGS_OF_EXPORTS:
            naming = NAMINGS_OF_EXPORTS[0]
            note(f"entities are named {naming}: bare numbers are taken for parts of other names.")
    if naming not in NAMINGS_OF_EXPORTS:
        hint = did_you_mean(naming, NAMINGS_OF_EXPORTS)
        raise ConfigError(f"no naming {naming!r} for exports; {hint}")
    return naming


def _finish(folder: ExportFolder, given: ExportInput, exporter: RowExport, to: str) -> str:
    """Writes what all formats have, and returns what goes beside an export without answers."""
    if folder.left_out:
        folder.tsv("left_out.tsv", [("id", "reason"), *sorted(folder.left_out.items())])
    if exporter.names_of_clients:
        relations = sorted(given.client.relation.items())
        folder.tsv("relations_map.tsv", [("relation", "name"), *relations])
        changed = [(e.id, e.name, e.label) for e in given.client.relabeled]
        folder.tsv("labels_map.tsv", [("id", "name", "label"), *changed])
        folder.count("relabeled", len(changed))
    reached = _reached(folder, given)
    secret = given.without_answers and not given.release.hidden
    answers = _answers_of(given, reached) if secret else ""
    if not given.without_answers and given.release.answers == "entities":
        folder.jsonl("reachability.jsonl", ({"id": q, **r._asdict()} for q, r in reached.items()))
        for name, share in shares(reached.values()).items():
            folder.count(name, round(share, 4))
    described = {
        "format": FORMAT,
        "to": to,
        "release": {"name": given.release.name, "identity": given.release.identity},
        "naming": given.naming,
        "kg": given.kg_name,
        "seed": given.seed,
        "without_answers": given.without_answers,
        "answers_sha256": digest_of(answers.encode()) if given.without_answers else None,
        "questions": len(given.questions()) - len(folder.left_out),
        "left_out": len(folder.left_out),
        "counts": folder.counts,
        "files": digests_of(folder.path),
    }
    folder.json(DESCRIPTION, described)
    return answers


def _reached(folder: ExportFolder, given: ExportInput) -> dict[str, Reachability]:
    """What can be reached of each question that was exported."""
    questions = [q for q in given.questions() if q.id not in folder.left_out]
    if folder.reached:
        return {q.id: folder.reached[q.id] for q in questions}
    if given.release.answers == "rows":
        return {}  # rows are no entities that a path could lead to
    flags = reachability(given.kg, questions, given.removed)
    return {q.id: flag for q, flag in zip(questions, flags, strict=True)}


def _answers_of(given: ExportInput, reached: dict[str, Reachability]) -> str:
    """The answers to questions, one JSON object a line; where they are rows, with the gold."""
    rows = given.release.answers == "rows"

    def row(q: Question) -> dict[str, Any]:
        return {
            "id": q.id,
            "answers": q.answers,
            "stated": q.stated,
            "hard": q.hard_answers,
            "hard_answer": q.hard_answer,
            "reachability": reached[q.id]._asdict() if q.id in reached else None,
        } | ({"cypher": q.block.cypher, "rows": q.block.rows} if rows else {})

    return "".join(f"{dump_line(row(q))}\n" for q in given.questions())


def _check_output(target: Path, answers: Path | None) -> None:
    """Checks that nothing is lost if an export replaces a folder, and a file of answers.

    Raises:
        OutputError: See `export`.
    """
    earlier = check_made(target, DESCRIPTION, FORMAT, "an export")
    if answers is not None:
        check_file(answers)
        if os.path.lexists(answers):
            mine = earlier.get("answers_sha256")
            if describe_content(answers)[1] != mine:
                raise OutputError(
                    f"{answers}: exists and is not of the earlier export; nothing was changed. Move it away, "
                    "or choose another folder with -o."
                )
