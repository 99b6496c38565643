import os
from pathlib import Path

import pytest

from rulemine.builder.phrases import PACKAGED, Phrases, load_phrases
from rulemine.builder.verbalizer.language import (
    QUESTION_MARKS,
    is_function_word,
    question_marks,
    speaks,
    unknown_language,
)
from rulemine.datasets import load_kg, load_labels

ROOT = Path(__file__).parents[3]
DATA = Path(os.environ.get("RULEMINE_DATA") or ROOT.parent / "shared" / "data")

SENTENCES = {
    "English": [
        "Who is the aunt of X?",
        "In which town was X born?",
        "Which films did X act in?",
        "Whose parent is X?",
        "What is the profession of X?",
        "Who was nominated for an award together with X?",
        "Name all the people who are married to X?",
        "Which awards has X won?",
        "To whom is X related as an uncle?",
    ],
    "German": [
        "Wer ist die Tante von X?",
        "In welcher Stadt wurde X geboren?",
        "In welchen Filmen hat X mitgespielt?",
        "Wessen Onkel ist X?",
        "Welchen Beruf hat X?",
        "Wer wurde zusammen mit X für einen Preis nominiert?",
        "Mit wem ist X verheiratet?",
        "Welche Auszeichnungen hat X erhalten?",
        "Wo liegt das Haus von X?",
    ],
    "French": [
        "Qui est la tante de X ?",
        "Dans quelle ville X est-il né ?",
        "Dans quels films X a-t-il joué ?",
        "De qui X est-il l'oncle ?",
        "Quelle est la profession de X ?",
        "Qui a été nommé pour un prix avec X ?",
        "Avec qui X est-elle mariée ?",
        "Quels prix X a-t-elle remportés ?",
        "Quelles sont les villes où vit X ?",
    ],
    "Spanish": [
        "¿Quién es la tía de X?",
        "¿En qué ciudad nació X?",
        "¿En qué películas actuó X?",
        "¿De quién es tío X?",
        "¿Cuál es la profesión de X?",
        "¿Quién fue nominado a un premio junto con X?",
        "¿Con quién está casado X?",
        "¿Qué premios ha ganado X?",
        "¿Quiénes son los sobrinos de X?",
    ],
    "Italian": [
        "Chi è la zia di X?",
        "In quale città è nato X?",
        "In quali film ha recitato X?",
        "Di chi è zio X?",
        "Qual è la professione di X?",
        "Chi è stato candidato a un premio insieme a X?",
        "Con chi è sposata X?",
        "Quali premi ha vinto X?",
        "Quali sono i nipoti della famiglia X?",
    ],
    "Portuguese": [
        "Quem é a tia de X?",
        "Em que cidade nasceu X?",
        "Em quais filmes X atuou?",
        "De quem X é tio?",
        "Qual é a profissão de X?",
        "Quem foi indicado a um prêmio com X?",
        "Com quem X está casado?",
        "Quais prêmios X tem em seu nome?",
        "Quem são os sobrinhos do senhor X?",
    ],
    "Dutch": [
        "Wie is de tante van X?",
        "In welke stad werd X geboren?",
        "In welke films heeft X gespeeld?",
        "Van wie is X de oom?",
        "Wat is het beroep van X?",
        "Wie werd samen met X voor een prijs genomineerd?",
        "Met wie is X getrouwd?",
        "Welke prijzen heeft X gewonnen?",
        "Waar ligt het huis van X?",
    ],
    "Swedish": [
        "Vem är moster till X?",
        "I vilken stad är X född?",
        "Vilka filmer har X varit med i?",
        "Vem är X farbror till?",
        "Vad är det för yrke X har?",
        "Vem blev nominerad till ett pris med X?",
        "Vem är X gift med?",
        "Vilka priser har X vunnit?",
        "Var ligger det hus som X har?",
    ],
    "Polish": [
        "Kto jest ciotką X?",
        "W jakim mieście jest dom X?",
        "W jakich filmach był X?",
        "Czyim wujem jest X?",
        "Jaki jest zawód X?",
        "Kto był nominowany do nagrody z X?",
        "Z kim jest w związku X?",
        "Które nagrody są dla X?",
        "Gdzie jest miejsce na ziemi dla X?",
    ],
    "Russian": [
        "Кто является тётей X?",
        "В каком городе был X?",
        "В каких фильмах была X?",
        "Чьим дядей является X?",
        "Какая профессия у X?",
        "Кто был номинирован на премию с X?",
        "С кем X в браке?",
        "Какие премии есть у X?",
    ],
    "Ukrainian": [
        "Хто є тіткою X?",
        "У якому місті є X?",
        "У яких фільмах була X?",
        "Для кого X є дядьком?",
        "Яка професія є в X?",
        "Хто був номінований на премію з X?",
        "З ким X у шлюбі, і де?",
        "Які премії є в X?",
    ],
    "Greek": ["Ποια είναι η θεία του X;", "Πού γεννήθηκε ο X;"] * 4,
    "Arabic": ["من هي عمة X؟", "في أي مدينة ولد X؟"] * 4,
    "Hebrew": ["מי היא הדודה של X?", "באיזו עיר נולד X?"] * 4,
    "Hindi": ["X की मौसी कौन है?", "X का जन्म किस शहर में हुआ था?"] * 4,
    "Chinese": ["谁是X的姑姑？", "X出生在哪个城市？", "X演过哪些电影？"] * 3,
    "Japanese": ["Xの叔母は誰ですか？", "Xはどの都市で生まれましたか？"] * 4,
    "Korean": ["X의 이모는 누구입니까?", "X는 어느 도시에서 태어났습니까?"] * 4,
    "Thai": ["ใครเป็นป้าของ X?", "X เกิดที่เมืองใด?"] * 4,
}
UNKNOWN = ["Klingon", "Elbisch", "", "42"]


