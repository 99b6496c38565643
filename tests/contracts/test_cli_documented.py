"""Every command and option of the command line says what it does, and the README names every command."""

import argparse
from collections.abc import Iterator

import pytest

from rulemine.cli.main import main, make_parser
from tests import ROOT


def commands() -> Iterator[tuple[str, str, argparse.ArgumentParser]]:
    """Name, summary and parser of every command."""
    for action in make_parser()._actions:
        if isinstance(action, argparse._SubParsersAction):
            summaries = {choice.dest: choice.help for choice in action._choices_actions}
            for name, parser in action.choices.items():
                yield name, summaries.get(name) or "", parser


COMMANDS = {name: (summary, parser) for name, summary, parser in commands()}


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_a_summary_and_a_function(name: str) -> None:
    summary, parser = COMMANDS[name]
    assert len(summary.split()) >= 2
    assert parser.description
    assert callable(parser.get_default("run"))


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_says_what_it_does(name: str) -> None:
    _, parser = COMMANDS[name]
    silent = [
        action.option_strings[-1] if action.option_strings else action.dest
        for action in parser._actions
        if not (action.help or "").strip()
    ]
    assert not silent, f"rulemine {name}: no help for {silent}"


@pytest.mark.parametrize("name", COMMANDS)
def test_help_is_printed_within_eighty_columns(
    name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    with pytest.raises(SystemExit) as ended:
        main([name, "--help"])
    assert ended.value.code == 0
    printed = capsys.readouterr().out
    assert printed.startswith(f"usage: rulemine {name}")


@pytest.mark.parametrize("name", COMMANDS)
def test_the_readme_names_every_command(name: str) -> None:
    # For whoever adds a command: the README has a line that shows it, as ``rulemine NAME``.
    assert f"rulemine {name}" in (ROOT / "README.md").read_text("utf-8")
