import itertools

from rulemine.query.evidence_tree import simple_path
from rulemine.seeds import stream


def every_path(edges, start, end):
    """All orders and directions in which the edges lead from one node to the other, none visited twice."""
    for order in itertools.permutations(range(len(edges))):
        for directions in itertools.product((True, False), repeat=len(edges)):
            nodes = [start]
            for edge, forward in zip(order, directions, strict=True):
                source, target = edges[edge] if forward else edges[edge][::-1]
                if source != nodes[-1]:
                    break
                nodes.append(target)
            else:
                if nodes[-1] == end and len(set(nodes)) == len(nodes):
                    yield list(zip(order, directions, strict=True))


def test_a_path_is_what_trying_every_order_finds():
    draw = stream(5, "paths")
    found = 0
    for _ in range(3000):
        edges = [(draw.below(4), draw.below(4)) for _ in range(1 + draw.below(3))]
        wanted = list(every_path(edges, 0, 1))
        assert len(wanted) <= 1
        assert simple_path(edges, 0, 1) == (wanted[0] if wanted else None), edges
        found += bool(wanted)
    assert found > 100
