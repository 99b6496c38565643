"""What the judges of a panel are shown of the questions of a release.

An answer rests on its evidence; in place of each removed triple stand the triples of its certificate, so that
judges see what the incomplete graph states, and the removed triples as conclusions from it.
"""

from collections.abc import Sequence

from rulemine.errors import ConfigError
from rulemine.judging.panel import JudgedQuestion, Stated
from rulemine.kg.graph import Triple
from rulemine.release.naming import questions_in
from rulemine.release.reader import Release
from rulemine.release.records import Question, translation
from rulemine.text.template import fill

__all__ = ["judged_questions"]


def judged_questions(
    release: Release, questions: Sequence[Question], naming: str = ""
) -> tuple[JudgedQuestion, ...]:
    """What judges are shown of questions.

    The answer judged is the one that the question asks for; where every answer is stated, the first one in
    its evidence.

    Args:
        release: The release.
        questions: Some of its questions.
        naming: The naming that judges see; "": that of the release.

    Returns:
        In the order of the questions.

    Raises:
        ConfigError: There is no such naming, or the questions are about rows of a property graph.
        ReleaseError: A file is missing or was edited.
    """
    if release.answers != "entities":
        raise ConfigError(
            f"{release.path}: its questions are about rows of a property graph, and judges are shown an "
            "entity and the triples that give it. rulemine build --judge-model has their texts judged as "
            "they are written."
        )
    release.expect_certificates("a panel of judges")
    shown = naming or release.naming
    texts = questions if shown == release.naming else questions_in(release, questions, shown)
    names = translation(release.entities, release.naming, shown)
    proofs = {row.triple: row.certificate.body for row in release.removals()}
    statements = {name: row["statement"] for name, row in release.relations().items()}

    def stated(triples: Sequence[Triple]) -> tuple[Stated, ...]:
        named = [(names[s], r, names[o]) for s, r, o in dict.fromkeys(triples)]
        return tuple(
            Stated(", ".join((s, r, o)), fill(statements[r], {"subject": s, "object": o}))
            for s, r, o in named
        )

    def judged(question: Question, text: str) -> JudgedQuestion:
        gone = set(question.removed)
        proof = [body for triple in question.removed for body in proofs[triple]]
        rest = [triple for triple in question.evidence if triple not in gone]
        ends = {end for subject, _, object_ in question.evidence for end in (subject, object_)}
        answer = question.hard_answer or next(
            (answer for answer in question.answers if answer in ends), question.answers[0]
        )
        return JudgedQuestion(
            id=question.id,
            question=text,
            answer=names[answer],
            others=tuple(names[other] for other in question.answers if other != answer),
            facts=stated([*rest, *proof]),
            naming=shown,
            proof=stated(proof),
            conclusions=stated(question.removed),
        )

    return tuple(judged(q, other.question) for q, other in zip(questions, texts, strict=True))
