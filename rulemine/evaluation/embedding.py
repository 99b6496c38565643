"""Texts as vectors, from an endpoint (``/v1/embeddings``); journaled and resumed as chat is."""

import base64
from collections.abc import Awaitable, Callable, Sequence

import numpy as np
import numpy.typing as npt

from rulemine.errors import EndpointError
from rulemine.llm.call import Ask, Call, Failure
from rulemine.llm.session import Session

__all__ = ["embed"]


def embed(
    session: Session,
    model: str,
    texts: Sequence[str],
    *,
    batch: int = 64,
    progress: Callable[[int, int], None] = lambda done, total: None,
    advice: str = "Try another model.",
) -> npt.NDArray[np.float64]:
    """The embeddings of texts.

    Args:
        session: Where they are asked for.
        model: The embedding model.
        texts: The texts, none empty.
        batch: Texts in a call, ≥ 1.
        progress: Called with (calls answered, all calls).
        advice: What to do where the endpoint gives none, as a sentence.

    Returns:
        Their vectors as they come, shape (texts, dimensions).

    Raises:
        EndpointError: The endpoint gives none, or vectors of different lengths.
    """

    def embedding(start: int) -> Callable[[Ask], Awaitable[Sequence[str]]]:
        async def work(ask: Ask) -> Sequence[str]:
            inputs = texts[start : start + batch]
            reply = await ask(Call(model, inputs=inputs, purpose="embed", subject="embeddings"))
            if isinstance(reply, Failure):
                raise EndpointError(
                    f"no embeddings of model {model} for {len(inputs)} texts that begin with "
                    f"{inputs[0][:60]!r}: {reply.detail}. {advice}"
                )
            return reply.vectors

        return work

    found = session.run([embedding(start) for start in range(0, len(texts), batch)], progress)
    rows = [np.frombuffer(base64.b64decode(one), "<f4") for some in found for one in some]
    if len(set(map(len, rows))) > 1:
        raise EndpointError(f"model {model} gives vectors of different lengths. Name another.")
    return np.array(rows, np.float64)
