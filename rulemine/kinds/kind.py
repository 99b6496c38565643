"""What a kind of question supplies to those who read, show and score its releases.

What it decides in a build is in `rulemine.kinds.building`, which needs far more to be loaded.
"""

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from rulemine.codec import to_json
from rulemine.config import Section
from rulemine.errors import ConfigError
from rulemine.kinds.group import Group
from rulemine.registry import imported

if TYPE_CHECKING:
    from pathlib import Path

    from rulemine.kinds.answers import EntityAnswers
    from rulemine.phrasing.templates import Templates

__all__ = [
    "ONE_WRITER",
    "TEST_CORE",
    "Input",
    "Kind",
    "KindOptions",
    "ReleaseFile",
    "Setting",
    "Values",
    "pairs",
]

Setting = tuple[tuple[str, ...], Any]

Values = Callable[[Any], tuple[Hashable, ...]]
"""What a question has of something that questions differ in, each value once."""

ONE_WRITER: Mapping[tuple[str, ...], str] = {
    ("verbalizer.rewriter_model",): (
        "for the kinds structures, subgraphs, cypher only; no model but verbalizer.model writes questions of "
        "the kind {kind}. Leave it out."
    )
}
"""What a kind lacks of which no text is written again."""


TEST_CORE = ("questions.test_core", 100, "enough to tell two systems apart, or a third of the core")
"""What drafts have of kinds whose questions often miss nothing."""


@dataclass(frozen=True, slots=True)
class KindOptions(Section):
    """The section of a recipe that is called as the kind; this one has no options.

    A kind that is called as another key of recipes has no section.

    Attributes:
        lacks: The other keys of a recipe that do nothing for the kind → for which kinds they are, and why.
        drafted: What a recipe drafted for a graph has: a key, its value, and why, in a line.
    """

    drafted: ClassVar[Sequence[tuple[str, Any, str]]] = ()

    @property
    def parts(self) -> int:
        """Into how many parts the questions fall, of each of which `Kind.amount` is the number."""
        return 1

    lacks: ClassVar[Mapping[tuple[str, ...], str]] = {
        (
            "questions.max_answer_share",
            "questions.max_answers",
            "questions.max_questions",
            "questions.max_relation_share",
            "selection.mode",
            "selection.per_type",
        ): (
            "for the kind rules only; questions of the kind {kind} are made within the limits of the section "
            "{kind}, with the selection maximal. Leave it out."
        ),
        ("verbalizer.paraphrases",): (
            "for the kind rules only; a question of the kind {kind} has one text, which is checked in other "
            "ways. Leave it out."
        ),
    }

    def check(self, recipe: Any) -> None:
        """Checks the whole recipe, a `rulemine.recipe.recipe.Recipe` that has this section.

        Raises:
            ConfigError: It gives options that the kind lacks, or that contradict each other.
        """
        for names, why in self.lacks.items():
            if recipe.selection.mode == "none":  # which every kind but one may have
                names = tuple(name for name in names if name != "selection.mode")
            recipe.refuse(names, why.format(kind=recipe.kind))

    def portable(self) -> dict[str, Any]:
        """The section as plain values that name no address; files are named as they are given."""
        return to_json(self)

    def endpoints(self, usual: Any) -> list[Any]:
        """Where further models are that the section names, each an `EndpointOptions`.

        Args:
            usual: Where a model is that has no address of its own, and what may be asked of all.
        """
        return []


@dataclass(frozen=True, slots=True)
class Input:
    """Something that builds of a kind read; if all kinds read what has its name, they read it in this way.

    Attributes:
        name: Its name in `rulemine.recipe.inputs.Inputs`.
        read: Reads it, given the inputs of a build.
        digest: What the questions depend on of it, as plain values; None: nothing that other keys lack.
        keys: The keys of a recipe that name its files.
        stand_in: Takes it from a release that is built again where a file is not at hand, or that is a fresh
            variant; None: the files must be there.
        place: Where a release has it, in words.
    """

    name: str
    read: Callable[[Any], Any]
    digest: Callable[[Any], Any] | None = None
    keys: tuple[str, ...] = ()
    stand_in: Callable[[Any], Any] | None = None
    place: str = ""