@pytest.mark.parametrize("language", SENTENCES)
def test_sentences_are_of_their_language_and_of_no_other(language: str) -> None:
    assert len(SENTENCES[language]) >= 8
    for sentence in SENTENCES[language]:
        spoken = {other for other in SENTENCES if speaks(sentence.replace("X", " "), other)}
        assert spoken == {language}, sentence


@pytest.mark.parametrize("language", UNKNOWN)
def test_of_unknown_languages_nothing_is_claimed(language: str) -> None:
    assert all(speaks(row, language) for rows in SENTENCES.values() for row in rows)


@pytest.mark.parametrize(
    ("language", "like"),
    [
        ("british english", "English"),
        ("en-GB", "English"),
        ("Brazilian Portuguese", "Portuguese"),
        ("Portuguese de Brasil", "Portuguese"),
        ("Deutsch", "German"),
        ("Franc\u0327ais", "French"),
        ("Simplified Chinese", "Chinese"),
        ("Chinese (simplified)", "Chinese"),
    ],
)
def test_languages_go_by_several_names(language: str, like: str) -> None:
    for other, rows in SENTENCES.items():
        assert all(speaks(row.replace("X", " "), language) == (other == like) for row in rows)


def test_a_language_of_which_only_the_script_is_known() -> None:
    assert speaks("Kuka on henkilön X täti?", "Finnish")
    assert not speaks("Who is the aunt of X and what is it?", "Finnish")
    assert not speaks("Кто является тётей X?", "Finnish")
    assert speaks("Коя е лелята на X?", "Bulgarian")
    assert not speaks("Who is the aunt of X?", "Bulgarian")
    # English knows many of its words: a sentence without any is another's.
    assert not speaks("X hangi ülkenin başkentidir?", "English")
    assert not speaks("Kuka ohjasi elokuvan X?", "English")
    assert not speaks("谁执导了 7？", "English")


def test_a_few_foreign_words_are_no_evidence() -> None:
    assert speaks("Who directed La vita è bella?", "English")
    assert speaks("X's nationality?", "English")
    assert speaks("Who is the aunt of 東京太郎?", "English")
    assert speaks("Whose child is Πέτρος Φαροφύλακας?", "English")
    assert speaks("Won X in 1999?", "German")
    assert speaks("72?", "English")
    assert speaks("", "English")


@pytest.mark.parametrize(
    ("language", "text", "mark", "expected"),
    [
        ("English", "Who?", "?", True),
        ("English", "Who;", ";", False),
        ("Greek", "Ποιος;", ";", True),
        ("English", "Ποιος;", ";", True),
        ("Arabic", "من؟", "؟", True),
        ("Chinese", "谁？", "？", True),
        ("English", "Who.", ".", False),
    ],
)
def test_marks_that_end_a_question(language: str, text: str, mark: str, expected: bool) -> None:
    assert (mark in question_marks(language, text)) is expected
    assert len(set(QUESTION_MARKS)) == len(QUESTION_MARKS)


def test_function_words() -> None:
    assert is_function_word("will")
    assert not is_function_word("aunt")


def _blanks(phrases: Phrases) -> list[str]:
    rows = [text for row in phrases.rows for text in (row.ask_subject, row.ask_object)]
    return [text.replace("{topic}", " ") for text in rows]


@pytest.mark.parametrize("name", ["demo", "family", "fb15k237"])
def test_every_template_is_english_with_any_label(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert name in PACKAGED
    if name != "demo" and not (DATA / name).is_dir():
        pytest.skip(f"no {name} at {DATA}")
    monkeypatch.setenv("RULEMINE_DATA", str(DATA))
    kg = load_kg(name)
    blanks = _blanks(load_phrases(name, kg.relations))
    assert all(speaks(text, "English") for text in blanks)
    named = load_labels("fb15k237-labels").values() if name == "fb15k237" else kg.entities
    labels = sorted(named)
    for place, label in enumerate(labels):
        text = blanks[place % len(blanks)].replace("  ", f" {label} ")
        assert speaks(text.replace(label, " "), "English"), text


def test_a_language_that_is_not_known_is_told() -> None:
    for language in ("English", "en-GB", "Deutsch", "Brazilian Portuguese"):
        assert unknown_language(language) is None
    assert unknown_language("Klingon") == ""
    assert unknown_language("Germann") == "did you mean 'german'?"
