import time

from rulemine.llm.call import Reply
from rulemine.text.visible_reply import visible_reply
from tests import each

HARMONY = (
    "<|channel|>analysis<|message|>HARD?<|end|><|start|>assistant<|channel|>final<|message|>none"
)


@each(
    ("output", "said"),
    [
        ("none", "none"),
        ("", ""),
        ("<think>HARD</think>none", "none"),
        ("\n<thinking>\nHARD\n</thinking>\nnone", "none"),
        ("<Think>HARD</THINK>none", "none"),
        ("[THINK]HARD[/THINK]none", "none"),
        ("◁think▷HARD◁/think▷none", "none"),
        ("HARD, or not?</think>none", "none"),
        ("<|channel>thought\nHARD.<channel|>none", "none"),
        ("<|begin_of_thought|>HARD<|end_of_thought|>none", "none"),
        ("<analysis>HARD</analysis>none", "none"),
        ("<think>HARD <think> or </think> not?</think>none", "none"),
        ("<think>I close it with `</think>`. HARD</think>none", "none"),
        ('<think>It is "HARD"</think>none', "none"),
        ("none<think>HARD</think>, I say", "none, I say"),
        ("one.\n<think>HARD</think>two <thinking>HARD</thinking>", "one.\ntwo"),
        ("<think>HARD", ""),
        ("Let me see. <think>HARD", "Let me see."),
        ("HARD</think>", ""),
        (HARMONY, "none"),
        (HARMONY + "<|return|>", "none"),
        ("<|start|>assistant" + HARMONY, "none"),
        ("<|channel|>analysis<|message|>HARD", ""),
        ("<|channel|>final <|constrain|>json<|message|>[1]<|end|>", "[1]"),
        ("analysisPerhaps HARD.assistantfinalnone", "none"),
        ("none<|eot_id|><|start_header_id|>user<|end_header_id|>\nWho?<|eot_id|>HARD", "none"),
        ("<think>HARD</think><|im_end|>", ""),
        ("none</s><s>[INST] HARD? [/INST]", "none"),
        # By accident: nobody thinks here.
        ("<s>HARD</s> none", "<s>HARD</s> none"),
        ("An analysis of HARD", "An analysis of HARD"),
        ("The tag <think> is no name", "The tag <think> is no name"),
        ("I use no `</think>`: HARD", "I use no `</think>`: HARD"),
        ('HARD, without "<think>" and "</think>"', 'HARD, without "<think>" and "</think>"'),
        ("1. <think>\n2. HARD", "1. <think>\n2. HARD"),
        ("<thinker>HARD</thinker>", "<thinker>HARD</thinker>"),
        ("<|channel|> is a mark", "<|channel|> is a mark"),
    ],
)
def test_thoughts_are_not_seen(output, said):
    assert visible_reply(output).strip() == said


@each(
    ("output", "cut_off"), [("<think>a", True), ("<think>a</think>", True), ("<think>a</think>b", False),
    ("a", False), (HARMONY[:30], True), (HARMONY, False), ("", False)]
)  # fmt: skip
def test_what_is_thought_alone_was_cut_off(output, cut_off):
    assert Reply(output).is_cut_off == cut_off


@each(
    "piece", ["<think>", "</think>", "x<think>", "<think>a</think>", "`<think>`", "1. <think>", "<|channel|>",
    "<|channel|>final<|message|>", "<|channel|>a<|constrain|>", "analysis", "assistantfinal", "<", " "]
)  # fmt: skip
def test_any_output_takes_linear_time(piece):
    begin = time.process_time()
    visible_reply(piece * (300_000 // len(piece)))
    assert time.process_time() - begin < 2
