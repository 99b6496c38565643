"""What of a model's output is meant to be seen: the output without what the model thinks aloud.

Thoughts stand between ``<think>`` and ``</think>`` (or ``<thinking>``, ``<thought>``, ``<reasoning>``,
``<analysis>``, ``[THINK]``, ``◁think▷``, ``<|begin_of_thought|>``,
``<|channel>thought`` … ``<channel|>`` and the like). Many servers leave the
opening tag out, so all before a lone closing tag is thought; where the closing one is missing, the model was
cut off while it thought, and all that follows the opening tag is. In the format harmony only the channel
``final`` is seen. An output can mention a tag without thinking: one in quotes or backticks is text, and so is
an opening tag in the middle of a sentence, or as an item of a list, that nothing closes. What a small model
writes behind the token that ends its turn is not seen either.

Guarantee: linear time, whatever the output.
"""

import re

__all__ = ["visible_reply"]

_WORD = "(?:seed:)?(?:think|thinking|thoughts?|reasoning|analysis|reflection|scratchpad)"
_TAG = re.compile(
    rf"<(/?){_WORD}>|\[(/?)THINK\]|◁(/?)think▷|<\|(?:begin|(end))_of_thought\|>|<\|channel>thought\b|<(channel)\|>",
    re.IGNORECASE,
)
_OPENING = re.compile(r"(?:\A|[\s(])[`'\"“‘«]\Z")
_CLOSING = ("`", "'", '"', "”", "’", "»")
_CHANNEL = re.compile(
    r"<\|channel\|>\s{0,9}(\w{1,20})[^<]{0,99}(?:<\|constrain\|>[^<]{0,99})?<\|message\|>"
)
_END = re.compile(r"<\|(?:start|end|return|call|channel)\|>")
# What is left of both tags where a server leaves the special tokens out.
_BARE_CHANNEL = "assistantfinal"
_TURN_ENDS = re.compile(
    r"<\|(?:eot_id|eom_id|im_end|end_of_text|endoftext)\|>|<end_of_turn>|</s>(?=\s*(?:\Z|<s>|\[INST))"
)
_ITEM = re.compile(r"[ \t]*(?:[-*+•]|\(?\d{1,4}[.):])[ \t]*")
_NEAR = 200
"""Characters before an opening tag that are looked at."""


def visible_reply(output: str) -> str:
    """What a model says, without its thoughts.

    Args:
        output: What the model wrote.

    Returns:
        The output, or what is left of it; "" where it holds only thoughts.

    Example:
        >>> visible_reply("<think>Ann? No.</think>Eve")
        'Eve'
        >>> visible_reply("Ann? No.</think>Eve, not <think>")
        'Eve, not <think>'
        >>> visible_reply("<|channel|>analysis<|message|>Ann?<|end|><|channel|>final<|message|>Eve")
        'Eve'
    """
    text = _final_channel(output)
    tags = [tag for tag in _TAG.finditer(text) if not _is_quoted(text, tag.start(), tag.end())]
    last_close = max((tag.start() for tag in tags if any(tag.groups())), default=-1)
    parts, at, is_thinking = list[str](), 0, False
    for tag in tags:
        if any(tag.groups()):
            if not is_thinking:
                parts.clear()
            at, is_thinking = tag.end(), False
        elif not is_thinking and (tag.start() < last_close or _begins(text, tag.start())):
            parts.append(text[at : tag.start()])
            is_thinking = True
    if not is_thinking:
        parts.append(text[at:])
    return next(filter(str.strip, _TURN_ENDS.split("".join(parts))), "")


def _final_channel(text: str) -> str:
    """What stands in the channels ``final``; the text without any channel."""
    channels = list(_CHANNEL.finditer(text))
    if not channels:
        begins = text.lstrip().startswith("analysis")
        return text.rpartition(_BARE_CHANNEL)[2] if begins else text
    finals = (text[channel.end() :] for channel in channels if channel[1] == "final")
    return "\n".join(_END.split(final, maxsplit=1)[0] for final in finals)


def _is_quoted(text: str, start: int, end: int) -> bool:
    return (
        text[end : end + 1] in _CLOSING
        and _OPENING.search(text[max(0, start - 3) : start]) is not None
    )


def _begins(text: str, at: int) -> bool:
    """Whether what stands at a place begins a line or a sentence, and is no item of a list."""
    line = text[max(0, at - _NEAR) : at].rpartition("\n")[2]
    before = line.rstrip()
    return not before or (before[-1] in ".!?:>" and _ITEM.fullmatch(line) is None)
