"""Reads and writes rules as text: AMIE's format, AnyBURL's, JSON Lines, and a readable form.

AMIE's format is that of version 3.5.1: tab-separated columns, atoms as ``?a  relation  ?b``.
AnyBURL's, which PyClause reads and writes too, has body size, support, confidence and ``head(X,Y) <= body``.
JSON Lines is this package's format; variables are ``"?a"``, entities ``{"entity": label}``.
The readable form is for people: ``aunt(x,z) ∧ brother(z,y) ⇒ aunt(x,y)``.
"""

import json
import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache, partial
from pathlib import Path
from string import ascii_uppercase
from typing import Any, NamedTuple

from rulemine.codec import dump_line, parse_object, why_unreadable
from rulemine.errors import InputError, counted, list_problems
from rulemine.files import read_lines, write_lines
from rulemine.query.atom import Atom, Term, variable_name
from rulemine.query.evidence_tree import simple_path
from rulemine.rules.rule import (
    AtomShape,
    Measures,
    Rule,
    atom_shape,
    classify_shapes,
    id_of,
    identity_of,
    readable_atom,
)

__all__ = [
    "AMIE_HEADER",
    "JsonAtom",
    "amie_atom",
    "amie_line",
    "anyburl_line",
    "format_amie",
    "json_atom",
    "json_line",
    "json_text",
    "parse_amie_rule",
    "parse_readable",
    "read_rules",
    "rule_to_json",
    "write_rules",
]

AMIE_COLUMNS = (
    "Rule",
    "Head Coverage",
    "Std Confidence",
    "PCA Confidence",
    "Positive Examples",
    "Body size",
    "PCA Body size",
    "Functional variable",
)

AMIE_HEADER = "\t".join(AMIE_COLUMNS) + "\n"
_AMIE_START = "Rule\tHead Coverage"

_VARIABLES = {variable_name(number): number for number in range(26)}
_CACHED = 1 << 16
"""Size of the caches of formatted atoms and measures."""

_ATOM = re.compile(r"(.+?)\(([a-z]), ?([a-z])\)( ∧ | & | ⇒ | => |$)")
_ARROW = "   => "  # every token is followed by two blanks, then " => "
# Lines that AMIE prints between and around the rules; anything else after the header is malformed.
_AMIE_LOG = re.compile(r"Using \d+ threads?|Mining done in .*|Total time .*|\d+ rules mined\.")
_ROUNDING = 1e-8  # AMIE prints nine decimals

_ANYBURL_LINE = re.compile(r"\d+\t\d+\t[^\t]+\t.+ <=( |$)")
# An atom has a variable, which is one character; the other term may hold commas.
_ANYBURL_ATOM = re.compile(r"([^(]+)\((.+),(.)\)|([^(]+)\((.),(.+)\)")


def parse_readable(text: str, *, closed: bool = True) -> Rule:
    """Parses how a rule is shown, for rules without entities; the result has no measures.

    ``&`` and ``=>`` are read too. `closed` is that of `Rule.problem`.

    Raises:
        InputError: The text is not such a rule, or the rule is not closed, connected and safe.

    Example:
        >>> parse_readable("wife(y,x) ⇒ husband(x,y)").body
        (Atom(subject=1, relation='wife', object=0),)
    """
    named: list[tuple[str, str, str]] = []
    position, arrows = 0, []
    while position < len(text):
        found = _ATOM.match(text, position)
        if not found:
            raise InputError(
                f"rule {text!r}: cannot be read from character {position + 1}; expected "
                "relation(x,y) ∧ … ⇒ relation(x,y) with single letters as variables."
            )
        named.append((found[2], found[1], found[3]))
        if found[4] in {" ⇒ ", " => "}:
            arrows.append(len(named))
        position = found.end()
    if len(named) < 2 or arrows != [len(named) - 1]:
        raise InputError(f"rule {text!r}: expected body atoms, one ⇒, and one head atom.")
    return _build(text, [named[-1], *named[:-1]], lambda _: True, closed=closed)


