"""A writer's view of the demo graph, for tests."""

from rulemine.datasets.registry import load_kg
from rulemine.kinds.written.replies import Subgraph, Task
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


def some_task(number, atoms, form="plain", subgraph=None):
    """A task with a tree of a subgraph, or fewer triples where that has none of so many."""
    random, shown = stream(6, number), subgraph or some_subgraph(number)
    tree, nodes = [], set()
    while len(tree) < atoms:
        ends = [(row, {*KG.triples[row, [0, 2]].tolist()}) for row in shown.rows]
        beside = [row for row, own in ends if len(own & nodes) == 1 or (not tree and len(own) > 1)]
        if not beside:
            break
        tree.append(beside[random.below(len(beside))])
        nodes |= {*KG.triples[tree[-1], [0, 2]].tolist()}
    answer = sorted(nodes)[random.below(len(nodes))]
    return Task(number, shown, form=form, given=tuple(tree), answer=answer)
