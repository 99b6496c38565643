r"""Matching as the public evaluator of the BRINK benchmark does it, for comparison with published numbers.

The evaluator is ``evaluation/evaluate_brink.py`` of the benchmark's public repository; what follows was
taken from reading it and is compared with its results. A raw output becomes a set of strings in
three steps, and the answers of the release go through the second:

1. Cut at every run of commas, line feeds and carriage returns (``[,\n\r]+``); nothing else cuts.
2. Normalize each piece: lower-case; ``<pad>`` becomes a blank; every ASCII punctuation character is
   deleted, not replaced; the words ``a``, ``an`` and ``the`` are dropped wherever they stand; white space
   (Unicode) is collapsed.
3. Drop empty pieces and duplicates. Pieces match by equality, never as substrings.

Oddities that follow, all kept:

- An answer with a comma is never cut, the output always is: ``Washington, D.C.`` written out whole gives
  the pieces ``washington`` and ``dc`` and misses the answer ``washington dc``.
- Deleting joins (``Jean-Luc`` = ``jeanluc``) and may make an article: the label ``A.`` or ``.an.`` vanishes.
- Answers that become equal count once, those that become empty not at all, which changes the recall.
  A hard answer that becomes empty is never hit; a question whose answers all vanish scores 0.
- Bullets, quotes and brackets go with the punctuation, numbers of a list do not (``1. Ann`` is ``1 ann``).
- Non-ASCII punctuation (``’``, ``–``, ``。``) stays, and so do accents.

What the evaluator does beyond matching is kept too where a report is made in this mode: the hard hits
rate is 0 where no question is hit (`rulemine.evaluation.scorer`), and its treatment of files is had with
``official=True`` in `rulemine.evaluation.predictions.read_predictions`. A list of answers, which the
evaluator does not know, is normalized item by item and not cut.
"""

import re
import string
from collections.abc import Iterable, Sequence

__all__ = ["BrinkMatcher", "normalize", "pieces"]

ARTICLES = frozenset({"a", "an", "the"})
PADDING = "<pad>"

_CUTS = re.compile(r"[,\n\r]+")
_CUTS_AND_SPACES = re.compile(r"[,\n\r\t ]+")
_DELETED = str.maketrans("", "", string.punctuation)


def normalize(text: str) -> str:
    """A piece of output or an answer, normalized (step 2); "" when nothing is left.

    Example:
        >>> normalize(" The <pad>Washington, D.C.")
        'washington dc'
    """
    words = text.lower().replace(PADDING, " ").translate(_DELETED).split()
    return " ".join(word for word in words if word not in ARTICLES)


def pieces(raw_output: str, *, at_spaces: bool = False) -> list[str]:
    r"""The normalized pieces of an output in their order, without empty ones (steps 1 and 2).

    Args:
        raw_output: The output.
        at_spaces: Whether blanks and tabs cut too, as with the evaluator's ``--split-on-spaces``.

    Example:
        >>> pieces("Paris, the\nParis; A.")
        ['paris', 'paris']
        >>> pieces("Ann Bo", at_spaces=True)
        ['ann', 'bo']
    """
    cuts = _CUTS_AND_SPACES if at_spaces else _CUTS
    return [piece for piece in map(normalize, cuts.split(raw_output)) if piece]


class BrinkMatcher:
    """Matching in the mode ``brink``; see the module."""

    def text(self, raw_output: str, topics: Sequence[str] = ()) -> Iterable[str]:
        """The pieces of an output."""
        return pieces(raw_output)

    def name(self, name: str) -> str:
        """A name, normalized."""
        return normalize(name)