def format_amie(rules: Iterable[Rule]) -> str:
    """Formats rules in AMIE's columns and number format, with a header, in the order given.

    Raises:
        InputError: A name has two blanks in a row, which separate the parts of an atom in this format.
    """
    return AMIE_HEADER + "".join(
        amie_line(amie_atom(r.head), [amie_atom(atom) for atom in r.body], r.known.counts)
        for r in rules
    )


def amie_line(head: str, body: Iterable[str], counts: tuple[int, ...]) -> str:
    """Formats a rule as a line of AMIE's output, from the results of `amie_atom` and `Measures.counts`."""
    return f"{''.join(body)} => {head[:-2]}\t{_amie_measures(counts)}\n"


@lru_cache(maxsize=_CACHED)
def amie_atom(atom: Atom) -> str:
    """Formats an atom as AMIE does.

    Raises:
        InputError: As `format_amie`.
    """
    for name in atom:
        if isinstance(name, str) and "  " in name:
            raise InputError(
                f"{name!r} has two blanks in a row, which mark the end of a name in AMIE's format. "
                "Write JSON Lines instead: --format jsonl."
            )
    return "".join(f"{variable_name(t) if isinstance(t, int) else t}  " for t in atom)


@lru_cache(maxsize=_CACHED)
def _amie_measures(counts: tuple[int, ...]) -> str:
    m = Measures(*counts)
    fractions = map(_amie_number, (m.head_coverage, m.std_confidence, m.pca_confidence))
    numbers = map(str, (m.support, m.body_size, m.pca_body_size))
    return "\t".join((*fractions, *numbers, variable_name(m.functional)))


def _amie_number(value: float) -> str:
    """At most nine decimals, half-even on the exact binary value, no trailing zeros."""
    return f"{value:.9f}".rstrip("0").rstrip(".")


def parse_amie_rule(text: str, columns: Sequence[str] = AMIE_COLUMNS) -> Rule:
    """Parses a line of AMIE's output.

    Args:
        text: The line, tab-separated.
        columns: The names of its columns, from the header of the file.

    Returns:
        The rule, its body in the printed order.

    Raises:
        InputError: The line is malformed; the message has no file and line number.
    """
    fields = text.split("\t")
    if len(fields) != len(columns):
        raise InputError(f"has {counted(len(fields), 'column')}; expected {len(columns)}")
    values = dict(zip(columns, fields, strict=True))
    body_text, arrow, head_text = values["Rule"].partition(_ARROW)
    if not arrow:
        raise InputError(f"{values['Rule']!r} has no ' => ' between body and head")
    body_tokens = re.split(" {2,}", body_text.strip(" "))
    head_tokens = re.split(" {2,}", head_text.strip(" "))
    if len(head_tokens) != 3 or len(body_tokens) % 3:
        raise InputError(f"{values['Rule']!r}: atoms must be 'subject  relation  object'")
    tokens = [*head_tokens, *body_tokens]
    atoms = [(tokens[i], tokens[i + 1], tokens[i + 2]) for i in range(0, len(tokens), 3)]
    rule = _build(values["Rule"], atoms, lambda name: name.startswith("?"))
    return Rule(rule.head, rule.body, _parse_measures(values, head_tokens))


def _parse_measures(values: dict[str, str], head_tokens: list[str]) -> Measures:
    try:
        support, body_size, pca_body_size = (int(values[name]) for name in AMIE_COLUMNS[4:7])
        # AMIE writes the decimal comma where the language of its Java has one.
        coverage, std, pca = (float(values[name].replace(",", ".")) for name in AMIE_COLUMNS[1:4])
        functional = [head_tokens[0], head_tokens[2]].index(values["Functional variable"])
        head_size = round(support / coverage)
    except (ValueError, ArithmeticError) as problem:
        raise InputError(f"a measure cannot be read ({why_unreadable(problem)})") from None
    measures = _checked((support, body_size, pca_body_size, head_size, functional))
    errors = (abs(std - measures.std_confidence), abs(pca - measures.pca_confidence))
    if not all(error <= _ROUNDING for error in errors):  # in this form NaN fails too
        raise InputError("the confidences do not match the counts")
    return measures


