"""What is not asked about, and what restates what, as the verifier works it out."""

import json
import random
from pathlib import Path
from typing import Any

import pytest

from rulemine.builder.relation_filter import ONE_END, TOO_MANY, excluded_relations
from rulemine.kg.graph import KnowledgeGraph
from rulemine.kg.relation_overlap import overlapping_relations
from rulemine.verify import verify
from rulemine.verify.relations import _by_statistics, find_overlaps
from rulemine.verify.triples import Graph
from tests.verify.tiny import MANIFEST, seal, write_release


def some_graph(seed: int) -> KnowledgeGraph:
    rng = random.Random(seed)
    triples = {(f"n{rng.randrange(5)}", "p", f"n{rng.randrange(5)}") for _ in range(12)}
    triples |= {(s, "q", o) for s, _, o in triples if rng.random() < 0.85}
    triples |= {(o, "r", s) for s, _, o in triples if rng.random() < 0.85}
    triples |= {(s, "t", "n0" if rng.random() < 0.8 else o) for s, _, o in triples}
    return KnowledgeGraph.from_triples(triples)


@pytest.mark.parametrize("seed", range(20))
def test_verifier_and_builder_agree_though_they_share_no_code(seed: int) -> None:
    kg = some_graph(seed)
    graph = Graph.of(kg.labeled())
    assert find_overlaps(graph) == {
        (t.relation, t.other, -1 if t.reversed else 1) for t in overlapping_relations(kg)
    }
    for share, most in ((0.5, 0), (1.0, 2), (0.6, 1), (1.0, 0)):
        assert _by_statistics(graph, share, most) == excluded_relations(kg, {}, share, most)


def problems(folder: Path, options: dict[str, Any], dropped: Any, count: int) -> list[str]:
    """What the verifier says of the tiny release with some options and excluded relations."""
    write_release(folder)
    path = folder / "manifest.json"
    manifest = json.loads(path.read_text())
    manifest["config"]["questions"] |= options
    manifest["kg"]["dropped"] = dropped
    manifest["counts"] = MANIFEST["counts"] | {"relations_dropped": count}
    path.write_text(json.dumps(manifest))
    seal(folder)
    return [str(problem) for problem in verify(folder).problems]


def test_a_listed_relation_that_lost_nothing_is_fine(tmp_path: Path) -> None:
    assert problems(tmp_path, {"filter": "mine.toml"}, {"wife": "dull"}, 1) == []


@pytest.mark.parametrize(
    ("options", "dropped", "message"),
    [
        ({"filter": "mine.toml"}, {"husband": "dull"}, "no triple of an excluded relation"),
        ({"filter": "mine.toml"}, {"aunt": "dull"}, "found 'aunt'; expected relations"),
        ({}, {"wife": "dull"}, "'wife' excluded because dull; expected not excluded"),
        ({}, {"wife": ONE_END}, f"excluded because {ONE_END}"),
        ({"max_end_share": 0.9}, {"wife": TOO_MANY}, f"excluded because {TOO_MANY}"),
        ({"max_end_share": 0.3}, {}, f"expected excluded because {ONE_END}"),
        ({"max_end_share": "0.3"}, {}, "numbers for max_end_share"),
        ({}, ["wife"], "relation → reason"),
    ],
)
def test_what_is_dropped_must_be_what_the_options_say(
    tmp_path: Path, options: dict[str, Any], dropped: Any, message: str
) -> None:
    found = problems(tmp_path, options, dropped, len(dropped) if isinstance(dropped, dict) else 0)
    assert any(message in problem and "excluded relations" in problem for problem in found), found


def test_a_question_with_too_many_answers_is_named(tmp_path: Path) -> None:
    assert problems(tmp_path, {"max_answers": 2}, {}, 0) == []
    (found,) = problems(tmp_path, {"max_answers": 1}, {}, 0)
    assert "questions/test.jsonl: line 1: number of answers: found 2 answers" in found
