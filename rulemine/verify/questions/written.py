"""What questions written for a subgraph say: kinds ``subgraphs`` and ``variants``.

Checks that no part of a query is idle (`rulemine.verify.questions.idle`) and that every topic entity is
needed, where the recipe wants it; that the writer's answer is one, and that its triples are one derivation
of it by the query (what a difference takes away aside), in the subgraph, which is connected, sorted and in
the complete KG. Of ``subgraphs``: that the subgraph has all triples between its nodes; whether some topic
entities are not needed, and the smallest queries with the same answers; the kinds of generalization. Of
``variants``: whether the answer is the only one, that seeds are in the subgraph, and that all judges accepted
the question.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations

from rulemine.verify.graphs import COMPLETE, as_triple
from rulemine.verify.proofs import Triples
from rulemine.verify.questions.asked import Asked
from rulemine.verify.questions.blocks import check_block, most_of
from rulemine.verify.questions.forms import LINK, form_of, leaves, smaller
from rulemine.verify.questions.idle import check_idle
from rulemine.verify.questions.queries import Query, answers, line
from rulemine.verify.report import difference, shown
from rulemine.verify.shapes import FLAGS
from rulemine.verify.triples import Graph, Triple

__all__ = ["check_subgraph", "check_variant"]

ACCEPTED = {flag: flag != "redundancy" for flag in FLAGS}
"""What a judge says of a question that is accepted: all but that it gives away its answer."""

JUDGES = 3


def check_subgraph(here: Asked) -> None:
    """Checks one question of the kind ``subgraphs``."""
    _check_written(here)
    row, block = here.row, here.row["subgraphs"]
    if block["answer"] in row["anchors"]:
        here.add("anchors apart", shown(block["answer"]), "an answer that is no topic entity")
    sizes = here.contents.folder.option("subgraphs", "atoms")
    links = len(list(_links(_positive(here.links))))
    if isinstance(sizes, list) and links not in sizes:
        expected = f"one of {shown(sizes)} (manifest, config.subgraphs.atoms)"
        here.add("number of triples", f"{links}", expected)
    _check_sampled(here)
    _check_minimal(here)
    _check_needed(here)
    if here.contents.folder.option("questions", "split") != "group":
        here.equal(
            "test type", block["test_type"], [], "splits by what training lacks alone have them"
        )
        return
    reserved = here.contents.folder.option("subgraphs", "reserved_shapes")
    plain = form_of(_positive(here.links)).shape
    held_out = isinstance(reserved, list) and plain in reserved
    if row["split"] != "test":
        here.equal("test type", block["test_type"], [], "a test question alone has one")
        if held_out:
            here.add("reserved shape", shown(plain), "in the test split alone")
        return
    told = block["test_type"]
    if told != sorted(set(told)) or not told or ("id" in told and len(told) > 1):
        here.add("test type", shown(told), "id alone, or ugt, urt or both, sorted")
    if held_out != ("ugt" in told):
        expected = "ugt where the shape is reserved (manifest, config.subgraphs.reserved_shapes)"
        here.add("test type", f"{shown(told)}, shape {plain}", expected)


def _check_sampled(here: Asked) -> None:
    """Checks that the subgraph is one as Algorithm 1 of SynthKGQA draws them."""
    subgraph = set(map(as_triple, here.row["subgraphs"]["subgraph"]))
    nodes = {end for s, _, o in subgraph for end in (s, o)}
    if len(nodes) > (most := most_of(here, "nodes")) > 0:
        limit = f"at most {most} (manifest, config.subgraphs.nodes)"
        here.add("nodes of the subgraph", f"{len(nodes)}", limit)
    dropped = here.contents.folder.manifest["kg"].get("dropped", {})
    whole = {t for t in here.contents.complete.among(nodes) if t[0] != t[2] and t[1] not in dropped}
    if subgraph != whole:
        expected = "every triple between its nodes, but self-loops and excluded relations"
        here.add("whole subgraph", difference(subgraph, whole), expected)


def check_variant(here: Asked) -> None:
    """Checks one question of the kind ``variants``."""
    _check_written(here)
    block = here.row["variants"]
    here.equal("unique", block["unique"], len(here.whole) == 1, "the query on the complete KG")
    here.equal("redundant", block["redundant"], _is_redundant(here), "the query with a topic less")
    _check_needed(here)
    ends = {end for s, _, o in block["subgraph"] for end in (s, o)}
    seeds = block["seeds"]
    if seeds != sorted(set(seeds)) or len(ends.intersection(seeds)) < 2:
        here.add("seeds", shown(seeds), "sorted, at least two of them in the subgraph")
    most = most_of(here, "max_triples")
    if len(block["subgraph"]) > most > 0:
        limit = f"at most {most} (manifest, config.variants.max_triples)"
        here.add("size of the subgraph", f"{len(block['subgraph'])}", limit)
    judges = here.contents.folder.option("variants", "judges")
    judges = judges if isinstance(judges, list) else []
    models = judges * (JUDGES if len(judges) == 1 else 1)
    judged = block["judgements"]
    source = "manifest, config.variants.judges"
    here.equal("judges", [one["model"] for one in judged], models, source)
    for number, one in enumerate(judged, start=1):
        flags = {flag: one[f"{flag}_flag"] for flag in FLAGS}
        if flags != ACCEPTED:
            here.add("unanimous", f"judge {number}: {shown(flags)}", shown(ACCEPTED))


def _check_needed(here: Asked) -> None:
    """Checks that every topic entity is needed where it must be, and that nothing else is idle."""
    kind, option = here.row["kind"], here.contents.folder.option
    redundant = here.row[kind]["redundant"]
    check_idle(here)
    if not redundant and any(
        answers(less, here.contents.known) == here.whole for less in smaller(here.links)
    ):
        here.add("every branch needed", "a branch without which the answers are the same", "none")
    always = option(kind, "minimal") is True
    if redundant and (
        always or (here.row["split"] == "test" and option("questions", "split") != "random")
    ):
        where = f"none (manifest, config.{kind}.minimal)" if always else "none in a test question"
        here.add("needed topics", "a topic entity that is not needed", where)


def _check_written(here: Asked) -> None:
    """Checks what both kinds say."""
    check_block(here)
    block, known = here.row[here.row["kind"]], here.contents.known
    answer = block["answer"]
    if answer not in here.whole:
        here.add("the writer's answer", shown(answer), "an answer on the complete KG")
    triples, subgraph = (list(map(as_triple, block[key])) for key in ("triples", "subgraph"))
    if len(set(triples)) != len(triples) or not _derives(here.links, triples, answer):
        expected = f"one derivation of {shown(answer)} by the query, each triple once"
        here.add("the writer's triples", shown(triples), expected)
    for what, found in (("the writer's triples", triples), ("subgraph", subgraph)):
        if found != sorted(set(found)):
            here.add(f"{what} sorted", shown(found), "code point order, unique")
    if lost := [triple for triple in subgraph if triple[2] not in known.objects(*triple[:2])]:
        here.add("subgraph ⊆ complete", shown(lost), f"triples of {COMPLETE}")
    if outside := sorted(set(triples).difference(subgraph)):
        here.add("triples in the subgraph", shown(outside), "triples that the writer saw")
    nodes = {end for s, _, o in subgraph for end in (s, o)}
    if far := sorted({*here.row["anchors"], answer} - nodes):
        here.add("triples in the subgraph", shown(far), "topic entities and answer in it")
    if not _is_connected(subgraph):
        here.add("subgraph connected", f"{len(subgraph)} triples in several parts", "one part")


def _derives(links: Query, triples: list[Triple], answer: str) -> bool:
    """Whether triples, all of them, are a derivation of an answer, one for each link."""
    query = _positive(links)
    if len(list(_links(query))) != len(triples):
        return False

    def gives(some: Sequence[Triple]) -> bool:
        return answer in answers(query, Triples(Graph.of(some)))

    less = (triples[:i] + triples[i + 1 :] for i in range(len(triples)))
    return gives(triples) and not any(map(gives, less))


def _positive(links: Query) -> Query:
    """A query without what its differences take away; of a count, what it counts."""
    if links.word in ("minus", "count"):
        return _positive(links.parts[0])
    return links._replace(parts=tuple(map(_positive, links.parts)))


def _links(links: Query) -> Iterator[Query]:
    """The links of a query as `rulemine.verify.questions.forms.linked` gives it."""
    if links.word == LINK:
        yield links
        links = links.parts[0]
    for part in links.parts:
        yield from _links(part)


def _is_connected(triples: Sequence[Triple]) -> bool:
    near: dict[str, set[str]] = {}
    for s, _, o in triples:
        near.setdefault(s, set()).add(o)
        near.setdefault(o, set()).add(s)
    waiting = list(near)[:1]
    seen = set(waiting)
    while waiting:
        new = near[waiting.pop()] - seen
        seen |= new
        waiting += new
    return len(seen) == len(near)


def _is_redundant(here: Asked) -> bool:
    """Whether some topic entity can go; answers only grow with each that goes, so one at a time shows it."""
    topics = {name for name, _ in leaves(here.links)}
    kept = (_kept(here.links, topics - {topic}) for topic in sorted(topics))
    return any(
        less is not None and answers(less, here.contents.known) == here.whole for less in kept
    )


def _check_minimal(here: Asked) -> None:
    """Checks which topic entities are needed for the answers, by all queries with fewer of them."""
    block, known = here.row["subgraphs"], here.contents.known
    topics = sorted({name for name, _ in leaves(here.links)})
    found: list[Query] = []
    for size in range(1, len(topics)):
        for some in combinations(topics, size):
            less = _kept(here.links, set(some))
            if less is not None and answers(less, known) == here.whole:
                found.append(less)
        if found:
            break
    here.equal("redundant", block["redundant"], bool(found), "the query with fewer topics")
    found = found or [here.links]
    forms = [form_of(query) for query in found]
    _, shape = min((len(list(_links(q))), f.shape) for q, f in zip(found, forms, strict=True))
    here.equal("minimal shape", block["minimal_shape"], shape, "the smallest such query")
    written = [[one["anchors"], one["query"]] for one in block["minimal"]]
    expected = sorted([f.anchors, line(q)] for q, f in zip(found, forms, strict=True))
    here.equal("minimal", written, expected, "all smallest sets of topics with the same answers")


def _kept(links: Query, topics: set[str]) -> Query | None:
    """What leads from some topic entities to the answer; None if nothing does."""
    if not links.word:
        return links if links.name in topics else None
    if links.word == LINK:
        of = _kept(links.parts[0].parts[0], topics)
        parts = tuple(part._replace(parts=(of,)) for part in links.parts if of is not None)
        return links._replace(parts=parts) if parts else None
    kept = [_kept(part, topics) for part in links.parts]
    parts = tuple(part for part in kept if part is not None)
    if links.word == "and":
        return links._replace(parts=parts) if len(parts) > 1 else (*parts, None)[0]
    if links.word == "or":  # without one of its parts it would say nothing
        return links._replace(parts=parts) if len(parts) == len(kept) else None
    whole = topics.issuperset(name for part in links.parts[1:] for name, _ in leaves(part))
    return links._replace(parts=parts) if whole and kept[0] is not None else kept[0]
