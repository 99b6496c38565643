"""The rules: what each line of ``rules.jsonl`` says, worked out again from its atoms alone.

Checks that every rule is closed, connected and safe; that its id is the hash of its canonical form; that
type, sub-type and readable form are those of its atoms; that its measures fit together; and that
rules are unique, in canonical order, and name known relations and entities; and that mined ones are such
as the options of the build allow.
"""

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Any

from rulemine.verify.folder import MANIFEST_NAME, Folder
from rulemine.verify.names import Names
from rulemine.verify.report import Findings, shown
from rulemine.verify.shapes import RULE

__all__ = ["Atom", "HornRule", "check_mined", "check_rules"]

RULES = "rules.jsonl"

Term = int | str
"""A variable (its index in the alphabet) or an entity in the naming of the release."""

Atom = tuple[Term, str, Term]

MOST_BODY_ATOMS = 7
"""The longest body: no miner here writes longer ones, and their canonical form would take forever."""

_LETTERS = "xyzwvutsrqponm"


@dataclass(frozen=True, slots=True)
class HornRule:
    """A rule that is well formed.

    Attributes:
        line: Its line in ``rules.jsonl``.
        head: The head.
        body: The body atoms as written there.
        type: Type and sub-type, derived from the atoms.
        measures: Head coverage, standard and PCA confidence.
    """

    line: int
    head: Atom
    body: tuple[Atom, ...]
    type: tuple[str, str]
    measures: dict[str, float]


def check_rules(folder: Folder, names: Names | None, findings: Findings) -> dict[str, HornRule]:
    """Checks the file.

    Returns:
        Rule id → rule, of those whose form is right.
    """
    rules: dict[str, HornRule] = {}
    last: tuple[Any, ...] | None = None
    for number, row in folder.records(RULES, RULE):
        head, *body = [_atom(value) for value in (row["head"], *row["body"])]
        if problem := _form_problem(head, body):
            findings.add(RULES, number, "rule form", problem, "a closed, connected, safe rule")
            continue
        if names is not None:
            terms = [t for s, _, o in (head, *body) for t in (s, o) if isinstance(t, str)]
            if lost := names.unknown(terms, [r for _, r, _ in (head, *body)]):
                expected = "names of entities.tsv and relations.tsv"
                findings.add(RULES, number, "names", shown(lost), expected)
        canonical = canonical_body(body)
        _expect(findings, number, "rule id", row["id"], rule_id(head, body))
        kind = rule_type(head, body)
        _expect(findings, number, "rule type", (row["type"], row["subtype"]), kind)
        _expect(findings, number, "readable form", row["rule"], readable(head, body))
        _check_measures(row, number, findings)
        if row["id"] in rules:
            found = f"{row['id']} of line {rules[row['id']].line}"
            findings.add(RULES, number, "rules unique", found, "each rule once")
        if not any(isinstance(t, str) for s, _, o in (head, *body) for t in (s, o)):
            # Rules that name entities are sorted under their names in the source.
            key = (head[1], len(body), [_key(atom) for atom in canonical], _key(head))
            if last is not None and key < last:
                findings.add(RULES, number, "sorted", shown(row["rule"]), "canonical order")
            last = key
        measures = {k: row[k] for k in ("head_coverage", "std_confidence", "pca_confidence")}
        rules[row["id"]] = HornRule(number, head, tuple(body), kind, measures)
    if not rules:
        findings.add(RULES, None, "rules", "none", "at least one")
    findings.count("rules", len(rules))
    return rules


_KINDS: dict[str, tuple[type | tuple[type, ...], str]] = {
    "max_atoms": (int, "a number"),
    "min_head_coverage": ((int, float), "a number"),
    "min_std_confidence": ((int, float), "a number"),
    "min_pca_confidence": ((int, float), "a number"),
    "min_initial_support": (int, "a number"),
    "head_relations": (list, "a list of names"),
    "body_relations": (list, "a list of names"),
    "exclude_relations": (list, "a list of names"),
    "max_recursion": (int, "a number"),
    "skyline": (bool, "true or false"),
    "perfect_pruning": (bool, "true or false"),
    "constants": (bool, "true or false"),
    "injective": (bool, "true or false"),
}
"""What the options of mining may be in a manifest."""

