"""From an imported set to the parts of a release: names, missing triples, and what queries give."""

import json
import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from rulemine.codec import dump_line, to_json
from rulemine.errors import InputError, QueryError, UserError, counted
from rulemine.files import digest_of
from rulemine.kg.facts import Declarations
from rulemine.kg.graph import KnowledgeGraph, Triple
from rulemine.kg.question_graphs import by_private_id
from rulemine.kinds.graded import asked_by, new_question, relations_of
from rulemine.kinds.imported.block import ImportedBlock, ImportedCypherBlock
from rulemine.kinds.imported.kind import CYPHER, KIND
from rulemine.kinds.imported.running import SECONDS, SourceRunner
from rulemine.kinds.split import with_unseen
from rulemine.phrasing.templates import load_templates
from rulemine.query.evidence import full_evidence
from rulemine.query.foreign.read_sparql import tree_of_sparql
from rulemine.query.grading import Grades
from rulemine.query.parser import parse
from rulemine.query.query_graph import QueryGraph, levels_of
from rulemine.query.tree import Count
from rulemine.release.contents import ReleaseParts
from rulemine.release.naming import name_entities
from rulemine.release.records import MISSING, SPLITS, HardAnswer, Missing, Question, Rejection
from rulemine.removal.levels import part_of
from rulemine.seeds import stream
from rulemine.text.template import escape

__all__ = ["levels_of_missing", "parts_of"]


def parts_of(
    given: Any, form: str, name: str, progress: Callable[[int, int], None] | None = None
) -> ReleaseParts:
    """The parts of the release of an imported set, in the naming ``entity``: the names of the source.

    Args:
        given: The set, a `rulemine.importing.protocol.ImportedSet`.
        form: The form that it was read as, with its options.
        name: The name of the release.
        progress: Called with questions done and all of them.

    Raises:
        InputError: The set has no question with an answer, two of one id, a split that there is not, or an
            incomplete graph that is no part of the complete one.
    """
    _check(given)
    kind = CYPHER if any(q.cypher for q in given.questions) else KIND
    triples = _cleaned(given.complete or ())
    kg, missing = KnowledgeGraph.from_triples(triples), _missing(given, triples)
    templates = load_templates("", kg.relations, kg=kg)
    questions: list[Question] = []
    rejections: list[Rejection] = []
    with closing(SourceRunner(kg, missing)) as runner:
        grader = _Grader(
            kg, missing, templates.declarations, runner, removes=given.incomplete is not None
        )
        for done, one in enumerate(given.questions, start=1):
            text, *more = dict.fromkeys(map(clean, (one.text, *one.paraphrases)))
            if one.cypher or any(map(clean, one.answers)):
                own = _of_rows(one) if kind is CYPHER else grader.fields(one)
                questions.append(
                    new_question(
                        kind.name, id=clean(one.id), question=text, paraphrases=tuple(more),
                        patterns=(escape(text), *map(escape, more)), wording="source",
                        split=one.split, core=False, rules=(), **own,
                    )
                )  # fmt: skip
            else:
                rejections.append(
                    Rejection("import", "it has no answer", clean(one.id), None, "", "", "", text)
                )
            if progress:
                progress(done, len(given.questions))
    if not questions:
        raise InputError(f"{given.title}: no question has an answer; expected one at least.")
    questions.sort(key=lambda q: q.id)
    named = {
        name
        for q in questions
        for name in (*q.anchors, *q.answers, *(end for s, _, o in q.evidence for end in (s, o)))
    }
    late = [
        f"questions whose SPARQL was ended after {SECONDS:g} s (a faster machine may end fewer, and then "
        f"other answers are hard): {runner.late:,}"
    ]
    names = name_entities(
        kg.entities,
        seed=0,
        labels={
            clean(entity): clean(label) for entity, label in given.labels.items() if clean(label)
        },
        further=() if kind is CYPHER else sorted(named - kg.entity_ids.keys()),
    )
    if given.graphs is not None:
        runs = dict(_graphs(given, kg, {row.entity: row.private for row in names}))
        said = [json.loads(q.block.fields) | {"graph": runs[q.id]} for q in questions]
        questions = [
            replace(q, block=replace(q.block, fields=dump_line(fields)))
            for q, fields in zip(questions, said, strict=True)
        ]
    own = {
        "form": form,
        "definitions": dict(given.definitions),
        "notes": [*given.notes, *(late if runner.late else ())],
        "questions": digest_of("".join(dump_line(to_json(q)) + "\n" for q in questions).encode()),
    }
    return ReleaseParts(
        naming="entity",
        config={"name": name, "kind": kind.name, "naming": "entity", "seed": 0,
                "selection": {"mode": "none"}, kind.name: own},
        source={"title": given.title, "source": given.source, "license": given.license,
                "citation": given.citation, "digest": kg.digest, "duplicates": kg.duplicates},
        complete=kg,
        reference=(),
        levels=(100,),
        removals=(),
        rules=(),
        questions=tuple(with_unseen(questions)),
        rejections=tuple(rejections),
        names=names,
        templates=templates,
        selection_counts={},
        model_counts={},
        records={MISSING: tuple(Missing(triple, missing[triple]) for triple in sorted(missing))},
        graphs=given.property_graphs,
    )  # fmt: skip


