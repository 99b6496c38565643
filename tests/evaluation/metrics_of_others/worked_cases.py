"""Worked cases of the metrics of other projects; each was also computed with the public code of its project.

A case: the answers, the prediction (a text, or a tuple for a list of answers), the values in the order of the
metrics, None where the original fails or skips.
"""

H, T = 1 / 2, 2 / 3  # values that occur often

# hit, accuracy, precision, F1; c: answers found in the whole text
ROG = [
    (["Ann"], "Ann", (1, 1, 1, 1)),
    (["Ann", "Bob"], "Ann", (1, H, 1, T)),  # c = 1 of 2 answers in 1 line
    (["Ann", "Bob"], "Ann and Bob", (1, 1, 2, 4 / 3)),  # precision 2/1: above 1
    (["Ann"], "Ann\nBob", (1, 1, H, T)),
    (["Ann"], "Ann\n\n", (1, 1, 1 / 3, H)),  # empty lines count
    (["Ann"], "Joanna", (1, 1, 1, 1)),  # inside a word
    (["Joanna"], "Ann", (0, 0, 0, 0)),  # not the other way round
    (["Bob Ross"], "Bob\nRoss", (1, 1, H, T)),  # over the end of a line
    (["D.C."], "Washington dc", (1, 1, 1, 1)),
    (["the Hague"], "Hague, A", (1, 1, 1, 1)),  # articles go
    (["e12"], "e123", (1, 1, 1, 1)),
    (["Ann", "Ann"], "Ann", (1, 1, 2, 4 / 3)),  # repeated answers count twice
    (["The A."], "nobody", (1, 1, 1, 1)),  # nothing is left of it, and that is everywhere
    (["<pad>"], "pad", (1, 1, 1, 1)), (["Ann"], "", (0, 0, 0, 0)), (["the"], "", (1, 1, 1, 1)),
    ([], "Ann", None), (["Ann"], (), (0, 0, 0, 0)), (["the"], (), (1, 1, 0, 0)),
    (["Ann"], ("Ann", "Bob", "Ann"), (1, 1, H, T)),  # two different ones
    (["Bob Ann"], ("Ann", "Bob", "Bob"), (1, 1, H, T)),  # the most frequent first: "Bob Ann"
]  # fmt: skip

G_RETRIEVER = [
    (["Ann", "Bob"], "Ann|Bob", (1, 1, 1, 1)),
    (["Ann|Bob"], "Bob", (1, H, 1, T)),  # answers are cut too
    (["Ann"], "Ann|", (1, 1, H, T)), (["Ann"], ("Ann", "Bob"), (1, 1, H, T)),
    ([], "Ann", (1, 1, 1, 1)),  # no answers are one empty answer
    (["Ann"], "", (0, 0, 0, 0)), (["Ann"], (), (0, 0, 0, 0)),
]  # fmt: skip

# precision: lines with some answer, of the lines
GCR = [
    (["Ann", "Bob"], "Ann and Bob\nCid", (1, 1, H, T)),
    (["Ann"], "Ann\n \nAnn\nBob", (1, 1, H, T)),  # blank and repeated lines go
    (["Ann", "Ann", "Bob"], "Ann", (1, H, 1, T)),  # repeated answers too
    (["Bob Ross"], "Bob\nRoss", (1, 1, 0, 0)),  # in the whole, in no line
    (["Ann"], "", (0, 0, 0, 0)), (["the"], "", (1, 1, 0, 0)), (["Ann"], (), (0, 0, 0, 0)),
    (["Ann"], ("", "Ann"), (1, 1, 1, 1)), ([], "Ann", None),
]  # fmt: skip

STRUCT_GPT = [
    (["Ann"], "Joanna", (1,)),
    (["D.C."], "DC", (0,)),  # punctuation stays
    (["Ann"], "I'm sorry, not Ann", (0,)), ([""], "I'm sorry", (1,)), (["Ann"], "", (0,)),
    (["b, a"], ("B", "A"), (1,)), ([], "Ann", None),
]  # fmt: skip

