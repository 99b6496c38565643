"""Hits and recall of GTSQA as its paper describes them: by exact match, so that an empty reply is wrong.

SynthKGQA (Cattaneo et al., 2025) scores answers by exact match; its public code, which is
`rulemine.evaluation.metrics_of_others.either_way`, takes parts of an answer and empty replies for right.

Two texts match when they are equal in NFC, case-folded, with white space collapsed and none at the ends. Of a
list each item is an answer. Of a text it is the pieces between commas and line ends, of the last ``{…}`` on
one line unless that is ``yes`` or ``no``, else of all of it; an answer with commas is as many pieces in a
row. hits = 1 if some answer of the question is given, recall = the share of them. Nothing given: 0. A
question without answers is left out.
"""

import re
import unicodedata
from collections.abc import Sequence

from rulemine.evaluation.metrics_of_others.protocol import Judged, ProjectMetrics

__all__ = ["GTSQA_EXACT"]

_BRACES = re.compile(r"\{([^{}\n]*)\}")
_CUTS = re.compile(r"[,\r\n]")


def _plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).casefold().split())


def _pieces(text: str) -> list[str]:
    return [_plain(piece) for piece in _CUTS.split(text)]


def _given(judged: Judged) -> list[list[str]]:
    """What is given, each as pieces among which answers are whole runs."""
    if isinstance(judged.prediction, tuple):
        return [_pieces(item) for item in judged.prediction]
    text = judged.text("")
    in_braces = _BRACES.findall(text)
    if in_braces and _plain(in_braces[-1]) not in ("yes", "no"):
        text = in_braces[-1]
    return [_pieces(text)]


def _is_given(answer: list[str], given: list[list[str]], whole: bool) -> bool:
    if not any(answer):
        return False
    if whole:
        return answer in given
    return any(
        pieces[at : at + len(answer)] == answer for pieces in given for at in range(len(pieces))
    )


def _exact(judged: Judged) -> Sequence[float | None]:
    if not judged.answers:
        return [None, None]
    given, listed = _given(judged), isinstance(judged.prediction, tuple)
    right = sum(_is_given(_pieces(answer), given, listed) for answer in judged.answers)
    return [float(right > 0), right / len(judged.answers)]


GTSQA_EXACT = ProjectMetrics(
    "GTSQA as described (Cattaneo et al., 2025)",
    {"gtsqa_exact_hits": "hits_any", "gtsqa_exact_recall": "recall"},
    _exact,
    missing=0.0,
)
