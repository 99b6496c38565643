"""A writer's view of the demo graph, for tests."""

from rulemine.datasets.registry import load_kg
from rulemine.kinds.written.candidate import Subgraph
from rulemine.kinds.written.writer_names import WriterNames
from rulemine.release.naming import name_entities
from rulemine.seeds import stream

KG = load_kg("demo")
NAMES = WriterNames.of(KG, name_entities(KG.entities, seed=3), "text")


def some_subgraph(number, nodes=10):
    """A connected subgraph, its nodes drawn one after another."""
    random = stream(5, number)
    inside = [random.below(len(KG.entities))]
    rows = []
    while len(inside) < nodes:
        s, _, o = KG.triples.T
        beside = [i for i in range(len(s)) if (s[i] in inside) != (o[i] in inside)]
        row = beside[random.below(len(beside))]
        new = int(o[row] if s[row] in inside else s[row])
        rows += [i for i in beside if new in (s[i], o[i])]
        inside.append(new)
    return Subgraph(tuple(inside), tuple(rows))
