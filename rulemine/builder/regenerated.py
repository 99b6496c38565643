"""The last step of a verification: a release is written again from its own records and compared byte by byte.

What the writer derives is derived here by the same functions: the card, its figures, the counts of the
manifest, the sheet and the other tables, the graphs of all levels, queries in SPARQL and Cypher, the form and
order of records. So each number of a card is that of the records; that the records are true is for
`rulemine.verify`, which shares no code with this. The options must be a recipe of this version.

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
from rulemine.kinds.registry import KINDS, is_built
from rulemine.recipe.loading import decode_recipe
from rulemine.release.contents import read_parts
from rulemine.release.differences import compare
from rulemine.release.naming import Namer
from rulemine.release.reader import MANIFEST, Release
from rulemine.release.writer import dump_manifest, write_release
from rulemine.verify.report import Problem, VerificationReport

__all__ = ["regenerated", "write_again"]

INVARIANT = "as written again"
"""The name of the invariant."""


def regenerated(
    report: VerificationReport, on_phase: Callable[[str], object] = lambda _name: None
) -> VerificationReport:
    """Adds to a report of `rulemine.verify` what differs when the release is written again.

    Args:
        report: The report; its path is a folder or an archive.
        on_phase: Called with what is done, in a word or two.

    Returns:
        The report with a problem for each option that no recipe has, and for each file that differs, with
        its first line that does, or for the first record that cannot be read. A release of a kind that is
        not installed has a note; one whose digests do not fit, or with hidden answers, is left as it is.

    Raises:
        OutputError: There is no room for it in the temporary folder.
    """
    release = Release.open(report.path)
    if "hidden" in release.manifest or "digest" in {p.invariant for p in report.problems}:
        return report
    on_phase("writing it again")
    if release.kind not in KINDS:
        note = f"not written again, since the kind {release.kind} is not installed"
        return replace(report, notes=(*report.notes, note))
    try:
        problems = [*_options(release), *_differences(release, report)]
    except OutputError:
        raise
    except UserError as problem:
        files = (name for name in release.manifest["files"] if f"/{name}" in str(problem))
        expected = "what the format says"
        problems = [Problem(next(files, MANIFEST), None, "record", str(problem), expected)]
    except Exception as problem:  # noqa: BLE001  records that do not fit each other may break anything
        found = f"{type(problem).__name__}: {problem}"
        problems = [Problem(MANIFEST, None, INVARIANT, found, "records that fit each other")]
    ordered = sorted(
        (*report.problems, *problems), key=lambda p: (p.file, p.line or 0, p.invariant)
    )
    checked = {**report.checked, "files written again": len(release.manifest["files"])}
    return replace(report, problems=tuple(ordered), checked=checked)


def _options(release: Release) -> Iterator[Problem]:
    if not is_built(release.kind):
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
        write_again(release, Path(made), known)
        for row in compare(release, Path(made), known):
            yield Problem(row.file, row.line, INVARIANT, row.found, row.made)


def write_again(
    release: Release, folder: Path, known: Mapping[str, dict[str, Any]] | None = None
) -> None:
    """Writes a release from its records into an empty folder.

    Args:
        release: The release.
        folder: The folder.
        known: See `rulemine.release.writer.write_release`.

    Raises:
        OutputError: Something cannot be written.
        UserError: The release cannot be read.
    """
    parts = read_parts(release)
    # Named as they are: what follows from their queries, and their texts, are made anew.
    again = Namer(parts.names, parts.templates, parts.naming, source=parts.naming).question
    # That of the complete graph in the names of its source.
    digest = parts.complete.renamed({n.name_in(parts.naming): n.entity for n in parts.names}).digest
    source, calls = {**parts.source, "digest": digest}, count_model(parts.trace)
    made = replace(
        parts, questions=tuple(map(again, parts.questions)), model_counts=calls, source=source
    )
    write_release(folder, made, release.naming, known)
    manifest = json.loads((folder / MANIFEST).read_text("utf-8"))
    # A file that differs is named as a file, not again as its digest.
    stated = release.manifest["files"]
    for name, entry in manifest["files"].items():
        if name in stated and stated[name].get("sha256") != entry["sha256"]:
            manifest["files"][name] = stated[name]
    write_text(folder / MANIFEST, dump_manifest(manifest))
