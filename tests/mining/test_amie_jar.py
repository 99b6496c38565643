"""The original AMIE as a miner, tried with a jar that stands in for it."""

import json
import re
import shutil
from dataclasses import replace
from typing import Any

import pytest

from rulemine.builder.pipeline import Build, BuildContext
from rulemine.builder.rebuild import rebuild
from rulemine.errors import ConfigError, InputError, LimitError, MiningError
from rulemine.kg.graph import KnowledgeGraph
from rulemine.mining import AmieJar, MiningOptions, Resources, TimeLimit, mine
from rulemine.recipe.loading import load_recipe
from rulemine.release.differences import compare
from rulemine.release.reader import Release
from rulemine.rules.formats import AMIE_HEADER, json_text
from tests import each
from tests.command_line import FACTS, PEOPLE
from tests.mining.amie_stand_in import jar_maker

pytestmark = pytest.mark.slow

LOOSE = MiningOptions(min_initial_support=1)

NAMES = {
    "husband": "is  husband\u00a0of.", "wife": "?wife", "father": "differentFrom",
    "mother": '"Mutter, größte" => x', "child": "5"
}  # fmt: skip
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
def make_jar(tmp_path_factory):
    return jar_maker(tmp_path_factory.mktemp("stand-in"))


def mined(jar, options=LOOSE, resources=None, kg=KG):
    resources = resources or Resources()
    limit = TimeLimit(resources.limit_seconds)
    return AmieJar.open(jar).mine(kg, options, resources, limit)


@pytest.mark.parametrize(
    "options", [LOOSE, replace(LOOSE, min_head_coverage=0, min_std_confidence=0, min_pca_confidence=0),
    replace(LOOSE, head_relations=(NAMES["wife"], "5"), body_relations=(NAMES["husband"], "5")),
    replace(LOOSE, max_atoms=2, min_initial_support=39, exclude_relations=(NAMES["mother"],))],
    ids=["defaults", "zeros", "filters", "excluded"]
)  # fmt: skip
def test_the_same_rules_whatever_the_labels(make_jar, options, monkeypatch):
    monkeypatch.setenv("_JAVA_OPTIONS", "-Duser.language=de -Duser.country=DE")
    rules = mined(make_jar(), options)
    assert len(rules) > 0
    assert rules == mine(KG, options)
    assert "".join(map(json_text, rules)) == "".join(mine(KG, options).text("jsonl"))


@each("comma", [False, True])
def test_what_amie_itself_printed_is_read(make_jar, shared, comma):
    kg = KnowledgeGraph.read(shared("family/facts.tsv"))
    printed = shared("../amie/golden/family-3atoms.amie.txt").read_text("utf-8")
    printed = printed[printed.index("Rule\tHead") :]
    for relation, number in kg.relation_ids.items():
        printed = printed.replace(f"  {relation}  ", f"  r{number}  ")
    if comma:  # as Java prints in many languages
        printed = re.sub(r"\t0\.(\d+)", r"\t0,\1", printed)
    options = MiningOptions(3, 0.1, 0.3, 0.4)
    printed = f"Loaded {len(kg)} facts in 0 s using 1 MB\n{printed}"
    rules = mined(make_jar(f"print\n{printed}"), options, kg=kg)
    assert len(rules) == 145
    assert rules == mine(kg, options)


@each(
    ("name", "value"), [("max_atoms", 4), ("min_head_coverage", 0.25), ("min_std_confidence", 0.25),
    ("min_pca_confidence", 0.25), ("min_initial_support", 7), ("constants", True)]
)  # fmt: skip
def test_amie_is_given_every_threshold(tmp_path, name, value):
    jar = AmieJar(tmp_path / "amie.jar", "")
    other = replace(LOOSE, **{name: value})
    words = [jar.command(KG, options, Resources(), tmp_path) for options in (LOOSE, other)]
    assert words[0] != words[1]
    with pytest.raises(ConfigError, match="injective: AMIE has no such option"):
        jar.command(KG, replace(LOOSE, injective=True), Resources(), tmp_path)


TABLE = f"print\n{AMIE_HEADER}?b  r1  ?a   => ?a  r0  ?b\t1\t1\t1\t40\t40\t40\t?a\n"


