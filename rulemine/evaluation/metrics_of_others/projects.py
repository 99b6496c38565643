r"""The metrics of each project, read off its public code (at the commit that `ProjectMetrics.source` names).

x ⊑ y: x, normalized (`normalize`), is a substring of y, normalized; an answer that normalizes to nothing
(``The A.``) is a substring of everything. x ~ y: one of the two is a substring of the other, both stripped,
lower-cased and without blanks (U+0020 alone); hence an empty prediction is right, and so is any part of an
answer. A: the answers as listed, repetitions and all. A list of answers is what a system gave as a list;
where the original knows texts only, it is joined as said. Undefined: the question counts in no mean.
"""

import json
import re
import string
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import partial
from itertools import accumulate
from typing import Any

from rulemine.evaluation.matching import brink
from rulemine.evaluation.metrics import score
from rulemine.evaluation.metrics_of_others.protocol import (
    Judged,
    ProjectMetrics,
    asks_for_entities,
    fits_a_folder,
    has_hard_answer,
    has_one_topic,
)

__all__ = [
    "BRINK",
    "BRINK_SPACES",
    "DYNAMIC_KGQA",
    "GCR",
    "GNN_RAG",
    "GOG",
    "GTSQA",
    "GTSQA_EXACT",
    "G_RETRIEVER",
    "POG",
    "ROG",
    "STRUCT_GPT",
    "SUBGRAPH_RAG",
    "TOG",
    "normalize",
]

Values = Sequence[float | None]

_DELETED = str.maketrans("", "", string.punctuation)
_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_BRACES = re.compile(r"\{(.*?)\}")
_INNERMOST = re.compile(r"\{([^{}\n]*)\}")
_CUTS = re.compile(r"[,\r\n]")
_ENOUGH = 0.95  # of GNN-RAG's probabilities
_QUOTED = re.compile(r""""Answer":\s*["']([^"']+)["']""")
_LISTED = re.compile(r'"Answer":\s*(\[[^\]]+\])')


def normalize(text: str) -> str:
    """A text in lower case without ASCII punctuation, then without articles, its white space collapsed.

    Example:
        >>> normalize("The <pad> D.C., an A’s")
        'pad dc ’s'
    """
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_DELETED)).split())


def _harmonic(precision: float, recall: float) -> float:
    """The harmonic mean; 0 if both are 0."""
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def _by_frequency(items: Iterable[str]) -> list[str]:
    """Each item once, the most frequent first, then in the order given."""
    return [item for item, _ in Counter(items).most_common()]


# x ⊑ y: an answer is right when it stands anywhere in the text.


def _contained(
    answers: Sequence[str], lines: Sequence[str], precision: float | None = None
) -> Values:
    """hit, accuracy, precision and F1, with c, how many answers are ⊑ the lines joined by blanks.

    hit = [c > 0], accuracy = recall = c / |A|, precision = c / lines (it can exceed 1; 0 without lines)
    unless it is given, F1 their harmonic mean, 0 if both are 0.
    """
    text = normalize(" ".join(lines))
    found = sum(normalize(answer) in text for answer in answers)
    recall = found / len(answers)
    if precision is None or not lines:
        precision = found / len(lines) if lines else 0.0
    return [float(found > 0), recall, precision, _harmonic(precision, recall) if lines else 0.0]


def _rog(judged: Judged) -> Values:
    r"""``src/qa_prediction/evaluate_results.py``: as `_contained`; undefined without answers, where it fails.

    A text is cut at ``\n`` only, and empty lines count, so an empty text is one line. A list is deduplicated,
    the most frequent first.
    """
    if not judged.answers:
        return [None] * 4
    given = judged.prediction
    lines = _by_frequency(given) if isinstance(given, tuple) else judged.text("").split("\n")
    return _contained(judged.answers, lines)


def _g_retriever(judged: Judged) -> Values:
    """``src/utils/evaluate.py``: as RoG, but cut at ``|`` too, and so are the answers.

    A list is joined by ``|``. No answers are one empty answer.
    """
    answers = "|".join(judged.answers).split("|")
    return _contained(answers, judged.text("|").replace("|", "\n").split("\n"))


