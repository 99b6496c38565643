"""A release written by hand: thirteen facts about a family, four removed, three questions.

`tiny_files` gives its files as text in any naming, `write_release` writes them, and `seal` makes the
manifest agree with whatever the files hold now, as someone would who edits a release on purpose.
"""

import gzip
import hashlib
import json
from dataclasses import replace
from operator import itemgetter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import quote

from rulemine.recipe.recipe import Recipe
from rulemine.release import writer
from rulemine.release.contents import read_parts
from rulemine.release.reader import Release
from rulemine.release.writer import dump_manifest
from rulemine.rules.formats import parse_readable, rule_to_json
from rulemine.rules.rule import Measures

Triple = tuple[str, str, str]

# private, entity, text
NAMES = [
    ("e0", "dan", "Dan Berg"), ("e1", "ada", "Ada, the elder"), ("e2", "gus", "Gus Ada"),
    ("e3", "eve", "Eve O'Hara"), ("e4", "ben", "Бен"), ("e5", "finn", "Finn (1990)"), ("e6", "cleo", "Cleo"),
]  # fmt: skip

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
    rule_to_json(replace(parse_readable(text), measures=Measures(*sizes, 0)))
    for text, sizes in (
        ("wife(y,x) ⇒ husband(x,y)", (3, 3, 3, 3)),
        ("parent(x,z) ∧ parent(z,y) ⇒ grandparent(x,y)", (2, 4, 2, 2)),
    )
)

REMOVED = [
    ("ada grandparent eve", GRANDPARENT, ["ada parent cleo", "cleo parent eve"]),
    ("ben husband ada", HUSBAND, ["ada wife ben"]),
    ("dan husband cleo", HUSBAND, ["cleo wife dan"]),
    ("finn husband eve", HUSBAND, ["eve wife finn"]),
]

# triples, removed triples, ends of which there is one
RELATIONS = [
    ("grandparent", 2, 1, "object"), ("husband", 3, 3, "both"), ("parent", 5, 0, "object"),
    ("wife", 3, 0, "both"),
]  # fmt: skip

RELATION_COLUMNS = [
    "relation", "statement", "ask_subject", "ask_object", "ask_subjects", "ask_objects",
    "describe_subject", "describe_object", "source", "triples", "removed", "fact", "reversed",
    "symmetric", "place", "single", "ask",
]  # fmt: skip

# place in REMOVED, split, text, direction, answers stated
ASKED = [
    (0, "test", "Who are the grandparents of {}?", "subject", "ben"),
    (1, "validation", "Who is the husband of {}?", "subject", ""),
    (2, "train", "{} is whose husband?", "object", ""),
]


def tiny_files(naming: str = "entity") -> dict[str, str]:
    """The files of the release but the manifest: name → content (of .gz: uncompressed)."""
    column = {"private": 0, "entity": 1, "text": 2, "numeric": 0}[naming]
    names = {row[1]: row[column].removeprefix("e" if naming == "numeric" else "") for row in NAMES}

    def named(text: str) -> Triple:
        s, r, o = text.split()
        return (names[s], r, names[o])

    def removal(text: str, rule: dict[str, Any], body: list[str]) -> dict[str, Any]:
        prior = 1.0 if rule is GRANDPARENT else 1 / 3
        return {
            "triple": named(text), "level": 100, "directions": ["subject", "object"],
            "certificate": {"rule": rule["id"], "proves": named(text), "body": [*map(named, body)]},
            "selected_by": None,
            "difficulty": {
                "proofs": 1, "shortest_proof": len(body),
                "inverse_edge": [] if rule is GRANDPARENT else ["wife"], "parallel_edge": [],
                **{key: rule[key] for key in ("std_confidence", "pca_confidence", "head_coverage")},
                "prior": {"subject": prior, "object": prior},
                "lift": dict.fromkeys(("subject", "object"), rule["std_confidence"] / prior),
            },
            "core": False, "further_certificates": [],
        }  # fmt: skip

    complete = sorted(map(named, COMPLETE.split("\n")[1:-1]))
    removed = {named(text) for text, _, _ in REMOVED}
    rejected = {
        "stage": "balance", "reason": "too many questions with this answer", "question": "q4",
        "removed": named("finn husband eve"), "direction": "object", "rule": HUSBAND["id"], "detail": "",
        "text": "", "query": "",
    }  # fmt: skip
    files = {
        "README.md": "# tiny\n",
        "kg/complete.tsv.gz": _tsv(complete),
        "kg/incomplete.tsv.gz": _tsv([t for t in complete if t not in removed]),
        "removed.jsonl": _jsonl(sorted((removal(*r) for r in REMOVED), key=itemgetter("triple"))),
        "rules.jsonl": _jsonl([GRANDPARENT, HUSBAND]),
        "entities.tsv": _tsv([("private", "entity", "text"), *NAMES]),
        "relations.tsv": _tsv([RELATION_COLUMNS, *map(_relation_row, RELATIONS)]),
        "rejected.jsonl": _jsonl([rejected]),
    }
    for number, (place, split, text, direction, stated) in enumerate(ASKED):
        triple, rule, _ = REMOVED[place]
        s, r, o = named(triple)
        topic, answer = (s, o) if direction == "object" else (o, s)
        still = [names[a] for a in stated.split()]
        ends = [f"<entity:{quote(topic)}>", "?answer"][:: 1 if direction == "object" else -1]
        question = {
            "id": f"q{number + 1}", "kind": "rules", "question": text.format(topic), "anchors": [topic],
            "query": f'({"p" if direction == "object" else "p-"} "{r}" "{topic}")',
            "sparql": f"SELECT DISTINCT ?answer WHERE {{ {ends[0]} <relation:{r}> {ends[1]} . }}",
            "structure": "1p", "shape": "(1)", "hops": 1,
            "answers": sorted([answer, *still]), "stated": still,
            "hard": [
                {"answer": answer, "missing": 1, "level": 100, "witness": [(s, r, o)], "core": False}
            ],
            "further": [], "hard_answer": answer, "core": False, "evidence": [(s, r, o)],
            "full_evidence": sorted([(s, r, o), *((a, r, topic) for a in still)]),
            "spurious": [], "value": None, "stated_value": None, "relations": [r], "intermediates": [],
            "removed": [(s, r, o)], "rules": [rule["id"]], "split": split,
            "unseen": {
                "rule": split == "test", "relation": split == "test", "answer": split != "train"
            },
            "wording": "template", "paraphrases": [], "patterns": [],
            "block": {
                "direction": direction, "rule_type": rule["type"], "rule_subtype": rule["subtype"],
            },
        }  # fmt: skip
        files[f"questions/{split}.jsonl"] = _jsonl([question])
    return files


