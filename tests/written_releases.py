"""The world of `tests.structures` with questions that were written for a subgraph, as parts made by hand.

What the questions say of themselves is found by brute force over all derivations.
"""

import re
from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any

from rulemine.codec import to_json
from rulemine.kg.graph import Triple
from rulemine.kinds.subgraphs.options import SubgraphSection
from rulemine.kinds.variants.options import VariantSection
from rulemine.kinds.written.block import Judgement, MinimalQuery, SubgraphBlock, VariantBlock
from rulemine.phrasing.compose import compose
from rulemine.query.parser import parse
from rulemine.query.sparql import to_sparql
from rulemine.query.structures import structure_of
from rulemine.query.tree import Count, Difference, Query
from rulemine.release.contents import ReleaseParts
from rulemine.release.records import SEED_TEXTS, Question, SeedRow, Unseen
from tests.structures import (
    CONFIG,
    DECLARED,
    MODEL_COUNTS,
    REMOVALS,
    SOURCE,
    WORLD,
    derivations,
    structure_question,
    world,
)

COUNT = '(count (p- "citizen_of" "france"))'
WITHOUT = '(minus (p- "won" "oscar") (p- "citizen_of" "france"))'

ASKED = [
    ("train", '(p "citizen_of" "ann")', "france"),
    ("train", '(and (p- "citizen_of" "france") (p- "won" "oscar"))', "ann"),
    ("train", '(p- "born_in" "rome")', "cat"),
    ("train", COUNT, "dan"),
    ("train", WITHOUT, "eve"),
    ("train", '(p "made_in" (p "wrote" (or (p "spouse" "ann") (p- "spouse" "ann"))))', "italy"),
    ("test", '(p "born_in" (and (p- "won" "oscar") (p- "won" "palme")))', "lyon"),
    ("test", '(minus (p- "shot_in" "rome") (p "directed" "cat"))', "film3"),
]
"""Splits, queries and the answers that their writer had in mind; split, so that training gives none away."""

TRAINING = sorted(
    {r for split, text, _ in ASKED if split == "train" for r in re.findall(r'p-? "(\w+)"', text)}
)
"""The relations of training."""

SECTIONS: dict[str, dict[str, Any]] = {
    "subgraphs": {
        **to_json(SubgraphSection(questions=20)),
        "nodes": 17, "edges": 30, "max_answers": 10, "max_evidence": 100,
        "reserved_shapes": ["((1)(1))"],
    },
    "variants": {
        **to_json(VariantSection(questions=20, judges=("m",))),
        "max_neighbors": 1000, "max_triples": 40, "max_answers": 0, "max_evidence": 100,
    },
}  # fmt: skip

JUDGEMENT = Judgement("m", True, "It is a sentence.", False, "", True, "", True, "")


def positive(query: Query) -> Query:
    """A query without what it counts or takes away at its root."""
    return positive(query.of) if isinstance(query, Count | Difference) else query


def whole(number: int, text: str, split: str) -> Question:
    """What a question of any kind says of a query, with counts and differences at its root."""
    query = parse(text)
    plain = structure_question(number, positive(query).text, split)
    known = {triple for triple in WORLD if triple not in {row.triple for row in REMOVALS}}
    kept, given = set(plain.answers), {*plain.stated}
    if isinstance(query, Difference):
        gone = list(derivations(query.minus))
        kept -= {answer for answer, _ in gone}
        given -= {answer for answer, triples in gone if known.issuperset(triples)}
    hard = tuple(row for row in plain.hard if row.answer in kept)
    if kept < {*plain.answers}:  # one answer is left in each such query here
        every = [triples for answer, triples in derivations(positive(query)) if answer in kept]
        assert len(every) == 1
        assert not hard
        plain = replace(
            plain, evidence=tuple(every[0]), full_evidence=tuple(sorted(every[0])), hard_answer=None,
            core=False, removed=(), rules=(),
        )  # fmt: skip
    form = structure_of(query, DECLARED)
    counts = isinstance(query, Count)
    ends = {end for s, _, o in plain.full_evidence for end in (s, o)}
    return replace(
        plain, anchors=form.anchors, query=query.text, sparql=to_sparql(query), structure=form.name,
        shape=form.shape, hops=form.hops, answers=tuple(sorted(kept)),
        stated=tuple(sorted(kept - {row.answer for row in hard})),
        hard=hard, spurious=tuple(sorted(given - kept)), value=len(kept) if counts else None,
        stated_value=len(given) if counts else None,
        relations=tuple(sorted({r for _, r, _ in WORLD if f'"{r}"' in text})),
        intermediates=tuple(sorted(ends - kept - {*form.anchors})),
    )  # fmt: skip


