"""The reader ``gtsqa``: GTSQA, the data set of SynthKGQA (arXiv 2511.04473), with graphs and without.

Entities are the ids of the source, ``Q38``, and its labels are theirs; relations are as it writes them,
``director (P57)``. Without a graph there are no ids to look up, so an entity is its label.
"""

import ast
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rulemine.codec import shown
from rulemine.config import Section, option
from rulemine.errors import InputError, NoTreeError, QueryError, counted
from rulemine.importing.protocol import ImportedQuestion, ImportedSet
from rulemine.importing.rows import SourceRow, claimed, labels_beside, read_rows, unequal_names
from rulemine.kg.graph import KnowledgeGraph, Triple
from rulemine.query.foreign.read_sparql import tree_of_sparql
from rulemine.query.foreign.sparql_parsing import PREFIXES
from rulemine.query.parser import parse
from rulemine.query.tree import quoted

__all__ = ["GtsqaReader"]

TRIPLES = tuple[tuple[str, str, str], ...]

_NAMED = re.compile(r"(.*) \(([^\s()]+)\)", re.DOTALL)
_PREFIXED = re.compile(r"\b(wdt?):(\w+)")
_QUOTED = re.compile(r'(\(p-? )?"([^"]*)"')

_READ = {"question", "paraphrased_question", "seed_entities", "sparql_query", "graph", "id"}
"""Fields that have a place of their own; the others stay `ImportedQuestion.fields`."""


@dataclass(frozen=True)
class GtsqaReader(Section):
    """Questions with SPARQL and the triples that answer them; the graph is the union of their graphs.

    Attributes:
        answers: Which of the two lists of answers counts, and with it which evidence: that on the graph that
            the questions were sampled from, which the authors score by, or that on all of Wikidata.
    """

    answers: str = option("wikikg2", choices=("wikikg2", "wikidata"))

    def __call__(self, path: Path, kg: Path | None, incomplete: Path | None) -> ImportedSet:
        """Reads a file, or a folder of one configuration.

        Raises:
            InputError: A file is missing, or a row has not the form.
        """
        names = _Names()
        rows = [names.learn(row) for row in read_rows(path)]
        names.labels = labels_beside(path) | names.labels
        with_graph = kg is not None or bool(names.union)
        if with_graph:
            names.labeled = {}
        problems: Counter[str] = Counter()
        questions = [self._question(row, names, problems) for row in rows]
        return ImportedSet(
            title="GTSQA",
            source="https://huggingface.co/datasets/Graphcore/GTSQA",
            license="CC BY 4.0",
            citation="Cattaneo, Luschi, Justus: Ground-Truth Subgraphs for Better Training and Evaluation of "
            "Knowledge Graph Augmented LLMs. 2025. https://arxiv.org/abs/2511.04473",
            questions=questions,
            complete=names.graph(kg) if kg else list(names.union) or None,
            incomplete=names.graph(incomplete),
            labels=names.labels if with_graph else {},
            definitions=_DEFINITIONS,
            notes=tuple(
                f"{counted(n, 'question')}: {text}" for text, n in sorted(problems.items())
            ),
        )

    def _question(
        self, row: SourceRow, names: "_Names", problems: Counter[str]
    ) -> ImportedQuestion:
        stated = f"all_answers_{self.answers}"
        answers = row.need(stated, tuple[str, ...])
        sparql = row.get("sparql_query", str, "")
        query, why = names.query(sparql)
        seeds = [names.id_of(seed) for seed in row.need("seed_entities", tuple[str, ...])]
        fields = {name: value for name, value in row.fields.items() if name not in _READ}
        del fields[stated]
        fields["answer_subgraph"] = row.get("answer_subgraph", TRIPLES, ())
        if fields.get("minimal_seeds_and_queries"):
            minimal, one = _minimal(row), f"(?:{'|'.join(map(re.escape, seeds))})"
            if all(re.fullmatch(f"{one}(?:-{one})*", key) for key in minimal):
                fields["minimal_seeds_and_queries"] = minimal
            else:
                del fields["minimal_seeds_and_queries"]
                problems["minimal_seeds_and_queries names other seeds, and is left out"] += 1
        if kinds := row.get("test_type", tuple[str, ...], ()):
            # Most questions of an unseen shape also have unseen relations; the authors count them here.
            fields["type"] = "unseen_graph_type" if len(kinds) > 1 else kinds[0]
        if why:
            problems[f"the SPARQL is not executed, as it has {why}"] += 1
        if not answers:
            problems[f"{stated} is empty"] += 1
        paraphrase = row.get("paraphrased_question", str, "")
        evidence = row.get(f"full_answer_subgraph_{self.answers}", TRIPLES, ())
        return ImportedQuestion(
            id=row.key(),
            text=row.need("question", str),
            answers=tuple(map(names.name, answers)),
            split=row.split or "test",
            topics=tuple(map(names.name, seeds)),
            query=query,
            sparql=sparql,
            evidence=tuple(names.renamed(evidence)),
            paraphrases=(paraphrase,) if paraphrase else (),
            fields=fields,
        )


