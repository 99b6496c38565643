r"""The metrics of SubgraphRAG, whose systems answer in lines ``ans: …``.

Li et al., ICLR 2025; ``reason/metrics/`` at 48eb05e. L: the lines with ``ans:`` and without ``none``,
``ans: not available`` and ``ans: no information available`` in any capitals, each once. x ⊑ y as in
`rulemine.evaluation.metrics_of_others.containment`.

- Hit = 1 if some answer ⊑ some line of L; of an output without ``ans:``, ⊑ the whole.
- Hit@1 = 1 if some answer ⊑ the first line of L.
- Precision and recall: answers, each once, the longest first, each use up the longest line left that
  contains them; used / \|L\|, 0 without lines, and used / \|A\|; F1 their harmonic mean.

Questions with one of `LENIENT` in them (in any capitals, inside words too) are matched either way: what
follows the last ``ans:`` of a line (for precision and recall, the whole line too) may be a part of the
answer; hence an empty output is a Hit there. If ``when`` or ``what year`` is in the question, an answer
with digits before its first ``-`` is cut to these.

A list is written as lines ``ans: …``, and so loses names with "none" in them. Without answers the
original fails; undefined here.
"""

from collections.abc import Sequence

from rulemine.evaluation.metrics_of_others.asked import asks_for_entities
from rulemine.evaluation.metrics_of_others.containment import harmonic, normalize
from rulemine.evaluation.metrics_of_others.protocol import Judged, ProjectMetrics

__all__ = ["LENIENT", "SUBGRAPH_RAG"]

LENIENT = (
    "when",
    "what year",
    "which year",
    "where",
    "sport",
    "what countr",
    "language",
    "nba finals",
    "world series",
)
"""Words in questions that are matched either way."""

_DATED = ("when", "what year")
_MARK = "ans:"
_REFUSALS = ("ans: not available", "ans: no information available")


class _Line:
    """A line of an output, normalized, and its part after the last mark."""

    def __init__(self, line: str) -> None:
        self.length = len(line)
        self.whole = normalize(line)
        self.end = normalize(line.split(_MARK)[-1])

    def has(self, answer: str, lenient: bool) -> bool:
        return answer in self.whole or (lenient and self.end in answer)


def _lines(text: str) -> list[_Line]:
    kept = []
    for line in dict.fromkeys(text.split("\n")):
        lower = line.lower()
        if _MARK in line and "none" not in lower and not any(r in lower for r in _REFUSALS):
            kept.append(_Line(line))
    return kept


def _scores(judged: Judged) -> Sequence[float | None]:
    if not judged.answers:
        return [None] * 5
    question = judged.question.lower()
    lenient = any(word in question for word in LENIENT)
    named = list(dict.fromkeys(judged.answers))
    named.sort(key=len, reverse=True)
    if any(word in question for word in _DATED):
        named = [_year(answer) for answer in named]
    answers = [normalize(answer) for answer in named]
    text = judged.text("")
    if isinstance(judged.prediction, tuple):
        text = "\n".join(f"{_MARK} {name}" for name in judged.prediction)
    lines = _lines(text)
    searched = lines
    if _MARK not in text:
        searched = [_Line(text), *(map(_Line, text.split("\n")) if lenient else ())]
    hit = any(line.has(answer, lenient) for answer in answers for line in searched)
    first = any(lines[0].has(answer, lenient) for answer in answers) if lines else False
    left = sorted(lines, key=lambda line: line.length, reverse=True)
    used = 0
    for answer in answers:
        for number, line in enumerate(left):
            if line.has(answer, lenient) or (lenient and line.whole in answer):
                del left[number]
                used += 1
                break
    precision = used / len(lines) if lines else 0.0
    recall = used / len(answers)
    return [float(hit), float(first), precision, recall, harmonic(precision, recall)]


def _year(answer: str) -> str:
    before, dash, _ = answer.partition("-")
    return before if dash and before.isdigit() else answer


SUBGRAPH_RAG = ProjectMetrics(
    "SubgraphRAG (Li et al., ICLR 2025), 48eb05e",
    {
        "subgraphrag_hit": "hits_any",
        "subgraphrag_hit_at_1": "hits_at_1",
        "subgraphrag_precision": "precision",
        "subgraphrag_recall": "recall",
        "subgraphrag_f1": "f1",
    },
    _scores,
    asks=asks_for_entities,
)
