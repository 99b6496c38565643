"""The verification of a whole release: all checks, in order, as far as the files allow.

A file that is missing, truncated or edited is a problem in the report, and the checks that need it are
listed as skipped; the other checks go on. Digests and contents are checked independently: recomputing the
digests after an edit does not hide it.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from rulemine.verify.contents import Contents, Located
from rulemine.verify.facts import check_declarations, check_found
from rulemine.verify.folder import QUESTION_FILES, Folder
from rulemine.verify.graphs import (
    COMPLETE,
    INCOMPLETE,
    MISSING,
    REFERENCE,
    REMOVED,
    Removed,
    check_graph,
    check_incomplete,
    check_levels,
    check_removed,
    left_by,
)
from rulemine.verify.measures import rules_to_count
from rulemine.verify.names import ENTITIES, RELATIONS, Names, check_names, check_types
from rulemine.verify.parts import CheckPart, Checks, Run, parts_of
from rulemine.verify.protocol import GoldServer, Watch
from rulemine.verify.questions.question_set import check_collection
from rulemine.verify.questions.wording import check_single, check_templates
from rulemine.verify.removals import check_cap
from rulemine.verify.report import Findings, VerificationReport
from rulemine.verify.rules import RULES, check_rules, check_thresholds
from rulemine.verify.shapes import MISSED, REMOVAL, question_shape, rejection_shape
from rulemine.verify.triples import Graph, Terms, Triple

__all__ = ["verify"]

REJECTED = "rejected.jsonl"

Progress = Callable[[int, int], None]


def verify(
    path: str | Path,
    progress: Progress | None = None,
    on_phase: Callable[[str], object] = lambda _name: None,
    *,
    thorough: bool = False,
    gold: GoldServer | None = None,
    run: Run = map,
) -> VerificationReport:
    """Checks every digest and every claim of a release from its files alone.

    Args:
        path: The folder of the release, or its archive.
        progress: Called now and then with (removed triples and questions checked, all of them).
        on_phase: Called with what is checked next, in a word or two.
        thorough: Whether all rules are counted again on the graph, however large.
        gold: Runs Cypher on a database, where the questions have some; None: a note says that this was not
            done.
        run: Checks parts of the rules, removed triples and questions; see `rulemine.verify.parts`.

    Returns:
        The report; `VerificationReport.ok` says whether every invariant holds.

    Raises:
        ReleaseError: The path is no folder and no archive, or the release has another format version.
            Anything else wrong with the release is a problem in the report.
    """
    findings = Findings()
    folder = Folder(Path(path), findings)
    if not folder.manifest:
        findings.skip("everything (needs manifest.json)")
        return findings.report(folder.path)
    on_phase("digests")
    folder.check()
    on_phase("names and rules")
    names = check_names(folder, findings)
    rules = check_rules(folder, names, findings) if folder.has(RULES) else None
    terms = Terms(names.entities, names.relations) if names is not None else Terms()
    on_phase("graphs")
    complete, incomplete, removed = _check_graphs(folder, names, terms, findings)
    reference = Graph.of((), terms)
    if folder.has(REFERENCE):
        reference = check_graph(folder, REFERENCE, names, terms, findings)
    on_phase("reading questions")
    questions, rejections = _read_questions(folder, findings)
    if names is None or rules is None or complete is None or incomplete is None or removed is None:
        needed = ", ".join((ENTITIES, RELATIONS, COMPLETE, INCOMPLETE, REMOVED, RULES))
        findings.skip(f"proofs, questions (needs {needed})")
        return findings.report(folder.path)
    types = check_types(folder, names, findings)
    contents = Contents(
        folder, names, rules, complete, incomplete, reference, removed, questions, rejections, types
    )
    on_phase("rules")
    check_declarations(names, findings)
    check_found(folder, contents.declared, complete, findings)
    check_templates(names, findings)
    if not folder.checks.as_given:
        check_single(contents, findings)
    if not contents.brink:
        check_thresholds(folder, rules, findings)
    counted = rules_to_count(contents, thorough, findings)
    on_phase("splits")
    check_collection(contents, findings)
    check_cap(contents, findings)
    checks, steps = Checks(contents, counted), len(removed) + len(questions)

    def tell(done: int) -> None:
        if progress is not None:
            progress(done, steps)

    def check(parts: Sequence[CheckPart], before: int) -> None:
        for part, found in zip(parts, run(checks, parts) if parts else (), strict=True):
            findings.extend(found)
            if part.what != "rules":
                tell(before + part.last)

    on_phase("proofs")
    tell(0)
    check([*parts_of("rules", len(counted)), *parts_of("removed", len(removed))], 0)
    watch = Watch(on_phase, lambda number: tell(len(removed) + number), gold)
    if folder.checks.check_otherwise(contents, findings, watch):
        tell(steps)
    else:
        on_phase("questions")
        check(list(parts_of("questions", len(questions))), len(removed))
    return replace(findings.report(folder.path), complete=complete.read())


def _check_graphs(
    folder: Folder, names: Names | None, terms: Terms, findings: Findings
) -> tuple[Graph | None, Graph | None, dict[Triple, Removed] | None]:
    """Complete KG, incomplete KG and removed triples; each None if its file cannot be read."""

    def graph(name: str) -> Graph | None:
        if (
            not folder.has(name)
            and name not in folder.manifest["files"]
            and folder.checks.optional(name)
        ):
            return Graph.of((), terms)
        return check_graph(folder, name, names, terms, findings) if folder.has(name) else None

    complete, incomplete = graph(COMPLETE), None
    if not folder.has(REMOVED):
        findings.skip(f"removed triples (needs {REMOVED})")
        return complete, graph(INCOMPLETE), None
    removed = check_removed(list(folder.records(REMOVED, REMOVAL)), complete, findings)
    if folder.has(MISSING):
        rows = list(folder.records(MISSING, MISSED))
        removed |= check_removed(rows, complete, findings, MISSING)
    levels = folder.levels
    check_levels(levels, removed, findings)
    named = {f"kg/incomplete-{level}.tsv.gz": level for level in levels}
    lefts = {INCOMPLETE: levels[-1], **{n: level for n, level in named.items() if folder.has(n)}}
    for name, level in lefts.items():
        same = None
        if complete is not None and folder.has(COMPLETE) and folder.has(name):
            same = left_by(folder, name, level, complete, removed, findings)
        left = graph(name) if same is None else same
        incomplete = left if name == INCOMPLETE else incomplete
        if complete is None or left is None:
            findings.skip(f"incomplete = complete − removed (needs {COMPLETE} and {name})")
        elif same is None:
            check_incomplete(name, level, left, complete, removed, findings)
    return complete, incomplete, removed


def _read_questions(folder: Folder, findings: Findings) -> tuple[list[Located], list[Located]]:
    """The questions and rejections of the right shape."""
    shape = question_shape(folder.kind, folder.checks)
    shapes = {**dict.fromkeys(QUESTION_FILES, shape), REJECTED: rejection_shape(folder.checks)}
    found = {
        name: [Located(name, line, row) for line, row in folder.records(name, shape)]
        for name, shape in shapes.items()
        if folder.has(name)
    }
    rejections = found.pop(REJECTED, [])
    questions = [here for rows in found.values() for here in rows]
    findings.count("questions", len(questions))
    findings.count("rejected questions", len(rejections))
    return questions, rejections
