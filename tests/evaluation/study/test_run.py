import json

import pytest

from rulemine.errors import AwaitedError, ConfigError, NoReplyError, OutputError, ReleaseError
from rulemine.evaluation.answerers.model_free.simple import Lookup
from rulemine.evaluation.answerers.protocol import Answered
from rulemine.evaluation.predictions import read_run
from rulemine.evaluation.study.costs import expected
from rulemine.evaluation.study.plan import StudyPlan
from rulemine.evaluation.study.results import StudyScores, document_of
from rulemine.evaluation.study.run import StudyFolder
from rulemine.llm.options import EndpointOptions
from rulemine.release.reader import Release
from tests.batch_server import answer_rounds
from tests.chat_server import ChatServer, completion


def files(folder):
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.relative_to(folder).parts[0] != "work"
    }


@pytest.fixture
def asked(monkeypatch):
    """The graphs that ``lookup`` answered from, by their sizes; it fails from the third on if told so."""
    sizes: list[int] = []
    answers = Lookup.__call__

    def spy(self, given, questions):
        if len(sizes) == spy.most:
            raise KeyboardInterrupt
        sizes.append(len(given.kg))
        return answers(self, given, questions)

    spy.most = 99
    spy.sizes = sizes
    monkeypatch.setattr(Lookup, "__call__", spy)
    return spy


def test_an_interrupted_study_goes_on_and_ends_the_same(open_study, tmp_path, asked):
    asked.most = 2
    with pytest.raises(KeyboardInterrupt):
        open_study().answer()
    assert len(asked.sizes) == 2
    assert asked.sizes[0] > asked.sizes[1]  # the complete graph first
    asked.most = 99
    notes: list[str] = []
    open_study(note=notes.append).answer()
    assert len(asked.sizes) == 3
    assert notes == ["2 of 6 runs were finished before."]
    open_study().answer()
    assert len(asked.sizes) == 3
    open_study(folder="again").answer()
    assert files(tmp_path / "out") == files(tmp_path / "again")
    assert len(files(tmp_path / "out")) == 7  # study.json and six runs


def test_what_a_program_did_not_answer_is_asked_again(open_study, monkeypatch):
    answers, keys = Lookup.__call__, {"levels": (0, 100), "sample": 3}
    failing = [Answered(answers=(), again=True)] * 2
    monkeypatch.setattr(Lookup, "__call__", lambda *given: [*answers(*given)[:1], *failing])
    study = open_study(**keys)
    study.answer()
    assert [study.is_done(run) for run in study.runs] == [False, False, True, True]
    assert [study.unanswered(run) for run in study.runs] == [2, 2, 0, 0]
    said = "Warning: lookup: 4 of 6 questions, over all its runs, got no answer"
    assert document_of(StudyScores(study)).notes[0].startswith(said)
    assert [one.runs for one in expected(study)] == [2, 0]
    monkeypatch.undo()
    notes = []
    again = open_study(note=notes.append, **keys)
    again.answer()
    assert notes[0] == "2 of 4 runs were finished before."
    assert notes[1] == "4 questions got no answer before: asked again."
    assert all(map(again.is_done, again.runs))
    assert not any("got no answer" in note for note in document_of(StudyScores(again)).notes)


def test_predictions_of_another_run_are_not_taken_for_this_one(open_study):
    study = open_study("lookup", levels=(0, 100), sample=3)
    study.answer()
    file = study.file(study.runs[0])
    before = file.read_bytes()
    said, *rows = before.decode().splitlines(keepends=True)
    for key in ("release", "kg", "model"):
        run = json.loads(said)["run"] | {key: "another"}
        file.write_text(json.dumps({"run": run}) + "\n" + "".join(rows))
        assert [study.is_done(run) for run in study.runs] == [False, True]
        study.answer()
        assert file.read_bytes() == before


def test_a_call_is_asked_once_whatever_graph_system_or_study_run_it_is_for(open_study):
    with ChatServer(lambda body, times: "ann") as server:
        asking = {"model": "m", "endpoint": EndpointOptions(base_url=server.url), "sample": 3}
        study = open_study("closed-book", "closed-book:max_tokens=256", levels=(0, 100), **asking)
        before = expected(study)
        study.answer()
        assert len(server.bodies) == 3  # the graph is not in the prompt, and 256 is the default
        study.file(study.runs[0]).unlink()
        again = open_study("closed-book", "closed-book:max_tokens=256", levels=(0, 100), **asking)
        after = expected(again)
        again.answer()
        assert len(server.bodies) == 3
    assert all(again.is_done(run) for run in again.runs)
    assert [one.typical.calls for one in before] == [3, 3]  # each beside what the other asks
    assert [(one.runs, one.typical.calls) for one in after] == [(1, 0), (0, 0)]
    of_server = sum(len(body["messages"][0]["content"]) for body in server.bodies) // 4
    assert 0.5 < before[0].typical.sent / of_server < 2
    assert after[0].seconds is not None  # as long as the finished runs took


