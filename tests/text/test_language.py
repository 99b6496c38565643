import os
import re
from pathlib import Path

import pytest

from rulemine.datasets.registry import load_kg
from rulemine.phrasing.templates import load_templates
from rulemine.text import language as identification
from rulemine.text.language import is_other_language, unchecked
from tests import ROOT, each

DATA = Path(os.environ.get("RULEMINE_DATA") or ROOT.parent / "shared" / "data")

SENTENCES = {
    "English": ["Who is the aunt of X?", "In which town was X born?", "Which awards has X won?"],
    "German": ["Wer ist die Tante von X?", "In welcher Stadt wurde X geboren?"],
    "French": ["Dans quelle ville X est-il né ?", "Quels prix X a-t-elle remportés ?"],
    "Spanish": ["¿Quién es la tía de X?", "¿En qué ciudad nació X?"],
    "Brazilian Portuguese": ["Em que cidade nasceu X?", "Qual é a profissão de X?"],
    "Polish": ["Kto jest ciotką X?", "W jakim mieście jest dom X?"],
    "Russian": ["Кто является тётей X?", "В каком городе был X?"],
    "Greek": ["Ποια είναι η θεία του X;", "Πού γεννήθηκε ο X;"],
    "Arabic": ["من هي عمة X؟", "في أي مدينة ولد X؟"],
    "Hindi": ["X की मौसी कौन है?", "X का जन्म किस शहर में हुआ था?"],
    "Chinese": ["X小时候住在哪个城市里面？", "请问X演过哪些有名的电影？"],
    "Japanese": ["Xの叔母は誰ですか？", "Xはどの都市で生まれましたか？"],
}


def blank(sentence):
    return sentence.replace("X", " ")


@each("spoken", SENTENCES)
def test_a_text_is_of_its_language_and_of_no_other(spoken):
    for sentence in map(blank, SENTENCES[spoken]):
        for asked in SENTENCES:
            found = is_other_language(sentence, asked)
            assert found is (asked != spoken), (sentence, asked)


@each(
    ("text", "language"),
    [("", "English"), ("72?", "German"), ("Wo lebt ?", "English"), ("Wer ist es nun?", "Klingon")],
)
def test_what_is_short_or_of_an_unknown_language_passes(text, language):
    assert not is_other_language(text, language)


@each("name", ["demo", "family", "fb15k237"])
def test_every_template_of_the_package_is_english(name, monkeypatch):
    if name != "demo" and not (DATA / name).is_dir():
        pytest.skip(f"no {name} at {DATA}")
    monkeypatch.setenv("RULEMINE_DATA", str(DATA))
    for row in load_templates(name, load_kg(name).relations).rows:
        for text in (row.ask_subject, row.ask_object):
            assert not is_other_language(re.sub(r"\{topic\}", " ", text), "English"), text


def test_why_nothing_is_checked_is_told(monkeypatch):
    assert unchecked("English") is None
    assert unchecked("Klingon") == "language 'Klingon' is unknown; give its English name"
    monkeypatch.setattr(identification, "find_spec", lambda name: None)
    identification._identifier.cache_clear()
    assert not is_other_language(blank(SENTENCES["Russian"][0]), "English")
    assert unchecked("English") == "py3langid is not installed (pip install 'rulemine[llm]')"
    identification._identifier.cache_clear()
