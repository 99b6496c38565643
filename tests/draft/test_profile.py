"""Where hardly anything can be inferred, a build says why, and what would help."""

import random

from rulemine.draft.drafting import explain_no_inference
from rulemine.kg.graph import KnowledgeGraph
from tests import each
from tests.command_line import run_here
from tests.draft.test_drafting import build, folder

__all__ = ["folder"]


def films():
    """Films with people, genres and years drawn at random: no triple leads to a film."""
    rng = random.Random(3)
    rows = []
    for i in range(300):
        film, person = f"film {i}", f"person {rng.randrange(200)}"
        rows += [(film, "directed_by", person), (film, "has_genre", f"genre {rng.randrange(20)}")]
        rows += [(film, "starred_actors", f"person {rng.randrange(200)}") for _ in range(3)]
        rows.append((film, "release_year", str(rng.randrange(1930, 2020))))
    return KnowledgeGraph.from_triples(rows)


def test_a_graph_without_inference_ends_with_what_would_help(tmp_path):
    films().write(tmp_path / "films.tsv")
    ended = run_here(tmp_path, ["build", "films.tsv"])
    assert ended.status == 2
    assert "hardly anything in this graph can be inferred" in ended.err
    assert "about which nothing more is stated. Add triples about these" in ended.err
    assert not (tmp_path / "out" / "films").exists()


@each(
    ("triples", "words"),
    [
        ([("a", "r", "b"), ("b", "r", "c")], "It has one relation"),
        ([("a", "r", "b"), ("b", "s", "c"), ("c", "r", "a")], "It has 3 entities"),
        (
            [(f"{i}", "rs"[i % 2], f"{(i + 1) % 60}") for i in range(60)],
            "its largest relation has 30 triples",
        ),
        (
            [(f"{i}", r, f"{(i + d) % 400}") for i in range(400) for d, r in enumerate("rs")],
            "Its relations say little about one another",
        ),
    ],
)
def test_the_shape_of_a_graph_says_what_is_in_the_way(triples, words):
    assert words in explain_no_inference(KnowledgeGraph.from_triples(triples), "nothing.")


def test_questions_that_miss_nothing_make_no_release(folder):
    keys = ("structures.per_structure=200", 'structures.names=["1p"]')
    few = [word for key in keys for word in ("--set", key)]
    options = ("--kind", "structures", "--set", "selection.share=0.01", "--effort", "1", *few)
    ended = build(folder, "-o", "whole", *options)
    assert ended.status == 2
    assert "miss a triple where all of" in ended.err
    assert "at least 30% were expected" in ended.err
    assert not (folder / "whole").exists()