_DEFAULTS = Recipe(kg="tiny.tsv", name="tiny").portable()

MANIFEST: dict[str, Any] = {
    "format": "rulemine release", "format_version": 5, "name": "tiny", "naming": "entity", "levels": [100],
    "config": {
        **_DEFAULTS,
        "naming": "entity",
        "selection": {
            **_DEFAULTS["selection"],
            "mode": "maximal", "per_rule": 30, "levels": [], "max_prior": 1.0, "per_type": 1.0,
        },
        "questions": {
            **_DEFAULTS["questions"],
            "restated": True, "split": "group", "ratios": [1, 1, 1],
            "max_answer_share": 1.0, "max_relation_share": 1.0,
        },
    },
    "kg": {
        "title": "Tiny", "source": "these tests", "license": "Apache-2.0", "citation": "none",
        "digest": hashlib.sha256(
            "".join("\t".join(t.split()) + "\n" for t in sorted(COMPLETE.strip().split("\n"))).encode()
        ).hexdigest(),
        "duplicates": 0,
    },
    "counts": {
        "selection": {
            "rules_mined": 2, "groundings": 6, "provable": 5, "considered": 6, "upper_bound": 0,
            "core_upper_bound": 0,
        },
        "model_calls": {},
        "model_tokens": {"prompt": 0, "completion": 0},
        "audits": {"passed": 0, "failed": 0, "unreadable": 0},
    },
    "files": {},
}  # fmt: skip


def write_release(folder: Path, naming: str = "entity") -> Path:
    """Writes the release with a manifest and a card that fit."""
    for name, text in tiny_files(naming).items():
        write_file(folder, name, text)
    manifest = MANIFEST | {"naming": naming, "config": MANIFEST["config"] | {"naming": naming}}
    (folder / "manifest.json").write_text(json.dumps(manifest))
    seal(folder)
    mend_figures(folder)
    return folder


def mend_figures(folder: Path) -> None:
    """Makes the figures of manifest and card those of the files that are there."""
    parts = read_parts(Release.open(folder))
    with TemporaryDirectory() as made:
        writer.write_release(Path(made), parts, parts.naming)
        for name in ("README.md", "manifest.json"):
            write_file(folder, name, read_file(Path(made), name))
    seal(folder)


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
    (folder / "manifest.json").write_text(dump_manifest(manifest))


def _relation_row(relation: tuple[str, int, int, str]) -> list[str]:
    name, triples, removed, single = relation
    return [
        name, f"{{subject}} is the {name} of {{object}}",
        f"Who is the {name} of {{topic}}?", f"{{topic}} is whose {name}?",
        f"Who are the {name}s of {{topic}}?", f"{{topic}} is whose {name}?",
        f"person/people | who is/are {name}/{name}s to {{topic}}",
        f"person/people | whose {name}s include {{topic}}", "written",
        str(triples), str(removed), name, *[""] * 3, single, "both",
    ]  # fmt: skip


def _tsv(rows: list[Any]) -> str:
    return "".join("\t".join(row) + "\n" for row in rows)


def _jsonl(rows: list[dict[str, Any]]) -> str:
    return "".join(
        json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n" for row in rows
    )
