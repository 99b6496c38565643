"""The figures of a release, counted again: those of the manifest and of ``relations.tsv``.

Checks every figure that the files decide (an unknown one is a problem), that the manifest's naming, name and
levels are those of its options, and that its digest is that of the complete KG under its source names.
"""

import hashlib
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import Any

import numpy as np

from rulemine.verify.contents import Contents, Row, asked_relations, needed, rules_used
from rulemine.verify.cypher.release import PropertyFiles
from rulemine.verify.facts import Facts, Priors
from rulemine.verify.figures.card import check_card
from rulemine.verify.figures.cypher import count_cypher_rows
from rulemine.verify.figures.splits import compare_split
from rulemine.verify.figures.statistics import count_queries
from rulemine.verify.figures.written import count_written
from rulemine.verify.folder import MANIFEST_NAME, Folder
from rulemine.verify.graphs import as_triple
from rulemine.verify.names import RELATIONS
from rulemine.verify.questions.queries import ENDS, Query, answers, as_asked, read
from rulemine.verify.removals import CORE_PRIOR
from rulemine.verify.report import Findings, shown
from rulemine.verify.rules import HornRule
from rulemine.verify.shapes import RULE_TYPES, SPLITS, WORDINGS

__all__ = ["UNCOUNTED", "check_counts", "check_options"]

UNCOUNTED = (
    "audits", "model_calls", "model_tokens", "overlapping_relations", "relations_undeclared",
    "restating_edge_left", "round_trips", "selection",
)  # fmt: skip
"""Figures that the build alone counts; building again proves them."""

SUBTYPES = (
    "common object", "common subject", "reversed chain", "longer chain", "triangle", "intersection",
    "recursive", "rest",
)  # fmt: skip

EDGES = ("inverse_edge", "parallel_edge")


def count(contents: Contents, files: PropertyFiles | None = None) -> dict[str, Any]:
    """The figures as the manifest should have them, but `UNCOUNTED` ones."""
    bound = contents.folder.option("selection", "max_prior")
    bound = bound if type(bound) in (int, float) else CORE_PRIOR
    askable = Priors(contents.complete, contents.declared) if contents.brink else contents.priors
    facts, removed = contents.declared, contents.removed
    rows = [here.row for here in contents.questions if _is_whole(here.row, contents)]
    asked = {
        facts.of(as_triple(t)) for row in rows for item in row["hard"] for t in item["witness"]
    }
    proofs = [rule for record in removed.values() for rule, _ in record.certificates]

    def left(row: Row, edge: str) -> bool:
        return any(removed[triple].row["difficulty"][edge] for triple in needed(row))

    templates = Counter(row["source"] for row in contents.names.relations.values())
    alike = Counter(facts.reading(name).fact for name in contents.names.relations)
    found = {
        "triples_complete": len(contents.complete),
        "triples_incomplete": len(contents.incomplete),
        "triples_removed": len(removed),
        "triples_askable": int((askable.values.min(axis=1) <= bound).sum()),
        "triples_reference": len(contents.reference),
        "removed_core": sum(record.row["core"] for record in removed.values()),
        "removed_not_asked": sum(facts.of(triple) not in asked for triple in removed),
        "removed_restatements": len(removed) - len(set(map(facts.of, removed))),
        "removed_by_level": {
            str(level): sum(record.level <= level for record in removed.values())
            for level in contents.folder.levels
        },
        "selected_by_another": sum(r.row["selected_by"] is not None for r in removed.values()),
        "certificates": len(proofs),
        "entities": len(contents.names.entities),
        "relations": len(contents.names.relations),
        "relations_dropped": len(contents.folder.manifest["kg"].get("dropped", {})),
        "relations_declared": sum(
            alike[facts.reading(name).fact] > 1 or facts.reading(name).symmetric
            for name in contents.names.relations
        ),
        "rules": len(contents.rules),
        "rules_by_type": _by(RULE_TYPES, (rule.type[0] for rule in contents.rules.values())),
        "rules_with_certificate": len(set(proofs)),
        "rules_with_question": len({rule for row in rows for rule in rules_used(row)}),
        "questions_by_wording": _by(WORDINGS, (row["wording"] for row in rows)),
        "distinct_texts": len({row["question"] for row in rows}),
        "paraphrases": sum(len(row["paraphrases"]) for row in rows),
        "rejected": dict(
            Counter(f"{r.row['stage']}: {r.row['reason']}" for r in contents.rejections)
        ),
        "phrases_written": templates["written"],
        "phrases_derived": templates["derived"],
        "answers": sum(len(row["answers"]) for row in rows),
        "answers_stated": sum(len(row["stated"]) for row in rows),
        "answers_hard": sum(len(row["hard"]) for row in rows),
        "answers_core": sum(item["core"] for row in rows for item in row["hard"]),
        "answers_further": sum(len(row["further"]) for row in rows),
        "some_answer_stated": sum(row["stated"] != [] for row in rows),
        "several_hard_answers": sum(len(row["hard"]) > 1 for row in rows),
        "splits": {split: compare_split(split, rows) for split in SPLITS},
        **{f"{edge}_left": sum(left(row, edge) for row in rows) for edge in EDGES},
    }
    guesses = _guesses(rows, contents)
    for of_all, of_each, some in (
        ("questions", "", rows),
        ("core", "core_", [r for r in rows if r["core"]]),
    ):
        found[of_all] = len(some)
        found[f"{of_all}_by_split"] = _by(SPLITS, (row["split"] for row in some))
        if contents.folder.kind == "rules":
            spread = _spread(some, contents)
            found |= {f"{of_all}_by_{key}": value for key, value in spread.items()}
        found |= {f"{of_each}{key}": value for key, value in _concentration(some).items()}
        found[f"{of_each}guessed"] = {
            str(most): sum(
                row["hard_answer"] in guesses.get(_asked(row, facts), ())[:most]
                for row in some
                if row["split"] == "test"
            )
            for most in (1, 5)
        }
    own = _count_completed if contents.folder.kind == "rules" else count_queries
    if files is not None:
        found |= count_cypher_rows(
            rows, contents.folder.levels, files.graphs[0], files.gone, files.rules
        )
    return found | own(rows, contents) | count_written(rows, contents.folder.kind)