TOG = [
    (["Ann Lee"], "The answer is {ann  lee}.", (1,)),
    (["Ann"], "{Yes}. Ann", (0,)),  # the first braces
    (["Joanna"], "{Ann}", (1,)),  # a part of the answer
    (["Ann"], "{Joanna}", (1,)),
    (["Ann"], "", (1,)),  # nothing is a part of everything
    (["Ann"], "{}", (1,)), (["Ann"], "{NULL}", (0,)), (["Nullarbor"], "{null}", (1,)),
    (["Ann"], "Ann {x", (1,)),  # without the last character nothing is left
    (["Ann"], "} {x}", (1,)),  # the first } is before {
    (["Ann"], "\n", (1,)),
    (["Ann"], "{A\nnn}", (0,)),  # only blanks go
    ([], "Ann", (0,)), (["Ann"], (), (1,)), (["Ann"], ("Ann", "Bob"), (1,)),
    (["Bob Ross"], ("Bob", "Ross"), (0,)),  # "bob,ross"
    (["x{y}"], ("x{y}",), (1,)),  # a list has no braces to look for
]  # fmt: skip

POG = [
    (["Ann"], '{"A": {"Sufficient": "Yes", "Answer": "Ann"}}', (1,)),
    (["Ann"], 'So: {"Answer": ["Bob", "Ann"]}', (1,)),  # in "['Bob', 'Ann']"
    (["Nonesuch"], '{"Answer": null}', (1,)),  # "None" is a part of it
    (["Ann"], '{"Answer": "Bob"} or {"Answer": "Ann"}', (1,)),  # no JSON: the last quoted one
    (["Ann"], '{"Answer": "Ann"} or {"Answer": "Bob"}', (0,)),
    (["Joanna"], '{"Answer": ["Bob", "Ann"], }', (1,)),  # no JSON: item by item
    (["Ann"], '{"Answer": [Ann]}', None),  # a broken list ends the original
    (["Ann"], "{Ann}", (0,)),  # nothing found; the original repeats the answer before
    (["Ann"], "Ann", (1,)), (["Ann"], "", (1,)), ([], "Ann", (0,)),
    (["Ann"], (), (0,)),  # "[]"
    (["Ann"], ("Bob", "Ann"), (1,)),
]  # fmt: skip

GOG = [
    (["Ann Lee"], "ann lee", (1,)),
    (["AnnLee"], "Ann Lee", (0,)),  # blanks stay
    (["Bob Ross"], ("Bob", "Ross"), (1,)), (["Ann"], "", (1,)), (["Ann"], (), (1,)), ([], "Ann", (0,)),
]  # fmt: skip

# hits, recall
GTSQA = [
    (["Ann", "Bob", "Cid"], "{yes} {Ann, Bob}", (1, T)),
    (["Ann"], "{Ann} {yes}", (1, 1)),  # the last is yes: all of the text
    (["Ann"], "{Ann} {Bob}", (0, 0)), (["Ann", "Bob"], "", (1, 1)), (["Ann"], "{}", (1, 1)),
    (["Ann"], "{x\n} Ann {y", (1, 1)),  # no braces on one line
    (["Ann", "Ann"], "Ann", (1, 1)), ([], "Ann", (0, None)), (["Ann", "Bob"], (), (1, 1)),
    (["Ann", "Bob"], ("Ann", "Cid"), (1, H)),
]  # fmt: skip

# hits, recall; no public code: what the paper says, where its code says otherwise
GTSQA_EXACT = [
    (["Ann", "Bob"], "", (0, 0)), (["Ann", "Bob"], (), (0, 0)), (["Nigeria"], "Niger", (0, 0)),
    (["Niger"], "Nigeria", (0, 0)), (["Ann", "Bob", "Cid"], "{yes} {ann,  BOB}", (1, T)),
    (["Ann"], "{Ann} {yes}", (0, 0)),  # the last is yes: all of the text, which is no name
    (["Ann"], "Bob\nAnn", (1, 1)), (["Washington, D.C."], "Paris, Washington, D.C., Rome", (1, 1)),
    (["Washington, D.C."], ("Washington", "D.C."), (0, 0)),
    (["D.C."], ("Washington, D.C.",), (0, 0)),  # an item of a list is not cut
    (["Caf\u00e9 X"], "cafe\u0301  x", (1, 1)), (["Stra\u00dfe"], "STRASSE", (1, 1)),
    ([" "], ", ,", (0, 0)), ([], "Ann", None),
]  # fmt: skip

DYNAMIC_KGQA = [
    (["Ann"], "Joanna", (1,)), (["Joanna"], "Ann", (0,)), (["the D.C."], "It is Washington, DC!", (1,)),
    (["Ann", "Bob"], "Bob", (1,)),
    (["The A."], "nobody", (1,)),  # nothing is left of it, and that is everywhere
    (["Ann"], "", (0,)), ([], "Ann", (0,)), (["Ann Bob"], ("Ann", "Bob"), (1,)),
]  # fmt: skip