@pytest.mark.parametrize(
    ("behavior", "message"), [("fail", r"AMIE failed\. It said: .*amie\.Problem: the disk is on fire"),
    ("memory", r"AMIE failed\. Raise --heap\. It said"),
    ("broken", r"AMIE failed\. .*A query cannot be added twice$"),
    (TABLE, "read or printed not all, or is not AMIE 3.5.1"),
    (f"{TABLE}2 rules mined.", "read or printed not all"),
    ("print\nRule\tHead Coverage\nx => y\n1 rules mined.", "prints no table of AMIE 3.5.1"),
    (f"{TABLE.replace('r0', 'r99')}1 rules mined.", "prints no table of AMIE 3.5.1")],
    ids=["exit", "memory", "thread", "half", "fewer", "columns", "relation"]
)  # fmt: skip
def test_failures_of_amie_are_told(make_jar, behavior, message):
    with pytest.raises(MiningError, match=message):
        mined(make_jar(behavior), resources=Resources(heap="64m"))


def test_a_time_limit_ends_it(make_jar):
    with pytest.raises(LimitError, match="before it had rules"):
        mined(make_jar("hang"), resources=Resources(limit_seconds=0.5))


def test_the_jar_is_never_overwritten(here, command, make_jar):
    jar = here / "amie.jar"
    shutil.copy(make_jar(), jar)
    whole = jar.read_bytes()
    ended = command("mine", "kg.tsv", "--amie-jar", jar, "-o", jar)
    assert (ended.status, jar.read_bytes()) == (2, whole)
    assert "is not as rulemine mine wrote it" in ended.err


def test_what_is_no_jar_of_amie_is_refused(tmp_path):
    (tmp_path / "text.jar").write_text("no jar")
    with pytest.raises(MiningError, match=r"text\.jar: AMIE failed\. It said: Error: "):
        mined(tmp_path / "text.jar")
    with pytest.raises(InputError, match="no such file"):
        AmieJar.open(tmp_path / "none.jar")


@each("form", ["jsonl", "amie"])
def test_the_command_writes_amies_rules(here, command, make_jar, form):
    (here / "kg.tsv").write_text(COUPLES)
    words = ("mine", "kg.tsv", "--min-initial-support", "1", "--format", form)
    theirs = command(*words, "--amie-jar", make_jar())
    assert (theirs.status, theirs.out) == (0, command(*words).out)
    assert re.search(
        r"rules from 200 triples, by amie3\.5\.1\.jar \(SHA-256 [0-9a-f]{64}\)", theirs.err
    )


def test_a_build_mines_with_it_and_says_so(tmp_path, make_jar):
    facts = tmp_path / "kg.tsv"
    facts.write_text(FACTS, "utf-8")
    loose: list[tuple[tuple[str, ...], Any]] = [(("mining", "min_initial_support"), 1)]
    jar = make_jar()
    asked = [*loose, (("amie_jar",), str(jar))]
    (ours, ours_key), (theirs, key) = (
        _built(facts, settings, tmp_path / name) for name, settings in (("a", loose), ("b", asked))
    )
    digest = AmieJar.open(jar).digest
    assert theirs.pop("kg").pop("amie_jar") == digest == ours.pop("kg").get("amie_jar", digest)
    assert theirs["config"].pop("amie_jar") == jar.name
    assert ours["config"].pop("amie_jar") == ""
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
    with pytest.raises(MiningError, match="read or printed not all"):
        rebuild(release, tmp_path / "d", kg | {"amie_jar": str(other)}, BuildContext())


def _built(kg, settings, target):
    """Builds a release; its manifest without the digest of the card, and the key of its rules."""
    Build(load_recipe(str(kg), settings), target).run()
    manifest = json.loads((target / "manifest.json").read_text())
    del manifest["files"]["README.md"]
    stage = json.loads((target.with_name(f"{target.name}.stages") / "mine/stage.json").read_text())
    return manifest, stage["key"]


@each(
    ("settings", "message"), [({"amie_jar": "none.jar"}, r'amie_jar names "none\.jar"'),
    ({"amie_jar": "JAR", "rules": "JAR"}, "because rules are given")]
)  # fmt: skip
def test_a_recipe_that_amie_cannot_mine_is_refused(tmp_path, settings, message):
    (tmp_path / "JAR").write_text("no jar")
    given = {k: str(tmp_path / v) if v == "JAR" else v for k, v in settings.items()}
    with pytest.raises(ConfigError, match=message):
        load_recipe("demo", [(tuple(key.split(".")), value) for key, value in given.items()])