_ROUNDING = 1e-9


def check_mined(config: dict[str, Any], rules: dict[str, HornRule], findings: Findings) -> None:
    """Checks that mined rules are such as the options of the build allow.

    Options that older releases lack are not checked, nor are those that no single rule shows.

    Args:
        config: The options of the build, from the manifest.
        rules: The rules.
        findings: Gets the problems.
    """
    options = config.get("mining", {})
    if not isinstance(options, dict):
        findings.add(MANIFEST_NAME, None, "mining", shown(options), "an object, in config")
        return
    for key, value in options.items():
        kind, expected = _KINDS.get(key, ((), "no such option"))
        fits = isinstance(value, kind) and (not isinstance(value, bool) or kind is bool)
        if not fits or (kind is list and not all(isinstance(name, str) for name in value)):
            found = f"config.mining.{key} = {shown(value)}"
            findings.add(MANIFEST_NAME, None, "mining", found, expected)
            return
    if config.get("rules"):  # they were given, whatever the options say
        return
    for rule in rules.values():
        for key in _broken(options, rule):
            expected = f"config.mining.{key} {shown(options[key])} (manifest)"
            findings.add(RULES, rule.line, "mining", readable(rule.head, rule.body), expected)


def _broken(options: dict[str, Any], rule: HornRule) -> Iterator[str]:
    """The options that a rule does not keep to."""
    used = [r for _, r, _ in rule.body]
    times = Counter([rule.head[1], *used])
    entities = [t for s, _, o in (rule.head, *rule.body) for t in (s, o) if isinstance(t, str)]
    broken = {
        "max_atoms": times.total() > options.get("max_atoms", times.total()),
        "max_recursion": max(times.values()) > options.get("max_recursion", times.total()),
        "head_relations": rule.head[1] not in (options.get("head_relations") or times),
        "body_relations": not set(used) <= set(options.get("body_relations") or times),
        "exclude_relations": any(r in times for r in options.get("exclude_relations", ())),
        "constants": bool(entities) and not options.get("constants", True),
    }
    for name, value in rule.measures.items():
        broken[f"min_{name}"] = value + _ROUNDING < options.get(f"min_{name}", 0)
    return (key for key, is_broken in broken.items() if is_broken)


def _expect(
    findings: Findings, number: int, invariant: str, found: object, expected: object
) -> None:
    if found != expected:
        findings.add(RULES, number, invariant, shown(found), shown(expected))


def _check_measures(row: dict[str, Any], number: int, findings: Findings) -> None:
    support, body, pca = row["support"], row["body_size"], row["pca_body_size"]
    if not (support <= pca <= body and support <= row["head_size"]):
        found = f"{support}, {pca}, {body}, head size {row['head_size']}"
        expected = "support ≤ PCA body size ≤ body size, support ≤ head size"
        findings.add(RULES, number, "measures", found, expected)
    for name, size in (
        ("head_coverage", row["head_size"]),
        ("std_confidence", body),
        ("pca_confidence", pca),
    ):
        if row[name] != support / size:
            found, expected = f"{name} {row[name]}", f"{support} / {size} = {support / size}"
            findings.add(RULES, number, "measures", found, expected)


def _atom(value: list[Any]) -> Atom:
    subject, target = (
        ord(t[1]) - ord("a") if isinstance(t, str) else str(t["entity"]) for t in value[::2]
    )
    return (subject, value[1], target)


def _variables(atom: Atom) -> set[int]:
    return {t for t in (atom[0], atom[2]) if isinstance(t, int)}


