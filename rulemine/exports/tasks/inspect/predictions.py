"""What a model said, from the log of an evaluation, for ``rulemine evaluate``.

Use: python predictions.py logs/TIME_TASK_ID.eval > predictions.jsonl
"""

import json
import sys

from inspect_ai.log import read_eval_log

for sample in read_eval_log(sys.argv[1]).samples or []:
    if sample.epoch == 1:
        said = {"id": sample.id, "raw_output": sample.output.completion}
        sys.stdout.write(json.dumps(said) + "\n")