# question, then as above: hit, hit@1, precision, recall, F1
SUBGRAPH_RAG = [
    ("Who?", ["Ann", "Bob"], "ans: Ann\nans: Cid", (1, 1, H, H, H)),
    ("Who?", ["Ann"], "Ann is it", (1, 0, 0, 0, 0)),  # no line with ans:, but a hit
    ("Who?", ["Ann"], "Ann\nans: Bob", (0, 0, 0, 0, 0)),
    ("Who?", ["Ann"], "ans: Bob\nans: Ann\nans: Ann", (1, 0, H, 1, T)),  # each line once
    ("Who?", ["Ann"], "ans: None\nans: not available\nans: Ann", (1, 1, 1, 1, 1)),
    ("Who?", ["Nonesuch"], "ans: Nonesuch", (0, 0, 0, 0, 0)),  # none in it
    ("Who?", ["Ann", "Anna"], "ans: Anna", (1, 1, 1, H, T)),  # the line is used up
    (
        "Who?",
        ["Ann", "Bob"],
        "ans: Ann\nans: Bob, or Ann",
        (1, 1, H, H, H),
    ),  # Ann takes the longest line
    ("Who?", ["Ann", "Ann"], "ans: Ann", (1, 1, 1, 1, 1)),
    ("Who?", ["New York"], "ans: York", (0, 0, 0, 0, 0)),
    ("Where?", ["New York"], "ans: York", (1, 1, 1, 1, 1)),  # either way
    ("Where?", ["Ann"], "", (1, 0, 0, 0, 0)), ("Who?", ["Ann"], "", (0, 0, 0, 0, 0)),
    ("Who?", ["the"], "", (1, 0, 0, 0, 0)), ("When?", ["1984-05-01"], "ans: 1984", (1, 1, 1, 1, 1)),
    ("When?", ["1984-05-01"], "ans: 19840501", (1, 1, 1, 1, 1)),  # 1984 is in it
    ("When?", ["May-1984"], "ans: 1985", (0, 0, 0, 0, 0)), ("Who?", [], "ans: Ann", None),
    ("Who?", ["Ann"], (), (0, 0, 0, 0, 0)), ("Where?", ["Ann"], (), (1, 0, 0, 0, 0)),
    ("Who?", ["Ann"], ("Bob", "Ann"), (1, 0, H, 1, T)),
]  # fmt: skip

# topics, ranking → hit, em, precision, recall, F1
GNN_RAG = [
    (
        ["a", "b"],
        [],
        [("a", 0.6), ("c", 0.3), ("b", 0.06), ("d", 0.04)],
        (1, 1, T, 1, 0.8),
    ),  # stops behind b
    (["b"], [], [("a", 0.96), ("b", 0.04)], (0, 0, 0, 0, 0)),
    (["b"], [], [("a", 0.95), ("b", 0.05)], (0, 1, H, 1, T)),  # 0.95 is not more than 0.95
    (["b"], ["a"], [("a", 0.96), ("b", 0.04)], (1, 1, 1, 1, 1)),  # the topic is left out
    (["b"], [], [("a", 0.1), ("b", 0.2)], (1, 1, H, 1, T)),  # sorted
    (["b"], [], [], (0, 0, 1, 0, 0)), ([], [], [("a", 1.0)], (1, 1, 0, 1, 0)),
    ([], [], [], (1, 1, 1, 1, 1)), (["a"], [], None, None),
]  # fmt: skip

# gold triples, retrieved → recall, precision, F1 of triples; answer nodes: any, share (answers a, z)
R, S = ("a", "r", "b"), ("b", "s", "c")
GTSQA_TRIPLES = [
    ([R, S], [R], (H, 1, T, 1, H)),
    ([R], [R, R, S], (1, 1 / 3, H, 1, H)),  # repetitions lower the precision
    ([R], [S], (0, 0, 0, 0, 0)), ([R], [], (0, 0, 0, 0, 0)), ([], [R], (None, None, None, 1, H)),
    ([R], None, (None,) * 5),
]  # fmt: skip

# any, precision, recall, F1, hard (the first answer)
BRINK = [
    (["Ann", "Bob"], "Ann, Cid", (1, H, H, H, 1)), (["Ann", "Bob"], "Bob", (1, 1, H, T, 0)),
    (["The A."], "nobody", (0, 0, 0, 0, 0)),  # nothing is left, and that never matches
    (["Ann"], "Joanna", (0, 0, 0, 0, 0)), (["Ann"], "", (0, 0, 0, 0, 0)),
    (["Washington, D.C."], ("Washington, D.C.",), (1, 1, 1, 1, 1)),  # a list is not cut
]  # fmt: skip
