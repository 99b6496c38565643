"""What only questions of the kind ``rules`` have."""

from dataclasses import dataclass

__all__ = ["RuleBlock"]


@dataclass(frozen=True, slots=True)
class RuleBlock:
    """What only a question of the kind ``rules`` has; about its `Question.hard_answer`.

    Attributes:
        direction: The end of the removed triple that is asked for: ``object`` (the topic is the subject) or
            ``subject``.
        rule_type: See `rulemine.rules.rule`.
        rule_subtype: Likewise.
    """

    direction: str
    rule_type: str
    rule_subtype: str
