"""Calls through files of a Batch API, against the same calls over the network."""

import json
import random
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from rulemine.errors import AwaitedError, ConfigError, EndpointError, NoReplyError, OutputError
from rulemine.llm import Call, EndpointOptions, Failure, Reply, Session, batch
from rulemine.llm.call import Answer, Ask
from tests.batch_server import answer_rounds, line_of_result
from tests.chat_server import completion, error, lines_of
from tests.llm.conftest import call_of

Work = Callable[[Ask], Any]


def until_good(number: int) -> Work:
    """Asks for samples until a reply is whole, then once more about it."""

    async def converse(ask: Ask) -> list[Answer]:
        answers = [await ask(call_of(number))]
        while isinstance(answers[-1], Reply) and answers[-1].is_cut_off and len(answers) < 3:
            answers.append(await ask(call_of(number, sample=len(answers))))
        answers.append(await ask(call_of(number + 1000, purpose="judge")))
        return answers

    return converse


async def converse(ask: Ask) -> Answer:
    return await ask(call_of(0))


def says(request: dict[str, Any], times: int) -> Any:
    """The first reply about every fifth entity is cut off, and one call is refused."""
    if "e01004" in str(request):
        return {"error": {"message": "maximum context length", "code": "context_length_exceeded"}}
    if request.get("seed") == 0 and "5\n" in str(request) and "e01" not in str(request):
        return completion(request, "Who", "length")
    return completion(request, "Indeed." if "e01" in str(request) else "Who are the aunts?")


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "batches"


def opened_at(path: Path, folder: Path, told: list[str] | None = None, **changed: Any) -> Session:
    options = EndpointOptions(batch=str(folder), **changed)
    return Session(options, path, (told if told is not None else []).append)


def awaits(path: Path, folder: Path, works: list[Work], match: str | None = None) -> str:
    """What a run says that ends with calls whose results are awaited."""
    with opened_at(path, folder) as session, pytest.raises(AwaitedError, match=match) as found:
        session.run(works)
    return str(found.value)


def rounds_until_done(
    path: Path, folder: Path, works: list[Work], *says: Any, **failing: Any
) -> Any:
    """The results of works, and after how many rounds they were there."""
    for rounds in range(12):
        with opened_at(path, folder) as session, suppress(AwaitedError):
            return session.run(works), rounds
        answer_rounds(folder, *says, **failing)
    raise AssertionError("it never ends")


def custom_ids(file: Path) -> list[str]:
    return [json.loads(line)["custom_id"] for line in file.read_text().splitlines()]


def test_the_journal_is_the_one_of_the_same_calls_over_the_network(
    server, opened, path, folder, tmp_path
):
    """Out of order, with errors of all kinds, a broken line, and a file that came twice."""
    works = [until_good(n) for n in range(30)]

    def over_the_network(request, times):
        said = says(request, times)
        problem = said.get("error")
        return error(400, problem["message"], problem["code"]) if problem else said

    server.says = over_the_network
    with opened() as session:
        expected = session.run(works)
    other = tmp_path / "other.sqlite"
    found, rounds = rounds_until_done(other, folder, works, says, failing=random.Random(1))
    assert found == expected
    assert lines_of(other) == lines_of(path)
    assert any(isinstance(answer, Failure) for some in found for answer in some)
    assert 3 <= rounds <= 8
    first = custom_ids(folder / "round-0001.requests.jsonl")
    assert first == [call_of(n).key for n in range(30)], "in the order of the works"
    with opened_at(other, folder / "none") as session:
        assert session.run(works) == expected, "what the journal holds needs no folder"
    assert not (folder / "none").exists()


def test_nothing_is_asked_twice_while_results_are_awaited(path, folder):
    for count in (3, 3, 5):
        said = awaits(path, folder, [until_good(n) for n in range(count)])
    assert custom_ids(folder / "round-0002.requests.jsonl") == [call_of(n).key for n in (3, 4)]
    assert "as a batch: round-0002.requests.jsonl (2 calls of fake)." in said
    assert "Nothing has come back yet of round-0001.requests.jsonl (3 calls): send" in said


def test_lost_calls_are_asked_anew_and_no_others(path, folder):
    works = [until_good(n) for n in range(4)]
    awaits(path, folder, works)
    answer_rounds(folder)
    [output] = folder.glob("batch_*")
    output.write_text("".join(output.read_text().splitlines(keepends=True)[:3]))
    said = awaits(path, folder, works)
    asked = custom_ids(folder / "round-0002.requests.jsonl")
    others = [call_of(n).key for n in (1001, 1002, 1003)]
    assert sorted(asked) == sorted([f"{call_of(0).key}-2", *others])
    assert "as a batch: round-0002.requests.jsonl (4 calls of fake)." in said
    assert "1 failed before, and are asked anew: 1 × no result came back." in said
    assert "round-0001" not in said, "nobody pays for its other calls again"
    answer_rounds(folder)
    awaits(path, folder, works, "1 call of fake")


def test_what_a_killed_run_wrote_is_whole_lines_and_so_is_what_an_editor_saved(path, folder):
    works = [until_good(n) for n in range(3)]
    awaits(path, folder, works)
    file = folder / "round-0001.requests.jsonl"
    whole = file.read_bytes()
    file.write_bytes(saved := whole.rstrip())
    awaits(path, folder, works, "come back yet of r")
    assert file.read_bytes() == saved
    assert len(list(folder.glob("*.jsonl"))) == 1
    file.write_bytes(whole[:-40])
    awaits(path, folder, works)
    assert file.read_bytes() == b"".join(whole.splitlines(keepends=True)[:2])
    assert custom_ids(folder / "round-0002.requests.jsonl") == [call_of(2).key]