def _gcr(judged: Judged) -> Values:
    """``src/utils/qa_utils.py``: as RoG, but blank lines do not count, lines are deduplicated like lists.

    Repeated answers count once, and precision = lines with some answer / lines.
    """
    if not judged.answers:
        return [None] * 4
    given = judged.prediction
    lines = given if isinstance(given, tuple) else judged.text("").split("\n")
    kept = _by_frequency(line for line in lines if line.strip())
    wanted = list(map(normalize, judged.answers))
    right = sum(any(answer in text for answer in wanted) for text in map(normalize, kept))
    answers = list(dict.fromkeys(judged.answers))
    return _contained(answers, kept, right / len(kept) if kept else 0.0)


def _struct_gpt(judged: Judged) -> Values:
    """``evaluate_for_webqsp.py``, "Hits@1": 1 if some answer is a substring, both lower-cased and no more.

    An output with ``i'm sorry`` is empty. A list is joined by ``, ``. A question without answers is skipped,
    one without a prediction scores 0.
    """
    text = judged.text(", ").lower()
    said = "" if "i'm sorry" in text else text
    hit = any(answer.lower() in said for answer in judged.answers)
    return [float(hit) if judged.answers else None]


def _dynamic_kgqa(judged: Judged) -> Values:
    """``src/eval/process_results.py``: hit = [c > 0] of the whole output, a list joined by blanks.

    Its questions have one answer; of several one that is found is enough.
    """
    text = normalize(judged.text(" "))
    return [float(any(normalize(answer) in text for answer in judged.answers))]


_LENIENT = re.compile(
    "when|what year|which year|where|sport|what countr|language|nba finals|world series"
)
_DATED = re.compile("when|what year")
_MARK = "ans:"
_REFUSAL = re.compile("none|ans: not available|ans: no information available", re.IGNORECASE)


class _Line:
    """A line of an output, normalized, and its part after the last mark."""

    def __init__(self, line: str) -> None:
        self.length, self.whole = len(line), normalize(line)
        self.end = normalize(line.split(_MARK)[-1])

    def has(self, answer: str, lenient: bool) -> bool:
        return answer in self.whole or (lenient and self.end in answer)


def _subgraph_rag(judged: Judged) -> Values:
    r"""``reason/metrics/``, of systems that answer in lines ``ans: …``; undefined without answers.

    L: the lines with ``ans:`` and without ``none``, ``ans: not available`` and ``ans: no information
    available`` in any capitals, each once. Hit = 1 if some answer ⊑ some line of L; of an output without
    ``ans:``, ⊑ the whole. Hit@1 = 1 if some answer ⊑ the first line of L. Precision and recall: answers, each
    once, the longest first, each use up the longest line left that contains them; used / \|L\|, 0 without
    lines, and used / \|A\|.

    Questions with a word of `_LENIENT` (in any capitals, inside words too) are matched either way: what
    follows the last ``ans:`` of a line (for precision and recall, the whole line too) may be a part of the
    answer; hence an empty output is a Hit there. With a word of `_DATED`, an answer with digits before its
    first ``-`` is cut to these. A list is written as lines ``ans: …``, and so loses names with "none" in
    them.
    """
    if not judged.answers:
        return [None] * 5
    question = judged.question.lower()
    lenient = _LENIENT.search(question) is not None
    named = sorted(dict.fromkeys(judged.answers), key=len, reverse=True)
    if _DATED.search(question):
        named = [re.sub(r"^(\d+)-.*", r"\1", answer, flags=re.DOTALL) for answer in named]
    answers = [normalize(answer) for answer in named]
    text = judged.text("")
    if isinstance(judged.prediction, tuple):
        text = "\n".join(f"{_MARK} {name}" for name in judged.prediction)
    every = list(dict.fromkeys(text.split("\n")))
    lines = [_Line(line) for line in every if _MARK in line and not _REFUSAL.search(line)]
    searched = lines
    if _MARK not in text:
        searched = [_Line(text), *(map(_Line, every) if lenient else ())]
    hit = any(line.has(answer, lenient) for answer in answers for line in searched)
    first = any(line.has(answer, lenient) for answer in answers for line in lines[:1])
    left, used = sorted(lines, key=lambda line: line.length, reverse=True), 0
    for answer in answers:
        for number, line in enumerate(left):
            if line.has(answer, lenient) or (lenient and line.whole in answer):
                del left[number]
                used += 1
                break
    precision, recall = used / len(lines) if lines else 0.0, used / len(answers)
    return [float(hit), float(first), precision, recall, _harmonic(precision, recall)]


