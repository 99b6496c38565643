"""The original AMIE as a miner, tried with a jar that stands in for it."""

import json
import re
import shutil
import signal
import subprocess
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest

from rulemine.builder.pipeline import Build, BuildContext
from rulemine.builder.rebuild import rebuild
from rulemine.errors import ConfigError, HeapError, InputError, LimitError, MiningError, UserError
from rulemine.kg.graph import KnowledgeGraph
from rulemine.mining import AmieJar, MiningOptions, Resources, mine
from rulemine.mining import amie_jar as module
from rulemine.mining.difference import MinerDifference
from rulemine.recipe.loading import load_recipe
from rulemine.release.differences import compare
from rulemine.release.reader import Release
from rulemine.rules.formats import AMIE_HEADER
from tests.command_line import FACTS, PEOPLE, Command
from tests.mining.amie_stand_in import MakeJar, jar_maker

LOOSE = MiningOptions(min_initial_support=1)

NAMES = {
    "husband": "is  husband\u00a0of.",
    "wife": "?wife",
    "father": "differentFrom",
    "mother": '"Mutter, größte" => x',
    "child": "5",
}
"""Names that AMIE would mangle, skip or take for something else; ``5`` is an entity too."""

FAMILY = "h{0} husband w{0}\nw{0} wife h{0}\nh{0} father c{0}\nw{0} mother c{0}\nc{0} child h{0}\n"
COUPLES = "".join(FAMILY.replace(" ", "\t").format(i) for i in range(PEOPLE))

KG = KnowledgeGraph.from_triples(
    [
        (s.replace("h7", "5").replace("c3", "Zoë  “x”, ?y."), NAMES[r], o.replace("h7", "5"))
        for s, r, o in (line.split("\t") for line in COUPLES.splitlines())
        if (s, r)
        not in {
            ("w4", "wife"),
            ("h5", "father"),
            ("h6", "father"),
            ("c6", "child"),
            ("h8", "husband"),
        }
    ]
)


@pytest.fixture(scope="module")
def make_jar(tmp_path_factory: pytest.TempPathFactory) -> MakeJar:
    return jar_maker(tmp_path_factory.mktemp("stand-in"))


@pytest.fixture
def ended(monkeypatch: pytest.MonkeyPatch) -> Callable[[], bool]:
    """Says whether every process that was started has ended."""
    started: list[subprocess.Popen[bytes]] = []
    real = subprocess.Popen

    def popen(*words: Any, **more: Any) -> subprocess.Popen[bytes]:
        started.append(real(*words, **more))
        return started[-1]

    monkeypatch.setattr(subprocess, "Popen", popen)
    return lambda: bool(started) and all(p.returncode is not None for p in started)


