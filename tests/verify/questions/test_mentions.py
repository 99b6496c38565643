from rulemine.verify.questions.mentions import find_leaks


def test_a_name_in_the_name_of_a_topic_is_no_leak() -> None:
    for topic in ("Anna Lind", "Lind Anna", "Old Anna Lind"):
        assert find_leaks(f"Who wed {topic}?", [topic], ["Anna"]) == []
        assert find_leaks(f"Who wed {topic}, not Anna?", [topic], ["Anna"]) == ["Anna"]
