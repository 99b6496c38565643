"""What a model said, from the samples that ``lm_eval --log_samples`` writes, for ``rulemine evaluate``.

Use: python predictions.py samples_TASK_TIME.jsonl > predictions.jsonl
"""

import json
import sys
from pathlib import Path

with Path(sys.argv[1]).open(encoding="utf-8") as samples:
    for line in samples:
        sample = json.loads(line)
        said = {"id": sample["doc"]["id"], "raw_output": sample["resps"][0][0]}
        sys.stdout.write(json.dumps(said) + "\n")
