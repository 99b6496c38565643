"""Names of relations of public vocabularies, and the questions that a reader expects of them."""

import pytest

from rulemine.phrasing.derive import derive
from rulemine.phrasing.descriptions import description_problem

EXPECTED = {
    # Hetionet, Biolink, PrimeKG
    "treats": ("What treats X?", "What does X treat?"),
    "Compound–treats–Disease": (
        "Which compounds treat the disease X?",
        "Which diseases does X treat?",
    ),
    "CtD": (
        "From what does the relation “CtD” lead to X?",
        "To what does the relation “CtD” lead from X?",
    ),
    "regulates": ("What regulates X?", "What does X regulate?"),
    "interacts with": ("What interacts with X?", "What does X interact with?"),
    "drug_protein": ("What is associated with the protein X?", "Which proteins is X associated with?"),
    "side effect": ("What has X as a side effect?", "What are the side effects of X?"),
    "off-label use": ("What has X as an off-label use?", "What are the off-label uses of X?"),
    "gene_associated_with_condition": (
        "Which genes are associated with the condition X?",
        "Which conditions is X associated with?",
    ),
    # WordNet, ConceptNet
    "_hypernym": ("What has X as a hypernym?", "What are the hypernyms of X?"),
    "_has_part": ("What has X as a part?", "What are the parts of X?"),
    "_similar_to": ("What is similar to X?", "What is X similar to?"),
    "UsedFor": ("What is used for X?", "What is X used for?"),
    "CapableOf": ("What is capable of X?", "What is X capable of?"),
    "MadeOf": ("What is made of X?", "What is X made of?"),
    "CauserOfEvent": ("What are the causers of the event X?", "Which events is X a causer of?"),
    # YAGO, DBpedia, schema.org, FOAF
    "isMarriedTo": ("Who is married to X?", "Who is X married to?"),
    "wasBornIn": ("Who was born in X?", "Where was X born?"),
    "livesIn": ("Who lives in X?", "Where does X live?"),
    "hasWonPrize": ("Who has won the prize X?", "Which prizes has X won?"),
    "hasAcademicAdvisor": ("Whose academic advisors include X?", "Who are the academic advisors of X?"),
    "isLeaderOf": ("Who are the leaders of X?", "What is X the leader of?"),
    "graduatedFrom": ("Who graduated from X?", "What did X graduate from?"),
    "dealsWith": ("What deals with X?", "What does X deal with?"),
    "created": ("Who created X?", "What did X create?"),
    "http://dbpedia.org/ontology/birthPlace": (
        "Whose birth place is X?",
        "What are the birth places of X?",
    ),
    "http://schema.org/alumniOf": ("Who are the alumni of X?", "What is X an alumnus of?"),
    "schema:worksFor": ("Who works for X?", "Who or what does X work for?"),
    "foaf:knows": ("Who knows X?", "Who does X know?"),
    "undergraduateDegreeFrom": (
        "What has an undergraduate degree from X?",
        "What does X have an undergraduate degree from?",
    ),
    "aunt_or_uncle_of": ("Who are the aunts or uncles of X?", "Who is X an aunt or uncle of?"),
    "Consists_of": ("What consists of X?", "What does X consist of?"),
    "found in taxon": ("What was found in the taxon X?", "Which taxa was X found in?"),
    # Wikidata's labels
    "country of origin": ("What has X as its country of origin?", "What are the countries of origin of X?"),
    "cast member": ("What has X as a cast member?", "Who are the cast members of X?"),
    "sibling": ("Whose siblings include X?", "Who are the siblings of X?"),
    "award received": ("What received the award X?", "What are the awards received by X?"),
    "educated at": ("Who was educated at X?", "Where was X educated?"),
    "founded by": ("What was founded by X?", "Who founded X?"),
    "named after": ("What was named after X?", "What was X named after?"),
    "shares border with": ("What shares a border with X?", "What does X share a border with?"),
    "diplomatic relation": (
        "What has a diplomatic relation with X?",
        "What does X have a diplomatic relation with?",
    ),
    "member of sports team": (
        "What are the members of the sports team X?",
        "Which sports teams is X a member of?",
    ),
    "product or material produced": (
        "What produced the product or material X?",
        "What are the products or materials produced by X?",
    ),
    "P19": (
        "From what does the relation “P19” lead to X?",
        "To what does the relation “P19” lead from X?",
    ),
    # Freebase, NELL, MetaQA, Nations, Countries
    "film/film/genre": ("Which films have X as a genre?", "What are the genres of X?"),
    "concept:athleteplaysforteam": (
        "Which athletes play for the team X?",
        "Which teams does X play for?",
    ),
    "concept:cityLocatedInCountry": (
        "Which cities are located in the country X?",
        "Which countries is X located in?",
    ),
    "directed_by": ("What was directed by X?", "Who directed X?"),
    "starred_actors": ("What starred the actor X?", "Which actors did X star?"),
    "in_language": ("What is in the language X?", "Which languages is X in?"),
    "locatedin": ("What is located in X?", "Where is X located?"),
    "neighbor": ("What has X as a neighbor?", "What are the neighbors of X?"),
    # property graphs
    "ACTED_IN": ("Who acted in X?", "What did X act in?"),
    "HAS_CHILD": ("Whose children include X?", "Who are the children of X?"),
    "REPORTS_TO": ("Who reports to X?", "Who does X report to?"),
    "PLAYS_FOR": ("Who plays for X?", "Which teams does X play for?"),
    "formerlyPlayedFor": ("Who formerly played for X?", "Which teams did X formerly play for?"),
    "trained by": ("What is trained by X?", "Who is X trained by?"),
    "playsInstrument": ("Who plays the instrument X?", "Which instruments does X play?"),
    "cites": ("What cites X?", "What does X cite?"),
    # packages, ontologies, platforms: verbs that are no plurals
    "recommends": ("What recommends X?", "What does X recommend?"),
    "Pre-Depends": ("What pre-depends on X?", "What does X pre-depend on?"),
    "conflicts with": ("What conflicts with X?", "What does X conflict with?"),
    "SHIPS_TO": ("What ships to X?", "What does X ship to?"),
    "doesNotAffect": ("What does not affect X?", "What does X not affect?"),
    "hasDeclaredLicense": ("What has X as a declared license?", "What are the declared licenses of X?"),
    "keywords": ("What has X as a keyword?", "What are the keywords of X?"),
    "owl:disjointWith": ("What is disjoint with X?", "What is X disjoint with?"),
    "childof": ("Who are the children of X?", "Who is X a child of?"),
    "resided_at": ("Who resided at X?", "Where did X reside?"),
    "coincidedWith": ("What coincided with X?", "What did X coincide with?"),
    "merged to form": ("What merged to form X?", "What did X merge to form?"),
    "isOrWasIncludedIn": ("What is or was included in X?", "What is or was X included in?"),
    "changed ownership through": (
        "What changed ownership through X?",
        "What did X change ownership through?",
    ),
    "Built-Using": ("What was built using X?", "What was X built using?"),
    "shares office with": ("What shares an office with X?", "What does X share an office with?"),
    "departures": ("What has X as a departure?", "What are the departures of X?"),
    "foreman": ("What has X as a foreman?", "Who are the foremen of X?"),
    "sensor": ("What has X as a sensor?", "What are the sensors of X?"),
    "heir of": ("Who are the heirs of X?", "What is X an heir of?"),
    "made by": ("What is made by X?", "Who or what is X made by?"),
    "subsidiary_of": ("What are the subsidiaries of X?", "What is X a subsidiary of?"),
}  # fmt: skip
"""Name → the questions for several subjects and for several objects."""


@pytest.mark.parametrize("relation", EXPECTED)
def test_a_relation_is_asked_about_as_a_reader_expects(relation: str) -> None:
    made = derive(relation)
    asked = [text.replace("{topic}", "X") for text in (made.ask_subjects, made.ask_objects)]
    assert tuple(asked) == EXPECTED[relation]
    assert [
        description_problem(text) for text in (made.describe_subject, made.describe_object)
    ] == [None] * 2
    assert not any("linked to" in text for text in made)