class ReleaseFile(NamedTuple):
    """A file that only releases of a kind have: records, one a line.

    Attributes:
        name: Its name.
        record: The frozen dataclass of the records; the types of its fields say what is renamed.
        by: The fields that the records are sorted by; empty: they stay in their order.
        about: What a table of them is about, for exports; empty: there is none.
    """

    name: str
    record: type
    by: tuple[str, ...] = ()
    about: str = ""


class Kind:
    """A kind of question. What is the same for most is that of queries of any form.

    Attributes:
        name: Its name in recipes, manifests and questions.
        Options: Its section of a recipe, a dataclass.
        amount: The key of a recipe that says how many questions there are.
        strata: What splits are compared in, see `rulemine.release.overlap`.
        scores: The scores of answers that tables have.
        baselines: The answerers that every system is compared with, as they are written.
        baseline_scores: The scores of their table, the headline first.
        formats: The export formats that are made for this kind and few others.
        tools: Names, each with the module of what commands ask for, see `rulemine.kinds.registry.tool`.
        block: The frozen dataclass of what only its questions have; None: it is not known. The types of its
            fields say what is renamed, see `rulemine.release.records`.
        answers: The type of its answers.
        inputs: What its builds read beside what all read, or in another way.
        page: What only cards of the kind say, see `rulemine.release.card.kind_page.KindPage`; None: nothing.
        groups: What its results are broken down by, beside what those of every kind are.
        built: Whether its releases are built, with certificates and texts that can be renamed.
        removes: Whether its incomplete graphs may lack something of the complete one.
    """

    name: ClassVar[str] = ""
    Options: ClassVar[type[KindOptions]] = KindOptions
    amount: ClassVar[str] = ""
    strata: ClassVar[Mapping[str, Values]] = {
        "structure": lambda q: (q.structure,),
        "missing": lambda q: (q.missing,),
        "relation": lambda q: q.relations,
        "core": lambda q: (q.core,),
    }
    scores: ClassVar[Sequence[str]] = ("hard_f1", "hhr", "hits_hard", "hits_any", "recall", "f1")
    baselines: ClassVar[Sequence[str]] = (
        "lookup", "neighbors", "neighbors:hops=2", "reasoner", "prior", "prior:k=5", "random",
    )  # fmt: skip
    baseline_scores: ClassVar[Sequence[str]] = (
        "hard_f1", "hhr", "hits_hard", "hits_any", "precision", "recall", "f1", "hits_at_1",
    )  # fmt: skip
    formats: ClassVar[Sequence[str]] = ()
    tools: ClassVar[Sequence[tuple[str, str]]] = ()
    block: ClassVar[type | None] = None
    answers: ClassVar[type["EntityAnswers"]] = imported("rulemine.kinds.answers:EntityAnswers")
    inputs: ClassVar[Sequence[Input]] = ()
    page: ClassVar[Any] = None
    groups: ClassVar[Sequence[Group]] = ()
    built: ClassVar[bool] = True
    removes: ClassVar[bool] = True

    @property
    def files(self) -> Sequence[ReleaseFile]:
        """The files that only its releases have, beside property graphs."""
        return ()

    def records(self, asked: Any, config: Mapping[str, Any]) -> Mapping[str, tuple[Any, ...]]:
        """The records of these files, by file.

        Args:
            asked: The `rulemine.release.question_set.QuestionSet` of a build, with splits.
            config: Of the manifest.
        """
        own: Mapping[str, tuple[Any, ...]] = asked.records
        return own

    @property
    def figures(self) -> Sequence[Any]:
        """The figures of its releases alone, each a `rulemine.release.card.figure.Figure`."""
        return self.page.figures if self.page else ()

    def unknown(self, parts: Any) -> Collection[str]:
        """The figures of every release that cannot be had of one, by key.

        Args:
            parts: Its `rulemine.release.contents.ReleaseParts`.
        """
        return ()

    def source_query(self, question: Any) -> str:
        """The query of a question word for word as its source has it; "": it has none, or that is `query`."""
        return ""

    def executed(self, question: Any) -> Collection[str] | None:
        """What its query gave on the complete graph where that was run elsewhere; None: it was not."""
        return None

    def graph_of(self, question: Any) -> str:
        """The name of the property graph that a question is about; "": there is only one, or none."""
        return ""

    def cypher_templates(self, question: Any) -> tuple[str, str, str]:
        """The category of its MATCH, its MATCH and its RETURN template; "" for each that it has not."""
        return "", "", ""

    def text(self, question: Any, templates: "Templates", *, articles: bool) -> str:
        """The text of a question from templates.

        Args:
            question: The question; the entities as the text names them.
            templates: The templates of all relations.
            articles: Whether names get *the* where they take it, see `rulemine.text.articles`.
        """
        from rulemine.phrasing.compose import compose
        from rulemine.query.parser import parse

        several = len(question.answers) > 1
        return compose(parse(question.query), templates, several=several, articles=articles)

    def choices(self, question: Any) -> Mapping[str, str]:
        """The entities that the text of a question offers as answers, by what replies may call them.

        The text names each of them, answers too; of other questions no text names an answer.

        Returns:
            Label → entity, e.g. ``A``; empty: nothing is offered.
        """
        return {}

    def view(self, question: Any, shown: Any) -> Sequence[Any]:
        """What is shown of a question below its text, a `rulemine.release.showing.view.Titled` each.

        Args:
            question: The question.
            shown: Its release, a `rulemine.release.showing.view.ShownRelease`.

        Returns:
            Empty: what every question has, see `rulemine.release.showing.view.common_view`.
        """
        return ()

    def about(self, question: Any) -> tuple[Any, str, str, str]:
        """What a rejection says of a question: removed triple, direction, rule and query."""
        return None, "", "", question.query

    def run(self, config: Mapping[str, Any]) -> int:
        """The number of a fresh variant of a release; 0: it is the published one.

        Args:
            config: Of its manifest.
        """
        return 0

    def fresh(self, config: Mapping[str, Any], number: int, texts: int) -> Sequence[Setting] | None:
        """What a fresh variant changes of the recipe of a release: paths of keys, with values.

        Args:
            config: Of its manifest.
            number: Of the variant, ≥ 1.
            texts: How many seed texts are asked about anew.

        Returns:
            None: there are no variants of releases of this kind.
        """
        return None

    def advice(self, config: Mapping[str, Any], sampling: Mapping[str, Any]) -> str:
        """What to change where ``sampling`` of a manifest shows that few questions were found; or "".

        Args:
            config: Of the manifest.
            sampling: What was wanted, drawn and rejected, by form.
        """
        return ""

    def gold(self, question: Any) -> Any:
        """A question with what follows from its query, made anew: its SPARQL."""
        from rulemine.query.parser import parse
        from rulemine.query.sparql import to_sparql

        return replace(question, sparql=to_sparql(parse(question.query)))

    def listed(self, question: Any) -> Sequence[str]:
        """The answers as often as the source lists them, which metrics of other projects count."""
        return tuple(question.answers)

    def prompts(self, source: str) -> Any:
        """Loads the prompts of a model, see `rulemine.verbalizer.prompts.load_prompts`.

        Raises:
            ConfigError: No model writes texts of this kind.
        """
        raise ConfigError(
            f"no model writes the texts of questions of the kind {self.name}. Leave out --verbalizer."
        )

    def published(self, path: "Path") -> Any:
        """Questions that others publish in a form of theirs, as a release without removal; None: no such.

        Args:
            path: A file or a folder.
        """
        return None

    @property
    def form(self) -> Group:
        """What tables of questions divide them by; with `Group.least` 0, all its groups are known."""
        from rulemine.query.structures import STRUCTURES

        return Group("structure", "structure", lambda q, _: q.structure, tuple(STRUCTURES))

    def ties(self, questions: Sequence[Any]) -> Iterator[Collection[Hashable]]:
        """For each question what keeps it and others that have it together: `rulemine.release.groups`."""
        for q in questions:
            asked = () if q.hard_answer is None else pairs(q.anchors, [q.hard_answer])
            yield [*q.removed, *asked]

    def ends(self, question: Any) -> Sequence[str]:
        """The ends that a question with a single link asks for, if another release must not ask for them."""
        from rulemine.kg.graph import DIRECTIONS

        return DIRECTIONS


def pairs(topics: Iterable[str], answers: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The unordered pairs of a topic entity and an answer."""
    return (min((a, b), (b, a)) for a in topics for b in answers)
