"""``python -m rulemine``."""

import sys

from rulemine.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