def _checked(counts: tuple[int, int, int, int, int]) -> Measures:
    """The measures with these `Measures.counts`, if they are possible."""
    support, body_size, pca_body_size, head_size, _ = counts
    if not (0 < support <= pca_body_size <= body_size and support <= head_size):
        raise InputError(
            "expected 0 < support ≤ PCA body size ≤ body size, support ≤ head size; found "
            f"{support}, {pca_body_size}, {body_size}, head size {head_size}"
        )
    return Measures(*counts)


def anyburl_line(rule: Rule) -> str:
    """Formats a rule as a line of AnyBURL's output.

    Its form is for bodies that are a path from X to Y, or, where the head has an entity, from the variable of
    the head to an entity.

    Returns:
        The line; "" if the body is no such path.

    Raises:
        InputError: A name cannot be read back.
    """
    body = [(atom.subject, atom.object) for atom in rule.body]
    start, end = rule.head.subject, rule.head.object
    entities = {term for ends in body for term in ends if isinstance(term, str)}
    if (isinstance(start, str) or isinstance(end, str)) != len(entities):
        return ""
    if entities:
        start, end = min(start, end, key=lambda term: isinstance(term, str)), *entities
    path = simple_path(body, start, end)
    if path is None:
        return ""
    between = (body[edge][forward] for edge, forward in path[:-1])
    names = {0: "X", 1: "Y", **dict(zip(between, ascii_uppercase, strict=False))}
    head, *atoms = (
        f"{r}({names.get(s, s)},{names.get(o, o)})"
        for s, r, o in (rule.head, *(rule.body[step.edge] for step in path))
    )
    signs = [name for name in rule.relations | rule.entities if ", " in name or " <=" in name]
    signs += [name for name in rule.relations if "(" in name]
    if signs := signs + [name for name in rule.entities if len(name) == 1]:
        raise InputError(
            f"{signs[0]!r} has '(', ', ' or ' <=', or is an entity of one character, which AnyBURL's form "
            "cannot tell from its own signs. Write JSON Lines instead: --format jsonl."
        )
    return f"{rule.body_size}\t{rule.support}\t{rule.known.std_confidence!r}\t{head} <= {', '.join(atoms)}\n"


def parse_anyburl_rule(text: str) -> Rule:
    """Parses a line of AnyBURL's output, without its numbers: they are of a sample, or of a test set.

    Raises:
        InputError: The line is malformed; the message has no file and line number.
    """
    head, _, body = text.rpartition("\t")[2].partition(" <=")
    atoms: list[tuple[str, str, str]] = []
    for atom in (head, *body.strip().split(", ")):
        if not (found := _ANYBURL_ATOM.fullmatch(atom)):
            raise InputError(f"{text!r}: {atom!r} is no atom, such as relation(X,A)")
        relation, subject, object_ = filter(None, found.groups())
        atoms.append((subject, relation, object_))
    return _build(text, atoms, lambda name: len(name) == 1)


def _build(
    text: str,
    atoms: Sequence[tuple[str, str, str]],
    is_variable: Callable[[str], bool],
    *,
    closed: bool = True,
) -> Rule:
    """Builds a rule from named terms, the head first; those that are no variables are entities.

    Raises:
        InputError: The rule, of which the message shows the text, is not closed, connected and safe.
    """
    ids: dict[str, int] = {}

    def term(name: str, preset: int | None = None) -> Term:
        if not is_variable(name):
            return name
        if name not in ids:
            # 0 and 1 belong to the head's subject and object even where one is an entity.
            ids[name] = preset if preset is not None else max(1, *ids.values(), 1) + 1
        return ids[name]

    (subject, relation, object_), *body = atoms
    head = Atom(term(subject, 0), relation, term(object_, 1))
    rule = Rule(head, tuple(Atom(term(s), r, term(o)) for s, r, o in body))
    if problem := rule.problem(closed=closed):
        raise InputError(f"rule {text!r}: {problem}")
    return rule


