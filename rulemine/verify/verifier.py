"""The verification of a whole release: all checks, in order, as far as the files allow.

A file that is missing, truncated or edited is a problem in the report, and the checks that need it are
listed as skipped; the other checks go on. Digests and contents are checked independently: recomputing the
digests after an edit does not hide it.
"""

from collections.abc import Callable
from pathlib import Path

from rulemine.verify.contents import Contents, Located
from rulemine.verify.cypher.gold import GoldServer
from rulemine.verify.cypher.release import check_cypher, read_property_files
from rulemine.verify.facts import check_declarations
from rulemine.verify.folder import QUESTION_FILES, Folder
from rulemine.verify.graphs import (
    COMPLETE,
    INCOMPLETE,
    REFERENCE,
    REMOVED,
    Removed,
    check_graph,
    check_incomplete,
    check_levels,
    check_removed,
)
from rulemine.verify.manifest import check_options, check_source
from rulemine.verify.measures import check_supports
from rulemine.verify.names import ENTITIES, RELATIONS, Names, check_names
from rulemine.verify.questions.question import check_question
from rulemine.verify.questions.question_set import check_collection
from rulemine.verify.questions.wording import check_templates, check_wording
from rulemine.verify.rejections import check_rejections
from rulemine.verify.removals import check_removals
from rulemine.verify.report import Findings, VerificationReport
from rulemine.verify.rules import RULES, check_rules, check_thresholds
from rulemine.verify.shapes import QUESTIONS, REJECTIONS, REMOVAL
from rulemine.verify.tables import check_seed_texts, check_types
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
) -> VerificationReport:
    """Checks every digest and every claim of a release from its files alone.

    Args:
        path: The folder of the release, or its archive.
        progress: Called now and then with (removed triples and questions checked, all of them).
        on_phase: Called with what is checked next, in a word or two.
        thorough: Whether all rules are counted again on the graph, however large.
        gold: Runs the Cypher of a release of the kind ``cypher`` on a database, see
            `rulemine.verify.cypher.gold`; None: a note says that this was not done.

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
    check_options(folder, findings)
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
    check_templates(names, findings)
    if not contents.brink:
        check_thresholds(folder, rules, findings)
    check_supports(contents, thorough, findings)
    files = None
    if folder.kind == "cypher":
        on_phase("property graphs")
        files = read_property_files(contents, findings)
    on_phase("splits")
    check_source(contents, findings)
    check_collection(contents, findings)
    check_rejections(contents, findings)
    check_seed_texts(folder, names, questions, findings)
    steps = len(removed) + len(questions)

    def tell(done: int) -> None:
        if progress is not None:
            progress(done, steps)

    on_phase("proofs")
    check_removals(contents, findings, tell)
    if folder.kind == "cypher":
        for here in questions:
            check_wording(here, contents, findings)
        if files is not None:
            checked = len(removed)
            check_cypher(contents, files, findings, on_phase, lambda n: tell(checked + n), gold)
        tell(steps)
        return findings.report(folder.path)
    on_phase("questions")
    for done, here in enumerate(questions):
        if done % 256 == 0:
            tell(len(removed) + done)
        check_question(here, contents, findings)
        check_wording(here, contents, findings)
    tell(steps)
    return findings.report(folder.path)


def _check_graphs(
    folder: Folder, names: Names | None, terms: Terms, findings: Findings
) -> tuple[Graph | None, Graph | None, dict[Triple, Removed] | None]:
    """Complete KG, incomplete KG and removed triples; each None if its file cannot be read."""

    def graph(name: str) -> Graph | None:
        return check_graph(folder, name, names, terms, findings) if folder.has(name) else None

    complete, incomplete = graph(COMPLETE), graph(INCOMPLETE)
    if not folder.has(REMOVED):
        findings.skip(f"removed triples (needs {REMOVED})")
        return complete, incomplete, None
    removed = check_removed(list(folder.records(REMOVED, REMOVAL)), complete, findings)
    levels = folder.levels
    check_levels(levels, removed, findings)
    named = {f"kg/incomplete-{level}.tsv.gz": level for level in levels}
    lefts = {INCOMPLETE: levels[-1], **{n: level for n, level in named.items() if folder.has(n)}}
    for name, level in lefts.items():
        left = incomplete if name == INCOMPLETE else graph(name)
        if complete is None or left is None:
            findings.skip(f"incomplete = complete − removed (needs {COMPLETE} and {name})")
        else:
            check_incomplete(name, level, left, complete, removed, findings)
    return complete, incomplete, removed


def _read_questions(folder: Folder, findings: Findings) -> tuple[list[Located], list[Located]]:
    """The questions and rejections of the right shape."""
    questions = [
        Located(name, line, row)
        for name in QUESTION_FILES
        if folder.has(name)
        for line, row in folder.records(name, QUESTIONS[folder.kind])
    ]
    rejections = (
        [
            Located(REJECTED, line, row)
            for line, row in folder.records(REJECTED, REJECTIONS[folder.kind])
        ]
        if folder.has(REJECTED)
        else []
    )
    findings.count("questions", len(questions))
    findings.count("rejected questions", len(rejections))
    return questions, rejections
