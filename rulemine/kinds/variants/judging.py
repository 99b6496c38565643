"""Three judges: whether a question, its answer and its facts are accepted, as in Dynamic-KGQA (P2 and P3).

The panel is that of ``rulemine judge`` (`rulemine.judging.panel`); of its flags the four that decide are
kept. A question is accepted if all judges find it well formed, not redundant, supported and adequate; a reply
that cannot be read is asked for once more, and rejects then.

Guarantee: judgements and agreement depend on the replies alone, in whatever order they come, and however many
questions are judged at once.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from rulemine.errors import UserError
from rulemine.judging.agreement import agreement_of
from rulemine.judging.panel import FLAGS, Ballot, JudgedQuestion, Panel, is_accepted
from rulemine.kinds.written.block import Judgement
from rulemine.llm.batch import WantedError
from rulemine.llm.call import Answer, Ask, Call
from rulemine.llm.options import EndpointOptions
from rulemine.llm.session import Session

__all__ = ["BAD", "UNREAD", "Judges", "Vote"]

DECIDING = tuple(flag for flag in FLAGS if flag.decides)

FAR = 2000
"""Questions that are judged ahead where their votes come in rounds."""

FIRST = 10
"""So many pairs are judged before a build may end whose judges are cut off."""

UNREAD = "a judge's reply cannot be read"
BAD = {
    "logical_structure": "a judge finds it not well formed",
    "redundancy": "a judge finds that it gives its answer away",
    "answer_support": "a judge finds its answer not supported",
    "answer_adequacy": "a judge finds its answer not adequate",
}
"""Why judges refuse a pair: the flag that most find bad, of equals the first; or `UNREAD`."""


class Vote(NamedTuple):
    """What the judges say of a question.

    Attributes:
        judgements: Of each judge; none unless it is accepted.
        reason: Why it is not accepted, one of `BAD` or `UNREAD`; "": it is.
        keys: The keys of the calls made for it.
    """

    judgements: tuple[Judgement, ...]
    reason: str
    keys: tuple[str, ...]


class Judges:
    """A panel at work; keeps the ballots for its counts.

    Args:
        panel: The panel.
        session: What answers its calls.
        places: Where each judge is that has an address of its own, else None.
        at_once: Questions that are judged at once, at most.
    """

    def __init__(
        self,
        panel: Panel,
        session: Session,
        places: Sequence[EndpointOptions | None] = (),
        at_once: int = 1,
    ) -> None:
        self._panel, self._session, self._at_once = panel, session, at_once
        self._places = places or [None] * len(panel.judges)
        self._ballots: list[tuple[Ballot, ...]] = []

    def judge(
        self,
        items: Sequence[JudgedQuestion],
        wanted: Callable[[int, Sequence[int]], bool],
        decide: Callable[[int, Vote | None], None],
    ) -> None:
        """Has questions judged, and decides about them in their order.

        Those after the one whose turn it is are judged ahead, `at_once` in all. If one of them is no longer
        wanted when its turn comes, it was judged in vain: nothing depends on its votes.

        Args:
            items: The questions.
            wanted: Whether the votes on the question of a place matter, given all that was decided and if
                those at some other places, which are being judged, are accepted. Once nothing is being judged
                and they do not matter, they never do.
            decide: Called with each place in turn, and the votes; None: they do not matter.
        """

        async def in_turn(ask: Ask) -> None:
            asks = [ask if at is None else self._session.at(at) for at in self._places]
            ahead: dict[int, asyncio.Task[tuple[Sequence[Ballot], tuple[str, ...]]]] = {}

            def look_ahead(place: int, far: int) -> None:
                for other in range(place, min(place + far, len(items))):
                    if other not in ahead:
                        before = [one for one in range(place, other) if one in ahead]
                        if wanted(other, before):
                            ahead[other] = asyncio.create_task(self._cast(items[other], asks))

            try:
                for place in range(len(items)):
                    look_ahead(place, self._at_once)
                    if not wanted(place, ()):
                        decide(place, None)
                        continue
                    try:
                        ballots, keys = await ahead[place]
                    except WantedError:  # as many as may matter go into the same round
                        look_ahead(place, FAR)
                        await asyncio.gather(*ahead.values(), return_exceptions=True)
                        raise
                    self._ballots.append(tuple(ballots))
                    self._check_first()
                    decide(place, self._judged(ballots, keys))
            except BaseException:
                for task in ahead.values():
                    task.cancel()
                raise
            finally:  # what is asked already is paid for
                await asyncio.gather(*ahead.values(), return_exceptions=True)

        self._session.run([in_turn])

    def _check_first(self) -> None:
        """Ends a build whose judges are cut off."""
        advice = self._session.advice
        if advice and len(self._ballots) == FIRST and not any(_read(self._ballots)):
            raise UserError(
                f"no vote on any of the first {FIRST} pairs can be read.\n{advice}Name other judges "
                "(variants.judges)."
            )

    async def _cast(
        self, item: JudgedQuestion, asks: Sequence[Ask]
    ) -> tuple[Sequence[Ballot], tuple[str, ...]]:
        """The ballots on a question, and the keys of the calls made for them."""
        keys: list[str] = []

        def noting(ask: Ask) -> Ask:
            async def noted(call: Call) -> Answer:
                keys.append(call.key)
                return await ask(call)

            return noted

        each = zip(self._panel.judges, asks, strict=True)
        works = [self._panel.ballot(item, judge, noting(ask)) for judge, ask in each]
        return await asyncio.gather(*works), tuple(keys)

    def _judged(self, ballots: Sequence[Ballot], keys: tuple[str, ...]) -> Vote:
        if not is_accepted(ballots):
            return Vote((), _reason(ballots), keys)
        judgements = []
        for judge, ballot in zip(self._panel.judges, ballots, strict=True):
            marks = {f"{flag.name}_flag": ballot[flag.name].value for flag in DECIDING}
            words = {f"{flag.name}_reasoning": ballot[flag.name].reasoning for flag in DECIDING}
            judgements.append(Judgement(judge.model, **marks, **words))  # type: ignore[arg-type]
        return Vote(tuple(judgements), "", keys)

    def counts(self, seed: int) -> dict[str, Any]:
        """Who judged, how much was accepted, and how far the judges agree on each flag.

        Args:
            seed: Of the resamples of the intervals.
        """
        agreement = {}
        for flag in DECIDING:
            rows = [[ballot[flag.name].value for ballot in cast] for cast in self._ballots]
            found = agreement_of([row for row in rows if None not in row], seed, flag.name)
            good = sum(value == flag.good for row in rows for value in row)
            agreement[flag.name] = {"votes": sum(map(len, rows)), "good": good, **found._asdict()}
        return {
            "models": [judge.model for judge in self._panel.judges],
            "judged": len(self._ballots),
            "accepted": sum(map(is_accepted, self._ballots)),
            "unreadable": [*_read(self._ballots)].count(False),
            "agreement": agreement,
        }


def _read(all_ballots: Sequence[Sequence[Ballot]]) -> Iterator[bool]:
    """For each flag that decides, on each ballot, whether it could be read."""
    return (
        b[flag.name].value is not None for cast in all_ballots for b in cast for flag in DECIDING
    )


def _reason(ballots: Sequence[Ballot]) -> str:
    """Why ballots do not accept: the flag that most judges find bad, of equals the first."""
    bad = Counter(
        flag.name
        for flag in DECIDING
        for ballot in ballots
        if ballot[flag.name].value not in (None, flag.good)
    )
    return BAD[bad.most_common(1)[0][0]] if bad else UNREAD