def test_the_calls_of_all_runs_are_one_round_of_a_batch(open_study, tmp_path):
    batches = tmp_path / "batches"
    asking = {"model": "m", "levels": (0, 100), "sample": 3}
    asking["endpoint"] = EndpointOptions(batch=str(batches))
    for rounds in range(3):
        study = open_study("chain-of-thought", "lookup", "closed-book", **asking)
        if rounds < 2:
            with pytest.raises(AwaitedError, match="3 calls" if rounds else "6 calls"):
                study.answer()
            assert answer_rounds(batches, lambda body, _: completion(body, "ann")) == 6 - 3 * rounds
    assert [study.is_done(run) for run in study.runs] == [False, False, *[True] * 4]
    study.answer()
    assert all(map(study.is_done, study.runs))
    assert len(list(batches.glob("round-*"))) == 2


def test_a_system_that_is_cut_off_is_not_done_until_it_has_more_room(open_study):
    cut = {"choices": [{"message": {"content": "an"}, "finish_reason": "length"}]}
    long = open_study().release.questions()[0].question

    def says(body, times):
        return cut if body["max_tokens"] < (900 if long in str(body) else 300) else "ann"

    with ChatServer(says) as server:
        keys = {"model": "m", "levels": (100,), "endpoint": EndpointOptions(base_url=server.url)}
        with pytest.raises(NoReplyError, match="more room: closed-book:max_tokens=4000"):
            open_study("closed-book", **keys).answer()
        for room, told in ((300, 1), (900, 0)):
            study = open_study(f"closed-book:max_tokens={room}", **keys)
            assert not study.is_done(study.runs[0])
            study.answer()
            note = document_of(StudyScores(study)).notes[0]
            assert ("1 reply cut off, to 1 of 12 questions" in note) == bool(told)


def test_graphs_are_nested_and_in_the_naming(open_study, built, tmp_path):
    study = open_study(levels=(0, 30, 60, 100), namings=("text", "private"))
    study.answer()
    sizes = [len(study.release.kg(run.kg)) for run in study.runs[:4]]
    assert sizes == sorted(sizes, reverse=True)
    assert len(set(sizes)) > 2
    said = [read_run(study.file(run)) for run in study.runs]
    ends = {(s["naming"], s["kg"]) for s in said}
    assert {("text", "incomplete-30"), ("private", "complete")} <= ends
    named = Release.open(tmp_path / "out" / "work" / "releases" / "text")
    first = json.loads(study.file(study.runs[0]).read_text().split("\n")[1])
    assert set(first["answers"]) <= {row.text for row in named.entities}
    assert {s["release"] for s in said} == {Release.open(built).identity}


def test_two_studies_do_not_share_a_folder(open_study):
    study = open_study()
    with study._locked(), pytest.raises(OutputError, match="another process works on this study"):
        open_study().answer()
    study.answer()
    for keys, told in (
        ({"levels": (0, 100)}, r"levels is \[0, 50, 100\] there and \[0, 100\] here"),
        ({"sample": 2}, "sample is null there and 2 here"),
        ({"seed": 1}, "seed is 0 there and 1 here"),
        ({"namings": ("text",)}, r'namings is \["private"\] there and \["text"\] here'),
    ):
        with pytest.raises(OutputError, match=f"holds another study: .*{told}"):
            open_study(**keys)
    open_study(resamples=7, matching="ids")  # how it is scored may differ
    with pytest.raises(OutputError, match="systems is"):
        open_study("lookup")


def test_a_folder_with_other_files_is_no_study(open_study, tmp_path, built):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "thesis.tex").write_text("")
    with pytest.raises(OutputError, match=r"has files and no study.json"):
        open_study()
    (tmp_path / "out" / "study.json").write_text("[]")
    with pytest.raises(OutputError, match="Choose another folder"):
        open_study()
    plan = StudyPlan(release=str(built), systems=("lookup",))
    with pytest.raises(OutputError, match="release"):
        StudyFolder(plan, built / "study")
    with pytest.raises(ReleaseError, match="no such file, so this is not a release"):
        StudyFolder(StudyPlan(release=str(tmp_path / "none"), systems=("lookup",)), tmp_path / "o")


def test_a_system_that_fails_ends_the_study_and_keeps_the_rest(open_study, tmp_path):
    study = open_study("lookup", 'command:program="no-such-program"')
    with pytest.raises(ConfigError, match="cannot be started"):
        study.answer()
    assert [study.is_done(run) for run in study.runs] == [True] * 3 + [False] * 3
