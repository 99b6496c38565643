"""Calls as the verifier writes them out, against the builder's, which shares no code with it."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rulemine.builder.asked import Asked
from rulemine.builder.verbalizer.briefs import make_briefs
from rulemine.builder.verbalizer.calls import Calls as BuilderCalls
from rulemine.builder.verbalizer.gloss import Gloss as BuilderGloss
from rulemine.builder.verbalizer.gloss import Glosses
from rulemine.builder.verbalizer.prompts import load_prompts
from rulemine.kg import KnowledgeGraph
from rulemine.recipe import VerbalizerSection
from rulemine.records import EntityNames, Question, from_json
from rulemine.seeds import stream
from rulemine.verify.calls import Call, Calls, Query
from rulemine.verify.contexts import Contexts, namesakes
from rulemine.verify.folder import Folder
from rulemine.verify.graph import Graph, Terms
from rulemine.verify.names import Entity, Names
from rulemine.verify.prompts import PROMPT, Gloss, read_prompts
from rulemine.verify.proofs import Facts
from rulemine.verify.report import Findings
from rulemine.verify.shapes import NAMINGS
from rulemine.verify.wording import Verbalizer
from tests.verify.tiny import tiny_files, write_release

ENTITIES, LABELS = 60, 25
"""So many that most labels are those of several."""


def names_of(entities: list[str]) -> list[EntityNames]:
    """Namesakes in plenty, told apart as the builder does."""
    draw = stream(3, "labels")
    labels = [f"Lee {draw.below(LABELS)}" for _ in entities]
    return [
        EntityNames(f"e{i:02}", name, f"{label} ({name})" if labels.count(label) > 1 else label)
        for i, (name, label) in enumerate(zip(entities, labels, strict=True))
    ]


@pytest.mark.parametrize("relations", [3, 39, 40, 41, 90])
@pytest.mark.parametrize("naming", ["text", "private"])
def test_the_calls_are_the_builders(tmp_path: Path, relations: int, naming: str) -> None:
    seed, draw = 2**31 + 7, stream(relations, naming)
    entities = [f"n{i:02}" for i in range(ENTITIES)]
    kinds = [f"kin {i}" if i % 3 else f"kin/{i % 7} the object" for i in range(relations)]
    kinds = sorted({f"{kind}{'x' * (i % 2)}" for i, kind in enumerate(kinds)})
    triples = {
        (
            entities[draw.below(5) if draw.below(3) == 0 else draw.below(ENTITIES)],
            kinds[draw.below(len(kinds))],
            entities[draw.below(ENTITIES)],
        )
        for _ in range(1500)
    }
    kg = KnowledgeGraph.from_triples(triples)
    rows = np.array(sorted({draw.below(len(kg)) for _ in range(60)}), np.int64)
    removed = list(kg.labelled(rows))
    glosses = Glosses(
        tuple(
            BuilderGloss(
                kind,
                f"{{subject}} is the {kind} {{{{of}}}} {{object}}"
                if i % 4
                else "{object} knows {subject}",
                f"the {kind}s of {{topic}}",
                f"whose {kind} {{topic}} is",
                "written",
            )
            for i, kind in enumerate(kinds)
        )
    )
    table = names_of(entities)
    questions = [
        _question(f"q{i}", triple, ("subject", "object")[i % 2], triples)
        for i, triple in enumerate(removed)
    ]
    asked = Asked(tuple(questions), (), tuple(table), ENTITIES)
    briefs = make_briefs(asked, kg, rows, glosses, naming, seed)
    section = VerbalizerSection(
        name="openai", model="m", auditor_model="a", paraphrases=3, language="Klingon"
    )
    made = BuilderCalls(load_prompts(""), section, seed, glosses)

    names = Names(
        {
            row.entity: Entity(1, (row.private, row.entity, row.text, str(int(row.private[1:]))))
            for row in table
        },
        {kind: {} for kind in kinds},
        dict.fromkeys(kinds, 1),
    )
    chosen = Verbalizer(
        is_model=True,
        model="m",
        auditor="a",
        paraphrases=3,
        naming=NAMINGS.index(naming),
        language="Klingon",
        max_tokens=section.max_tokens,
        seed=seed,
    )
    folder = write_release(tmp_path, files=tiny_files() | {PROMPT: load_prompts("").text})
    findings = Findings()
    files = Folder(folder, findings)
    files.check()
    meanings = {g.relation: Gloss(g.statement, g.subjects, g.objects) for g in glosses.rows}
    calls = Calls(read_prompts(files, findings), meanings, names, chosen)
    terms = Terms(entities, kinds)
    complete = Graph.of(triples, terms)
    left = Graph.of(triples - set(removed), terms)
    queries = [Query(q.removed, q.direction) for q in questions]
    contexts = Contexts(queries, names, complete, left, Facts(complete), chosen)
    assert findings.report(folder).problems == ()

    told = 0
    for query, brief in zip(queries, briefs, strict=True):
        context = [calls.state(fact) for fact in contexts.of(query)]
        assert tuple(context) == brief.context
        told += len(context)
        text = f"Who {{knows}} {brief.topic_name} \N{SNOWMAN}?"
        assert calls.question(query, context) == same(made.question(brief, ()))
        assert calls.audit(query, context, text) == same(made.audit(brief, text))
        assert calls.round_trip(query, text) == same(made.round_trip(brief, text))
        found = calls.paraphrase(query, context, text)
        assert found == same(made.paraphrase(brief, [text], 3, ()))
    assert (told > len(queries)) == (naming == "text")
    assert len(namesakes(names)) > ENTITIES / 2


def same(call: Any) -> Call:
    """A call of the builder as the verifier has it."""
    return Call(bytes.fromhex(call.key), bytes.fromhex(call.request))


def _question(
    name: str, triple: tuple[str, str, str], direction: str, triples: set[tuple[str, str, str]]
) -> Question:
    s, r, o = triple
    topic, answer = (s, o) if direction == "object" else (o, s)
    answers = sorted(
        {t[2] for t in triples if t[:2] == (s, r)}
        if direction == "object"
        else {t[0] for t in triples if t[1:] == (r, o)}
    )
    diagnosis: dict[str, Any] = {"proofs": 1, "shortest_proof": 1, "answers_stated": 0}
    diagnosis |= {"reverse_edge": [], "parallel_edge": []}
    diagnosis |= dict.fromkeys(("head_coverage", "std_confidence", "pca_confidence"), 1.0)
    row = {
        "id": name,
        "question": "?",
        "topic": topic,
        "relation": r,
        "direction": direction,
        "answers": answers,
        "hard_answer": answer,
        "hard_answers": [answer],
        "removed": [s, r, o],
        "level": 100,
        "rule": "0" * 12,
        "rule_type": "other",
        "rule_subtype": "other",
        "certificate": [[s, r, o]],
        "diagnosis": diagnosis,
        "split": "test",
    }
    return from_json(Question, row, name)