@pytest.mark.parametrize(
    "options",
    [
        LOOSE,
        replace(LOOSE, min_head_coverage=0, min_std_confidence=0, min_pca_confidence=0),
        replace(LOOSE, skyline=False, perfect_pruning=False, min_pca_confidence=0.5),
        replace(LOOSE, head_relations=(NAMES["wife"], "5"), body_relations=(NAMES["husband"], "5")),
        replace(LOOSE, max_atoms=2, min_initial_support=39, exclude_relations=(NAMES["mother"],)),
    ],
    ids=["defaults", "zeros", "no pruning", "filters", "excluded"],
)
def test_the_same_rules_whatever_the_labels(
    make_jar: MakeJar, options: MiningOptions, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("_JAVA_OPTIONS", "-Duser.language=de -Duser.country=DE")
    rules = AmieJar.open(make_jar()).mine(KG, options)
    assert len(rules) > 0
    assert rules == mine(KG, options)
    assert "".join(rules.text("jsonl")) == "".join(mine(KG, options).text("jsonl"))


@pytest.mark.parametrize("comma", [False, True])
def test_what_amie_itself_printed_is_read(
    make_jar: MakeJar, shared: Callable[[str], Path], comma: bool
) -> None:
    kg = KnowledgeGraph.read(shared("family/facts.tsv"))
    printed = shared("../amie/golden/family-3atoms.amie.txt").read_text("utf-8")
    printed = printed[printed.index("Rule\tHead") :]
    for relation, number in kg.relation_ids.items():
        printed = printed.replace(f"  {relation}  ", f"  r{number}  ")
    if comma:  # as Java prints in many languages
        printed = re.sub(r"\t0\.(\d+)", r"\t0,\1", printed)
    options = MiningOptions(3, 0.1, 0.3, 0.4)
    rules = AmieJar.open(make_jar(f"print\n{printed}")).mine(kg, options)
    assert len(rules) == 145
    assert rules == mine(kg, options)


OTHER = {
    "max_atoms": 4, "min_head_coverage": 0.25, "min_std_confidence": 0.25, "min_pca_confidence": 0.25,
    "min_initial_support": 7, "head_relations": ("5",), "body_relations": ("5",),
    "exclude_relations": ("5",), "max_recursion": 2, "skyline": False, "perfect_pruning": False,
    "constants": True, "injective": True,
}  # fmt: skip
"""Another value for every option."""


@pytest.mark.parametrize("name", [field.name for field in fields(MiningOptions)])
def test_no_option_is_without_effect(tmp_path: Path, name: str) -> None:
    jar = AmieJar(tmp_path / "amie.jar", "")
    graph = tmp_path / "kg.tsv"
    one = jar.command(KG, LOOSE, Resources(), tmp_path), graph.read_text()
    options = replace(LOOSE, **{name: OTHER[name]})
    if name in {"max_recursion", "injective"}:
        with pytest.raises(ConfigError, match=f"^{name}.*AMIE"):
            jar.command(KG, options, Resources(), tmp_path)
    else:
        assert (jar.command(KG, options, Resources(), tmp_path), graph.read_text()) != one


def test_limits_of_recursion_that_mean_the_same_are_accepted(tmp_path: Path) -> None:
    jar = AmieJar(tmp_path / "amie.jar", "")
    for atoms, recursion in ((2, 2), (2, 9), (3, 3), (3, 5), (4, 3)):
        options = replace(LOOSE, max_atoms=atoms, max_recursion=recursion)
        assert "-rl" not in jar.command(KG, options, Resources(), tmp_path)
    with pytest.raises(ConfigError, match=r"max_recursion is 4; AMIE 3\.5\.1 always allows 3"):
        jar.command(KG, replace(LOOSE, max_atoms=4, max_recursion=4), Resources(), tmp_path)


def test_a_list_of_relations_that_is_too_long_for_an_argument_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "LONGEST_LIST", 8)
    options = replace(LOOSE, body_relations=("5",))
    with pytest.raises(ConfigError, match=r"keep 4 relations out .* at most 8 are possible"):
        AmieJar(tmp_path / "a.jar", "").command(KG, options, Resources(), tmp_path)


TABLE = f"print\n{AMIE_HEADER}?b  r1  ?a   => ?a  r0  ?b\t1\t1\t1\t40\t40\t40\t?a\n"


