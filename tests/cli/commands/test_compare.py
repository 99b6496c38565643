"""``rulemine evaluate``."""

from typing import Any

from rulemine.cli.main import main
from rulemine.errors import UserError
from tests.evaluation.world import write_release


def test_the_seed_and_the_level_are_those_that_are_given(tmp_path, monkeypatch):
    given: dict[str, Any] = {}

    def evaluate(*_: Any, **more: Any) -> None:
        given.update(more)
        raise UserError("that is enough.")

    monkeypatch.setattr("rulemine.evaluation.comparing.comparison.evaluate_all", evaluate)
    release = write_release(tmp_path / "small").path
    files = [tmp_path / "a.jsonl", tmp_path / "b.jsonl"]
    for file in files:
        file.write_text('{"id": "q00001", "answers": []}\n')
    words = ["evaluate", release, *files, "--seed", "5", "--level", "40"]
    assert main(list(map(str, words))) == 2
    assert (given["seed"], given["level"], given["split"]) == (5, 40, "test")
