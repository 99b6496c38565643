"""From rules to a benchmark: groundings, selection and removal, questions, balance, split, release."""
