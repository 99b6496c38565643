"""The counts of a release, recounted: those of the manifest and of ``relations.tsv``.

Checks every count of the manifest (an unknown one is a problem), that the manifest's naming, name and levels
are those of its options, and that its digest is that of the complete KG under its source names.
"""

import hashlib
from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np

from rulemine.verify.folder import MANIFEST_NAME, Folder
from rulemine.verify.graphs import Removed
from rulemine.verify.model.journal import Entry, count_journal
from rulemine.verify.names import RELATIONS, Names
from rulemine.verify.question_set import Located
from rulemine.verify.relations import find_overlaps
from rulemine.verify.report import Findings, shown
from rulemine.verify.rules import HornRule
from rulemine.verify.shapes import RULE_TYPES, SPLITS, WORDINGS
from rulemine.verify.triples import Graph, Triple

__all__ = ["Contents", "check_counts", "check_options", "check_relation_counts", "check_source"]


@dataclass(frozen=True, slots=True)
class Contents:
    """Everything that is counted.

    Attributes:
        names: The tables of names.
        rules: Rules by id.
        complete: The complete KG.
        incomplete: The incomplete KG.
        reference: What a reference KG adds.
        removed: The removed triples.
        questions: All questions.
        rejections: All rejections.
        entries: All entries of the journal.
    """

    names: Names
    rules: dict[str, HornRule]
    complete: Graph
    incomplete: Graph
    reference: Graph
    removed: dict[Triple, Removed]
    questions: list[Located]
    rejections: list[Located]
    entries: list[Entry]


def count(contents: Contents, levels: list[int], dropped: Any = None) -> dict[str, Any]:
    """The counts as the manifest should have them.

    Args:
        contents: What is counted.
        levels: The incompleteness levels of the release.
        dropped: The excluded relations, from the manifest.
    """
    overlapping = find_overlaps(contents.complete)
    removed, rows = contents.removed, [here.row for here in contents.questions]
    diagnoses = [row["diagnosis"] for row in rows]
    certificates = [rule for record in removed.values() for rule, _ in record.certificates]
    rule_types = Counter(rule.type[0] for rule in contents.rules.values())
    types = Counter(row["rule_type"] for row in rows)
    splits = Counter(row["split"] for row in rows)
    templates = Counter(row.get("source", "") for row in contents.names.relations.values())
    reasons = Counter(f"{r.row['stage']}: {r.row['reason']}" for r in contents.rejections)
    return {
        "triples_complete": len(contents.complete),
        "triples_incomplete": len(contents.incomplete),
        "triples_removed": len(removed),
        "certificates": len(certificates),
        "removed_by_level": {
            str(level): sum(record.level <= level for record in removed.values())
            for level in levels
        },
        "entities": len(contents.names.entities),
        "relations": len(contents.names.relations),
        "rules": len(contents.rules),
        "rules_with_certificate": len(set(certificates)),
        "rules_with_question": len({row["rule"] for row in rows}),
        "rules_by_type": {kind: rule_types[kind] for kind in RULE_TYPES},
        "questions": len(rows),
        "questions_by_split": {split: splits[split] for split in SPLITS},
        "questions_by_type": {kind: types[kind] for kind in RULE_TYPES},
        "rejected": dict(reasons),
        "reverse_edge_left": sum(d["reverse_edge"] != [] for d in diagnoses),
        "parallel_edge_left": sum(d["parallel_edge"] != [] for d in diagnoses),
        "twin_relations": len(overlapping),
        "twin_edge_left": sum(
            not overlapping.isdisjoint(
                [(row["relation"], other, -1) for other in row["diagnosis"]["reverse_edge"]]
                + [(row["relation"], other, 1) for other in row["diagnosis"]["parallel_edge"]]
            )
            for row in rows
        ),
        "relations_dropped": len(dropped) if isinstance(dropped, dict) else 0,
        "some_answer_stated": sum(d["answers_stated"] > 0 for d in diagnoses),
        "answers": sum(len(row["answers"]) for row in rows),
        "answers_stated": sum(d["answers_stated"] for d in diagnoses),
        "hard_answers": sum(len(row["hard_answers"]) for row in rows),
        "one_proof_left": sum(d["proofs"] == 1 for d in diagnoses),
        "answers_from_reference": len(contents.reference),
        "phrases_written": templates["written"],
        "phrases_derived": templates["derived"],
    }


