import pytest

from rulemine.errors import ConfigError, InputError
from rulemine.evaluation.study.plan import StudyPlan, read_plan, runs_of
from rulemine.llm.options import EndpointOptions

FILE = """
release = "release"
systems = ["lookup", 'command:program="python my.py, x"', "bm25"]
levels = [100, 0, 40]
model = "local"
[endpoint]
base_url = "http://127.0.0.1:8001/v1"
"""


def test_a_file_describes_a_study_and_options_override_it(tmp_path):
    (tmp_path / "study.toml").write_text(FILE)
    plan = read_plan(tmp_path / "study.toml", {"levels": [0, 50], "endpoint": {"concurrency": 2}})
    assert plan.release == str(tmp_path / "release")
    assert plan.systems == ("lookup", 'command:program="python my.py, x"', "bm25")
    assert plan.levels == (0, 50)
    assert plan.endpoint.address == "http://127.0.0.1:8001/v1"
    assert plan.endpoint.concurrency == 2
    assert read_plan(tmp_path / "study.toml", {}).levels == (0, 40, 100)


def test_every_system_at_every_level_and_other_namings_at_the_ends():
    plan = StudyPlan(
        systems=("lookup", "bm25"), levels=(0, 20, 100), namings=("private", "text"), model="m",
        model_levels=(20, 100),
    )  # fmt: skip
    assert [(r.naming, r.system, r.kg) for r in runs_of(plan, "entity")] == [
        ("private", "lookup", "complete"),
        ("private", "lookup", "incomplete-20"),
        ("private", "lookup", "incomplete"),
        ("private", "bm25", "incomplete-20"),
        ("private", "bm25", "incomplete"),
        ("text", "lookup", "complete"),
        ("text", "lookup", "incomplete"),
        ("text", "bm25", "incomplete"),
    ]
    assert runs_of(plan, "entity")[3].file == "predictions/private/02-bm25/incomplete-20.jsonl"


def test_systems_whose_labels_look_alike_have_files_of_their_own():
    plan = StudyPlan(systems=('command:program="a b"', 'command:program="a/b"'), levels=(100,))
    assert len({run.file.casefold() for run in runs_of(plan, "private")}) == 2
    long = StudyPlan(systems=(f'command:program="{"x" * 999}"',), levels=(100,))
    assert len(runs_of(long, "private")[0].file) < 120
    # A program is called by its file.
    own, other = 'command:program="python3.12 -u my/rag.py --k 5"', 'command:program="bin/ask it"'
    twice = (own, own.replace("5", "6"))
    for systems, names, called in (
        (("lookup", own, other), (), ["lookup", "rag.py", "ask"]), (twice, (), [*twice]),
        (twice, ("a", "b"), ["a", "b"]),
    ):  # fmt: skip
        assert [*StudyPlan(systems=systems, names=names).called.values()] == called


REFUSED = [
    ({"systems": ()}, "systems: none. Name some, e.g. --with lookup"), ({"levels": ()}, "levels: none"),
    ({"levels": (0, 101)}, r"levels is \[0, 101\]; expected a list, each item .* from 0 to 100"),
    ({"levels": (5, 5)}, "levels: 5 is there twice"), ({"namings": ("numbers",)}, "'numbers' is unknown"),
    ({"systems": ("lookup", "lookup")}, "systems: 'lookup' is there twice"),
    ({"systems": ("lookpu",)}, "no answerer 'lookpu'; did you mean 'lookup'?"),
    ({"systems": ("prior:k=0",)}, "k is 0"), ({"systems": ("bm25",)}, "model: none, and bm25 asks one"),
    ({"names": ("a", "b")}, "names: 2 for 1 systems; expected one for each"),
    ({"naming_levels": (50,)}, "naming_levels: 50 is none of levels, 0, 100"),
    ({"naming_levels": (100,)}, "naming_levels: is for more namings than one and has no effect"),
    ({"model_levels": (100,)}, "model_levels: is for systems that ask a model and has no effect"),
    ({"endpoint": EndpointOptions(batch="b")}, "endpoint.batch: is for systems that ask a model and has no"),
    ({"systems": ("command",)}, "systems: command without a program"),
    ({"split": "tset"}, "split: 'tset' is unknown; did you mean 'test'"),
    ({"metrics": ("rgo",)}, "rgo"), ({"sample": 0}, "sample is 0; expected a whole number ≥ 1"),
    ({"resamples": 99999999999999}, "resamples is 99999999999999; expected .* to 100,?000"),
]  # fmt: skip


def test_a_study_that_cannot_be_is_refused():
    for keys, expected in REFUSED:
        with pytest.raises(ConfigError, match=expected):
            StudyPlan(**{"systems": ("lookup",), "levels": (0, 100)} | keys)


def test_a_file_with_mistakes_is_refused_with_all_of_them(tmp_path):
    (tmp_path / "study.toml").write_text('release = "r"\nsystem = ["lookup"]\nlevels = "all"\n')
    with pytest.raises(ConfigError) as refused:
        read_plan(tmp_path / "study.toml", {})
    assert "unknown key 'system'; did you mean 'systems'?" in str(refused.value)
    assert "levels is 'all'" in str(refused.value)
    (tmp_path / "study.toml").write_text("levels = [0]\n")
    with pytest.raises(ConfigError, match="names no release; write"):
        read_plan(tmp_path / "study.toml", {})
    with pytest.raises(InputError, match="no such file"):
        read_plan(tmp_path / "other.toml", {})
