"""Whether a model recognises the relation and the direction in its own text."""

from rulemine.phrasing.glosses import Glosses
from rulemine.verbalizer.replies import Choice

__all__ = ["is_recognised", "misreading"]


def is_recognised(said: Choice, relation: str, direction: str, glosses: Glosses) -> bool:
    """Whether a text was taken to ask for what it should.

    Args:
        said: The relation and the direction as the model sees them.
        relation: The relation that the question asks about.
        direction: The end that it asks for.
        glosses: What all relations mean. Where the gloss asks for subjects and objects in the same words,
            either end is right.
    """
    if said.relation != relation:
        return False
    gloss = glosses[relation]
    return said.direction == direction or gloss.subjects == gloss.objects


def misreading(said: Choice, topic: str, glosses: Glosses) -> str:
    """What a text about a topic was taken to ask for, in the words of the gloss that the model chose."""
    if said.relation not in glosses:
        return "none of those to choose from"
    return f"it reads like a question for {glosses[said.relation].asked(said.direction, topic)}"
