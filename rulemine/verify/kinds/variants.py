"""Variants of questions over one seed text: its entities, judges, and how many questions it has.

Checks, beside what all written questions promise, whether the answer is the only one, that seeds are in the
subgraph, and that all judges accepted the question; that no seed text has more questions than wanted; and
that ``seed_texts.jsonl`` has each id once, with known entities, the seed text of every question with the same
entities, and the split of its questions.
"""

from collections.abc import Iterable
from types import MappingProxyType

from rulemine.verify import shaping
from rulemine.verify.contents import Contents, Located
from rulemine.verify.protocol import TABLES, KnownKind
from rulemine.verify.questions.asked import Asked
from rulemine.verify.questions.question_set import check_most
from rulemine.verify.questions.written import (
    WRITTEN,
    check_needed,
    check_written,
)
from rulemine.verify.report import Findings, shown
from rulemine.verify.shapes import SPLITS

SEED_TEXTS = "seed_texts.jsonl"

_SEED_TEXT = shaping.record(
    {
        "id": shaping.name,
        "entities": shaping.array(shaping.name),
        "topic": shaping.text,
        "split": shaping.one_of((*SPLITS, "")),
    }
)

_FLAGS = ("logical_structure", "redundancy", "answer_support", "answer_adequacy")

_JUDGEMENT = shaping.record(
    {
        "model": shaping.name,
        **{f"{flag}_flag": shaping.truth for flag in _FLAGS},
        **{f"{flag}_reasoning": shaping.text for flag in _FLAGS},
    }
)

_ACCEPTED = {flag: flag != "redundancy" for flag in _FLAGS}
"""What a judge says of a question that is accepted: all but that it gives away its answer."""

_JUDGES = 3


_BLOCK = shaping.record(
    {
        **WRITTEN,
        "seed_text": shaping.name,
        "seeds": shaping.array(shaping.name, 1),
        "topic": shaping.text,
        "unique": shaping.truth,
        "redundant": shaping.truth,
        "judgements": shaping.array(_JUDGEMENT),
    }
)


class _Checks(KnownKind):
    fields = MappingProxyType({"block": _BLOCK})

    def files(self, _levels: Iterable[int]) -> Iterable[str]:
        """The seed texts too."""
        return (*TABLES, SEED_TEXTS)

    def check_set(self, contents: Contents, findings: Findings) -> None:
        """Checks all questions together, and the seed texts."""
        texts = (f" for {here.row['block']['seed_text']!r}" for here in contents.questions)
        check_most(contents, ("" for _ in contents.questions), "questions", findings)
        check_most(contents, texts, "pairs", findings)
        check_seed_texts(contents, findings)

    def check_question(self, here: Asked) -> None:
        """Checks one question."""
        check_written(here)
        block = here.row["block"]
        here.equal("unique", block["unique"], len(here.whole) == 1, "the query on the complete KG")
        check_needed(here)
        ends = {end for s, _, o in block["subgraph"] for end in (s, o)}
        seeds = block["seeds"]
        if seeds != sorted(set(seeds)) or len(ends.intersection(seeds)) < 2:
            here.add("seeds", shown(seeds), "sorted, at least two of them in the subgraph")
        here.at_most("size of the subgraph", len(block["subgraph"]), "max_triples")
        judges = here.option("judges")
        judges = judges if isinstance(judges, list) else []
        models = judges * (_JUDGES if len(judges) == 1 else 1)
        judged = block["judgements"]
        source = f"manifest, config.{here.row['kind']}.judges"
        here.equal("judges", [one["model"] for one in judged], models, source)
        for number, one in enumerate(judged, start=1):
            flags = {flag: one[f"{flag}_flag"] for flag in _FLAGS}
            if flags != _ACCEPTED:
                here.add("unanimous", f"judge {number}: {shown(flags)}", shown(_ACCEPTED))


CHECKS = _Checks()


def check_seed_texts(contents: Contents, findings: Findings) -> None:
    """Checks the seed texts against the questions."""
    folder, names = contents.folder, contents.names
    if not folder.has(SEED_TEXTS):
        return
    fresh = bool(folder.option(folder.kind, "run"))
    asked: dict[str, list[Located]] = {}
    for here in contents.questions:
        asked.setdefault(here.row["block"]["seed_text"], []).append(here)
    seen: set[str] = set()
    for number, row in folder.records(SEED_TEXTS, _SEED_TEXT):
        key, entities = row["id"], row["entities"]
        if key in seen:
            findings.add(SEED_TEXTS, number, "seed texts", shown(key), "each id once")
        seen.add(key)
        if unknown := [name for name in entities if name not in names.entities]:
            findings.add(SEED_TEXTS, number, "names", shown(unknown), "entities of entities.tsv")
        if entities != sorted(set(entities)):
            findings.add(SEED_TEXTS, number, "seed texts", shown(entities), "sorted, each once")
        of_it = asked.get(key, ())
        for here in of_it:
            if here.row["block"]["seeds"] != entities:
                found = shown(here.row["block"]["seeds"])
                findings.add(here.file, here.line, "seed texts", found, shown(entities))
        splits = {"test"} if fresh else {here.row["split"] for here in of_it} or {""}
        if splits != {row["split"]}:
            expected = f"that of its questions: {' and '.join(sorted(splits)) or 'none'}"
            findings.add(SEED_TEXTS, number, "seed texts", shown(row["split"]), expected)
    for key in sorted(asked.keys() - seen):
        here = asked[key][0]
        findings.add(here.file, here.line, "seed texts", shown(key), f"an id of {SEED_TEXTS}")
    findings.count("seed texts", len(seen))