def test_files_keep_to_the_limits_of_the_api(path, folder, monkeypatch):
    monkeypatch.setattr(batch, "MOST_LINES", 4)
    works = [until_good(n) for n in range(6)]
    embeds = [
        lambda ask, inputs=inputs: ask(Call("vectors", inputs=[*inputs], purpose="embed"))
        for inputs in ("abc", "de")
    ]
    awaits(path, folder, [*works, *embeds])
    files = sorted(folder.glob("*.jsonl"))
    rows = [[json.loads(line) for line in file.read_text().splitlines()] for file in files]
    assert {len(some) for some in rows} == {4, 2, 1}
    assert all(len({(row["url"], row["body"]["model"]) for row in some}) == 1 for some in rows)
    monkeypatch.setattr(batch, "MOST_BYTES", 1)
    awaits(path, folder / "small", works)
    assert len(list((folder / "small").glob("*.jsonl"))) == 6


def test_lines_that_are_no_results_of_these_rounds_are_named(path, folder):
    awaits(path, folder, [until_good(0)])
    key, told = call_of(0).key, []
    good = line_of_result(key, completion({"messages": [], "model": "fake"}, "one"))
    (folder / "a.jsonl").write_text(good + '{"custom_id": "cut', encoding="utf-8")
    (folder / "b.jsonl").write_text(good.replace("one", "two"), encoding="utf-8")
    (folder / "c.jsonl").write_text(good.replace(key, "strange"), encoding="utf-8")
    with opened_at(path, folder, told) as session:
        with pytest.raises(AwaitedError):
            session.run([until_good(0)])
        assert session.line(key)["reply"]["text"] == "one"
    assert any("a.jsonl: 1 line is no result" in text and "line 2" in text for text in told)
    assert any("c.jsonl: 1 result of another folder" in text and "strange" in text for text in told)


def test_a_call_that_fails_time_and_again_is_given_up(path, folder):
    busy, key = {"error": {"message": "busy"}}, call_of(0).key
    for case, result in enumerate((
        {"response": {"status_code": 429, "body": busy}, "error": None},
        {"response": {"status_code": 404, "body": busy}, "error": None},
        {"response": {"status_code": 500, "body": None}, **busy},
        {"response": None, "error": {"code": "batch_expired", "message": "busy"}},
        {"response": {"status_code": 200, "body": {"choices": []}}, "error": None},
    )):  # fmt: skip
        place, own = folder / str(case), path.with_name(f"{case}.sqlite")
        for number in range(1, 7):
            said = awaits(own, place, [converse])
            assert ("1 failed before, and are asked anew: 1 × " in said) == (number > 1)
            id_ = key if number == 1 else f"{key}-{number}"
            assert custom_ids(place / f"round-{number:04}.requests.jsonl") == [id_]
            row = {"id": f"batch_req_{number}", "custom_id": id_, **result}
            (place / f"results{number}.jsonl").write_text(json.dumps(row), encoding="utf-8")
        with opened_at(own, place) as session, pytest.raises(NoReplyError, match="no answer"):
            session.run([converse])
        failure = lines_of(own)[key]["failure"]
        assert (failure["code"], failure["lasting"]) == ("endpoint_error", False)


def test_a_parameter_that_is_refused_is_left_out_of_the_next_round(path, folder):
    def only_new_parameters(request, times):
        if "max_tokens" in request:
            return {"error": {"message": "Unsupported parameter: max_tokens"}}
        assert request["max_completion_tokens"] == 50
        return completion(request, "Who?")

    works = [until_good(n) for n in range(3)]
    found, rounds = rounds_until_done(path, folder, works, only_new_parameters)
    assert rounds == 3, "one of refusals, and the two of the conversations"
    assert lines_of(path)[call_of(0).key]["request"]["max_tokens"] == 50
    assert all(isinstance(answer, Reply) for some in found for answer in some)


def test_a_round_of_refusals_ends_the_run_as_over_the_network(path, folder):
    works = [until_good(n) for n in range(50)]
    with pytest.raises(EndpointError, match=r"40 calls in a row.*strange model.*remove the files"):
        rounds_until_done(path, folder, works, lambda *_: {"error": {"message": "strange model"}})


def test_one_process_uses_a_folder_and_no_budget_counts(path, folder):
    works = [until_good(0)]
    with opened_at(path, folder) as one, opened_at(folder / "j.sqlite", folder) as two:
        with pytest.raises(AwaitedError):
            one.run(works)
        with pytest.raises(OutputError, match="another process uses this folder"):
            two.run(works)
    (folder / "release").mkdir()
    (folder / "release" / "manifest.json").touch()
    (folder / "file").touch()
    for name, said in (("release", "is a release"), ("file", "file: cannot be read or written")):
        with opened_at(path, folder / name) as session, pytest.raises(OutputError, match=said):
            session.run(works)
    assert len(list((folder / "release").iterdir())) == 1
    with pytest.raises(ConfigError, match="nothing is sent"):
        EndpointOptions(batch="a", budget_tokens=5)
