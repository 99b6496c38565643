from rulemine.phrasing.templates import RelationTemplates, Templates
from rulemine.text.articles import in_sentence, wants_article
from tests import each

WITH = """
2003 invasion of Iraq|Battle of the Somme|Second Intifada|Empire of Japan|Liberal Party of Canada
Art Institute of Chicago|United Kingdom|United States of America|Netherlands|Colombia national football team
Solomon Islands|Holy Roman Empire|Sweden women's national football team|Academy Award for Best Actor
Booker Prize|Grammy Awards|64th Academy Awards|104th United States Congress|University of Oxford
Royal College of Art|Massachusetts Institute of Technology|Isle of Man|Korean War|War of 1812
2008 Summer Olympics|Cannes Film Festival|Chicago Symphony Orchestra|National Football League|Boston Red Sox
Philadelphia 76ers|Los Angeles Lakers|Miami Heat|Democratic Party|Soviet Union|Czech Republic|BBC
Congo Football League (former)|Los Angeles Film Critics Association Award for Best Director|Greek Language
North Sea|Lee Strasberg Theatre and Film Institute
West Bank|Gaza Strip|Eastern Cape|Hollywood Walk of Fame|Empire State Building|Tower of London
London Borough of Camden|Socialist Federal Republic of Yugoslavia|California Institute of the Arts
National Film Board of Canada
Organisation for Economic Co-operation and Development|National League
Jewish people|North Korean Won|Pound Sterling|CFA Franc BCEAO|Euro|New Zealand Dollar|Kansai region
"""
WITHOUT = """
John Brown & Company|Canada|The Hague|A League of Their Own|World War II|Harvard University
University College London|Arsenal F.C.|Star Wars|Tom Hanks|Tennessee Williams|Cook County|Warner Bros.
Charlie Wilson's War|Mystic River|In Good Company|Union|Hellboy II: The Golden Army|Kingdom of Heaven|Boston
Rock and roll|Texas blues|東京|e00012|12|Dr. Strangelove|My Own Army
Fall River|Palm Desert|River Phoenix|Ezra Pound|Ordinary People|City of God|Last Dollar Saloon|Los Andes
Gold Coast|Mooi River|Miami Gardens
"""


def names(text):
    return text.strip().replace("\n", "|").split("|")


@each("name", names(WITH))
def test_names_that_take_the_article(name):
    assert wants_article(name)


@each("name", names(WITHOUT))
def test_names_that_do_not(name):
    assert not wants_article(name)


@each(
    ("template", "text"), [("Who lives in {topic}?", "Who lives in the Netherlands?"),
    ("Who rules the {topic}?", "Who rules the Netherlands?"),
    ("Who rules the country {topic}?", "Who rules the country Netherlands?"),
    ("What is the capital of {topic}?", "What is the capital of the Netherlands?"),
    ("Which are the countries bordering {topic}?", "Which are the countries bordering the Netherlands?"),
    ("Who won an award at the {topic}?", "Who won an award at the Netherlands?"),
    ("Who won an award in {topic}?", "Who won an award in the Netherlands?"),
    ("{topic} borders which country?", "The Netherlands borders which country?"),
    ("Who is linked to “{topic}”?", "Who is linked to “Netherlands”?"),
    ("What is {topic}'s capital?", "What is the Netherlands's capital?")]
)  # fmt: skip
def test_a_text_has_the_article_once_and_only_if_asked(template, text):
    known = Templates((RelationTemplates("r", "", *[template] * 4, "written"),))
    assert known.ask("r", "object", "Netherlands", articles=True) == text
    assert known.ask("r", "object", "Netherlands") == template.replace("{topic}", "Netherlands")
    assert known.ask("r", "object", "Canada", articles=True) == template.replace(
        "{topic}", "Canada"
    )


def test_text_before_the_name_may_be_anything():
    for before in ("", " ", "the ", "THE ", "a {", "the film of the year ", "\u200fفي "):
        assert in_sentence(before, "Netherlands") in (
            "Netherlands", "the Netherlands", "The Netherlands"
        )  # fmt: skip
