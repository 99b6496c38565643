"""Files of value rules (`rulemine.rules.values.value_rules`): a list of them in TOML, read and written."""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path

from rulemine.config import read_toml
from rulemine.errors import ConfigError, counted, did_you_mean, list_problems
from rulemine.kg.property_graph.graph import PropertyGraph
from rulemine.kg.property_graph.schema import Schema
from rulemine.rules.values.value_rules import (
    FUNCTIONS,
    ValueRule,
    ValueStep,
    inferred_values,
    joins,
    measured,
    value_rule,
)

__all__ = ["read_value_rules", "value_rules_text"]

_RULE = re.compile(
    r"(?P<type>\w+)\.(?P<property>\w+) = (?:(?P<function>\w+)\((?P<of>\w+\.\w+)\)|(?P<end>\w+\.\w+))"
    r"(?: over \((?P<first>\w+)\)(?P<steps>(?:-\[:\w+\]->\(\w+\)|<-\[:\w+\]-\(\w+\)){1,2}))?"
)
_STEP = re.compile(r"(<?)-\[:(\w+)\]->?\((\w+)\)")


def read_value_rules(path: Path, graph: PropertyGraph) -> tuple[ValueRule, ...]:
    """The rules of a file, measured on a graph.

    Args:
        path: A TOML file: ``rules = ["Person.birth_year = year(Person.birth_date)", …]``.
        graph: The complete graph.

    Raises:
        InputError: The file cannot be read.
        ConfigError: A line is no rule, or does not fit the schema; one message lists all that do not.
    """
    whole = read_toml(path)
    lines = whole.get("rules")
    if set(whole) != {"rules"} or not isinstance(lines, list):
        raise ConfigError(
            f'{path}: expected the key "rules" alone, a list of rules, e.g. '
            'rules = ["Person.birth_year = year(Person.birth_date)"]. Correct it.'
        )
    problems: list[str] = []
    found: dict[str, ValueRule] = {}
    for line in lines:
        match = _RULE.fullmatch(" ".join(line.split())) if isinstance(line, str) else None
        if match is None:
            problems.append(f"{line!r} is no rule")
            continue
        type_, source = (match["of"] or match["end"]).split(".")
        steps = tuple(
            ValueStep(relation, not back, reached)
            for back, relation, reached in _STEP.findall(match["steps"] or "")
        )
        rule = value_rule(
            match["type"], match["property"], steps, source, match["function"] or "same"
        )
        end = steps[-1].type if steps else rule.type
        wrong = list(_misfits(graph.schema, rule))
        if (match["first"] or rule.type) != rule.type or type_ != end:
            wrong = [f"a path from {rule.type} to {type_} was expected"]
        problems += [f"{line!r}: {one}" for one in wrong]
        found[rule.id] = rule
    if problems:
        advice = (
            'Write rules as in "City.country_code = Country.iso_code over '
            '(City)-[:locatedIn]->(Country)".'
        )
        raise ConfigError(list_problems(str(path), problems, advice))
    return tuple(filter(None, (measured(graph, rule) for rule in found.values())))


def _misfits(schema: Schema, rule: ValueRule) -> Iterator[str]:
    """What of a rule the schema does not have."""
    types = {row.label: {p.name: p.datatype for p in row.properties} for row in schema.entities}
    before = rule.type
    for name in (rule.type, *(step.type for step in rule.path)):
        if name not in types:
            yield f"there is no type {name!r}; {did_you_mean(name, types)}"
            return
    for step in rule.path:
        ends = (before, step.type) if step.outward else (step.type, before)
        if schema.relation(ends[0], step.relation, ends[1]) is None:
            yield f"there is no relation {ends[0]} {step.relation} {ends[1]}"
        before = step.type
    target, source = types[rule.type], types[before]
    if rule.property not in target:
        yield f"{rule.type} has no property {rule.property!r}; {did_you_mean(rule.property, target)}"
    elif rule.source not in source:
        yield f"{before} has no property {rule.source!r}; {did_you_mean(rule.source, source)}"
    elif rule.function not in FUNCTIONS:
        yield f"there is no function {rule.function!r}; {did_you_mean(rule.function, FUNCTIONS)}"
    elif not joins(source[rule.source], rule.function, target[rule.property]):
        yield f"{source[rule.source]} does not become {target[rule.property]}"
    elif not rule.path and rule.property == rule.source:
        yield "it says nothing"


def value_rules_text(graph: PropertyGraph, rules: Sequence[ValueRule]) -> str:
    """A file with rules, with their counts in comments, and how many values of each property they determine.

    Args:
        graph: The graph on which they were measured.
        rules: The rules, those about one property one after another.
    """
    lines = [
        f"# {graph.schema.name}: where another fact says what a value is; keep what is true.",
        "rules = [",
    ]
    for (label, name), group in groupby(rules, key=lambda rule: (rule.type, rule.property)):
        some = list(group)
        known = [at for at in graph.of_type(label) if graph.value(at, name) is not None]
        sure = {
            at
            for rule in some
            for at, value in inferred_values(graph, rule)
            if graph.value(at, name) == value
        }
        lines.append(f"  # {label}.{name}: {len(sure):,} of {counted(len(known), 'value')}")
        lines += [
            f'  "{rule.text}", # {rule.support:,} of {rule.known:,}; '
            f"the most common value alone {rule.prior:.1%}"
            for rule in some
        ]
    return "\n".join([*lines, "]", ""])
