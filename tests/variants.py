"""Releases of the kind ``variants``, made by hand: a question for each seed text, about the small world."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rulemine.codec import to_json
from rulemine.files import digest_of, write_bytes
from rulemine.kg.entity_names import EntityNames
from rulemine.kg.graph import Triple
from rulemine.kinds.written.block import VariantBlock
from rulemine.query.sparql import to_sparql
from rulemine.query.tree import Anchor, Projection
from rulemine.release.reader import Release
from rulemine.release.records import (
    SEED_TEXTS,
    Certificate,
    HardAnswer,
    Question,
    Removal,
    SeedRow,
    Unseen,
)
from tests.evaluation.world import ANN, BOB, NAMES, RULES, USUAL, write_release


def variant_question(
    number: int,
    seed_text: str,
    anchor: str,
    relation: str,
    answer: str,
    *,
    text: str = "Who is it, {topic}?",
    topic: str = "people",
    triples: Sequence[Triple] | None = None,
    split: str = "test",
    seeds: Sequence[str] = (),
    hard: bool = True,
    hops: int = 1,
) -> Question:
    """A question of one link, whose answer is the only one."""
    query = Projection(relation, False, Anchor(anchor))
    triple = (anchor, relation, answer)
    return Question(
        id=f"q{number:05d}", kind="variants", question=text.format(topic=anchor), anchors=(anchor,),
        query=query.text, sparql=to_sparql(query), structure="1p", shape="(1)", hops=hops,
        answers=(answer,), stated=() if hard else (answer,),
        hard=(HardAnswer(answer, 1, 100, (triple,), False),) if hard else (),
        further=(), hard_answer=answer if hard else None, core=False, evidence=(triple,),
        full_evidence=(triple,), spurious=(), value=None, stated_value=None, relations=(relation,),
        intermediates=(), removed=(triple,) if hard else (), rules=(), split=split,
        unseen=Unseen(rule=False, relation=False, answer=False), wording="model", paraphrases=(),
        patterns=(text,),
        block=VariantBlock(
            answer=answer, triples=tuple(sorted(triples or [triple])), subgraph=(triple,),
            seed_text=seed_text, seeds=tuple(seeds), topic=topic, unique=True, redundant=False,
            judgements=(),
        ),
    )  # fmt: skip


def write_variants(
    folder: Path,
    questions: Sequence[Question],
    rows: Sequence[SeedRow],
    run: int = 0,
    names: Sequence[EntityNames] = NAMES,
    **config: Any,
) -> Release:
    """Writes the files that evaluation reads, with the seed texts."""
    gone = sorted({triple for q in questions for triple in q.removed})
    proofs = [Certificate(RULES[0].id, triple, ((ANN, "wife", BOB),)) for triple in gone]
    removals = [
        Removal(proof.proves, 100, ("object",), proof, None, USUAL, False) for proof in proofs
    ]
    write_release(folder, questions, names=names, removals=removals)
    content = "".join(json.dumps(to_json(row)) + "\n" for row in rows).encode()
    write_bytes(folder / SEED_TEXTS, content)
    manifest: dict[str, Any] = json.loads((folder / "manifest.json").read_text())
    manifest["files"][SEED_TEXTS] = {"bytes": len(content), "sha256": digest_of(content)}
    variants = {"run": run, "pairs": 5, "questions": 9}
    manifest["config"] = {"kind": "variants", "naming": "private", "variants": variants} | config
    write_bytes(folder / "manifest.json", json.dumps(manifest).encode())
    return Release.open(folder)


def rows_of(entities: Mapping[str, Sequence[str]], split: str = "test") -> list[SeedRow]:
    """Seed texts, all of one split."""
    return [SeedRow(key, tuple(sorted(names)), "", split) for key, names in entities.items()]
