"""From an imported set to the parts of a release: names, missing triples, and what queries give."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from rulemine.codec import dump_line, to_json
from rulemine.errors import InputError, counted
from rulemine.files import digest_of
from rulemine.kg.graph import KnowledgeGraph, Triple
from rulemine.kinds.graded import new_question
from rulemine.kinds.imported.block import ImportedBlock, ImportedCypherBlock
from rulemine.kinds.imported.grading import Executed, QueryGrader
from rulemine.kinds.imported.kind import CYPHER, KIND
from rulemine.kinds.imported.running import SECONDS, SourceRunner
from rulemine.kinds.split import with_unseen
from rulemine.phrasing.templates import load_templates
from rulemine.release.contents import ReleaseParts
from rulemine.release.naming import name_entities
from rulemine.release.records import (
    MISSING,
    SPLITS,
    HardAnswer,
    Missing,
    Question,
    Rejection,
)
from rulemine.removal.levels import part_of
from rulemine.seeds import stream
from rulemine.text.template import escape

__all__ = ["levels_of_missing", "parts_of"]

NO_ANSWER = "it has no answer"
"""Why a question is left out."""

_FILE = re.compile(r"[\w-]+")

Progress = Callable[[int, int], None]


def parts_of(given: Any, form: str, name: str, progress: Progress | None = None) -> ReleaseParts:
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
    triples = _complete(given)
    kg = KnowledgeGraph.from_triples(triples or ())
    missing = _missing(given, triples)
    templates = load_templates("", kg.relations, kg=kg)
    questions: list[Question] = []
    rejections: list[Rejection] = []
    with closing(SourceRunner(kg, missing)) as runner:
        grader = QueryGrader(kg, missing, templates, runner)
        make: Any = (
            _cypher
            if kind is CYPHER
            else _Making(kg, missing, grader, given.incomplete is not None)
        )
        for done, one in enumerate(given.questions, start=1):
            if one.cypher or any(map(clean, one.answers)):
                questions.append(make(one, kind.name))
            else:
                text = clean(one.text)
                rejections.append(
                    Rejection("import", NO_ANSWER, clean(one.id), None, "", "", "", text)
                )
            if progress:
                progress(done, len(given.questions))
    if not questions:
        raise InputError(f"{given.title}: no question has an answer; expected one at least.")
    questions.sort(key=lambda q: q.id)
    slow = f"questions whose SPARQL was ended after {SECONDS:g} s (a faster machine may end fewer, and then "
    slow += f"other answers are hard): {runner.late:,}"
    own = {
        "form": form,
        "definitions": dict(given.definitions),
        "notes": [*given.notes, *[slow] * bool(runner.late)],
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
        names=name_entities(
            kg.entities,
            seed=0,
            labels={clean(entity): clean(label) for entity, label in given.labels.items() if clean(label)},
            further=() if kind is CYPHER else sorted(_named(questions) - kg.entity_ids.keys()),
        ),
        templates=templates,
        selection_counts={},
        model_counts={},
        records={MISSING: tuple(Missing(triple, missing[triple]) for triple in sorted(missing))},
        graphs=given.property_graphs,
    )  # fmt: skip


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
    triples = sorted(missing)
    pairs = sorted({frozenset((s, o)) for s, _, o in triples}, key=sorted)
    place = stream(0, "imported", "levels").permutation(len(pairs)).tolist()
    order = dict(zip(pairs, place, strict=True))
    sizes = np.zeros(len(pairs), np.int64)
    for s, _, o in triples:
        sizes[order[frozenset((s, o))]] += 1
    before = (np.cumsum(sizes) - sizes).tolist()
    parts = [part_of(len(triples), percent / 100) for percent in range(1, 101)]
    level = (1 + np.searchsorted(parts, before, "right")).tolist()
    return {(s, r, o): level[order[frozenset((s, o))]] for s, r, o in triples}


def _check(given: Any) -> None:
    seen: set[str] = set()
    for one in given.questions:
        if clean(one.id) in seen:
            raise InputError(
                f"{given.title}: two questions have the id {one.id!r}; ids must differ."
            )
        seen.add(clean(one.id))
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
        if not _FILE.fullmatch(name) or name in ("complete", "incomplete"):
            raise InputError(
                f"{given.title}: a property graph is called {name!r}; expected letters, digits, - and _."
            )


def _cleaned(triples: Iterable[Triple]) -> set[Triple]:
    """Triples with clean names, without those of which one is empty."""
    found = {(clean(s), clean(r), clean(o)) for s, r, o in triples}
    return {triple for triple in found if all(triple)}


def _complete(given: Any) -> set[Triple] | None:
    """The complete graph: that of the set, else the union of those of its questions; None: there is none."""
    if given.complete is not None:
        return _cleaned(given.complete)
    own = [triple for q in given.questions for triple in q.triples]
    return _cleaned(own) if own else None


def _missing(given: Any, complete: set[Triple] | None) -> dict[Triple, int]:
    """What the incomplete graph lacks, with levels."""
    if given.incomplete is None:
        return {}
    left = _cleaned(given.incomplete)
    if strange := sorted(left - (complete or set())):
        raise InputError(
            f"{given.title}: {counted(len(strange), 'triple')} of the incomplete graph "
            f"{'is' if len(strange) == 1 else 'are'} not in the complete one, such as "
            f"{' '.join(strange[0])!r}; expected a part of it. Name both: --kg, --incomplete."
        )
    return levels_of_missing((complete or set()) - left)


def _named(questions: Sequence[Question]) -> set[str]:
    """All entities that questions name."""
    found: set[str] = set()
    for q in questions:
        found.update(q.anchors, q.answers, getattr(q.block, "executed", None) or ())
        found.update(end for s, _, o in (*q.evidence, *q.full_evidence) for end in (s, o))
    return found


class _Making:
    """Makes questions about triples.

    Args:
        kg: The complete graph.
        missing: What the incomplete graph lacks, with levels.
        grader: Executes queries on it.
        removed: Whether there is an incomplete graph.
    """

    def __init__(
        self, kg: KnowledgeGraph, missing: Mapping[Triple, int], grader: QueryGrader, removed: bool
    ) -> None:
        self._kg, self._missing, self._grader, self._removed = kg, missing, grader, removed

    def __call__(self, one: Any, kind: str) -> Question:
        """The question of an imported one."""
        listed = tuple(filter(None, map(clean, one.answers)))
        answers = tuple(sorted(set(listed)))
        chosen = (clean(one.hard_answer),) if clean(one.hard_answer) in answers else None
        hard = one.hard if one.hard is None else tuple(sorted({clean(a) for a in one.hard}))
        evidence = tuple(dict.fromkeys(tuple(map(clean, triple)) for triple in one.evidence))
        fields: dict[str, Any] = {
            "query": "", "sparql": "", "structure": "", "shape": "", "hops": 0,
            "evidence": evidence,
            "full_evidence": tuple(sorted(evidence)),
            "relations": tuple(sorted({relation for _, relation, _ in evidence})),
        }  # fmt: skip
        found: Executed | str | None = None
        if len(self._kg) and (one.query or one.sparql):
            lacks = str(one.fields.get("query_lacks") or "")  # what its reader could not read
            found = self._grader.execute(one.query, one.sparql, answers, chosen or hard, lacks)
        executed = found if isinstance(found, Executed) else None
        if executed:
            fields |= executed.fields
        topics = tuple(sorted({clean(t) for t in one.topics} - {""}))
        if topics or "anchors" not in fields:
            fields["anchors"] = topics
        rows = self._hard(hard, chosen, executed, answers)
        graded = rows is not None
        names = {row.answer for row in rows or ()}
        given = answers
        if hard is None:  # all that is not hard is stated only where the source lists what is hard
            given = executed.stated if executed and self._removed else ()
        stated = tuple(a for a in answers if graded and a in given and a not in names)
        asked_for = min(
            rows or (),
            key=lambda row: (row.answer not in (chosen or ()), row.missing, row.answer),
            default=None,
        )
        removed = [t for t in fields["evidence"] if t in self._missing] if asked_for else []
        return _with_texts(
            new_question(
                kind,
                **fields,
                answers=answers,
                stated=stated,
                hard=rows or (),
                hard_answer=asked_for and asked_for.answer,
                core=False,
                removed=tuple(dict.fromkeys(removed)),
                rules=(),
                block=ImportedBlock(
                    "" if not graded else "query" if hard is chosen is None else "source",
                    listed if len(listed) > len(answers) else (),
                    executed and executed.answers,
                    found if isinstance(found, str) else "",
                    one.sparql or one.query,
                    *_said(one),
                ),
            ),
            one,
            further=tuple(a for a in answers if graded and a not in names and a not in stated),
        )

    def _hard(
        self,
        hard: tuple[str, ...] | None,
        chosen: tuple[str, ...] | None,
        executed: Executed | None,
        answers: tuple[str, ...],
    ) -> tuple[HardAnswer, ...] | None:
        """The hard answers, sorted; None: which they are is not known."""
        known = executed.hard if executed else {}
        if hard is None:
            if not (self._removed and executed) and chosen is None:
                return None
            hard = tuple(sorted({*known, *(chosen or ())}))
        return tuple(known.get(a) or HardAnswer(a, 1, 100, (), False) for a in hard if a in answers)


def _cypher(one: Any, kind: str) -> Question:
    """The question of an imported one in Cypher."""
    rows = tuple(sorted(one.answers))
    distinct = tuple(sorted(set(rows)))
    return _with_texts(
        new_question(
            kind, anchors=(), query=" ".join(one.cypher.split()), sparql="", structure=_said(one)[0],
            shape="", hops=0,
            answers=distinct, stated=(), hard=(), hard_answer=None, core=False, evidence=(),
            full_evidence=(), relations=(), removed=(), rules=(),
            block=ImportedCypherBlock(one.cypher, rows, one.graph, *_said(one)),
        ),
        one,
    )  # fmt: skip


def _said(one: Any) -> tuple[str, str]:
    """The type in the source, and what else it says."""
    return str(one.fields.get("type") or ""), dump_line(dict(one.fields))


def _with_texts(question: Question, one: Any, **changes: Any) -> Question:
    text, *more = dict.fromkeys(map(clean, (one.text, *one.paraphrases)))
    return replace(
        question,
        id=clean(one.id),
        question=text,
        paraphrases=tuple(more),
        patterns=(escape(text), *map(escape, more)),
        wording="source",
        split=one.split,
        **changes,
    )