def write_rules(path: Path, rules: Iterable[Rule]) -> None:
    """Writes rules as JSON Lines, atomically."""
    write_lines(path, map(json_text, rules))


def rule_to_json(rule: Rule) -> dict[str, Any]:
    """A rule as a JSON object: id, readable form, type, atoms, measures (when known)."""
    row: dict[str, Any] = json.loads(json_text(rule))
    return row


def json_text(rule: Rule) -> str:
    """Formats a rule as a line of JSON, see `rule_to_json`."""
    return json_line(
        json_atom(rule.head),
        [json_atom(atom) for atom in rule.body],
        None if rule.measures is None else rule.measures.counts,
        [json_atom(atom) for atom in rule.canonical_body],
    )


class JsonAtom(NamedTuple):
    """The parts of a rule's JSON line that come from one atom.

    Attributes:
        text: Its readable form, escaped for a JSON string.
        terms: Subject, relation and object as a JSON list.
        identity: Its part of the text that is hashed into rule ids.
        shape: Its variables, on which the type of a rule depends.
        relation: Its relation.
    """

    text: str
    terms: str
    identity: str
    shape: AtomShape
    relation: str


@lru_cache(maxsize=_CACHED)
def json_atom(atom: Atom) -> JsonAtom:
    """Formats the parts of a rule's JSON line that come from one atom."""
    terms = [_json_term(atom.subject), atom.relation, _json_term(atom.object)]
    text = dump_line(readable_atom(atom))[1:-1]
    return JsonAtom(text, dump_line(terms), identity_of(atom), atom_shape(atom), atom.relation)


def json_line(
    head: JsonAtom,
    body: Sequence[JsonAtom],
    counts: tuple[int, ...] | None,
    canonical_body: Sequence[JsonAtom] | None = None,
) -> str:
    """Formats a rule as a line of JSON.

    Args:
        head: The head.
        body: The body.
        counts: `Measures.counts`; None: unknown.
        canonical_body: The body in canonical form; None: `body` is in that form.
    """
    texts, terms, identities, shapes, relations = zip(*body, strict=True)
    if canonical_body is not None:
        identities = tuple(atom.identity for atom in canonical_body)
    kind = classify_shapes(head.shape, shapes, tuple([r == head.relation for r in relations]))
    return (
        f'{{"id":"{id_of(head.identity, *identities)}",'
        f'"rule":"{" ∧ ".join(texts)} ⇒ {head.text}",'
        f'"type":"{kind.type}","subtype":"{kind.subtype}",'
        f'"head":{head.terms},"body":[{",".join(terms)}]'
        f"{'' if counts is None else _json_measures(counts)}}}\n"
    )


def _json_term(term: Term) -> str | dict[str, str]:
    return variable_name(term) if isinstance(term, int) else {"entity": term}


@lru_cache(maxsize=_CACHED)
def _json_measures(counts: tuple[int, ...]) -> str:
    m = Measures(*counts)
    return (
        f',"head_coverage":{m.head_coverage!r},"std_confidence":{m.std_confidence!r},'
        f'"pca_confidence":{m.pca_confidence!r},"support":{m.support},'
        f'"body_size":{m.body_size},"pca_body_size":{m.pca_body_size},'
        f'"head_size":{m.head_size},"functional":"{variable_name(m.functional)}"'
    )


