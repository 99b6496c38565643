"""Whether somebody would name two entities in one question."""

from rulemine.kg.graph import KnowledgeGraph
from rulemine.kinds import neighbors
from rulemine.kinds.neighbors import Neighbors


def test_who_belongs_together() -> None:
    crowd = [f"other{i}" for i in range(neighbors.FEW)]
    kg = KnowledgeGraph.from_triples(
        [("ann", "acts_in", "film"), ("bob", "directs", "film"), ("ann", "knows", "cid")]
        + [(who, "gender", "female") for who in ("ann", "eve", *crowd)]
        + [(who, "likes", "male") for who in ("female", *(f"{who}s" for who in crowd))]
        + [("oslo", "lies_in", "norway"), ("bergen", "lies_in", "norway")]
    )
    near = Neighbors(kg, ["lies_in", "of_another_graph"])
    together = {
        (a, b): near.belong_together([kg.entity_ids[a], kg.entity_ids[b]], but)
        for a, b, *some in [
            ("ann", "bob"), ("ann", "bob", "film"), ("ann", "cid"), ("cid", "ann"), ("ann", "eve"),
            ("eve", "female"), ("female", "male"), ("oslo", "norway"), ("norway", "oslo"),
            ("oslo", "bergen"), ("bob", "cid"),
        ]
        for but in [{kg.entity_ids[one] for one in some}]
    }  # fmt: skip
    assert [pair for pair, fits in together.items() if fits] == [
        ("ann", "cid"), ("cid", "ann"), ("eve", "female"), ("oslo", "bergen"),
    ]  # fmt: skip
    assert near.belong_together([kg.entity_ids["ann"], kg.entity_ids["bob"]])
    assert near.belong_together([kg.entity_ids["ann"]])
