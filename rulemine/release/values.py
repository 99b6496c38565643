"""The values that the incomplete property graph lacks, each with what determines it.

``removed_values.jsonl`` has a line for each of them, ``value_rules.jsonl`` one for each rule that their
certificates name (`rulemine.rules.values.value_rules.ValueRule`). Ids of nodes and relations are in the
naming of the release.
"""

from dataclasses import dataclass
from typing import Annotated, Any

from rulemine.release.records import Entity, Triple, as_given

__all__ = ["REMOVED_VALUES", "VALUE_RULES", "RemovedValue", "ValueCertificate"]

REMOVED_VALUES = "removed_values.jsonl"
VALUE_RULES = "value_rules.jsonl"


@dataclass(frozen=True, slots=True)
class ValueCertificate:
    """Where a removed value can still be read from: all of this is in the incomplete graph, at every level.

    Attributes:
        rule: Id of the rule.
        path: The triples that lead from the node of the removed value to `node`, in the order of the rule's
            path, each as it is stated; none if it is the same node.
        node: The node whose value determines the removed one.
        property: The property with that value.
    """

    rule: str
    path: Annotated[tuple[Triple, ...], as_given]
    node: Entity
    property: str


@dataclass(frozen=True, slots=True)
class RemovedValue:
    """A value of the complete property graph that the incomplete one lacks.

    Attributes:
        node: Id of the node.
        property: The property.
        value: The value as JSON has it; dates are ISO texts.
        level: The percentage of the removal at which it goes, 1 … 100.
        certificate: What determines it.
    """

    node: Entity
    property: str
    value: Any
    level: int
    certificate: ValueCertificate
