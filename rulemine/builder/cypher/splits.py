"""Splits of questions over a property graph: by type signature, or by domain.

CypherBench (arXiv 2412.18702) splits by graph: a test graph has types and relations that no training
question has. Within one graph its like is a split by signature, where test asks for combinations of types and
relations that training does not have, or by domain, the type of what is asked for.

Guarantees: no signature (or domain) is in two splits, nor are two questions of the same matches; the split
of a question depends on the questions, ratios and seed, not on their order; no split is empty. Sizes are near
the ratios and templates are distributed as in the whole, as far as whole groups allow; a group that is larger
than its split should be is in train.
"""

from collections.abc import Sequence

from rulemine.builder.cypher.options import SPLIT_WAYS
from rulemine.builder.split import deal
from rulemine.cypher.pattern import PatternQuery
from rulemine.cypher.pattern_text import query_text
from rulemine.errors import UserError, counted
from rulemine.release.records import SPLITS

__all__ = ["assign", "signature_of"]


def signature_of(query: PatternQuery) -> str:
    """The type signature of what is matched, whichever node is asked for: its relations with their types.

    Example:
        >>> from rulemine.cypher import MatchPattern, PatternNode, ReturnClause
        >>> town, person = PatternNode("Town"), PatternNode("Person", "Bo")
        >>> match = MatchPattern("(n)<-(m0*)", (town, person), ("livesIn",))
        >>> signature_of(PatternQuery(match, ReturnClause("n_name")))
        'Person livesIn Town'
    """
    match = query.match
    edges = [
        f"{match.named[edge.subject].type} {edge.relation} {match.named[edge.object].type}"
        for edge in match.edges
    ]
    return ", ".join(sorted(edges)) or match.nodes[0].type


def assign(queries: Sequence[PatternQuery], ratios: Sequence[int], seed: int, by: str) -> list[str]:
    """The split of each question.

    Args:
        queries: The questions.
        ratios: Three integers ≥ 1: sizes of train, validation and test relative to each other.
        seed: Seed of the random choices.
        by: One of `SPLIT_WAYS`.

    Raises:
        UserError: There are fewer groups than splits.
    """
    texts = [query_text(query) for query in queries]
    order = sorted(range(len(queries)), key=texts.__getitem__)
    groups: dict[object, list[int]] = {}
    for place, at in enumerate(order):
        query = queries[at]
        match = query.match
        key = {"signature": signature_of(query), "domain": match.nodes[0].type}.get(by, match)
        groups.setdefault(key, []).append(place)
    if len(groups) < len(SPLITS):
        raise UserError(
            f"{counted(len(queries), 'question')} have {counted(len(groups), by)}; {len(SPLITS)} splits need "
            f"at least {len(SPLITS)}. Set cypher.split_by to another of {', '.join(SPLIT_WAYS)}, or "
            "questions.split to none."
        )
    strata = [
        (("match", queries[at].match.template), ("return", queries[at].result.template))
        for at in order
    ]
    dealt = deal(strata, list(groups.values()), ratios, seed)
    found = [""] * len(queries)
    for group, number in zip(groups.values(), dealt, strict=True):
        for place in group:
            found[order[place]] = SPLITS[number]
    return found
