"""The last step of a verification: a release is written again from its own records and compared byte by byte.

What the writer derives is derived here by the same functions: the card, its figures, the counts of the
manifest, the sheet and the other tables, the graphs of all levels, queries in SPARQL and Cypher, the form and
order of records. So each number of a card is that of the records; that the records are true is for
`rulemine.verify`, which shares no code with this. The options must be a recipe of this version.
The complete graph is not read twice: it is taken as the verification read it, and its digest shows whether it
is written again as it was.

Taken from the manifest as given, since no other file has them: the options; what it says of the graph but
the digest; and the counts ``selection`` and ``sampling``. Building again proves them
(`rulemine.builder.rebuild`).
"""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from rulemine.builder.assemble import count_model
from rulemine.errors import OutputError, UserError
from rulemine.files import write_text
from rulemine.kg.graph import KnowledgeGraph
from rulemine.kinds.registry import KINDS, kind_named
from rulemine.recipe.loading import decode_recipe
from rulemine.release.contents import read_parts
from rulemine.release.differences import compare
from rulemine.release.reader import MANIFEST, Release
from rulemine.release.writer import dump_manifest, write_release
from rulemine.verify.report import Problem, VerificationReport
from rulemine.verify.triples import ReadGraph

__all__ = ["regenerated", "write_again"]

INVARIANT = "as written again"
"""The name of the invariant."""

COMPLETE = "kg/complete.tsv.gz"


def regenerated(
    report: VerificationReport, on_phase: Callable[[str], object] = lambda _name: None
) -> VerificationReport:
    """Adds to a report of `rulemine.verify` what differs when the release is written again.

    Args:
        report: The report; its path is a folder or an archive.
        on_phase: Called with what is done, in a word or two.

    Returns:
        The report with a problem for each option that no recipe has, and for each file that differs, with
        its first line that does. A release that cannot be read whole is a check that was skipped; one of
        a kind that is not installed has a note.

    Raises:
        OutputError: There is no room for it in the temporary folder.
    """
    on_phase("writing it again")
    try:
        release = Release.open(report.path)
        if release.kind not in KINDS:
            note = f"not written again, since the kind {release.kind} is not installed"
            return replace(report, notes=(*report.notes, note))
        problems = [*_options(release), *_differences(release, report)]
    except OutputError:
        raise
    except UserError as problem:
        skipped = f"what the release derives from its records (needs them: {problem})"
        return replace(report, skipped=(*report.skipped, skipped))
    except Exception as problem:  # noqa: BLE001  records that do not fit each other may break anything
        found = f"{type(problem).__name__}: {problem}"
        problems = [Problem(MANIFEST, None, INVARIANT, found, "records that fit each other")]
    ordered = sorted(
        (*report.problems, *problems), key=lambda p: (p.file, p.line or 0, p.invariant)
    )
    checked = {**report.checked, "files written again": len(release.manifest["files"])}
    return replace(report, problems=tuple(ordered), checked=checked, complete=None)


def _options(release: Release) -> Iterator[Problem]:
    if not KINDS[release.kind].queries.built:
        return  # no recipe made it
    wrong: list[str] = []
    decode_recipe(release.manifest["config"], wrong)
    for text in wrong:
        yield Problem(MANIFEST, None, "options", f"config: {text}", "options of this version")


def _differences(release: Release, report: VerificationReport) -> Iterator[Problem]:
    """What differs; a graph of which nothing is doubtful has the digest that the release states."""
    files, doubtful = release.manifest["files"], {p.file for p in report.problems}
    known = {name: files[name] for name in files.keys() - doubtful if name.startswith("kg/")}
    with TemporaryDirectory(prefix="rulemine-") as made:
        complete = report.complete if COMPLETE in known else None
        write_again(release, Path(made), known, complete and _as_read(complete))
        for row in compare(release, Path(made), known):
            yield Problem(row.file, row.line, INVARIANT, row.found, row.made)


def _as_read(graph: ReadGraph) -> KnowledgeGraph | None:
    """The graph that a verification read; None where reading it may be refused for its names."""
    marked = {name[0] for name in (*graph.entities, *graph.relations)} & {'"', "\ufeff"}
    if marked or any("\0" in "".join(names) for names in graph[:2]):
        return None
    graph.triples.flags.writeable = False
    return KnowledgeGraph(*graph)


def write_again(
    release: Release,
    folder: Path,
    known: Mapping[str, dict[str, Any]] | None = None,
    complete: KnowledgeGraph | None = None,
) -> None:
    """Writes a release from its records into an empty folder, with the digests that it states.

    Args:
        release: The release.
        folder: The folder.
        known: See `rulemine.release.writer.write_release`.
        complete: Its complete KG; None: it is read.

    Raises:
        OutputError: Something cannot be written.
        UserError: The release cannot be read.
    """
    parts = read_parts(release, complete)
    calls = count_model(parts.trace)
    questions = tuple(map(kind_named(release.kind).queries.gold, parts.questions))
    made = replace(parts, questions=questions, model_counts=calls)
    write_release(folder, made, release.naming, known)
    _take_digests(folder / MANIFEST, release)


def _take_digests(manifest: Path, release: Release) -> None:
    """Sizes and digests as stated: where they do not fit a file, that file has been named."""
    made = json.loads(manifest.read_text("utf-8"))
    stated = release.manifest["files"]
    made["files"] = {name: stated.get(name, entry) for name, entry in made["files"].items()}
    write_text(manifest, dump_manifest(made))
