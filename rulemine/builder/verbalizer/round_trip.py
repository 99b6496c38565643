"""Whether a model recognises the relation and the direction in its own text."""

from rulemine.builder.verbalizer.gloss import Glosses
from rulemine.builder.verbalizer.replies import Choice
from rulemine.records import DIRECTIONS

__all__ = ["misreading"]


def misreading(said: Choice, relation: str, direction: str, glosses: Glosses) -> str | None:
    """What a text was taken to ask for, where that is not what it should.

    Args:
        said: The relation and the direction as the model sees them.
        relation: The relation that the question asks about.
        direction: The end that it asks for.
        glosses: What all relations mean.

    Returns:
        The misreading in words, with S and O for the ends of a relation; None where there is none. Where
        the gloss asks for subjects and objects in the same words, either end is right.
    """
    if said.relation not in glosses:
        return "none of those to choose from"
    named = glosses[said.relation]
    either = named.subjects == named.objects
    if named.relation == relation and (either or said.direction == direction):
        return None
    end = "S" if said.direction == DIRECTIONS[0] else "O"
    return f"it reads like asking for {end} in “{named.state('S', 'O')}”"
