"""The documentation has every command, option, key, reason and version, and each says what it does."""

import argparse
import re
import runpy
from collections.abc import Iterator

import pytest

import rulemine
from rulemine.cli import commands as declared
from rulemine.cli.main import main, make_parser
from rulemine.recipe.recipe import KEYS
from rulemine.registry import loaded
from rulemine.verbalizer.prompts import load_prompts
from rulemine.verbalizer.replies import CODES
from tests import ROOT


def commands() -> Iterator[tuple[str, str, argparse.ArgumentParser]]:
    """Name, summary and parser of every command."""
    for action in make_parser()._actions:
        if isinstance(action, argparse._SubParsersAction):
            summaries = {choice.dest: choice.help for choice in action._choices_actions}
            for name, parser in action.choices.items():
                yield name, summaries.get(name) or "", parser


def sections(page: str) -> dict[str, str]:
    """Heading → text, of the second level."""
    return {
        heading: text
        for heading, _, text in (part.partition("\n") for part in page.split("## ")[1:])
    }


PAGES = runpy.run_path(str(ROOT / "docs" / "pages.py"))
"""What makes the generated parts of the documentation."""

COMMANDS = {name: (summary, parser) for name, summary, parser in commands()}


def test_the_help_of_the_program_fits_a_screen(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    with pytest.raises(SystemExit):
        main(["--help"])
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) <= 40
    assert max(map(len, lines)) <= 80
    named = [line.split()[0] for line in lines if line.startswith("  ") and "rulemine" not in line]
    assert named == [name for name in COMMANDS if " " not in name]
    assert len(named) <= 14
    assert [line for line in lines if line in declared.GROUPS] == list(declared.GROUPS)


def test_every_command_and_option_says_what_it_does() -> None:
    for name, (summary, parser) in COMMANDS.items():
        assert len(summary.split()) >= 2, name
        assert parser.description, name
        module = declared.COMMANDS[name].module
        assert callable(loaded(f"rulemine.cli.{module}:run_{name.split()[-1]}")), name
        silent = [action.dest for action in parser._actions if not (action.help or "").strip()]
        assert silent == [], name


def test_help_is_printed_within_eighty_columns(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    for name in COMMANDS:
        with pytest.raises(SystemExit) as ended:
            main([*name.split(), "--help"])
        assert ended.value.code == 0, name
        printed = capsys.readouterr().out
        assert printed.startswith(f"usage: rulemine {name}")
        assert [line for line in printed.splitlines() if len(line) > 80] == []
        assert printed.count("\n") <= 30, name


def test_the_commands_page_has_every_command_and_option() -> None:
    page = sections(PAGES["commands"]())
    missing = [
        (name, option)
        for name, (_, parser) in COMMANDS.items()
        for action in parser._actions
        for option in action.option_strings
        if option not in ("-h", "--help")
        and not re.search(rf"{option}\b", page[f"rulemine {name}"])
    ]
    assert missing == []


def test_the_options_page_has_every_key_with_its_default() -> None:
    page = sections(PAGES["options"]())
    for key in KEYS:
        section, _, name = key.name.rpartition(".")
        assert f"| `{name}` | `{key.default}` |" in page[f"[{section}]" if section else "Top level"]


def test_every_reason_and_purpose_of_calls_is_explained() -> None:
    text = (ROOT / "docs/questions-by-a-model.md").read_text("utf-8")
    rows = [line.split("|")[1] for line in text.splitlines() if line.startswith("| ")]
    assert {*CODES} <= {word for row in rows for word in row.split("`")[1::2]}
    assert all(f"`{purpose}`" in text for purpose in load_prompts("").sections)


def test_the_citation_is_of_this_version_and_the_changelog_has_it_with_the_same_date() -> None:
    citation = dict(
        re.findall(r"^([\w-]+): (.+)$", (ROOT / "CITATION.cff").read_text("utf-8"), re.M)
    )
    assert citation["version"] == rulemine.__version__
    heading = f"## [{rulemine.__version__}] - {citation['date-released']}"
    assert heading in (ROOT / "CHANGELOG.md").read_text("utf-8").splitlines()