def _graphs(
    given: Any, kg: KnowledgeGraph, private: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    """The id of each question, and what `ImportedBlock.fields` says of its graph."""
    by_id, _ = by_private_id(kg, private)
    entities, relations = by_id.entity_ids, by_id.relation_ids
    for one, graph in zip(given.questions, given.graphs, strict=True):
        ids = [
            (entities[private[s]], relations[r], entities[private[o]])
            for s, r, o in _cleaned(graph)
        ]
        rows = np.sort(by_id.rows_of(np.array(ids, np.int32).reshape(-1, 3)))
        starts = np.flatnonzero(np.diff(rows, prepend=-2) > 1)
        lengths = np.diff(starts, append=len(rows)) - 1
        runs = zip(rows[starts].tolist(), lengths.tolist(), strict=True)
        yield clean(one.id), " ".join(f"{start}+{more}" for start, more in runs)


@cache
def clean(name: str) -> str:
    """A name as a table can hold it: on one line, without white space at its ends and without NUL."""
    return (
        " ".join(name.replace("\0", " ").split())
        if name != name.strip() or not name.isprintable()
        else name
    )


def levels_of_missing(missing: Iterable[Triple]) -> dict[Triple, int]:
    """The level of each missing triple: the percentage of the removal at which it goes.

    All triples between two entities go together, the pairs in a random order that depends on them alone.
    """
    pairs: dict[tuple[str, ...], list[Triple]] = defaultdict(list)
    for s, r, o in sorted(missing):
        pairs[tuple(sorted({s, o}))].append((s, r, o))
    total = sum(map(len, pairs.values()))
    parts = [part_of(total, percent / 100) for percent in range(1, 101)]
    levels: dict[Triple, int] = {}
    place = stream(0, "imported", "levels").permutation(len(pairs)).tolist()
    for _, (_, triples) in sorted(zip(place, sorted(pairs.items()), strict=True)):
        levels |= dict.fromkeys(triples, 1 + bisect_right(parts, len(levels)))
    return levels


def _check(given: Any) -> None:
    ids = Counter(clean(one.id) for one in given.questions)
    for one in given.questions:
        if ids[clean(one.id)] > 1:
            raise InputError(
                f"{given.title}: two questions have the id {one.id!r}; ids must differ."
            )
        if one.split not in SPLITS or not clean(one.id) or not clean(one.text):
            raise InputError(
                f"{given.title}: question {one.id!r} has the split {one.split!r} and the text {one.text!r}; "
                f"expected an id, a text, and one of {', '.join(SPLITS)}."
            )
        if one.cypher and given.property_graphs and one.graph not in given.property_graphs:
            raise InputError(
                f"{given.title}: question {one.id!r} is about the graph {one.graph!r}; expected one of "
                f"{', '.join(sorted(given.property_graphs))}."
            )
    for name in given.property_graphs:
        if not re.fullmatch(r"[\w-]+", name) or name in ("complete", "incomplete"):
            raise InputError(
                f"{given.title}: a property graph is called {name!r}; expected letters, digits, - and _."
            )


def _cleaned(triples: Iterable[Triple]) -> set[Triple]:
    """Triples with clean names, without those of which one is empty."""
    rows = ((clean(s), clean(r), clean(o)) for s, r, o in triples)
    return {row for row in rows if all(row)}


def _missing(given: Any, complete: set[Triple]) -> dict[Triple, int]:
    """What the incomplete graph lacks, with levels."""
    left = complete if given.incomplete is None else _cleaned(given.incomplete)
    if strange := sorted(left - complete):
        raise InputError(
            f"{given.title}: {counted(len(strange), 'triple')} of the incomplete graph "
            f"{'is' if len(strange) == 1 else 'are'} not in the complete one, such as "
            f"{' '.join(strange[0])!r}; expected a part of it. Name both: --kg, --incomplete."
        )
    return levels_of_missing(complete - left)


class _Grader:
    """Says which answers of questions about triples are stated and hard, and what they rest on.

    Args:
        kg: The complete graph.
        missing: What the incomplete graph lacks, with levels.
        declarations: Which of its relations state the same facts.
        runner: Runs SPARQL that is no query over links.
        removes: Whether there is an incomplete graph.
    """

    def __init__(
        self,
        kg: KnowledgeGraph,
        missing: Mapping[Triple, int],
        declarations: Declarations,
        runner: SourceRunner,
        *,
        removes: bool,
    ) -> None:
        self._kg, self._missing, self._declarations = kg, missing, declarations
        self._runner, self._removes = runner, removes
        self._graph = QueryGraph(kg, levels_of(kg, missing))

    def fields(self, one: Any) -> dict[str, Any]:
        """The fields of the question of an imported one."""
        listed = tuple(filter(None, map(clean, one.answers)))
        answers = tuple(sorted(set(listed)))
        executed, known, grades, why = None, dict[str, HardAnswer](), None, ""
        try:
            if len(self._kg) and (one.query or one.sparql):
                executed, known, grades = self._executed(one, answers)
        except UserError as problem:
            why = " ".join(str(problem).split())
        given = frozenset((executed or ()) if self._removes else ())
        told = {clean(one.hard_answer)}.intersection(answers)
        hard: set[str] | None = None  # not known
        if one.hard is not None:
            hard, given = {*map(clean, one.hard)}, frozenset(answers)
        elif told or (executed is not None and self._removes):
            hard = {*known, *told}
        others = [a for a in answers if hard is not None and a not in hard]
        rows = sorted(
            (known.get(a, HardAnswer(a, 1, 100, (), False)) for a in answers if a in (hard or ())),
            key=lambda row: (row.answer not in told, row.missing, row.answer),
        )
        first = [row.answer for row in rows]
        evidence = tuple(dict.fromkeys(tuple(map(clean, triple)) for triple in one.evidence))
        fields: dict[str, Any] = {
            "anchors": (), "query": "", "sparql": "", "structure": "", "shape": "", "hops": 0,
            "evidence": evidence, "full_evidence": tuple(sorted(evidence)),
            "relations": tuple(sorted({relation for _, relation, _ in evidence})),
        }  # fmt: skip
        if grades is not None:
            fields |= self._of_query(grades, answers, first)
        if topics := {clean(topic) for topic in one.topics} - {""}:
            fields["anchors"] = tuple(sorted(topics))
        gone = [triple for triple in fields["evidence"] if first and triple in self._missing]
        return fields | {
            "answers": answers,
            "stated": tuple(a for a in others if a in given),
            "further": tuple(a for a in others if a not in given),
            "hard": tuple(sorted(rows, key=lambda row: row.answer)),
            "hard_answer": first[0] if first else None,
            "removed": tuple(dict.fromkeys(gone)),
            "block": ImportedBlock(
                "" if hard is None else "query" if one.hard is None and not told else "source",
                listed if len(listed) > len(answers) else (),
                executed,
                why,
                one.sparql or one.query,
                *_said(one),
            ),
        }

    def _executed(
        self, one: Any, answers: tuple[str, ...]
    ) -> tuple[tuple[str, ...], dict[str, HardAnswer], Grades | None]:
        """What the query of a question gives.

        Returns:
            All answers on the complete graph, sorted; those of the stated ones that it alone gives; and the
            query, graded, if it is one over links. Else hard answers have no derivation, and miss one triple
            at the least.

        Raises:
            UserError: It cannot be executed; the message says why.
        """
        try:
            tree = parse(one.query) if one.query else tree_of_sparql(one.sparql)
            if isinstance(tree, Count):
                raise QueryError("it asks for a number.")
            grades = Grades(self._graph, tree)
        except QueryError as problem:
            if one.query:
                raise
            try:
                whole, left = self._runner.run(one.sparql)
            except UserError as other:
                raise QueryError(f"{problem} As written: {other}") from None
            gone = {*whole}.difference(left)
            return whole, {a: HardAnswer(a, 1, 100, (), False) for a in answers if a in gone}, None
        level = dict(zip(grades.answers, grades.stated_until.tolist(), strict=True))
        rows = {
            a: HardAnswer(a, missing, level[a], tuple(self._kg.labeled(grades.witness(a))), False)
            for a, missing in grades.hard.items()
            if a in answers
        }
        return grades.answers, rows, grades

    def _of_query(
        self, grades: Grades, answers: tuple[str, ...], first: Sequence[str]
    ) -> dict[str, Any]:
        """The fields that follow from a query and the stated answers.

        Its evidence is that of the first of some answers that the query gives, else of another one.
        """
        labels, found, given = self._kg.entities, {*grades.answers}, {*answers}
        kept = next((a for a in (*first, *answers, *grades.answers) if a in found), None)
        stated = [labels[at] in given for at in grades.entities.tolist()]
        evidence = full_evidence(grades, grades.entities[stated])
        asked = asked_by(grades.query, self._declarations)
        between = (labels[at] for at in evidence.between.tolist())
        return asked | {
            "evidence": () if kept is None else tuple(self._kg.labeled(grades.witness(kept))),
            "full_evidence": tuple(self._kg.labeled(evidence.rows)),
            "relations": tuple(sorted(relations_of(grades.query))),
            "intermediates": tuple(sorted({*between}.difference(answers, found, asked["anchors"]))),
            "spurious": grades.spurious,
        }


def _of_rows(one: Any) -> dict[str, Any]:
    """The fields of a question in Cypher."""
    rows = tuple(sorted(one.answers))
    return {
        "anchors": (), "query": " ".join(one.cypher.split()), "sparql": "", "shape": "", "hops": 0,
        "structure": _said(one)[0], "answers": tuple(sorted(set(rows))), "stated": (), "hard": (),
        "hard_answer": None, "evidence": (), "full_evidence": (), "relations": (), "removed": (),
        "block": ImportedCypherBlock(one.cypher, rows, one.graph, *_said(one)),
    }  # fmt: skip


def _said(one: Any) -> tuple[str, str]:
    """The type in the source, and what else it says."""
    return str(one.fields.get("type") or ""), dump_line(dict(one.fields))