# x ~ y: an answer is right when either of the two contains the other.


def _bare(text: str) -> str:
    return text.strip().replace(" ", "").lower()


def _either(bare: str, answer: str) -> bool:
    return bare in answer or answer in bare


def _matches(text: str, answers: Sequence[str]) -> float:
    bare = _bare(text)
    return float(any(_either(bare, _bare(answer)) for answer in answers))


def _tog(judged: Judged) -> Values:
    """``eval/``, exact match: the text from the first ``{`` to the first ``}``, else all, ~ some answer.

    Without ``}`` the text after ``{`` loses its last character; with ``}`` before ``{`` it is empty. The
    literal ``NULL`` in braces counts neither as right nor as wrong there, yet in the denominator: 0. A list
    is joined by ``, `` and taken as extracted.
    """
    text = judged.text(", ")
    start = text.find("{") + 1
    if start and not isinstance(judged.prediction, tuple):
        text = text[start : text.find("}")]
        if text == "NULL":
            return [0.0]
    return [_matches(text, judged.answers)]


def _pog(judged: Judged) -> Values:
    """``eval/``, exact match: what follows the first ``{`` is read as JSON; else all of the text.

    Taken is its ``A.Answer`` or ``Answer``, written as Python writes it where it is no text, as a list is;
    else the last quoted ``"Answer": "…"``; else the first list after ``"Answer":``, item by item. Where none
    of these is found, the original scores the answer of the question before again; here 0. A broken list ends
    it; undefined here. (Both ``else`` need an ``import re`` that its script lacks.)
    """
    if isinstance(judged.prediction, tuple):
        return [_matches(str(list(judged.prediction)), judged.answers)]
    text = judged.text("")
    start = text.find("{")
    try:
        found = [text] if start < 0 else _answers_of_json(text[start:])
    except (ValueError, RecursionError):
        return [None]
    return [max((_matches(answer, judged.answers) for answer in found), default=0.0)]


def _answers_of_json(text: str) -> list[str]:
    """What PoG takes for the answers; ValueError or RecursionError where it fails."""
    try:
        read: Any = json.loads(text)
        return [str(read["A"]["Answer"] if "A" in read else read["Answer"])]
    except (ValueError, LookupError, TypeError, RecursionError):
        pass
    if quoted := _QUOTED.findall(text):
        return [quoted[-1]]
    listed = _LISTED.search(text, 0, text.rfind("]") + 1)
    return [str(item) for item in json.loads(listed[1])] if listed else []


def _gog(judged: Judged) -> Values:
    """``src/evaluate.py``, exact match: answers joined by a blank, ~ with blanks kept."""
    text = judged.text(" ").strip().lower()
    return [float(any(_either(text, answer.strip().lower()) for answer in judged.answers))]


def _last(found: Sequence[str], text: str) -> str:
    """The last of what stands in braces, unless that is ``yes`` or ``no``; else the text."""
    return found[-1] if found and _bare(found[-1]) not in ("yes", "no") else text


def _gtsqa(judged: Judged) -> Values:
    """``notebooks/paper_analysis.ipynb`` of SynthKGQA: the last ``{…}`` on one line (`_last`), else all.

    hits = 1 if it ~ some answer, recall = the share of answers that it ~, undefined without answers. A list
    is joined by ``, `` and taken as extracted. Of triples, n gold ones retrieved: recall = n / gold,
    precision = n / retrieved, repetitions and all, F1. Answer nodes: answers that are an end of a retrieved
    triple, any and share.
    """
    bare = _bare(judged.text(", "))
    if not isinstance(judged.prediction, tuple):
        lines = [(line, line.rfind("}") + 1) for line in bare.split("\n")]  # an end, else quadratic
        bare = _last([part for line, end in lines for part in _BRACES.findall(line, 0, end)], bare)
    right = [_either(bare, _bare(answer)) for answer in judged.answers]
    of_texts = [float(any(right)), sum(right) / len(right) if right else None]
    if judged.retrieved is None:
        return [*of_texts, *[None] * 5]
    retrieved = set(judged.retrieved)
    of_triples: Values = [None] * 3
    if judged.evidence:
        hits = sum(triple in retrieved for triple in judged.evidence)
        recall = hits / len(judged.evidence)
        precision = hits / len(judged.retrieved) if judged.retrieved else 0.0
        of_triples = [recall, precision, _harmonic(precision, recall)]
    ends = {end for s, _, o in retrieved for end in (s, o)}
    there = [answer in ends for answer in judged.answers]
    return [*of_texts, *of_triples, float(any(there)), sum(there) / len(there) if there else None]


