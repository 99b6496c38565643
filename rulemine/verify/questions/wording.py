"""Texts and what they are made from: the templates of relations, or the patterns of a language model.

Checks of which relations there is one answer, and that texts from templates are in the singular for these
alone; that a model's text and each of its paraphrases is its pattern with the names, and that they all
differ; and that wordings are those that the options allow.
"""

import re
from collections.abc import Iterator, Mapping
from itertools import zip_longest

from rulemine.verify.contents import Contents, Record
from rulemine.verify.questions.asked import Asked
from rulemine.verify.questions.queries import LINK, Query
from rulemine.verify.questions.texts import Cut, cut_of, placeholders

__all__ = ["check_composed", "check_origin", "check_patterns", "check_single"]

_ARTICLE = "(?:[Tt]he )?"
"""What may be before a name where no model wrote the text."""

SINGLE = 95
"""Least percentage of topic entities with one answer where that is asked for in the singular."""

_PAIR = re.compile(r"(\S+)/(\S+)")


def check_single(contents: Contents) -> None:
    """Checks of which ends of relations there is one: most topic entities of the complete graph have one."""
    for line, (relation, row) in enumerate(contents.relations.items(), start=2):
        each = {end: contents.priors.answers_each(relation, end) for end in ("subject", "object")}
        ones = {end: 100 * (n == 1).sum() / max(1, len(n)) for end, n in each.items()}
        single = " and ".join(end for end, share in ones.items() if share >= SINGLE)
        named = {"": "none", "subject and object": "both"}.get(single, single)
        contents.equal(Record("relations.tsv", line, row), "single", row["single"], named)


def check_origin(contents: Contents, at: Record) -> None:
    """Checks who may have written the text of one question."""
    by_model = contents.option("verbalizer", "name") == "openai"
    allowed = ("model", "fallback") if by_model else ("template",)
    if at.row["wording"] not in allowed:
        contents.wrong(
            at, "wording", at.row["wording"], f"one of {allowed} (config.verbalizer.name)"
        )


def check_patterns(contents: Contents, at: Record) -> Iterator[Cut]:
    """Checks that each text of one question is its pattern; yields those that are, cut.

    Names may have an article in a text that no model wrote.
    """
    row, topics = at.row, placeholders(contents, at.row)
    texts, patterns = [row["question"], *row["paraphrases"]], row["patterns"]
    article = "" if row["wording"] == "model" else _ARTICLE
    for text, pattern in zip_longest(texts, patterns):
        cut = cut_of(pattern, topics) if text and pattern else None
        if cut is None:
            contents.wrong(at, "patterns", pattern, f"{[*topics]} in it, other braces doubled")
        elif not _is(text, cut, article):
            contents.wrong(at, "text is its pattern", text, cut.text)
        else:
            yield cut
    if len({" ".join(text.casefold().split()) for text in texts}) != len(texts):
        contents.wrong(at, "paraphrases", texts, "distinct ones")


def _is(text: str, cut: Cut, article: str) -> bool:
    """Whether a text is a template; `article`: what may be before a name, a pattern."""
    pairs = zip(cut.pieces, cut.topics, strict=False)
    pattern = "".join(f"{re.escape(piece)}{article}{re.escape(topic)}" for piece, topic in pairs)
    whole = pattern + re.escape(cut.pieces[-1])
    return text == cut.text or bool(article and re.fullmatch(whole, text))


def check_composed(here: Asked) -> None:
    """Checks the text of one question that is made of templates, in the singular or the plural as they are.

    A text over one link is its relation's template, or a model's; in others the noun after *which* shows it.
    """
    row, relations, contents = here.row, here.contents.relations, here.contents
    text, (one, nouns) = row["question"], _asked(here.links, relations)
    if here.form["shape"] == "(1)":
        topics = placeholders(contents, row)
        article = _ARTICLE if contents.release.naming == "text" else ""
        columns = [(name, f"ask_{end}{'s' * (not one)}") for name, end in here.links.ways]
        templates = [
            relations[name][column] for name, column in columns if name in row["relations"]
        ]
        cuts = [cut for template in templates if (cut := cut_of(template, topics))]
        fits = bool(row["patterns"]) or any(_is(text, cut, article) for cut in cuts)
        here.expect(fits or not templates, "text is the template", text, templates)
    elif asked := re.search(r"(?:^|\. )(?:\w+ )?[Ww]hich (.+)", text):
        right, wrong = (
            any(re.match(rf"{re.escape(_PAIR.sub(form, noun))}\b", asked[1]) for noun in nouns)
            for form in ((r"\1", r"\2") if one else (r"\2", r"\1"))
        )
        number = "singular" if one else "plural"
        here.expect(right or not wrong, "number", text, f"a noun in the {number}")


def _asked(links: Query, relations: Mapping[str, Mapping[str, str]]) -> tuple[bool, list[str]]:
    """Whether a query is asked in the singular, and what its last relations call what it gives."""
    if links.word == LINK:
        one = relations[links.ways[0][0]]["single"] in ("both", links.ways[0][1])
        nouns = [relations[r][f"describe_{end}"].split(" | ")[0] for r, end in links.ways]
        return one and _asked(links.parts[0], relations)[0], nouns
    given = links.parts[:1] if links.word == "minus" else links.parts
    found = [_asked(part, relations) for part in given]
    one = any(one for one, _ in found) and links.word in ("and", "minus")
    return one or not links.word, [noun for _, nouns in found for noun in nouns]