_DEFINITIONS = {
    "hits": "Whether the text of the reply, or what it has in braces, equals or contains one of the answers, "
    "or is contained in it, without spaces and in lower case.",
    "recall": "The share of the answers for which that is so.",
    "triple recall": "The share of full_answer_subgraph_wikikg2, the triples of all derivations of all "
    "answers, that a retriever returns.",
    "redundant": "Whether a part of the seed entities, with the shortest path of each to the answer, already "
    "gives no more answers than all of them.",
    "unseen_graph_type": "A test question whose answer subgraph has a shape that no training question has.",
    "unseen_relation_type": "A test question with a relation that no training question has.",
}


def _minimal(row: SourceRow) -> dict[str, str]:
    """Seeds, joined by ``-`` → query. Published as the text of a Python dictionary, since keys differ."""
    value: Any = row.fields["minimal_seeds_and_queries"]
    if isinstance(value, str):
        try:
            value = ast.literal_eval(value)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            value = None
    if isinstance(value, dict) and all(isinstance(x, str) for pair in value.items() for x in pair):
        return value
    raise InputError(
        f"{row.where}: 'minimal_seeds_and_queries' is {shown(row.fields['minimal_seeds_and_queries'])}; "
        "expected a dictionary of queries by their seeds, such as {'Q38-Q150': 'SELECT …'}."
    )


class _Names:
    """What the source calls entities and relations; texts are taken apart once each.

    Attributes:
        labels: Id of an entity → its label.
        labeled: Id → the name of an entity without a graph, made at need; {} where ids are the names.
        union: The triples of the graphs of all rows, each once; graphs overlap.
    """

    def __init__(self) -> None:
        self.labels: dict[str, str] = {}
        self.labeled: Mapping[str, str] | None = None
        self._relations: dict[str, str] = {}
        self._ids: dict[str, str] = {}
        self.union: dict[Triple, None] = {}
        self._places: dict[str, str] = {}

    def id_of(self, text: str) -> str:
        """The id of an entity such as ``Italy (Q38)``; a text without one is its own."""
        found = self._ids.get(text)
        if found is None:
            named = _NAMED.fullmatch(text)
            found = self._ids[text] = named[2] if named else text
            if named:
                self.labels.setdefault(found, named[1])
        return found

    def learn(self, row: SourceRow) -> SourceRow:
        """Takes the names that a row has and its graph, which the row loses."""
        claimed(
            row.key(), row, self._places,
            "Name the folder of one configuration, gtsqa or gtsqa-with-graphs.",
        )  # fmt: skip
        for seed in row.get("seed_entities", tuple[str, ...], ()):
            self.id_of(seed)
        self.id_of(row.get("answer_node", str, ""))
        for triple in row.get("answer_subgraph", TRIPLES, ()):
            self._triple(triple)
        own = row.fields.pop("graph", None) or []  # megabytes of texts
        if not (isinstance(own, list) and all(map(_is_triple, own))):
            own = SourceRow(row.where, row.split, {"graph": own}).need("graph", TRIPLES)
        self.union.update(dict.fromkeys(map(self._triple, own)))
        return row

    def _triple(self, triple: Sequence[str]) -> Triple:
        s, r, o = triple
        if r not in self._ids:
            named = _NAMED.fullmatch(r)
            self._ids[r] = named[2] if named else r
            self._relations.setdefault(self._ids[r], r)
        return self.id_of(s), self._relations[self._ids[r]], self.id_of(o)

    def name(self, entity: str) -> str:
        """The name of an entity by its id."""
        if self.labeled is None:
            self.labeled = unequal_names(self.labels)
        return self.labeled.get(entity, entity)

    def renamed(self, triples: Iterable[Triple]) -> Iterable[Triple]:
        """Triples of ids, or of IRIs that end in ids."""
        for s, r, o in triples:
            relation = _last(r)
            yield self.name(_last(s)), self._relations.get(relation, relation), self.name(_last(o))

    def graph(self, path: Path | None) -> list[Triple] | None:
        """The triples of a file with a graph, of ids or IRIs; None: there is no file."""
        if path is None:
            return None
        kg = KnowledgeGraph.read(path)
        iris = kg.relation_iris
        return list(self.renamed((s, iris.get(r, r), o) for s, r, o in kg.labeled()))

    def query(self, sparql: str) -> tuple[str, str]:
        """The tree of a query of ids, and "" ; or "", and what the query has that no tree has."""
        if not sparql:
            return "", "no SPARQL"
        whole = _PREFIXED.sub(lambda found: f"<{PREFIXES[found[1]]}{found[2]}>", sparql)
        try:
            tree = tree_of_sparql(whole)
            return parse(_QUOTED.sub(self._term, tree.text)).text, ""
        except NoTreeError as problem:
            return "", problem.reason
        except QueryError:
            return "", "errors"

    def _term(self, found: re.Match[str]) -> str:
        """A name in the text of a tree, which has what follows a projection for a relation."""
        key = _last(found[2])
        name = self._relations.get(key, key) if found[1] else self.name(key)
        return f"{found[1] or ''}{quoted(name)}"


def _is_triple(value: Any) -> bool:
    return type(value) is list and [type(part) for part in value] == [str, str, str]


def _last(iri: str) -> str:
    """The id at the end of an IRI; anything else as it is."""
    return re.split(r"[/#]", iri)[-1] if iri.startswith(("http://", "https://")) else iri