def _plain_pieces(text: str) -> list[str]:
    return [
        " ".join(unicodedata.normalize("NFC", piece).casefold().split())
        for piece in _CUTS.split(text)
    ]


def _gtsqa_exact(judged: Judged) -> Values:
    """Hits and recall of GTSQA as its paper describes them, by exact match, so that an empty reply is wrong.

    Two texts match when they are equal in NFC, case-folded, with white space collapsed and none at the ends.
    Of a list each item is an answer. Of a text it is the pieces between commas and line ends, of the last
    ``{…}`` on one line (`_last`), else of all of it; an answer with commas is as many pieces in a row. hits =
    1 if some answer is given, recall = the share of them; undefined without answers.
    """
    if not judged.answers:
        return [None, None]
    wanted = [_plain_pieces(answer) for answer in judged.answers]
    if isinstance(judged.prediction, tuple):
        runs = list(map(_plain_pieces, judged.prediction))
    else:
        text = judged.text("")
        pieces = _plain_pieces(_last(_INNERMOST.findall(text), text))
        sizes = {len(answer) for answer in wanted}
        runs = [pieces[at : at + size] for size in sizes for at in range(len(pieces))]
    right = sum(any(answer) and answer in runs for answer in wanted)
    return [float(right > 0), right / len(wanted)]


# Neither: probabilities of a ranking; pieces that are equal.


def _gnn_rag(judged: Judged) -> Values:
    """``gnn/evaluate.py``: a ranking whose scores are probabilities, else undefined.

    Candidates, topic entities left out, are taken by probability until the sum of those taken exceeds 0.95.
    Precision, recall and F1 are of the taken; hit = the first candidate is an answer; em = some taken
    candidate is. Zero cases, as there: without candidates precision is 1 and all else 0; without answers all
    is 1, but precision and F1 are 0 if there is a candidate. The original also drops candidates below 0.05 /
    (size of the largest subgraph of the data set), which a ranking does not give.
    """
    if judged.ranking is None:
        return [None] * 5
    candidates = [(name, p) for name, p in judged.ranking if name not in judged.topics]
    candidates.sort(key=lambda candidate: candidate[1], reverse=True)
    if not judged.answers:
        return [1.0, 1.0, 0.0, 1.0, 0.0] if candidates else [1.0] * 5
    if not candidates:
        return [0.0, 0.0, 1.0, 0.0, 0.0]
    totals = accumulate(probability for _, probability in candidates)
    enough = (size for size, total in enumerate(totals, start=1) if total > _ENOUGH)
    taken = next(enough, len(candidates))
    found = sum(name in judged.answers for name, _ in candidates[:taken])
    precision, recall = found / taken, found / len(judged.answers)
    f1 = 2 / (1 / precision + 1 / recall) if found else 0.0
    return [float(candidates[0][0] in judged.answers), float(found > 0), precision, recall, f1]


def _brink(judged: Judged, *, at_spaces: bool = False) -> Values:
    """``evaluation/``: pieces P of the output and A, both normalized sets (`rulemine.evaluation.matching`).

    hits_any = [P ∩ A ≠ ∅], precision = |P ∩ A| / |P|, recall = |P ∩ A| / |A|, F1 = 2 |P ∩ A| / (|P| + |A|),
    each 0 where the denominator is 0; hits_hard = [the hard answer ∈ P]. No prediction is an empty one.
    Questions without a hard answer, which BRINK does not have, are left out. For its hard hits rate and its
    treatment of files use the matching mode ``brink``. `at_spaces` is the evaluator's option
    ``--split-on-spaces``.
    """
    if isinstance(judged.prediction, tuple):
        given = list(filter(None, map(brink.normalize, judged.prediction)))
    else:
        given = brink.pieces(judged.text(""), at_spaces=at_spaces)
    answers = set(filter(None, map(brink.normalize, judged.answers)))
    hard = None if judged.hard_answer is None else brink.normalize(judged.hard_answer)
    found = score(given, answers, hard, set())
    hit = None if hard is None else found.hits_hard
    return [found.hits_any, found.precision, found.recall, found.f1, hit]


