"""The examples in prompts of candidates are what prompts ask for."""

import json

from rulemine.kg.facts import Declarations
from rulemine.kg.graph import KnowledgeGraph
from rulemine.kinds.subgraphs.ask import TESTED_SHAPES
from rulemine.kinds.subgraphs.options import SubgraphSection
from rulemine.kinds.subgraphs.validation import RunFailure, Valid, Validator
from rulemine.kinds.written.model_calls import examples_of
from rulemine.kinds.written.replies import Candidate, Refusal, Subgraph, read_candidate
from rulemine.kinds.written.writer_names import WriterNames
from rulemine.query import QueryGraph
from rulemine.query.tree import Count, Difference
from tests import each


class Late:
    """Ends no query in time, so that trees are taken."""

    def answers(self, sparql: str) -> Refusal:
        return Refusal(RunFailure.TIME)

    def __enter__(self) -> "Late":
        return self

    def __exit__(self, *_: object) -> None:
        pass


@each("form", ["plain", "count", "without"])
def test_every_example_is_a_valid_candidate_about_its_triples(form: str) -> None:
    shapes = set()
    for reply in examples_of(form, 1, "", 0, 99):
        candidate = read_candidate(reply)
        assert isinstance(candidate, Candidate)
        lines = [line.split(" — ") for line in json.loads(reply)["triples"]]
        taken = [("Other (e99)", "won", seed.id) for seed in candidate.seeds]
        names = dict.fromkeys(end for s, _, o in (*lines, *taken) for end in (s, o))
        codes = [name.rpartition("(")[2].rstrip(")") for name in names]
        labels = dict(zip(names, [n.rpartition(" (")[0] for n in names], strict=True))
        relations = ("won", "acted_in")
        kg = KnowledgeGraph.from_triples(
            [*map(tuple, lines), *((s, r, o) for s, _, o in taken for r in relations),
             *((o, "acted_in", s) for s, _, o in taken)]  # type: ignore[misc]
        )  # fmt: skip
        ids = dict(zip(names, codes, strict=True))
        own = WriterNames(kg, [ids[e] for e in kg.entities], [labels[e] for e in kg.entities])
        validator = Validator(own, QueryGraph(kg), Declarations(), Late())
        whole = Subgraph(tuple(range(len(kg.entities))), tuple(range(len(kg.triples))))
        found = validator.validate(candidate, whole, len(lines))
        assert isinstance(found, Valid), (reply, found)
        assert all(own.find(seed.id) is not None for seed in candidate.seeds)
        assert all(seed.label.rpartition(" (")[0] in candidate.question for seed in candidate.seeds)
        assert isinstance(found.query, Count) == (form == "count")
        assert isinstance(found.query, Difference) == (form == "without")
        shapes.add(len(lines))
    assert shapes == {1, 2, 3, 4, 5, 6} if form == "plain" else shapes >= {1, 2, 3}


def test_examples_are_of_the_shape_that_is_asked_for_else_of_as_many_triples() -> None:
    for shape in (*SubgraphSection.reserved_shapes, *TESTED_SHAPES):
        (first, *_) = examples_of("plain", 4, shape, 5, 2)
        again = examples_of("plain", 4, shape, 6, 2)
        assert first == again[0], shape
    for atoms in range(1, 7):
        some = examples_of("plain", atoms, "", 3, 2)
        assert [len(json.loads(reply)["triples"]) for reply in some] == [atoms, atoms]
    one, other = (examples_of("plain", 4, "", number, 1) for number in (0, 25))
    assert one != other, "in turns"
    assert not examples_of("plain", 4, "", 0, 0)
