"""A release written by hand: thirteen facts about a family, four removed, three questions.

`tiny_files` gives its files as text in any naming, `write_release` writes them, and `seal` makes the
manifest agree with whatever the files hold now, as someone would who edits a release on purpose.
"""

import gzip
import hashlib
import json
from pathlib import Path
from typing import Any

from rulemine.rules.formats import parse_readable, rule_to_json
from rulemine.rules.rule import Measures, Rule

Triple = tuple[str, str, str]

# private, entity, text
NAMES = [
    ("e0", "dan", "Dan Berg"),
    ("e1", "ada", "Ada, the elder"),
    ("e2", "gus", "Gus Ada"),
    ("e3", "eve", "Eve O'Hara"),
    ("e4", "ben", "Бен"),
    ("e5", "finn", "Finn (1990)"),
    ("e6", "cleo", "Cleo"),
]

COMPLETE = """
ada wife ben
ben husband ada
cleo wife dan
dan husband cleo
eve wife finn
finn husband eve
ada parent cleo
ben parent cleo
cleo parent eve
dan parent eve
eve parent gus
ada grandparent eve
ben grandparent eve
"""

HUSBAND, GRANDPARENT = (
    rule_to_json(Rule(rule.head, rule.body, measures))
    for rule, measures in (
        (parse_readable("wife(y,x) ⇒ husband(x,y)"), Measures(3, 3, 3, 3, 0)),
        (
            parse_readable("parent(x,z) ∧ parent(z,y) ⇒ grandparent(x,y)"),
            Measures(2, 4, 2, 2, 0),
        ),
    )
)

REMOVED = [
    ("ada grandparent eve", GRANDPARENT, ["ada parent cleo", "cleo parent eve"]),
    ("ben husband ada", HUSBAND, ["ada wife ben"]),
    ("dan husband cleo", HUSBAND, ["cleo wife dan"]),
    ("finn husband eve", HUSBAND, ["eve wife finn"]),
]

# triples, removed triples
RELATIONS = [("grandparent", 2, 1), ("husband", 3, 3), ("parent", 5, 0), ("wife", 3, 0)]

# place in REMOVED, split, text, direction, answers, hard answers, reverse edges, answers stated
ASKED = [
    (0, "test", "Who is the grandparent of {}?", "subject", "ada ben", "ada", [], 1),
    (1, "validation", "Who is the husband of {}?", "subject", "ben", "ben", ["wife"], 0),
    (2, "train", "{} is whose husband?", "object", "cleo", "cleo", ["wife"], 0),
]


def tiny_files(naming: str = "entity", version: int = 2) -> dict[str, str]:
    """The files of the release but the manifest: name → content (of .gz: uncompressed).

    Args:
        naming: How entities are named.
        version: The format version; the first one says nothing of wordings.
    """
    column = {"private": 0, "entity": 1, "text": 2, "numeric": 0}[naming]
    names = {row[1]: row[column].removeprefix("e" if naming == "numeric" else "") for row in NAMES}

    def named(text: str) -> Triple:
        s, r, o = text.split()
        return (names[s], r, names[o])

    complete = sorted(map(named, COMPLETE.split("\n")[1:-1]))
    removed = {named(text) for text, _, _ in REMOVED}
    removals = sorted(
        (named(text), rule["id"], [named(t) for t in body]) for text, rule, body in REMOVED
    )
    files = {
        "README.md": "# A tiny release\n",
        "kg/complete.tsv.gz": _tsv(complete),
        "kg/incomplete.tsv.gz": _tsv([t for t in complete if t not in removed]),
        "removed.jsonl": _jsonl(
            [
                {"triple": t, "level": 100, "certificates": [{"rule": rule, "body": body}]}
                for t, rule, body in removals
            ]
        ),
        "rules.jsonl": _jsonl([GRANDPARENT, HUSBAND]),
        "entities.tsv": _tsv([("private", "entity", "text"), *NAMES]),
        "relations.tsv": _tsv(
            [
                [
                    "relation",
                    "statement",
                    "ask_subject",
                    "ask_object",
                    "source",
                    "triples",
                    "removed",
                ],
                *map(_relation_row, RELATIONS),
            ]
        ),
        "rejected.jsonl": _jsonl(
            [
                {
                    "stage": "balance",
                    "reason": "too many questions with this answer",
                    "question": "q3",
                    "removed": named("finn husband eve"),
                    "direction": "object",
                    "rule": HUSBAND["id"],
                    "detail": "",
                }
            ]
        ),
    }
    for number, (place, split, text, direction, answers, hard, reverse, stated) in enumerate(ASKED):
        triple, rule, body = REMOVED[place]
        s, r, o = named(triple)
        topic, answer = (s, o) if direction == "object" else (o, s)
        question = {
            "id": f"q{number}",
            "question": text.format(topic),
            "topic": topic,
            "relation": r,
            "direction": direction,
            "answers": sorted(names[a] for a in answers.split()),
            "hard_answer": answer,
            "hard_answers": sorted(names[a] for a in hard.split()),
            "removed": (s, r, o),
            "level": 100,
            "rule": rule["id"],
            "rule_type": rule["type"],
            "rule_subtype": rule["subtype"],
            "certificate": [named(t) for t in body],
            "diagnosis": {
                "proofs": 1,
                "shortest_proof": len(body),
                "reverse_edge": reverse,
                "parallel_edge": [],
                "answers_stated": stated,
                "head_coverage": rule["head_coverage"],
                "std_confidence": rule["std_confidence"],
                "pca_confidence": rule["pca_confidence"],
            },
            "split": split,
        }
        if version > 1:
            question |= {"wording": "template", "paraphrases": [], "patterns": []}
        files[f"questions/{split}.jsonl"] = _jsonl([question])
    return files