_HIT = {"hit": "hits_any"}
_FOUR = _HIT | {"accuracy": "recall", "precision": "precision", "f1": "f1"}
_PRF = {"precision": "precision", "recall": "recall", "f1": "f1"}


def _beside(project: str, ours: dict[str, str]) -> dict[str, str]:
    """The metrics of a project with its name before them → the scores of ours that they stand beside."""
    return {f"{project}_{name}": beside for name, beside in ours.items()}


ROG = ProjectMetrics(
    "RoG (Luo et al., ICLR 2024), ccf8ec8", _beside("rog", _FOUR), _rog, asks=asks_for_entities
)
G_RETRIEVER = ProjectMetrics(
    "G-Retriever (He et al., NeurIPS 2024), 315b0ff", _beside("gretriever", _FOUR), _g_retriever,
    asks=asks_for_entities,
)  # fmt: skip
GCR = ProjectMetrics(
    "GCR (Luo et al., ICML 2025), 9518e8e", _beside("gcr", _FOUR), _gcr, asks=asks_for_entities
)
STRUCT_GPT = ProjectMetrics(
    "StructGPT (Jiang et al., EMNLP 2023), 4bd220a", {"structgpt_hits_at_1": "hits_any"}, _struct_gpt,
    missing=0.0, asks=has_one_topic,
)  # fmt: skip
DYNAMIC_KGQA = ProjectMetrics(
    "Dynamic-KGQA (Dammu et al., 2025), cb088fd", _beside("dynamickgqa", _HIT), _dynamic_kgqa
)
SUBGRAPH_RAG = ProjectMetrics(
    "SubgraphRAG (Li et al., ICLR 2025), 48eb05e",
    _beside("subgraphrag", _HIT | {"hit_at_1": "hits_at_1"} | _PRF), _subgraph_rag,
    asks=asks_for_entities,
)  # fmt: skip
TOG = ProjectMetrics(
    "Think-on-Graph (Sun et al., ICLR 2024), 934064c", {"tog_exact_match": "hits_any"}, _tog,
    asks=fits_a_folder,
)  # fmt: skip
POG = ProjectMetrics(
    "Plan-on-Graph (Chen et al., NeurIPS 2024), 755b56a", {"pog_exact_match": "hits_any"}, _pog,
    asks=fits_a_folder,
)  # fmt: skip
GOG = ProjectMetrics(
    "Generate-on-Graph (Xu et al., EMNLP 2024), c0b2c36", {"gog_exact_match": "hits_any"}, _gog
)
_OF_TRIPLES = ("triple_recall", "triple_precision", "triple_f1")
GTSQA = ProjectMetrics(
    "GTSQA of SynthKGQA (Cattaneo et al., 2025), 13fa2af",
    _beside("gtsqa", {
        "hits": "hits_any", "recall": "recall", **{name: name for name in _OF_TRIPLES},
        "answer_hits": "answer_hit", "answer_recall": "answer_recall",
    }),
    _gtsqa,
)  # fmt: skip
GTSQA_EXACT = ProjectMetrics(
    "GTSQA as described (Cattaneo et al., 2025)",
    {"gtsqa_exact_hits": "hits_any", "gtsqa_exact_recall": "recall"}, _gtsqa_exact, missing=0.0,
)  # fmt: skip
GNN_RAG = ProjectMetrics(
    "GNN-RAG, its graph neural network (Mavromatis & Karypis, 2024), 28d31bc",
    _beside("gnnrag", {"hit": "hits_at_1", "em": "hits_any"} | _PRF), _gnn_rag,
    asks=asks_for_entities,
)  # fmt: skip


def _brink_metrics(name: str, option: str = "") -> ProjectMetrics:
    ours = {"hits_any": "hits_any", **_PRF, "hits_hard": "hits_hard"}
    return ProjectMetrics(
        f"BRINK (Zhou et al., arXiv 2508.08344), b95506d{option}", _beside(name, ours),
        partial(_brink, at_spaces=bool(option)), missing=0.0, asks=has_hard_answer,
    )  # fmt: skip


BRINK = _brink_metrics("brink")
BRINK_SPACES = _brink_metrics("brink_spaces", ", --split-on-spaces")
