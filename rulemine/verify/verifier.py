"""The verification of a whole release: all checks, in order, as far as the files allow.

A file that is missing, truncated or edited is a problem in the report, and the checks that need it are
listed as skipped; the other checks go on. Digests and contents are checked independently: recomputing the
digests after an edit does not hide it.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from rulemine.verify.counts import (
    Contents,
    check_counts,
    check_options,
    check_relation_counts,
    check_source,
)
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
    check_reference,
    check_removed,
)
from rulemine.verify.model.conversations import check_conversations
from rulemine.verify.model.fallbacks import check_fallbacks, is_kept
from rulemine.verify.model.journal import asked_of, check_layout, read_journal
from rulemine.verify.model.texts import check_texts
from rulemine.verify.names import ENTITIES, RELATIONS, Names, check_names, check_use
from rulemine.verify.proofs import Prover, Triples
from rulemine.verify.question_set import Located, check_collection
from rulemine.verify.questions import Benchmark, check_question
from rulemine.verify.relations import check_excluded, check_most_answers
from rulemine.verify.removals import check_asked, check_certificates
from rulemine.verify.report import Findings, VerificationReport
from rulemine.verify.rules import RULES, check_mined, check_rules
from rulemine.verify.shapes import REJECTION, REMOVAL, question_shape
from rulemine.verify.triples import Graph, Terms, Triple
from rulemine.verify.wording import check_refused, check_wording, read_verbalizer

__all__ = ["verify"]

REJECTED = "rejected.jsonl"

Progress = Callable[[int, int], None]


def verify(
    path: str | Path,
    progress: Progress | None = None,
    on_phase: Callable[[str], object] = lambda _name: None,
) -> VerificationReport:
    """Checks every digest and every invariant of a release from its files alone.

    Args:
        path: The folder of the release.
        progress: Called now and then with (questions checked, all questions).
        on_phase: Called with what is checked next, in a word or two.

    Returns:
        The report; `VerificationReport.ok` says whether every invariant holds.

    Raises:
        ReleaseError: The path is not a folder, or the release has a newer format version. Anything else
            wrong with the release is a problem in the report.
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
    if folder.has(REFERENCE):
        reference = check_graph(folder, REFERENCE, names, terms, findings)
    else:
        reference = Graph.of((), terms)
    config = folder.manifest["config"]
    on_phase("reading questions")
    questions, rejections = _read_questions(folder, findings)
    asked = {(q.row["topic"], q.row["relation"], q.row["direction"]) for q in questions}
    verbalizer = read_verbalizer(config, folder.manifest["naming"], findings)
    check_layout(folder, verbalizer, findings)
    # A question that lost only its text is still a question.
    gone = [here for here in rejections if not is_kept(here.row)]
    check_options(folder, findings)
    check_mined(config, rules or {}, findings)
    check_reference(reference, complete, asked, findings)
    if names is not None and complete is not None:
        check_use(names, complete.entities() | reference.entities(), findings)
    on_phase("certificates")
    if removed is None or rules is None:
        findings.skip(f"certificates (needs {REMOVED} and {RULES})")
    else:
        check_certificates(removed, rules, incomplete, _per_rule_cap(config), findings)
        check_asked(removed, questions, gone, findings)
    check_collection(questions, gone, config, findings)
    check_fallbacks(questions, rejections, verbalizer, findings)
    if names is None or rules is None or complete is None or incomplete is None or removed is None:
        needed = ", ".join((ENTITIES, RELATIONS, COMPLETE, INCOMPLETE, REMOVED, RULES))
        findings.skip(f"each question, counts (needs {needed})")
        return findings.report(folder.path)
    queries = asked_of(questions, rejections, names, verbalizer)
    entries = read_journal(folder, queries, verbalizer, findings)
    contents = Contents(
        names,
        rules,
        complete,
        incomplete,
        reference,
        removed,
        questions,
        rejections,
        entries,
    )
    on_phase("counts")
    check_counts(folder, contents, findings)
    check_excluded(folder, complete, removed, findings)
    check_most_answers(config, questions, findings)
    check_relation_counts(contents, findings)
    check_source(folder, names, complete, findings)
    left = Triples(incomplete)
    known = Triples(complete.joined(reference) if len(reference) else complete)
    on_phase("texts")
    if verbalizer.is_model:
        check_conversations(entries, queries, questions, rejections, verbalizer, findings)
    check_texts(questions, names, verbalizer, findings)
    for here in rejections:
        check_refused(here, names, findings)
    on_phase("proofs")
    prover = Prover.of(rules.values(), left)
    benchmark = Benchmark(known, left, removed, rules, names.entities, prover, {})
    on_phase("questions")
    for done, here in enumerate(questions):
        if progress is not None and done % 256 == 0:
            progress(done, len(questions))
        check_question(here.file, here.line, here.row, benchmark, findings)
        check_wording(here, names, verbalizer, findings)
    if progress is not None:
        progress(len(questions), len(questions))
    return findings.report(folder.path)


def _per_rule_cap(config: dict[str, Any]) -> int | None:
    selection = config.get("selection")
    cap = selection.get("per_rule") if isinstance(selection, dict) else None
    return cap if type(cap) is int else None


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
    shape = question_shape(folder.version)
    questions = [
        Located(name, line, row)
        for name in QUESTION_FILES
        if folder.has(name)
        for line, row in folder.records(name, shape)
    ]
    rejections = (
        [Located(REJECTED, line, row) for line, row in folder.records(REJECTED, REJECTION)]
        if folder.has(REJECTED)
        else []
    )
    findings.count("questions", len(questions))
    findings.count("rejected questions", len(rejections))
    return questions, rejections