@pytest.mark.parametrize(
    ("behavior", "error", "message"),
    [
        ("fail", MiningError, r"exit status 7\. Its last lines:\n.*\n  amie\.Problem: the disk is on fire"),
        ("memory", HeapError, r"out of memory with a Java heap of 64m\. Raise it with --heap .*128m"),
        ("broken", MiningError, r"AMIE failed\. .*\n.*\n.* A query cannot be added twice$"),
        (TABLE, MiningError, "ended before it was done; a line such as '145 rules mined.' is missing"),
        (f"{TABLE}2 rules mined.", MiningError, r"AMIE printed 1 of 2 rules\. Run it again"),
        ("print\nRule\tHead Coverage\tPCA Confidence\nx\n1 rules mined.", MiningError, "header lacks"),
        (f"{TABLE}nonsense\n1 rules mined.", MiningError, "cannot be read as the table of AMIE 3.5.1"),
        (f"{TABLE.replace('r0', 'r2')}1 rules mined.", MiningError, "head coverage is not support / 39"),
        (f"{TABLE.replace('r0', 'r99')}1 rules mined.", MiningError, "names what the graph does not"),
    ],
    ids=["exit", "memory", "thread", "half", "fewer", "columns", "nonsense", "coverage", "relation"],
)  # fmt: skip
def test_failures_of_amie_are_told(
    make_jar: MakeJar,
    ended: Callable[[], bool],
    behavior: str,
    error: type[UserError],
    message: str,
) -> None:
    with pytest.raises(error, match=message):
        AmieJar.open(make_jar(behavior)).mine(KG, LOOSE, Resources(heap="64m"))
    assert ended()


