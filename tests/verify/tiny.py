"""A release of thirteen facts about a family, four removed, three questions; and how it is edited."""

import gzip
import hashlib
import json
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from rulemine.files import digest_of, read_bytes
from rulemine.kg.entity_names import EntityNames
from rulemine.kg.graph import KnowledgeGraph, Triple
from rulemine.phrasing.templates import RelationTemplates, Templates
from rulemine.recipe.recipe import Recipe
from rulemine.release import writer
from rulemine.release.contents import ReleaseParts, read_parts
from rulemine.release.reader import Release
from rulemine.release.records import (
    Certificate,
    Difficulty,
    PerDirection,
    Question,
    Rejection,
    Removal,
    Unseen,
)
from rulemine.rules.formats import parse_readable
from rulemine.rules.rule import Measures, Rule, classify
from tests.questions import question

NAMES = [
    EntityNames("e0", "dan", "Dan Berg"), EntityNames("e1", "ada", "Ada, the elder"),
    EntityNames("e2", "gus", "Gus Ada"), EntityNames("e3", "eve", "Eve O'Hara"),
    EntityNames("e4", "ben", "Бен"), EntityNames("e5", "finn", "Finn (1990)"),
    EntityNames("e6", "cleo", "Cleo"),
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
    replace(parse_readable(text), measures=Measures(*sizes, 0))
    for text, sizes in (
        ("wife(y,x) ⇒ husband(x,y)", (3, 3, 3, 3)),
        ("parent(x,z) ∧ parent(z,y) ⇒ grandparent(x,y)", (2, 4, 2, 2)),
    )
)

_DEFAULTS = Recipe(kg="tiny.tsv", name="tiny").portable()

CONFIG: dict[str, Any] = _DEFAULTS | {
    "naming": "entity",
    "selection": _DEFAULTS["selection"]
    | {"mode": "maximal", "per_rule": 30, "levels": [], "max_prior": 1.0, "per_type": 1.0},
    "questions": _DEFAULTS["questions"]
    | {
        "restated": True, "split": "group", "ratios": [1, 1, 1], "max_answer_share": 1.0,
        "max_relation_share": 1.0,
    },
}  # fmt: skip

SOURCE: dict[str, Any] = {
    "title": "Tiny", "source": "these tests", "license": "Apache-2.0", "citation": "none",
    "digest": hashlib.sha256(
        "".join("\t".join(t.split()) + "\n" for t in sorted(COMPLETE.strip().split("\n"))).encode()
    ).hexdigest(),
    "duplicates": 0,
}  # fmt: skip


def _triple(text: str) -> Triple:
    s, r, o = text.split()
    return s, r, o


def _removal(text: str, rule: Rule, *body: str) -> Removal:
    prior, edge = (1.0, ()) if rule is GRANDPARENT else (1 / 3, ("wife",))
    known, each = rule.known, PerDirection(prior, prior)
    lift = PerDirection(known.std_confidence / prior, known.std_confidence / prior)
    measures = known.std_confidence, known.pca_confidence, known.head_coverage
    proof = Certificate(rule.id, _triple(text), tuple(map(_triple, body)))
    difficulty = Difficulty(1, len(body), edge, (), *measures, each, lift)
    return Removal(proof.proves, 100, ("subject", "object"), proof, None, difficulty, core=False)


REMOVED = [
    _removal("ada grandparent eve", GRANDPARENT, "ada parent cleo", "cleo parent eve"),
    _removal("ben husband ada", HUSBAND, "ada wife ben"),
    _removal("dan husband cleo", HUSBAND, "cleo wife dan"),
    _removal("finn husband eve", HUSBAND, "eve wife finn"),
]


def _question(number: int, split: str, text: str, direction: str, *stated: str) -> Question:
    removed, rule = REMOVED[number - 1].triple, (HUSBAND, GRANDPARENT)[number == 1]
    kind = classify(rule)
    made = question(
        number, removed, direction, rule=rule.id, rule_type=kind.type, rule_subtype=kind.subtype, split=split,
    )  # fmt: skip
    _, relation, topic = removed
    return replace(
        made, id=f"q{number}", question=text, answers=tuple(sorted({*made.answers, *stated})), stated=stated,
        full_evidence=(*made.full_evidence, *((one, relation, topic) for one in stated)),
        unseen=Unseen(rule=split == "test", relation=split == "test", answer=split != "train"),
    )  # fmt: skip


def _templates(relation: str) -> RelationTemplates:
    return RelationTemplates(
        relation, f"{{subject}} is the {relation} of {{object}}", f"Who is the {relation} of {{topic}}?",
        f"{{topic}} is whose {relation}?", f"Who are the {relation}s of {{topic}}?",
        f"{{topic}} is whose {relation}?", "written",
        f"person/people | who is/are {relation}/{relation}s to {{topic}}",
        f"person/people | whose {relation}s include {{topic}}",
    )  # fmt: skip


PARTS = ReleaseParts(
    naming="entity", config=CONFIG, source=SOURCE, reference=(), levels=(100,), removals=tuple(REMOVED),
    complete=KnowledgeGraph.from_triples(map(_triple, COMPLETE.strip().split("\n"))),
    rules=(GRANDPARENT, HUSBAND),
    questions=(
        _question(1, "test", "Who are the grandparents of eve?", "subject", "ben"),
        _question(2, "validation", "Who is the husband of ada?", "subject"),
        _question(3, "train", "dan is whose husband?", "object"),
    ),
    rejections=(
        Rejection(
            "balance", "too many questions with this answer", "q4", _triple("finn husband eve"), "object",
            HUSBAND.id, "",
        ),
    ),
    names=tuple(NAMES),
    templates=Templates(
        tuple(map(_templates, ("grandparent", "husband", "parent", "wife"))),
        single=frozenset((r, "object") for r in ("grandparent", "husband", "parent", "wife"))
        | {("husband", "subject"), ("wife", "subject")},
    ),
    selection_counts={
        "rules_mined": 2, "groundings": 6, "provable": 5, "considered": 6, "upper_bound": 0,
        "core_upper_bound": 0,
    },
    model_counts={
        "model_calls": {}, "model_tokens": {"prompt": 0, "completion": 0},
        "audits": {"passed": 0, "failed": 0, "unreadable": 0},
    },
)  # fmt: skip


def write_release(folder: Path, naming: str = "entity") -> Path:
    """Writes the release, over what is there."""
    folder.mkdir(parents=True, exist_ok=True)
    writer.write_release(folder, PARTS, naming)
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
    names = sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file())
    contents = {name: read_bytes(folder / name) for name in names if name != "manifest.json"}
    manifest["files"] = {
        name: {"bytes": len(content), "sha256": digest_of(content)}
        for name, content in contents.items()
    }
    (folder / "manifest.json").write_text(writer.dump_manifest(manifest))