def near(triples: Sequence[Triple]) -> tuple[Triple, ...]:
    """All triples of the world between the entities up to two hops from some."""
    ends = {end for s, _, o in triples for end in (s, o)}
    ends |= {end for s, _, o in WORLD if {s, o} & ends for end in (s, o)}
    ends |= {end for s, _, o in WORLD if {s, o} & ends for end in (s, o)}
    return tuple(sorted(t for t in WORLD if {t[0], t[2]} <= ends))


def common(
    number: int, split: str, text: str, answer: str
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The fields of a question and of its block, whatever its kind."""
    found = whole(number, text, split)
    own = {
        each.name: getattr(found, each.name) for each in fields(Question) if each.name != "block"
    }
    if found.hard_answer == answer or answer in found.stated:
        triples = next(t for a, t in derivations(positive(parse(text))) if a == answer)
    else:
        triples = next(list(row.witness) for row in found.hard if row.answer == answer)
    return own, {
        "answer": answer,
        "triples": tuple(sorted(triples)),
        "subgraph": near(triples),
    }


def subgraph_question(number: int, split: str, text: str, answer: str) -> Question:
    """A question of the kind ``subgraphs``."""
    own, block = common(number, split, text, answer)
    kinds = (["ugt"] if "((" in own["shape"] else []) + (["urt"] if "shot_in" in text else [])
    return Question(
        **own | {"kind": "subgraphs"},
        block=SubgraphBlock(
            **block,
            redundant=False,
            minimal_shape=own["shape"],
            minimal=(MinimalQuery(own["anchors"], text),),
            test_type=tuple(kinds or ["id"]) if split == "test" else (),
        ),
    )


def variant_question(number: int, split: str, text: str, answer: str) -> Question:
    """A question of the kind ``variants``."""
    own, block = common(number, split, text, answer)
    seeds = {block["answer"], *own["anchors"][:1]}
    return Question(
        **own | {"kind": "variants"},
        block=VariantBlock(
            **block,
            seed_text=f"text {number}", seeds=tuple(sorted(seeds)),
            topic="films" if "film" in answer else "people", unique=len(own["answers"]) == 1,
            redundant=False, judgements=(JUDGEMENT,) * 3,
        ),
    )  # fmt: skip


def written_world(kind: str, **changes: Any) -> ReleaseParts:
    """The parts of a release of a kind, with texts from the names of relations.

    Of the kind ``variants``, two questions that need nothing removed are those of validation.
    """
    make = {"subgraphs": subgraph_question, "variants": variant_question}[kind]
    parts = world(questions=())
    questions: list[Any] = []
    for number, (split, text, answer) in enumerate(ASKED):
        made = make(
            number, "validation" if kind == "variants" and number in (2, 4) else split, text, answer
        )
        questions.append(replace(made, question=compose(parse(text), parts.templates)))
    return replace(
        parts,
        **{
            "questions": with_unseen(questions),
            "config": {key: value for key, value in CONFIG.items() if key != "structures"}
            | {"kind": kind, kind: SECTIONS[kind]}
            | {"verbalizer": {"name": "template"}},
            "source": SOURCE | {"duplicates": 0},
            "model_counts": MODEL_COUNTS,
            "sampling_counts": {
                kind: {
                    "wanted": 20, "questions": 8, "drawn": 9, "rejected": {"it is odd": 1},
                    "split": {"accepted": 8, "training_relations": TRAINING, "per_cell": 1},
                }
            },
            "records": {
                SEED_TEXTS: tuple(
                    SeedRow(q.block.seed_text, q.block.seeds, "", q.split)
                    for q in questions
                    if q.kind == "variants"
                )
            },
        }
        | changes,
    )  # fmt: skip


def with_unseen(questions: Sequence[Question]) -> tuple[Question, ...]:
    """The questions with what none in training has."""
    train = [q for q in questions if q.split == "train"]
    rules = {rule for q in train for rule in q.rules}
    relations = {relation for q in train for relation in q.relations}
    answers = {answer for q in train for answer in q.hard_answers}
    return tuple(
        replace(
            q,
            unseen=Unseen(
                not rules >= {*q.rules},
                not relations >= {*q.relations},
                q.hard_answer not in {*answers, None},
            ),
        )
        for q in questions
    )


# The twelve questions of `tests.structures`, as ones that a writer asked


def _as(kind: str, question: Question, **changes: Any) -> Question:
    """The same question as one that was written; `changes` are of its block."""
    own: dict[str, Any] = {
        "answer": question.answers[0], "triples": tuple(sorted(set(question.evidence))),
        "subgraph": question.full_evidence, "redundant": False,
    }  # fmt: skip
    if kind == "subgraphs":
        minimal = MinimalQuery(question.anchors, question.query)
        own |= {"minimal_shape": question.shape, "minimal": (minimal,), "test_type": ()}
    else:
        own |= {
            "seed_text": f"t{int(question.id[1:]) // 2}", "seeds": question.anchors, "topic": "people",
            "unique": len(question.answers) == 1, "judgements": (),
        }  # fmt: skip
    block = {"subgraphs": SubgraphBlock, "variants": VariantBlock}[kind]
    return replace(question, kind=kind, block=block(**own | changes))


def _twelve(kind: str, questions: Sequence[Question], told: dict[str, Any]) -> ReleaseParts:
    config = {**CONFIG, "kind": kind, kind: SECTIONS[kind]}
    return world(config=config, questions=tuple(questions), sampling_counts={kind: told})


def subgraphs() -> ReleaseParts:
    """Twelve questions, of which one is not minimal and the test questions have a class."""
    given = list(world().questions)
    made = []
    for number, q in enumerate(given):
        split = "test" if q.split == "test" else "train"
        types = (("id",), ("ugt",), ("urt",), ("ugt", "urt"))[number % 4]
        own: dict[str, Any] = {"test_type": types if split == "test" else ()}
        if number == 4:
            own |= {"redundant": True, "minimal_shape": "(1)"}
        made.append(_as("subgraphs", replace(q, split=split), **own))
    told = {
        "wanted": 20, "questions": 15, "drawn": 40, "rejected": {"it is odd": 20, "it is long": 5},
        "grown": 3, "final_filter": {"model": "judge", "asked": 7, "failed": 1, "unreadable": 2},
        "paraphrases": {
            "model": "other", "judge": "judge", "asked": 12, "dropped": {"paraphrase: audit_failed": 2},
        },
        "mended": {"asked": 9, "accepted": 4}, "dropped": {"LIMIT": 3},
        "split": {"accepted": 15, "training_relations": ["in", "won"], "per_cell": 1},
    }  # fmt: skip
    return _twelve("subgraphs", made, told)


def variants(judged: bool = False) -> ReleaseParts:
    """Twelve questions from six seed texts, of two topics; judged by one model thrice, or not."""
    given = list(world().questions)
    own: dict[str, Any] = {"judgements": (JUDGEMENT,) * 3 if judged else ()}
    made = [
        _as("variants", q, topic="people" if n % 3 else "places", **own)
        for n, q in enumerate(given)
    ]
    agreement = {
        "votes": 54, "good": 51, "subjects": 18, "raw": 0.9, "kappa": 0.5, "low": 0.25, "high": 0.75,
    }  # fmt: skip
    counts = {
        "models": ["judge"] * 3, "judged": 18, "accepted": 12, "unreadable": 1,
        "agreement": {"redundancy": agreement, "answer_support": agreement | {"kappa": None, "low": None}},
    }  # fmt: skip
    told = {
        "wanted": 20, "questions": 12, "drawn": 18, "seed_texts": 6,
        "rejected": {"it is odd": 4, "enough questions are accepted": 2},
        "skipped": {"no seed": 3}, "judged": counts if judged else None,
    }  # fmt: skip
    return _twelve("variants", made, told)
