"""Releases of the kind ``variants``, made by hand: a question for each seed text, about the small world."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from rulemine.codec import to_json
from rulemine.files import digest_of, write_bytes
from rulemine.kinds.rules.block import RuleBlock
from rulemine.kinds.written.block import VariantBlock
from rulemine.release.reader import Release
from rulemine.release.records import SEED_TEXTS, Question, SeedRow
from tests.evaluation.world import question, removals_of, write_release


def variant_question(
    number: int, seed_text: str, anchor: str, relation: str, answer: str, *,
    text: str = "Who is it, {topic}?", topic: str = "people", triples: Sequence[Any] | None = None,
) -> Question:  # fmt: skip
    """A question of one link, whose answer is the only one."""
    plain = question(number, anchor, relation, "object", [answer], [answer])
    triple = (anchor, relation, answer)
    block = VariantBlock(
        answer=answer, triples=tuple(sorted(triples or [triple])), subgraph=(triple,), seed_text=seed_text,
        seeds=(), topic=topic, unique=True, redundant=False, judgements=(),
    )  # fmt: skip
    plain = replace(plain, kind="variants", question=text.format(topic=anchor), wording="model")
    return replace(plain, patterns=(text,), block=block)


def write_variants(
    folder: Path, questions: Sequence[Question], rows: Sequence[SeedRow], run: int = 0, **config: Any
) -> Release:  # fmt: skip
    """Writes the files that evaluation reads, with the seed texts."""
    linked = (replace(q, block=RuleBlock("object", "other", "other")) for q in questions)
    write_release(folder, questions, removals=removals_of(linked, {}))
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