def _form_problem(head: Atom, body: list[Atom]) -> str | None:
    if len(body) > MOST_BODY_ATOMS:
        return f"{len(body)} body atoms"
    subject, target = head[0], head[2]
    # The one head whose terms are one variable is r(?a,?a).
    places_kept = subject in (0, str(subject)) and target in (1, str(target))
    if not places_kept and not (subject == target == 0):
        return "a head whose variables are not ?a (subject) and ?b (object)"
    if head in body:
        return "the head among the body atoms"
    times = Counter(v for atom in (head, *body) for v in _variables(atom))
    if loose := sorted(v for v, n in times.items() if n < 2):
        return f"variable(s) {', '.join('?' + chr(97 + v) for v in loose)} in one atom only"
    if max(times) >= len(_LETTERS):
        return f"more than {len(_LETTERS)} variables"
    reached, grown = _variables(head), True
    while grown:
        grown = False
        for atom in body:
            if (found := _variables(atom)) & reached and not found <= reached:
                reached |= found
                grown = True
    if any(_variables(atom) - reached for atom in body):
        return "a body that is not connected with the head"
    return None


def canonical_body(body: list[Atom]) -> list[Atom]:
    """The least body over all renamings of its variables, atoms sorted."""
    free = sorted({v for atom in body for v in _variables(atom)} - {0, 1})
    candidates = []
    for order in permutations(range(2, 2 + len(free))):
        new: dict[Term, Term] = {0: 0, 1: 1, **dict(zip(free, order, strict=True))}
        atoms: list[Atom] = [(new.get(s, s), r, new.get(o, o)) for s, r, o in body]
        candidates.append(sorted(atoms, key=_key))
    return min(candidates, key=lambda atoms: [_key(atom) for atom in atoms])


def _key(atom: Atom) -> tuple[str, tuple[bool, int, str], tuple[bool, int, str]]:
    subject, target = (
        (True, 0, t) if isinstance(t, str) else (False, t, "") for t in (atom[0], atom[2])
    )
    return (atom[1], subject, target)


def rule_id(head: Atom, body: list[Atom]) -> str:
    """The id: twelve hexadecimal digits of SHA-256 over the canonical form.

    Entities count under their names in the release, so a rule with entities has an id per naming.
    """

    def text(term: Term) -> str:
        return f"={term}" if isinstance(term, str) else "?" + chr(97 + term)

    atoms = [head, *canonical_body(body)]
    form = "\t".join(f"{r}\t{text(s)}\t{text(o)}" for s, r, o in atoms)
    return hashlib.sha256(form.encode("utf-8")).hexdigest()[:12]


def readable(head: Atom, body: Sequence[Atom]) -> str:
    """The rule as text."""

    def text(atom: Atom) -> str:
        s, o = (repr(t) if isinstance(t, str) else _LETTERS[t] for t in (atom[0], atom[2]))
        return f"{atom[1]}({s},{o})"

    return f"{' ∧ '.join(map(text, body))} ⇒ {text(head)}"


def rule_type(head: Atom, body: list[Atom]) -> tuple[str, str]:
    """Type and sub-type: what the body looks like as a graph between x = ?a and y = ?b."""
    again = "recursive" if any(r == head[1] for _, r, _ in body) else "rest"
    plain = all(isinstance(s, int) and isinstance(o, int) and s != o for s, _, o in body)
    if not plain or (head[0], head[2]) != (0, 1):
        return ("other", again)
    edges = [(s, o) for s, _, o in body]
    if edges == [(0, 1)]:
        return ("hierarchy", "hierarchy")
    if edges == [(1, 0)]:
        kind = "symmetry" if body[0][1] == head[1] else "inversion"
        return (kind, kind)
    degrees = Counter(term for edge in edges for term in edge)
    ends = degrees.pop(0, 0), degrees.pop(1, 0)
    inner = set(degrees.values())
    # Every rule here is connected, so these degrees leave only a simple path between x and y.
    if ends == (1, 1) and inner == {2}:
        if len(edges) > 2:
            return ("other", "longer chain")
        out = sum(s == 0 for s, _ in edges), sum(o == 1 for _, o in edges)
        shapes = {(1, 0): "common object", (0, 1): "common subject", (0, 0): "reversed chain"}
        return ("composition", "composition") if out == (1, 1) else ("other", shapes[out])
    if ends == (2, 2) and len(edges) == 3 and inner == {2}:
        return ("other", "triangle")
    return ("other", "intersection") if not inner else ("other", again)