def count_words(contents: Contents) -> dict[str, Any]:
    """The counts that format version 2 adds: questions by wording, and the calls of a model."""
    rows = [here.row for here in contents.questions]
    wordings = Counter(row.get("wording", "template") for row in rows)
    return {
        "questions_by_wording": {kind: wordings[kind] for kind in WORDINGS},
        "paraphrases": sum(len(row.get("paraphrases", ())) for row in rows),
        **count_journal(contents.entries),
    }


def check_counts(folder: Folder, contents: Contents, findings: Findings) -> None:
    """Checks the counts of the manifest, except those of verdicts, which depend on the builder's readers."""
    stated = folder.manifest["counts"]
    expected = count(contents, folder.levels, folder.manifest["kg"].get("dropped"))
    if folder.version > 1:
        expected |= count_words(contents)
    uncounted = {"audits", "round_trips"} if contents.entries else set()
    for key in sorted({*stated, *expected} - uncounted):
        if key not in expected:
            findings.add(MANIFEST_NAME, None, "counts", shown(key), "no such count")
        elif key not in stated or stated[key] != expected[key]:
            have, want = stated.get(key), expected[key]
            if isinstance(have, dict) and isinstance(want, dict):  # only what differs
                same = {name for name in have if have[name] == want.get(name)}
                have, want = ({k: d[k] for k in d if k not in same} for d in (have, want))
            findings.add(MANIFEST_NAME, None, "counts", f"{key} = {shown(have)}", shown(want))


def check_options(folder: Folder, findings: Findings) -> None:
    """Checks that values the manifest states twice agree."""
    manifest, config = folder.manifest, folder.manifest["config"]
    if "endpoint" in config:
        findings.add(
            MANIFEST_NAME,
            None,
            "options",
            "config.endpoint",
            "no options of the endpoint in a release",
        )
    selection = config.get("selection")
    levels = selection.get("levels") if isinstance(selection, dict) else None
    for key, found, expected in (
        ("naming", manifest["naming"], config.get("naming")),
        ("name", manifest["name"], config.get("name")),
        ("levels", folder.levels, levels or [100]),
    ):
        if found != expected:
            said = f"{shown(expected)}, as in config"
            findings.add(MANIFEST_NAME, None, "options", f"{key} = {shown(found)}", said)


def check_source(folder: Folder, names: Names, complete: Graph, findings: Findings) -> None:
    """Checks the digest of the complete KG: SHA-256 of its sorted triples under their source names."""
    source = [
        names.entities[name].source if name in names.entities else name
        for name in complete.terms.entities
    ]
    relations = complete.terms.relations.names
    texts = {name: place for place, name in enumerate(sorted({*source, *relations}))}
    ends = np.array([texts[name] for name in source], np.int32)
    middle = np.array([texts[name] for name in relations], np.int32)
    s, r, o = complete.columns.T
    rows = np.column_stack((ends[s], middle[r], ends[o]))
    rows = rows[np.lexsort((rows[:, 2], rows[:, 1], rows[:, 0]))]
    digest, by_place = hashlib.sha256(), list(texts)
    for start in range(0, len(rows), 1 << 16):
        some = rows[start : start + (1 << 16)].ravel().tolist()
        fields = iter(map(by_place.__getitem__, some))
        lines = map("\t".join, zip(fields, fields, fields, strict=True))
        digest.update(("\n".join(lines) + "\n").encode())
    stated = folder.manifest["kg"].get("digest")
    if stated != digest.hexdigest():
        expected = f"{digest.hexdigest()} (sorted triples, source names)"
        findings.add(MANIFEST_NAME, None, "digest of the KG", shown(stated), expected)


def check_relation_counts(contents: Contents, findings: Findings) -> None:
    """Checks the columns ``triples`` and ``removed`` of ``relations.tsv``."""
    removed = Counter(r for _, r, _ in contents.removed)
    for column, sizes in (("triples", contents.complete.relation_sizes()), ("removed", removed)):
        for relation, row in contents.names.relations.items():
            size = str(sizes.get(relation, 0))
            if row.get(column) != size:
                line = contents.names.relation_lines[relation]
                found = f"{column} = {shown(row.get(column))} of {shown(relation)}"
                findings.add(RELATIONS, line, "counts", found, size)