def rule_from_json(row: dict[str, Any]) -> Rule:
    """Parses what `rule_to_json` writes; checks the id and ignores other derived fields.

    Raises:
        InputError: A field is missing or wrong; the message has no file and line number.
    """
    try:
        head, *body = [_json_atom(atom) for atom in (row["head"], *row["body"])]
        measures = None
        if "support" in row:
            counts = tuple([row[name] for name in Measures.__slots__[:4]])
            if not all(type(n) is int for n in counts):
                raise InputError(f"counts must be integers, found {counts}")
            measures = _checked((*counts, ("?a", "?b").index(row["functional"])))
    except (KeyError, TypeError, ValueError) as fault:
        what = f"it has no {fault}" if isinstance(fault, KeyError) else "a value is of another type"
        raise InputError(f"is not a rule: {what}") from None
    rule = Rule(head, tuple(body), measures)
    if problem := rule.problem():
        raise InputError(f"{str(rule)!r}: {problem}")
    if row.get("id", rule.id) != rule.id:
        raise InputError(f"the id {row['id']!r} is not that of the rule, {rule.id!r}")
    return rule


def _json_atom(atom: Any) -> Atom:
    if not isinstance(atom, list) or len(atom) != 3 or not isinstance(atom[1], str):
        raise InputError(f"an atom is [subject, relation, object], found {atom!r}")
    return Atom(_json_to_term(atom[0]), atom[1], _json_to_term(atom[2]))


def _json_to_term(value: Any) -> Term:
    if isinstance(value, dict) and isinstance(entity := value.get("entity"), str):
        return entity
    if isinstance(value, str) and (variable := _VARIABLES.get(value)) is not None:
        return variable
    raise InputError(f"a term is '?a' … '?z' or {{'entity': label}}, found {value!r}")


def read_rules(path: Path) -> tuple[Rule, ...]:
    """Reads rules from JSON Lines, AMIE's output or AnyBURL's, recognized by the first line of the file.

    AMIE's log lines around the rules are skipped; any other line that is not a rule is an error.
    Rules of AnyBURL have no measures.

    Returns:
        The rules in file order, body atoms in the order of the file.

    Raises:
        InputError: The file cannot be read, holds no rule, repeats one, or has malformed lines.
    """
    lines = read_lines(path)
    first = next(filter(str.strip, lines), "")
    parse: Callable[[str], Rule] = _parse_json_line
    header = -1
    advice = "Give AMIE's or AnyBURL's complete output or this package's JSON Lines."
    if _ANYBURL_LINE.match(first):
        parse = parse_anyburl_rule
        advice = (
            f"Keep the rules about two variables: grep '(X,Y) <= ' {path} > rules.txt; what is said of a "
            "single entity, or of anything at all, proves nothing here."
        )
    elif not first.lstrip().startswith("{"):
        columns: Sequence[str] = AMIE_COLUMNS
        header = next((n for n, line in enumerate(lines) if _AMIE_START in line), -1)
        if header >= 0:
            columns = (_AMIE_START + lines[header].partition(_AMIE_START)[2]).strip().split("\t")
        if missing := set(AMIE_COLUMNS) - set(columns):
            raise InputError(
                f"{path}: line {header + 1}: the header lacks {', '.join(sorted(missing))}. "
                "Run AMIE without -ostd; its newest sources need -enstd."
            )
        parse = partial(parse_amie_rule, columns=columns)
    rules: list[Rule] = []
    problems: list[str] = []
    seen: dict[str, int] = {}
    for number, line in enumerate(lines[header + 1 :], start=header + 2):
        if not line.strip() or _AMIE_LOG.fullmatch(line.strip()):
            continue
        try:
            rule = parse(line.rstrip("\r\n"))
        except InputError as problem:
            problems.append(f"line {number}: {problem}")
            continue
        if rule.id in seen:
            problems.append(f"line {number} repeats the rule of line {seen[rule.id]}: {rule}")
        seen[rule.id] = number
        rules.append(rule)
    if problems:
        raise InputError(list_problems(str(path), problems, advice))
    if not rules:
        raise InputError(f"{path}: holds no rule. {advice}")
    return tuple(rules)


def _parse_json_line(line: str) -> Rule:
    return rule_from_json(parse_object(line, "it"))