def test_a_flag_that_amie_does_not_know_is_told(
    make_jar: MakeJar, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_list_of", lambda *_: ["-unknown"])
    with pytest.raises(MiningError, match=r"exit status 1(?s:.*)Unrecognized option: -unknown"):
        AmieJar.open(make_jar()).mine(KG, LOOSE)


def test_a_time_limit_ends_it(make_jar: MakeJar, ended: Callable[[], bool]) -> None:
    with pytest.raises(LimitError, match=r"ended after 0\.5 s\. .* nothing was written"):
        AmieJar.open(make_jar("hang")).mine(KG, LOOSE, Resources(limit_seconds=0.5))
    assert ended()


def test_ctrl_c_ends_it(make_jar: MakeJar, ended: Callable[[], bool]) -> None:
    def interrupt(_done: int, _total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        AmieJar.open(make_jar("hang")).mine(KG, LOOSE, progress=interrupt)
    assert ended()


@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="signals of POSIX")
@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_amie_does_not_outlive_a_terminated_process(
    make_jar: MakeJar, ended: Callable[[], bool], name: str
) -> None:
    number = getattr(signal, name)
    before = signal.signal(number, signal.SIG_DFL)

    def terminate(_done: int, _total: int) -> None:
        assert signal.getsignal(number) is not signal.SIG_DFL
        signal.raise_signal(number)

    try:
        with pytest.raises(SystemExit) as left:
            AmieJar.open(make_jar("hang")).mine(KG, LOOSE, progress=terminate)
        assert left.value.code == 128 + number
        assert ended()
        assert signal.getsignal(number) is signal.SIG_DFL
    finally:
        signal.signal(number, before)


def test_the_jar_is_never_overwritten(here: Path, command: Command, make_jar: MakeJar) -> None:
    jar = here / "amie.jar"
    shutil.copy(make_jar(), jar)
    whole = jar.read_bytes()
    ended = command("mine", "kg.tsv", "--engine", "amie", "--amie-jar", jar, "-o", jar)
    assert (ended.status, jar.read_bytes()) == (2, whole)
    assert "is an input of this command" in ended.err


def test_what_is_no_jar_of_amie_is_refused(tmp_path: Path, make_jar: MakeJar) -> None:
    (tmp_path / "text.jar").write_text("no jar")
    with pytest.raises(InputError, match=r"text\.jar: is no jar file"):
        AmieJar.open(tmp_path / "text.jar")
    with pytest.raises(InputError, match="no such file"):
        AmieJar.open(tmp_path / "none.jar")
    from rulemine.mining.jvm import JAR

    with pytest.raises(InputError, match=r"is not AMIE; it has no amie/mining/AMIE\.class"):
        AmieJar.open(JAR)


def test_the_command_writes_amies_rules_and_compares(
    here: Path, command: Command, make_jar: MakeJar
) -> None:
    amie = ("--engine", "amie", "--amie-jar", make_jar())
    (here / "kg.tsv").write_text(COUPLES)
    words = ("mine", "kg.tsv", "--min-initial-support", "1")
    theirs, ours = command(*words, *amie), command(*words)
    assert (theirs.status, theirs.out) == (0, ours.out)
    assert re.search(
        r"rules from 200 triples, by amie3\.5\.1\.jar \(SHA-256 [0-9a-f]{64}\)", theirs.err
    )

    same = command(*words, *amie, "--compare", "--format", "amie", "-o", "rules.txt")
    assert same.status == 0
    count = len(ours.out.splitlines())
    assert same.out == (
        f"{count} rules of AMIE, {count} ours: {count} the same, 0 with other measures, "
        "0 only AMIE's, 0 only ours.\n"
    )
    assert (here / "rules.txt").read_text() == command(*words, "--format", "amie").out

    row = next(r for r in map(json.loads, ours.out.splitlines()) if r["support"] == 40)
    relations = sorted({line.split("\t")[1] for line in COUPLES.splitlines()})
    names = [f"r{relations.index(r)}" for r in ("husband", "wife")]
    table = (
        f"print\n{AMIE_HEADER}?b  {names[0]}  ?a   => ?a  {names[1]}  ?b\t1\t0.8\t0.8\t40\t50\t50\t?a\n"
        "1 rules mined."
    )
    other = command(*words, "--engine", "amie", "--amie-jar", make_jar(table), "--compare")
    assert other.status == 1
    assert "other measures\thusband(y,x) ⇒ wife(x,y)\tAMIE support 40, body size 50" in other.out
    assert f"1 rule of AMIE, {count} ours: 0 the same, 1 with other" in other.out
    assert row["rule"] in other.out


def test_a_build_mines_with_it_and_says_so(tmp_path: Path, make_jar: MakeJar) -> None:
    facts = tmp_path / "kg.tsv"
    facts.write_text(FACTS, "utf-8")
    loose: list[tuple[tuple[str, ...], Any]] = [(("mining", "min_initial_support"), 1)]
    jar = make_jar()
    asked = [*loose, (("mining", "engine"), "amie"), (("amie_jar",), str(jar))]
    (ours, _, ours_key), (theirs, page, key) = (
        _built(facts, settings, tmp_path / name) for name, settings in (("a", loose), ("b", asked))
    )
    digest = AmieJar.open(jar).digest
    assert theirs.pop("kg").pop("amie_jar") == digest == ours.pop("kg").get("amie_jar", digest)
    assert (theirs["config"].pop("amie_jar"), theirs["config"]["mining"].pop("engine")) == (
        jar.name,
        "amie",
    )
    assert (
        f"- Rules: mined by the original AMIE, one thread; SHA-256 of its jar: `{digest}`." in page
    )
    assert theirs == ours
    assert key != ours_key

    release = Release.open(tmp_path / "b")
    kg = {"kg": str(facts)}
    with pytest.raises(ConfigError, match=r"amie_jar names amie3\.5\.1\.jar: give the file, --set"):
        rebuild(release, tmp_path / "c", kg, BuildContext())
    with pytest.raises(
        ConfigError, match=r"kg names kg\.tsv: give the file"
    ):  # its lines have an order
        rebuild(release, tmp_path / "c", {"amie_jar": str(jar)}, BuildContext())
    rebuild(release, tmp_path / "c", kg | {"amie_jar": str(jar)}, BuildContext())
    assert list(compare(release, tmp_path / "c")) == []
    other = make_jar("print\n")
    with pytest.raises(MiningError, match=r"a line such as '145 rules mined\.' is missing"):
        rebuild(release, tmp_path / "d", kg | {"amie_jar": str(other)}, BuildContext())


def _built(
    kg: Path, settings: list[tuple[tuple[str, ...], Any]], target: Path
) -> tuple[dict[str, Any], str, str]:
    """Builds a release; its manifest without digests of the card, its card, and the key of its rules."""
    Build(load_recipe(str(kg), settings), target).run()
    manifest = json.loads((target / "manifest.json").read_text())
    del manifest["files"]["README.md"]
    stage = json.loads((target.with_name(f"{target.name}.stages") / "mine/stage.json").read_text())
    return manifest, (target / "README.md").read_text(), stage["key"]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"mining.engine": "amie"}, r"Give its jar too: --amie-jar amie3\.5\.1\.jar"),
        ({"amie_jar": "JAR"}, r"Add --set mining\.engine=amie, or leave it out"),
        ({"mining.engine": "amie", "amie_jar": "none.jar"}, r'amie_jar names "none\.jar"'),
        ({"mining.engine": "amie", "amie_jar": "JAR", "mining.injective": True}, "has no option against it"),
        ({"mining.engine": "amie", "amie_jar": "JAR", "rules": "JAR"}, "because rules are given"),
        ({"mining.engine": "ami"}, "expected rulemine or amie"),
    ],
)  # fmt: skip
def test_a_recipe_that_amie_cannot_mine_is_refused(
    tmp_path: Path, settings: dict[str, object], message: str
) -> None:
    (tmp_path / "JAR").write_text("no jar")
    given = {k: str(tmp_path / v) if v == "JAR" else v for k, v in settings.items()}
    with pytest.raises(ConfigError, match=message):
        load_recipe("demo", [(tuple(key.split(".")), value) for key, value in given.items()])
    recipe = load_recipe(
        "demo", [(("mining", "engine"), "amie"), (("amie_jar",), str(tmp_path / "JAR"))]
    )
    with pytest.raises(InputError, match=r"amie_jar: .*JAR: is no jar file"):
        Build(recipe, tmp_path / "x").run("mine")
    assert not (tmp_path / "x.stages").exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--engine", "amie"], "Give its jar too: --amie-jar amie3.5.1.jar"),
        (["--amie-jar", "x.jar"], "--amie-jar: is for --engine amie and has no effect here"),
        (["--compare"], "--compare: is for --engine amie"),
        (["--engine", "amie", "--amie-jar", "kg.tsv"], "kg.tsv: is no jar file"),
        (["--engine", "ami"], "did you mean 'amie'"),
    ],
)  # fmt: skip
def test_options_that_do_not_go_together(
    here: Path, command: Command, words: list[str], message: str
) -> None:
    ended = command("mine", "kg.tsv", *words)
    assert (ended.status, ended.out) == (2, "")
    assert message in ended.err


