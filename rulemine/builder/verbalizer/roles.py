"""Who plays which role in a clause about two placeholders, to notice one that is the wrong way round.

A clause such as “{subject} is the aunt of {object}” makes claims: *aunt* is said of the subject. Of two
clauses about the same relation, one is the wrong way round when they say the same word of opposite ends.
Read are: X is the N of Y · X is Y's N · X's N is Y · the N of X is Y · X has Y as N · X has an N named Y ·
X verbs Y · Y is verbed by X · X is verbed in Y · X is the N who/that … · the N X (an apposition); N of
pairs such as aunt and niece, and doers such as director of *direct*, are seen through.

Guarantee: silent where the words do not tell: no word shared, words shared that point both ways, or a
clause that holds both ways round (*sibling*, *together*, *borders*).
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from rulemine.builder.verbalizer.role_phrases import (
    HAVING,
    NAMED,
    Words,
    apposition,
    bare_phrase,
    end_of_noun,
    noun_phrase,
    of_this,
    only_copula,
    plain,
    relative,
)
from rulemine.builder.verbalizer.role_words import (
    CONVERSE,
    COPULAS,
    DETERMINERS,
    FUNCTION,
    MUTUAL,
    PREPOSITIONS,
    SYMMETRIC,
    agent_stem,
    is_participle,
    singular,
    stem,
)

__all__ = ["Roles", "both_ways", "is_mutual", "roles_of"]

Claim = tuple[tuple[str, ...], str]
"""A key such as ``("noun", "aunt")``, and the end that it is said of."""

SUBJECT, OBJECT = "subject", "object"
_PLACEHOLDER = re.compile(r"\{(subject|object)\}")
_WORD = re.compile(r"'s\b|[^\W_]+(?:[-'][^\W_s]+|-s[^\W_]*)*|[,:;/]")
_INNER = {("in",), ("within",), ("inside",)}
_PLACES = frozenset({"at", "by", "during", "for", "from", "in", "through", "via"})
"""Before the second end: a place, a time or a means, as in *married in* and *connected by*."""

_MEETING = frozenset({"dated", "dates", "meets", "met"})
"""Verbs that hold both ways round when the second end follows at once."""

_LIE = {stem(word) for word in ("lies", "located", "situated", "belongs", "contained")}
_CONTAIN = {stem(word) for word in ("contains", "includes", "comprises", "encompasses")}


@dataclass(frozen=True)
class Roles:
    """What a clause claims.

    Attributes:
        claims: Key → ``subject`` or ``object``; what is claimed of both is left out.
    """

    claims: dict[tuple[str, ...], str]

    def contradict(self, other: "Roles") -> bool:
        """Whether what both tell is all the other way round, and there is such a thing."""
        same = [self.claims[k] == other.claims[k] for k in self.claims if k in other.claims]
        for mine, theirs in ((self, other), (other, self)):
            same += [
                end == theirs.claims["doer", key[1]]
                for key, end in mine.claims.items()
                if key[0] == "verb" and ("doer", key[1]) in theirs.claims
            ]
        return bool(same) and not any(same)


def roles_of(statement: str) -> Roles:
    """The claims of a clause.

    Args:
        statement: A template with ``{subject}`` and ``{object}`` once each.

    Returns:
        No claims where the clause holds both ways round or cannot be read.

    Example:
        >>> roles_of("{subject} is the aunt of {object}").claims["noun", "aunt"]
        'subject'
    """
    found = list(_PLACEHOLDER.finditer(statement))
    if len(found) != 2 or found[0][1] == found[1][1]:
        return Roles({})
    first, second = found
    pre = _words(statement[: first.start()])
    mid = _words(statement[first.end() : second.start()])
    post = _words(statement[second.end() :])
    if both_ways(statement):
        return Roles({})
    ends: dict[tuple[str, ...], set[str]] = {}
    for key, end in _claims(pre, mid, post, first[1], second[1]):
        ends.setdefault(key, set()).add(end)
    return Roles({key: end for key, (end, *more) in ends.items() if not more})


def both_ways(statement: str) -> bool:
    """Whether a clause may well hold with its ends exchanged too, as far as its words tell.

    Example:
        >>> both_ways("{subject} is a sibling of {object}"), both_ways("{subject} is near {object}")
        (True, True)
    """
    words = _words(_PLACEHOLDER.sub(" ", statement))
    between = _words("".join(_PLACEHOLDER.split(statement)[2:3]))
    return _joined(words, between) or any(word in SYMMETRIC for word in words)


def is_mutual(statement: str) -> bool:
    """Whether a clause holds with its ends exchanged too: no question about it has to tell them apart.

    Stricter than `both_ways`: a word that may mean something else, a place or a means, and a clause that only
    quotes the name of its relation are no reason to drop which end is which.

    Example:
        >>> is_mutual("{subject} is a sibling of {object}"), is_mutual("{subject} likes {object}")
        (True, False)
    """
    if "“" in statement:
        return False
    parts = _PLACEHOLDER.split(statement)
    before, between = _words(parts[0]), _words("".join(parts[2:3]))
    if "also" in between:  # members of A were also members of B
        return len(before) > 1 and before[-2:] == between[-2:]
    last = "".join(between[-1:])
    if last in _PLACES:
        return False
    words = _words(" ".join(parts[::2]))
    return last in _MEETING or _joined(words, between) or any(word in MUTUAL for word in words)


def _joined(words: Words, between: Words) -> bool:
    """Whether the clause says what both ends do: ``A and B …``, ``A worked … with B``."""
    return between[:1] == ["and"] or ("with" in words and any(stem(w) == "work" for w in words))


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower().replace("’", "'"))


def _claims(pre: Words, mid: Words, post: Words, a: str, b: str) -> Iterator[Claim]:
    """The claims of ``pre A mid B post``."""
    yield from _frame(pre, mid, post, a, b)
    before, type_a = apposition(pre)
    if type_a:
        yield from _noun([type_a], a, b)
    if (named := of_this(pre)) is not None and only_copula(mid) and not post:
        yield from _nouns(named, b, a)  # the aunts of A include B
    elif pre[:1] and pre[0] in ("for", "to") and len(pre) == 1 and mid == [","]:
        yield from _after(post, b, a)
    elif not before:
        yield from _main(mid, post, a, b)


def _main(mid: Words, post: Words, a: str, b: str) -> Iterator[Claim]:
    mid = plain(mid)
    if mid[:1] == ["'s"]:
        cut = next((i for i, word in enumerate(mid) if word in COPULAS or word in NAMED), None)
        if (
            cut is not None
            and not post
            and all(w in COPULAS | DETERMINERS | NAMED for w in mid[cut:])
        ):
            yield from _nouns(mid[1:cut], b, a)  # A's aunt is B
        return
    if mid[-1:] and mid[-1] in NAMED and mid[0] in HAVING:
        yield from _nouns(noun_phrase(mid[1:-1]), b, a)  # A has an aunt named B
        return
    whole = not post
    if post[:1] == ["'s"] and mid[:1] and mid[0] in COPULAS:
        if only_copula(mid):
            yield from _nouns(noun_phrase(post[1:]), a, b)  # A is B's aunt
        return
    if post[:1] and post[0] in ("as", "for") and mid[:1]:
        over = mid[-1] in PREPOSITIONS or mid[0] in COPULAS  # A plays in B as a member
        taken = a if over and mid[-1] not in HAVING | {"with"} else b
        yield from _nouns(noun_phrase(post[1:]), taken, b if taken == a else a)  # A has B as aunt
        whole = mid[0] not in HAVING
    clause = [w for w in mid if w not in DETERMINERS] if only_copula(mid) else mid
    if len(clause) > 1 and clause[0] in COPULAS and post and clause[-1] not in PREPOSITIONS:
        claims = _predicate(clause, a, b)
        yield from (claim for claim in claims if claim[0][0] == "noun")
        if relative(clause) in (None, len(clause) - 1):  # A is the film that B directed
            place = ["in"] if clause[-1] == "where" else clause[-2:-1]
            yield from _after([*post, *(w for w in place if w in PREPOSITIONS)], b, a)
        return
    _, kind = apposition(mid)
    if kind and not (mid[0] in COPULAS and bare_phrase(mid[1:])):
        yield from _noun([kind], b, a)
    if whole or (mid[:1] and mid[0] not in COPULAS):
        yield from _predicate(mid, a, b)


def _predicate(words: Words, a: str, b: str) -> Iterator[Claim]:
    """The claims of ``A words B``, where the words begin with a verb."""
    if not words:
        return
    rest = list(words[1:])
    if rest[:1] == ["as"]:
        rest = rest[1:]  # A serves as the capital of B
    elif words[0] not in COPULAS:
        yield from _verb(words, a, b)
        return
    if not rest:
        return
    if rest[0] in PREPOSITIONS:
        yield from _placed([w for w in rest if w not in DETERMINERS], a, b)
    elif rest[0] not in DETERMINERS and is_participle(rest[0]):
        yield from _passive(rest, a, b)
    else:
        yield from _nouns(noun_phrase(rest), a, b)
        end = end_of_noun(rest)
        if rest[end:] and is_participle(rest[end]):
            yield from _passive(rest[end:], a, b)  # A is the film directed by B
        elif (cut := relative(rest)) is not None:
            after = rest[cut + 1 :]
            if rest[cut] == "whose":
                head = [w for w in after if w not in COPULAS]
                yield from _nouns(noun_phrase(head), b, a)  # A is the one whose aunt is B
            else:
                yield from _predicate(plain(after), a, b)  # A is the one who directed B


def _after(words: Words, b: str, a: str) -> Iterator[Claim]:
    """The claims of a clause that ends in what B does: ``A is the film that | B directed``."""
    yield from _predicate(plain(words), b, a)


def _verb(words: Words, a: str, b: str) -> Iterator[Claim]:
    words = list(words)
    if words[0] in HAVING:
        if len(words) < 2 or not is_participle(words[1]) or words[1] in DETERMINERS:
            return
        words = words[1:]
    if words[0] in FUNCTION or not words[0][0].isalpha():
        return
    root = stem(words[0])
    prep = words[1] if len(words) > 1 and words[1] in PREPOSITIONS else ""
    if root in _CONTAIN and not prep:
        yield ("noun", "whole"), a
    elif root in _LIE and prep in ("in", "to", "within", "inside"):
        yield ("noun", "whole"), b
    elif root == "work" and prep == "for":
        yield ("noun", "employer"), b
    elif root == "employ":
        yield ("noun", "employer"), a
    elif root == "teach" and not prep:
        yield ("noun", "teacher"), a
    else:
        yield ("verb", root, prep), a


def _passive(words: Words, a: str, b: str) -> Iterator[Claim]:
    root = stem(words[0])
    prep = next((w for w in words[1:2] if w in PREPOSITIONS), "")
    if prep == "by":
        yield from _verb([words[0]], b, a)
    elif root in _LIE and prep in ("in", "within", "inside"):
        yield ("noun", "whole"), b
    elif prep:
        yield ("passive", root, prep), a


def _placed(words: Words, a: str, b: str) -> Iterator[Claim]:
    if tuple(words) in _INNER:
        yield ("noun", "whole"), b
    elif words[0] == "of" and len(words) > 1:
        return
    else:
        yield ("placed", *words), a


def _nouns(phrase: Words, bearer: str, other: str) -> Iterator[Claim]:
    """The claims of a role: its last word, or one for each of *niece or nephew*."""
    heads: list[str] = []
    for word in (*phrase, "or"):
        if word in ("or", "and", "/"):
            yield from _noun(heads[-1:], bearer, other)
            heads = []
        elif word not in DETERMINERS:
            heads.append(word)


def _noun(head: Words, bearer: str, other: str) -> Iterator[Claim]:
    for word in map(singular, head):
        pair, first = CONVERSE.get(word, (word, True))
        yield ("noun", pair), bearer if first else other
        if pair == word and (root := agent_stem(word)) is not None:
            yield ("doer", root), bearer


def _frame(pre: Words, mid: Words, post: Words, a: str, b: str) -> Iterator[Claim]:
    """The clause as a whole: the same words with the ends exchanged are the opposite."""
    kept = [" ".join(w for w in part if w not in DETERMINERS) for part in (pre, mid, post)]
    yield ("frame", *kept), a
