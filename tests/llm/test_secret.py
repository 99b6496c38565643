import base64

import pytest

from rulemine.llm.secret import WINDOW, Redactor

KEY = "sk-proj-AbCdEfGh1234567890zyXW"


@pytest.mark.parametrize(
    "text",
    [
        f"Incorrect API key provided: {KEY}. Find yours in the settings.",
        f"key={KEY[:12]} is wrong",
        f"ends in …{KEY[-12:]}",
        f'{{"authorization": "Bearer {KEY}"}}',
        f"{KEY}{KEY}",
        base64.b64encode(KEY.encode()).decode(),
    ],
)
def test_no_stretch_of_a_key_is_left(text: str) -> None:
    for shown in (Redactor([KEY]).text(text), Redactor([KEY]).message(text)):
        assert not any(KEY[i : i + WINDOW] in shown for i in range(len(KEY) - WINDOW + 1))
        assert "…" in shown


@pytest.mark.parametrize(
    "quoted",
    [
        f"{KEY[:4]}***{KEY[-4:]}",
        f"{KEY[:3]}...",
        f"****{KEY[-4:]}",
        f"{KEY[:5]}…",
        f"{KEY[:7]}xxxxxx",
    ],
)
def test_masked_forms_are_struck_out_of_messages(quoted: str) -> None:
    shown = Redactor([KEY]).message(f"Incorrect API key provided: {quoted}. See there.")
    assert shown == "Incorrect API key provided: … See there." or shown == (
        "Incorrect API key provided: …. See there."
    )


def test_the_last_signs_alone_are_struck_out_of_messages() -> None:
    assert (
        Redactor([KEY]).message("the key ending in zyXW is revoked")
        == "the key ending in … is revoked"
    )


def test_innocent_texts_stay_as_they_are() -> None:
    text = "Who or what are the aunts of e00072... and **which** of them? Ünïcode ✓"
    assert Redactor([KEY]).text(text) == text
    assert Redactor([KEY]).message(text) == text


@pytest.mark.parametrize("key", ["", "none", "EMPTY"])
def test_what_is_no_secret_is_not_struck_out(key: str) -> None:
    assert Redactor([key]).message("none of the EMPTY rooms…") == "none of the EMPTY rooms…"


def test_a_redactor_does_not_show_what_it_hides() -> None:
    assert KEY[:6] not in repr(Redactor([KEY]))


def test_messages_can_be_printed_whatever_the_endpoint_sent() -> None:
    Redactor([KEY]).message("half a sign: \ud83d").encode()
