"""What formats of systems without training share: one split, and its topics and answers under clients' names.

Questions with several topic entities, unions and counts are said; the gold answer of a count is its number.
"""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from rulemine.config import Section, option
from rulemine.exports.client_names import ClientEntity, ClientNames
from rulemine.exports.protocol import ExportInput
from rulemine.release.records import SPLITS, Question

__all__ = ["GoldAnswer", "OneSplit", "entities_of", "gold_of", "topics_of"]


@dataclass(frozen=True)
class OneSplit(Section):
    """Base class of such formats.

    Attributes:
        split: The split whose questions are written.
    """

    names_of_clients: ClassVar[bool] = True

    split: str = option("test", choices=SPLITS)

    @property
    def splits(self) -> tuple[str, ...]:
        """The splits that are exported."""
        return (self.split,)


class GoldAnswer(NamedTuple):
    """An answer as clients see it.

    Attributes:
        id: Its id; of a number, the number.
        label: Its label, likewise.
    """

    id: str
    label: str


def entities_of(given: ExportInput) -> list[ClientEntity]:
    """The entities of the complete graph, by private id.

    The release names others too, which only a reference graph adds as answers: they would be told by that.
    """
    known = given.complete.entity_ids
    return [entity for entity in given.client.entities if entity.name in known]


def topics_of(question: Question, client: ClientNames) -> dict[str, str]:
    """The topic entities of a question: id → label, in the order of the question."""
    return {client.id[name]: client.label[name] for name in question.anchors}


def gold_of(question: Question, given: ExportInput) -> list[GoldAnswer]:
    """The answers to a question; none where the export must not tell them."""
    if given.without_answers:
        return []
    if question.value is not None:
        return [GoldAnswer(str(question.value), str(question.value))]
    client = given.client
    return [GoldAnswer(client.id[name], client.label[name]) for name in question.answers]
