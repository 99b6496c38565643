"""What ``rulemine show`` prints of a question, by its kind."""