MANIFEST: dict[str, Any] = {
    "format": "rulemine release",
    "format_version": 2,
    "name": "tiny",
    "naming": "entity",
    "levels": [100],
    "config": {
        "name": "tiny",
        "naming": "entity",
        "selection": {"mode": "maximal", "per_rule": 30, "levels": []},
        "questions": {"split": "group", "max_answer_share": 1.0},
    },
    "kg": {
        "title": "Tiny",
        "source": "these tests",
        "license": "Apache-2.0",
        "citation": "none",
        "digest": hashlib.sha256(
            "".join("\t".join(t.split()) + "\n" for t in sorted(COMPLETE.strip().split("\n"))).encode()
        ).hexdigest(),
    },
    "counts": {
        "triples_complete": 13,
        "triples_incomplete": 9,
        "triples_removed": 4,
        "certificates": 4,
        "removed_by_level": {"100": 4},
        "entities": 7,
        "relations": 4,
        "rules": 2,
        "rules_with_certificate": 2,
        "rules_with_question": 2,
        "rules_by_type": {
            "symmetry": 0, "inversion": 1, "hierarchy": 0, "composition": 1, "other": 0,
        },
        "questions": 3,
        "questions_by_split": {"train": 1, "validation": 1, "test": 1},
        "questions_by_type": {
            "symmetry": 0, "inversion": 2, "hierarchy": 0, "composition": 1, "other": 0,
        },
        "rejected": {"balance: too many questions with this answer": 1},
        "reverse_edge_left": 2,
        "parallel_edge_left": 0,
        "some_answer_stated": 1,
        "answers": 4,
        "answers_stated": 1,
        "hard_answers": 3,
        "one_proof_left": 3,
        "twin_relations": 2,
        "twin_edge_left": 2,
        "relations_dropped": 0,
        "answers_from_reference": 0,
        "phrases_written": 4,
        "phrases_derived": 0,
        "questions_by_wording": {"template": 3, "model": 0, "fallback": 0},
        "paraphrases": 0,
        "model_calls": {},
        "model_tokens": {"prompt": 0, "completion": 0},
        "audits": {"passed": 0, "failed": 0, "unreadable": 0},
        "round_trips": {"right": 0, "wrong": 0, "unreadable": 0},
    },
    "files": {},
}  # fmt: skip


def write_release(
    folder: Path,
    naming: str = "entity",
    files: dict[str, str] | None = None,
    manifest: dict[str, Any] | None = None,
) -> Path:
    """Writes the tiny release, or other files in its place, with a manifest that fits."""
    for name, text in (files or tiny_files(naming)).items():
        write_file(folder, name, text)
    manifest = manifest or MANIFEST
    manifest = manifest | {"naming": naming, "config": manifest["config"] | {"naming": naming}}
    (folder / "manifest.json").write_text(json.dumps(manifest))
    seal(folder)
    return folder


def write_file(folder: Path, name: str, text: str) -> None:
    """Writes one file of a release, compressed when its name says so."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    content = text.encode()
    path.write_bytes(gzip.compress(content, mtime=0) if name.endswith(".gz") else content)


def read_file(folder: Path, name: str) -> str:
    """The text of one file of a release."""
    content = (folder / name).read_bytes()
    return (gzip.decompress(content) if name.endswith(".gz") else content).decode()


def seal(folder: Path) -> None:
    """Makes sizes and digests of the manifest those of the files that are there."""
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["files"] = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_file() and name != "manifest.json":
            raw = path.read_bytes()
            content = gzip.decompress(raw) if name.endswith(".gz") else raw
            digest = hashlib.sha256(content).hexdigest()
            manifest["files"][name] = {"bytes": len(content), "sha256": digest}
    (folder / "manifest.json").write_text(json.dumps(manifest))


def _relation_row(relation: tuple[str, int, int]) -> list[str]:
    name, triples, removed = relation
    return [
        name,
        f"{{subject}} is the {name} of {{object}}",
        f"Who is the {name} of {{topic}}?",
        f"{{topic}} is whose {name}?",
        "written",
        str(triples),
        str(removed),
    ]


def _tsv(rows: list[Any]) -> str:
    return "".join("\t".join(row) + "\n" for row in rows)


def _jsonl(rows: list[dict[str, Any]]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
