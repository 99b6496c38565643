"""What a paper shows: its tables and figures, and how each is made from releases, studies and predictions.

A paper is a module of this package with one `Paper`; an exhibit that cannot be had says why. Everything is
made by what reports are made of, `rulemine.text.tables.Table` and
`rulemine.evaluation.reporting.document.Picture`.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from rulemine.errors import RulemineError
from rulemine.evaluation.reporting.document import Picture
from rulemine.papers.material import Material
from rulemine.text.tables import Table

__all__ = ["Exhibit", "LackingError", "Made", "Paper"]

Made = Iterable[Table | Picture]
"""What an exhibit becomes; their ids and titles are set from its number where they are empty."""


class LackingError(RulemineError):
    """Nothing that was given shows what an exhibit shows; the message says what would, as a noun phrase.

    Example:
        >>> str(LackingError("a study of a release of the kind structures"))
        'a study of a release of the kind structures'
    """


@dataclass(frozen=True, slots=True)
class Exhibit:
    """A table or a figure of a paper.

    Attributes:
        number: As the paper numbers it, e.g. ``Table 3``.
        shows: What it shows, as a phrase.
        make: Makes it; raises `LackingError` where nothing that was given shows it. None: it cannot be had.
        why: Why it cannot be had, or how ours differs, as a sentence; "" if there is nothing to say.
    """

    number: str
    shows: str
    make: Callable[[Material], Made] | None = None
    why: str = ""

    @property
    def id(self) -> str:
        """Its name in files.

        >>> Exhibit("Table 3", "sizes").id
        'table-3'
        """
        return self.number.lower().replace(" ", "-")


@dataclass(frozen=True, slots=True)
class Paper:
    """A paper.

    Attributes:
        name: Its short name.
        title: Its authors and title.
        version: The version whose numbers are meant, e.g. ``arXiv 2508.08344v1``.
        exhibits: All its tables and figures, in its order.
    """

    name: str
    title: str
    version: str
    exhibits: tuple[Exhibit, ...]