def _is_whole(row: Row, contents: Contents) -> bool:
    """Whether there is what a question is about; if not, that is another problem."""
    known = contents.rules.keys() >= {*rules_used(row)}
    return known and contents.removed.keys() >= {*needed(row)}


def _by(names: Iterable[str], values: Iterable[str]) -> dict[str, int]:
    times = Counter(values)
    return {name: times[name] for name in names}


def _asked(row: Row, facts: Facts) -> Hashable:
    """The ends of relations that a question asks for."""
    if row["kind"] == "cypher":
        return row["shape"], row["cypher"]["returns"], tuple(row["cypher"]["relations"])
    try:
        return frozenset(
            tuple(facts.ways(step.name, ENDS[step.word])) for step in _last(read(row["query"]))
        )
    except ValueError:
        return None  # a problem of the question


def _last(query: Query) -> Iterator[Query]:
    """The steps to the answer."""
    if query.word in ENDS:
        yield query
    else:
        for part in query.parts:
            yield from _last(part)


def _spread(rows: list[Row], contents: Contents) -> dict[str, dict[str, int]]:
    """How questions are spread over kinds of proofs and their difficulty."""
    longest = max((len(rule.body) for rule in contents.rules.values()), default=1)
    lengths = [str(n) for n in range(1, longest + 1)]
    tenths = [f"{n / 10:.1f}" for n in range(11)]
    proofs, priors = (1, 2, 5, 10, 100), (0.001, 0.01, 0.03, 0.05, 0.07, 0.2, 1)
    lifts = (0, 1, 2, 4, 10, 30, 100, 1000)
    up_to_proofs, up_to_priors = [*map(str, proofs), "more"], [f"{prior:g}" for prior in priors]

    def rule(row: Row) -> HornRule:
        return contents.rules[row["rules"]["rule"]]

    def difficulty(row: Row) -> Row:
        found: Row = contents.removed[as_triple(row["rules"]["removed"])].row["difficulty"]
        return found

    def prior(row: Row) -> float:
        return float(difficulty(row)["prior"][row["rules"]["direction"]])

    def tenth(row: Row) -> str:
        sizes = rule(row).row
        return tenths[int(10 * sizes["support"] // sizes["body_size"])]

    kinds: dict[str, tuple[Iterable[str], Callable[[Row], str]]] = {
        "type": (RULE_TYPES, lambda row: row["rules"]["rule_type"]),
        "subtype": (SUBTYPES, lambda row: row["rules"]["rule_subtype"]),
        "body_atoms": (lengths, lambda row: str(len(rule(row).body))),
        "shortest_proof": (lengths, lambda row: str(difficulty(row)["shortest_proof"])),
        "proofs": (
            up_to_proofs,
            lambda row: up_to_proofs[bisect_left(proofs, difficulty(row)["proofs"])],
        ),
        "confidence": (tenths, tenth),
        "prior": (up_to_priors, lambda row: up_to_priors[bisect_left(priors, prior(row))]),
        "lift": (
            map(str, lifts),
            lambda row: str(lifts[bisect_right(lifts, rule(row).confidence / prior(row)) - 1]),
        ),
    }
    return {key: _by(names, map(value, rows)) for key, (names, value) in kinds.items()}


def _concentration(rows: list[Row]) -> dict[str, Any]:
    answers = Counter(row["hard_answer"] for row in rows if row["hard_answer"] is not None)
    relations = Counter(relation for row in rows for relation in asked_relations(row))
    squares = sum(n * n for n in relations.values())
    return {
        "top_answer": max(answers.values(), default=0),
        "top_relation": max(relations.values(), default=0),
        "relations_asked": len(relations),
        "effective_relations": round(relations.total() ** 2 / squares, 2) if rows else 0.0,
    }


def _count_completed(rows: list[Row], contents: Contents) -> dict[str, int]:
    completed = []
    for row in rows:
        way = row["rules"]["relation"], row["rules"]["direction"]
        own = answers(read(as_asked([way], row["anchors"][0])), contents.known)
        known = {*row["stated"], *(item["answer"] for item in row["hard"])}
        completed.append(len(known - own))
    return {
        "answers_completed": sum(completed),
        "questions_completed": sum(n > 0 for n in completed),
    }


def _guesses(rows: list[Row], contents: Contents) -> dict[Hashable, list[str]]:
    """What is asked → the answers of its training questions, the commonest first."""
    times: dict[Hashable, Counter[str]] = {}
    hard: dict[Hashable, Counter[str]] = {}
    for row in rows:
        if row["split"] == "train":
            asked = _asked(row, contents.declared)
            times.setdefault(asked, Counter()).update(row["answers"])
            hard.setdefault(asked, Counter()).update(item["answer"] for item in row["hard"])
    entities = contents.names.entities

    guesses = {}
    for asked, found in times.items():
        private = {a: entities[a].spelled[0] if a in entities else a for a in found}
        ranked = [(-n, -hard[asked][a], private[a], a) for a, n in found.items()]
        guesses[asked] = [answer for *_, answer in sorted(ranked)]
    return guesses


def check_counts(contents: Contents, files: PropertyFiles | None, findings: Findings) -> None:
    """Checks the figures of manifest, card and ``relations.tsv``, and the digest of the complete KG."""
    _check_relation_counts(contents, findings)
    _check_source(contents, findings)
    stated, expected = contents.folder.manifest["counts"], count(contents, files)
    uncounted = {*UNCOUNTED, *("sampling",) * (contents.folder.kind != "rules")}
    check_card(contents.folder, expected, findings)
    for key in sorted({*stated, *expected, *uncounted}):
        if key not in expected and key not in uncounted:
            findings.add(MANIFEST_NAME, None, "counts", shown(key), "no such count")
        elif key not in stated:
            findings.add(MANIFEST_NAME, None, "counts", f"no {key}", "all of them")
        elif key in expected and (have := _settled(stated[key])) != (want := expected[key]):
            if isinstance(have, dict) and isinstance(want, dict):  # only what differs
                both = have, want
                have, want = (
                    {k: v for k, v in one.items() if k not in other or other[k] != v}
                    for one, other in (both, both[::-1])
                )
            findings.add(MANIFEST_NAME, None, "counts", f"{key} = {shown(have)}", shown(want))


def _settled(value: Any) -> Any:
    """A figure without what is expected of random splits, which says nothing about the release."""
    if not isinstance(value, dict):
        return value
    return {key: _settled(inner) for key, inner in value.items() if key != "at_random"}


def check_options(folder: Folder, findings: Findings) -> None:
    """Checks that values the manifest states twice agree."""
    manifest, config = folder.manifest, folder.manifest["config"]
    if "endpoint" in config:
        expected = "no options of the endpoint in a release"
        findings.add(MANIFEST_NAME, None, "options", "config.endpoint", expected)
    levels = folder.option("selection", "levels") or [100]
    for key, stated in {**{k: config.get(k) for k in ("naming", "name")}, "levels": levels}.items():
        if manifest[key] != stated:
            found, said = f"{key} = {shown(manifest[key])}", f"{shown(stated)}, as in config"
            findings.add(MANIFEST_NAME, None, "options", found, said)


def _check_source(contents: Contents, findings: Findings) -> None:
    """Checks the digest of the complete KG: SHA-256 of its sorted triples under their source names."""
    names, complete = contents.names, contents.complete
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
    stated = contents.folder.manifest["kg"]["digest"]
    if stated != digest.hexdigest():
        expected = f"{digest.hexdigest()} (sorted triples, source names)"
        findings.add(MANIFEST_NAME, None, "digest of the KG", shown(stated), expected)


def _check_relation_counts(contents: Contents, findings: Findings) -> None:
    """Checks the columns ``triples`` and ``removed`` of ``relations.tsv``."""
    removed = Counter(r for _, r, _ in contents.removed)
    for column, sizes in (("triples", contents.complete.relation_sizes()), ("removed", removed)):
        for relation, row in contents.names.relations.items():
            size = str(sizes.get(relation, 0))
            if row.get(column) != size:
                line = contents.names.relation_lines[relation]
                found = f"{column} = {shown(row.get(column))} of {shown(relation)}"
                findings.add(RELATIONS, line, "counts", found, size)
