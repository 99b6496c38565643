"""Metrics under which an answer is right when either of the two, prediction or answer, contains the other.

Hence an empty prediction is right, and so is any part of an answer. x ~ y: after stripping, deleting
blanks (U+0020 alone) and lower-casing, x and y are equal or one is a substring of the other.

- **ToG** exact match (Sun et al., ICLR 2024; ``eval/`` at 934064c): the text between the first ``{`` and
  the first ``}``, else all of it; 1 if it ~ some answer. Without ``}`` the text after ``{`` loses its
  last character; with ``}`` before ``{`` it is empty. The literal ``NULL`` in braces counts neither as
  right nor as wrong there, yet in the denominator: 0.
- **PoG** exact match (Chen et al., NeurIPS 2024; ``eval/`` at 755b56a): what follows the first ``{`` is
  read as JSON, and its ``A.Answer`` or ``Answer`` taken, written as Python writes it where it is no text;
  else the last quoted ``"Answer": "…"``; else the first list after ``"Answer":``, item by item; without
  ``{`` all of the text. Where none of these is found, the original scores the answer of the question
  before again; here 0. A broken list ends it; undefined here. (Both ``else`` need an ``import re`` that
  its script lacks.)
- **GoG** exact match (Xu et al., EMNLP 2024; ``src/evaluate.py`` at c0b2c36): answers joined by a blank,
  as ~ with blanks kept. A text is one answer.
- **GTSQA** (Cattaneo et al., 2025; ``notebooks/paper_analysis.ipynb`` of SynthKGQA at 13fa2af): blanks
  are deleted first; the last ``{…}`` on one line unless it is ``yes`` or ``no``, else all; hits = 1 if it
  ~ some answer, recall = the share of answers that it ~. Of triples, n gold ones retrieved: recall = n /
  gold, precision = n / retrieved, repetitions and all, F1. Answer nodes: answers that are an end of a
  retrieved triple, any and share.

For ToG, GoG and GTSQA a list of answers is joined (by ``, ``; for GoG by a blank) and taken as extracted;
for PoG it is written as Python writes it. Without answers the exact matches are 0; GTSQA's shares fail,
undefined here.
"""

import json
import re
from typing import Any

from rulemine.evaluation.metrics_of_others.asked import fits_a_folder
from rulemine.evaluation.metrics_of_others.containment import harmonic
from rulemine.evaluation.metrics_of_others.protocol import Judged, ProjectMetrics

__all__ = ["GOG", "GTSQA", "POG", "TOG"]

_QUOTED = re.compile(r""""Answer":\s*["']([^"']+)["']""")
_LISTED = re.compile(r'"Answer":\s*(\[[^\]]+\])')
_BRACES = re.compile(r"\{(.*?)\}")


def _bare(text: str) -> str:
    return text.strip().replace(" ", "").lower()


def _either(bare: str, answer: str) -> bool:
    return bare in answer or answer in bare


def _matches(text: str, answers: tuple[str, ...]) -> bool:
    bare = _bare(text)
    return any(_either(bare, _bare(answer)) for answer in answers)


def _tog(judged: Judged) -> list[float | None]:
    text = judged.text(", ")
    start = text.find("{") + 1
    if start and not isinstance(judged.prediction, tuple):
        text = text[start : text.find("}")]
        if text == "NULL":
            return [0.0]
    return [float(_matches(text, judged.answers))]


def _pog(judged: Judged) -> list[float | None]:
    if isinstance(judged.prediction, tuple):
        return [float(_matches(str(list(judged.prediction)), judged.answers))]
    text = judged.text("")
    start = text.find("{")
    if start < 0:
        return [float(_matches(text, judged.answers))]
    found = _answers_of_json(text[start:])
    if found is None:
        return [None]
    return [float(any(_matches(answer, judged.answers) for answer in found))]


def _answers_of_json(text: str) -> list[str] | None:
    """What PoG takes for the answers; None where it fails."""
    try:
        read: Any = json.loads(text)
        return [str(read["A"]["Answer"] if "A" in read else read["Answer"])]
    except (ValueError, LookupError, TypeError, RecursionError):
        pass
    if quoted := _QUOTED.findall(text):
        return [quoted[-1]]
    if (listed := _LISTED.search(text, 0, text.rfind("]") + 1)) is None:
        return []
    try:
        return [str(item) for item in json.loads(listed[1])]
    except (ValueError, RecursionError):
        return None


def _gog(judged: Judged) -> list[float | None]:
    text = judged.text(" ").strip().lower()
    return [float(any(_either(text, answer.strip().lower()) for answer in judged.answers))]


def _gtsqa(judged: Judged) -> list[float | None]:
    bare = _bare(judged.text(", "))
    if not isinstance(judged.prediction, tuple):
        in_braces = [
            found
            for line in bare.split("\n")
            for found in _BRACES.findall(line, 0, line.rfind("}") + 1)  # else quadratic
        ]
        if in_braces and in_braces[-1] not in ("yes", "no"):
            bare = in_braces[-1]
    right = [_either(bare, _bare(answer)) for answer in judged.answers]
    share = sum(right) / len(right) if right else None
    return [float(any(right)), share, *_gtsqa_triples(judged)]


def _gtsqa_triples(judged: Judged) -> list[float | None]:
    """Recall, precision and F1 of triples; answer nodes, any and share."""
    if judged.retrieved is None:
        return [None] * 5
    retrieved = set(judged.retrieved)
    of_triples: list[float | None] = [None] * 3
    if judged.evidence:
        found = sum(triple in retrieved for triple in judged.evidence)
        recall = found / len(judged.evidence)
        precision = found / len(judged.retrieved) if judged.retrieved else 0.0
        of_triples = [recall, precision, harmonic(precision, recall)]
    ends = {end for s, _, o in retrieved for end in (s, o)}
    there = [answer in ends for answer in judged.answers]
    return [*of_triples, float(any(there)), sum(there) / len(there) if there else None]


TOG = ProjectMetrics(
    "Think-on-Graph (Sun et al., ICLR 2024), 934064c",
    {"tog_exact_match": "hits_any"},
    _tog,
    asks=fits_a_folder,
)
POG = ProjectMetrics(
    "Plan-on-Graph (Chen et al., NeurIPS 2024), 755b56a",
    {"pog_exact_match": "hits_any"},
    _pog,
    asks=fits_a_folder,
)
GOG = ProjectMetrics(
    "Generate-on-Graph (Xu et al., EMNLP 2024), c0b2c36", {"gog_exact_match": "hits_any"}, _gog
)
GTSQA = ProjectMetrics(
    "GTSQA of SynthKGQA (Cattaneo et al., 2025), 13fa2af",
    {
        "gtsqa_hits": "hits_any",
        "gtsqa_recall": "recall",
        "gtsqa_triple_recall": "triple_recall",
        "gtsqa_triple_precision": "triple_precision",
        "gtsqa_triple_f1": "triple_f1",
        "gtsqa_answer_hits": "answer_hit",
        "gtsqa_answer_recall": "answer_recall",
    },
    _gtsqa,
)
