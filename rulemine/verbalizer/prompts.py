"""What a language model is told: templates out of a TOML file that users can edit.

A template is a text with ``{placeholder}``s; ``{{`` and ``}}`` stand for braces. A placeholder alone on
its line stands for any number of lines. Guarantees: every placeholder of a template is known and every one
that is needed is there; names are put in verbatim, whatever they contain, and are never interpreted; the
user messages of questions, paraphrases and audits hold ``Removed Triple``, ``Question Entity`` and
``Answer Entity`` each on a line of its own.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from rulemine.config import packaged, read_toml_text
from rulemine.errors import ConfigError, list_problems
from rulemine.llm.call import Message
from rulemine.text.template import fill
from rulemine.verbalizer.prompt_schema import BLOCKS, PURPOSES, block_of, problems_of

__all__ = ["Prompts", "load_prompts"]


@dataclass(frozen=True)
class Prompts:
    """The prompts of a file.

    Attributes:
        text: The file, as it is.
        sections: Purpose → key → template.
        names: Naming → how its names look, in words.
    """

    text: str
    sections: Mapping[str, Mapping[str, str]] = field(repr=False)
    names: Mapping[str, str] = field(repr=False)

    def messages(
        self,
        purpose: str,
        values: Mapping[str, str],
        blocks: Mapping[str, Iterable[Mapping[str, str]]],
    ) -> tuple[Message, ...]:
        """The messages of a call.

        Args:
            purpose: One of `PURPOSES`.
            values: Placeholder → what stands for it.
            blocks: Placeholder that stands for lines → the values of each line, whose template is the one
                that `BLOCKS` names.
        """
        section = self.sections[purpose]
        lines: list[str] = []
        for line in section["user"].strip("\n").split("\n"):
            if block := block_of(line):
                lines += (fill(section[BLOCKS[block]], row) for row in blocks[block])
            else:
                lines.append(fill(line, values))
        return (
            {"role": "system", "content": fill(section["system"].strip("\n"), {})},
            {"role": "user", "content": "\n".join(lines)},
        )


def load_prompts(source: str) -> Prompts:
    """The prompts of a file.

    Args:
        source: A TOML file, or "" for the one that comes with the package.

    Raises:
        InputError: The file cannot be read or is not TOML.
        ConfigError: Sections, templates or placeholders are missing, unknown or of another type: all of it
            in one message.
    """
    default = packaged("verbalizer", "prompts.toml")
    path = Path(source) if source else default
    tables, text = read_toml_text(path)
    if problems := problems_of(tables):
        advice = f"A prompt file that is whole: {default}"
        raise ConfigError(list_problems(str(path), problems, advice))
    sections = {purpose: tables[purpose] for purpose in PURPOSES}
    return Prompts(text, sections, tables["names"])