def test_rules_that_depend_on_amies_order_are_told_apart() -> None:
    """q => h has too low a standard confidence to be output, and p, q => h is no better by PCA confidence."""
    facts = [(f"a{i}", "h", f"b{i}") for i in range(8)]
    facts += [(f"a{i}", "q", f"b{i}") for i in range(4)]
    facts += [(f"a{i}", "q", f"z{i}") for i in range(2)]
    facts += [(f"x{i}", "q", f"y{i}") for i in range(9)]
    facts += [(f"a{i}", "p", f"b{i}") for i in range(2)]
    facts += [(f"a{i}", "p", f"z{i}") for i in range(1)] + [
        (f"a{i}", "p", f"w{i}") for i in range(1)
    ]
    kg = KnowledgeGraph.from_triples(facts)
    options = replace(LOOSE, min_std_confidence=0.3, head_relations=("h",))
    ours = mine(kg, options)
    longer = [rule for rule in ours if {a.relation for a in rule.body} == {"p", "q"}]
    (rule,) = [rule for rule in longer if all(a.variables == (0, 1) for a in rule.body)]
    without = [r for r in ours if r.id != rule.id]
    by_order = MinerDifference.of(without, ours, kg, options)
    assert (by_order.only_ours, by_order.by_order, by_order.faults) == ((rule,), {rule.id}, 0)

    fault = MinerDifference.of(without[1:], ours, kg, options)
    assert fault.faults == 1
    assert list(fault.text())[-1].endswith("0 only AMIE's, 2 only ours (1 by order).")
