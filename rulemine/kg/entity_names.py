"""The names of an entity, one in each naming of a release."""

from dataclasses import dataclass

from rulemine.errors import InputError

__all__ = ["NAMINGS", "EntityNames"]


NAMINGS = ("private", "entity", "text", "numeric")
"""How a release names entities: private id (fixed width), id of the source, unique text label, or the
private number without padding (as the published benchmark does)."""


@dataclass(frozen=True, slots=True)
class EntityNames:
    """The names of one entity, a row of ``entities.tsv``.

    Attributes:
        private: Private id: a seeded permutation, ``e`` and a fixed number of digits.
        entity: As in the source.
        text: A text label, unique in the release.
        aliases: Other texts that stand for it in what a model writes, a row of ``aliases.tsv`` each.
    """

    private: str
    entity: str
    text: str
    aliases: tuple[str, ...] = ()

    def name_in(self, naming: str) -> str:
        """The name in one of `NAMINGS`.

        Raises:
            InputError: The private id has no number, so the naming ``numeric`` has no name.
        """
        if naming != "numeric":
            return {"private": self.private, "entity": self.entity, "text": self.text}[naming]
        if not self.private[1:].isdecimal():
            raise InputError(f"private id {self.private!r} is not e and a number.")
        return str(int(self.private[1:]))
