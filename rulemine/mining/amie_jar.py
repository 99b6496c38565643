"""The original AMIE 3.5.1 as a miner: a jar that the user has, run in a process of its own.

Guarantees: the rules are AMIE's, complete or none, in canonical form and order; an option means what it means
to this package's miner, or is refused; AMIE sees numbers in place of labels, so that none is mangled.
With one thread, the default here, it prints the same rules every time; with more, a few depend on timing.
"""

import os
import re
import subprocess
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from rulemine.errors import ConfigError, InputError, LimitError, MiningError
from rulemine.files import digest_of, opened
from rulemine.kg.graph import KnowledgeGraph
from rulemine.mining.java_home import find_java
from rulemine.mining.jvm import heap_size
from rulemine.mining.miner import allowed_relations
from rulemine.mining.options import MiningOptions, Resources, TimeLimit
from rulemine.query.atom import Atom
from rulemine.rules.formats import parse_amie_rule
from rulemine.rules.rule import Rule, sort_rules

__all__ = ["AmieJar"]

LEAST = 1e-12
"""Stands for thresholds of 0, which mean something else to AMIE: any rule with a support passes it."""


@dataclass(frozen=True)
class AmieJar:
    """The jar of AMIE 3.5.1, and the SHA-256 of its bytes."""

    path: Path
    digest: str

    @classmethod
    def open(cls, path: str | Path) -> "AmieJar":
        """Reads the digest of a jar, without running it."""
        with opened(Path(path)) as file:
            digest = digest_of(file.read())
        return cls(Path(path), digest)

    def command(
        self, kg: KnowledgeGraph, options: MiningOptions, resources: Resources, folder: Path
    ) -> list[str]:
        """Writes a graph to a folder, and returns the words of the command that mines all of it."""
        if options.injective:
            raise ConfigError("injective: AMIE has no such option. Leave it or AMIE out.")
        np.savetxt(folder / "kg.tsv", kg.triples, "e%d\tr%d\te%d")
        shares = options.min_head_coverage, options.min_pca_confidence
        coverage, pca = (repr(max(share, LEAST)) for share in shares)
        return [
            str(find_java()), f"-Xmx{heap_size(resources.heap)}", "-XX:+ExitOnOutOfMemoryError",
            "-Duser.language=en", "-Duser.country=US", "-jar", str(self.path.resolve()),
            "-maxad", str(options.max_atoms), "-minis", str(options.min_initial_support),
            "-minhc", coverage, "-minpca", pca, "-minc", repr(options.min_std_confidence),
            # -oute, because what prints rules as they are found can miss the end, and wait forever.
            "-oute", "-nc", str(resources.threads or 1), *["-const"] * options.constants,
            str(folder / "kg.tsv"),
        ]  # fmt: skip

    def mine(
        self, kg: KnowledgeGraph, options: MiningOptions, resources: Resources, limit: TimeLimit
    ) -> tuple[Rule, ...]:
        """Mines as `rulemine.mining.mine` does; a time limit leaves no rules (`LimitError`)."""
        wanted = [
            set(kg.relations) if mask is None else {kg.relations[i] for i in np.flatnonzero(mask)}
            for mask in allowed_relations(kg, options)
        ]
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as place:
            text = self._run(self.command(kg, options, resources, Path(place)), limit)
        sizes = kg.relation_sizes().tolist()
        try:
            lines = [line for line in text.splitlines() if " => " in line]
            rules = [_named(kg, parse_amie_rule(line), sizes) for line in lines]
        except (InputError, ValueError, IndexError) as problem:
            raise MiningError(f"{self.path}: prints no table of AMIE 3.5.1 ({problem}).") from None
        if f"\n{len(rules)} rules mined." not in text or f"Loaded {len(kg)} facts" not in text:
            raise MiningError(f"{self.path}: AMIE read or printed not all, or is not AMIE 3.5.1.")
        # AMIE's own filters take relations in one argument, which can be too long.
        kept = (rule for rule in rules if rule.head.relation in wanted[0])
        return sort_rules(rule for rule in kept if {a.relation for a in rule.body} <= wanted[1])

    def _run(self, words: list[str], limit: TimeLimit) -> str:
        """What AMIE prints; it is killed when its time is up, or anything else ends this."""
        # The options of these would come on top of ours, and the last would take the place of the heap.
        of_java = ("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS")
        environment = {name: value for name, value in os.environ.items() if name not in of_java}
        seconds = None if limit.seconds is None else max(limit.left(), 0)
        try:
            done = subprocess.run(  # noqa: S603
                words, env=environment, stdin=subprocess.DEVNULL, capture_output=True,
                timeout=seconds, encoding="utf-8", errors="replace", check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            raise LimitError("AMIE was ended by the time limit, before it had rules.") from None
        # When a thread died of an exception, the others print what they have as if it were all.
        if done.returncode or 'Exception in thread "' in done.stderr:
            said = re.sub(r"\n\tat .*", "", done.stderr or done.stdout).strip().splitlines()[-5:]
            more = "Raise --heap. " * ("OutOfMemoryError" in done.stdout + done.stderr)
            raise MiningError(f"{self.path}: AMIE failed. {more}It said: {' | '.join(said)}")
        return done.stdout


def _named(kg: KnowledgeGraph, rule: Rule, sizes: list[int]) -> Rule:
    """A rule over numbers as one over the labels of a graph, whose relations have these sizes."""

    def atom(numbered: Atom) -> Atom:
        ends = (numbered.subject, numbered.object)
        subject, object_ = (kg.entities[int(e[1:])] if isinstance(e, str) else e for e in ends)
        return Atom(subject, kg.relations[int(numbered.relation[1:])], object_)

    known = replace(rule.known, head_size=sizes[int(rule.head.relation[1:])])
    return Rule(atom(rule.head), tuple(map(atom, rule.body)), known).canonical()
