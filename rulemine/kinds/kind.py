"""What a kind of question supplies to those who read, show and score its releases.

What it decides in a build is in `rulemine.kinds.building`, which needs far more to be loaded.
"""

from typing import Any, ClassVar

__all__ = ["Kind"]


class Kind:
    """A kind of question.

    Attributes:
        name: Its name in recipes, manifests and questions.
    """

    name: ClassVar[str]

    @property
    def page(self) -> Any:
        """What only cards of the kind say, see `rulemine.release.card.kind_page.KindPage`."""
        raise NotImplementedError
