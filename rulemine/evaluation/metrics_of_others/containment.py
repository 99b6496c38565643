r"""Metrics under which an answer is right when it stands anywhere in the text.

x ⊑ y: x, normalized, is a substring of y, normalized (`normalize`). A: the answers as listed, repetitions
and all. c: how many a ∈ A are ⊑ the whole output, its lines joined by blanks.

- **RoG** (Luo et al., ICLR 2024; ``src/qa_prediction/evaluate_results.py`` at ccf8ec8): hit = [c > 0],
  accuracy = recall = c / \|A\|, precision = c / lines, which can exceed 1, F1 their harmonic mean, 0 if
  both are 0. A text is cut at ``\n`` only, and empty lines count, so an empty text is one line. A list is
  deduplicated, the most frequent first; the precision of an empty one is 0.
- **G-Retriever** (He et al., NeurIPS 2024; ``src/utils/evaluate.py`` at 315b0ff): the same, but cut at
  ``|`` too, and so are the answers. A list is joined by ``|``. No answers are one empty answer.
- **GCR** (Luo et al., ICML 2025; ``src/utils/qa_utils.py`` at 9518e8e): as RoG, but blank lines do not
  count, lines are deduplicated like lists, repeated answers count once, and precision = lines with some
  answer / lines, 0 without lines.
- **StructGPT** (Jiang et al., EMNLP 2023; ``evaluate_for_webqsp.py`` at 4bd220a), "Hits@1": both are
  lower-cased and nothing else; an output with ``i'm sorry`` is empty; 1 if some answer is a substring. A
  list is joined by ``, ``. A question without answers is skipped, one without a prediction scores 0.
- **Dynamic-KGQA** (Dammu et al., 2025; ``src/eval/process_results.py`` at cb088fd): hit = [c > 0] of the
  whole output; its questions have one answer, a list of several counts if any is found. A list is joined by
  a blank, for the original takes texts alone.

An answer that normalizes to nothing (``The A.``) is a substring of everything. RoG and GCR fail without
answers: undefined here.
"""

import re
import string
from collections import Counter
from collections.abc import Sequence

from rulemine.evaluation.metrics_of_others.asked import asks_for_entities, has_one_topic
from rulemine.evaluation.metrics_of_others.protocol import Judged, ProjectMetrics

__all__ = ["DYNAMIC_KGQA", "GCR", "G_RETRIEVER", "ROG", "STRUCT_GPT", "harmonic", "normalize"]

_DELETED = str.maketrans("", "", string.punctuation)
_ARTICLES = re.compile(r"\b(?:a|an|the)\b")


def normalize(text: str) -> str:
    """A text in lower case without ASCII punctuation, then without articles, its white space collapsed.

    Example:
        >>> normalize("The <pad> D.C., an A’s")
        'pad dc ’s'
    """
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_DELETED)).split())


def harmonic(precision: float, recall: float) -> float:
    """The harmonic mean; 0 if both are 0."""
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def _by_frequency(items: Sequence[str]) -> list[str]:
    """Each item once, the most frequent first, then in the order given."""
    return [item for item, _ in Counter(items).most_common()]


def _contained(
    answers: Sequence[str], lines: Sequence[str], precision: float | None = None
) -> list[float]:
    """hit, accuracy, precision and F1; c/lines without a precision of its own."""
    text = normalize(" ".join(lines))
    found = sum(normalize(answer) in text for answer in answers)
    if not lines:
        return [float(found > 0), found / len(answers), 0.0, 0.0]
    precision = found / len(lines) if precision is None else precision
    recall = found / len(answers)
    return [float(found > 0), recall, precision, harmonic(precision, recall)]


def _rog(judged: Judged) -> Sequence[float | None]:
    if not judged.answers:
        return [None] * 4
    given = judged.prediction
    lines = _by_frequency(given) if isinstance(given, tuple) else judged.text("").split("\n")
    return _contained(judged.answers, lines)


def _g_retriever(judged: Judged) -> Sequence[float | None]:
    answers = "|".join(judged.answers).split("|")
    return _contained(answers, judged.text("|").replace("|", "\n").split("\n"))


def _gcr(judged: Judged) -> Sequence[float | None]:
    if not judged.answers:
        return [None] * 4
    given = judged.prediction
    lines = given if isinstance(given, tuple) else judged.text("").split("\n")
    kept = _by_frequency([line for line in lines if line.strip()])
    answers = list(dict.fromkeys(judged.answers))
    wanted = [normalize(answer) for answer in answers]
    right = sum(any(answer in text for answer in wanted) for text in map(normalize, kept))
    return _contained(answers, kept, right / len(kept) if kept else 0.0)


def _struct_gpt(judged: Judged) -> Sequence[float | None]:
    if not judged.answers:
        return [None]
    text = judged.text(", ").lower()
    if "i'm sorry" in text:
        text = ""
    return [float(any(answer.lower() in text for answer in judged.answers))]


def _dynamic_kgqa(judged: Judged) -> Sequence[float | None]:
    text = normalize(judged.text(" "))
    return [float(any(normalize(answer) in text for answer in judged.answers))]


def _named(project: str) -> dict[str, str]:
    ours = {"hit": "hits_any", "accuracy": "recall", "precision": "precision", "f1": "f1"}
    return {f"{project}_{name}": beside for name, beside in ours.items()}


ROG = ProjectMetrics(
    "RoG (Luo et al., ICLR 2024), ccf8ec8", _named("rog"), _rog, asks=asks_for_entities
)
G_RETRIEVER = ProjectMetrics(
    "G-Retriever (He et al., NeurIPS 2024), 315b0ff",
    _named("gretriever"),
    _g_retriever,
    asks=asks_for_entities,
)
GCR = ProjectMetrics(
    "GCR (Luo et al., ICML 2025), 9518e8e", _named("gcr"), _gcr, asks=asks_for_entities
)
DYNAMIC_KGQA = ProjectMetrics(
    "Dynamic-KGQA (Dammu et al., 2025), cb088fd",
    {"dynamickgqa_hit": "hits_any"},
    _dynamic_kgqa,
)
STRUCT_GPT = ProjectMetrics(
    "StructGPT (Jiang et al., EMNLP 2023), 4bd220a",
    {"structgpt_hits_at_1": "hits_any"},
    _struct_gpt,
    missing=0.0,
    asks=has_one_topic,
)
