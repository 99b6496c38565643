package org.rulemine.amie.search;

import org.rulemine.amie.constants.ConstantSearch;
import org.rulemine.amie.count.Stop;
import org.rulemine.amie.count.Tuning;
import org.rulemine.amie.kg.TripleIndex;
import org.rulemine.amie.rule.Bias;
import org.rulemine.amie.rule.Thresholds;

/** The state of one thread: its counters and their scratch arrays. */
final class Worker {
  final Expander expander;
  final RuleEvaluator evaluator;

  /** Finds rules with constants; null when constants are off. */
  final ConstantSearch constants;

  Worker(TripleIndex index, Thresholds thresholds, Bias bias, Tuning tuning, Stop stop) {
    this.expander = new Expander(index, bias, tuning, stop);
    this.evaluator = new RuleEvaluator(index, thresholds, bias, tuning, stop);
    this.constants =
        bias.constants() ? new ConstantSearch(index, thresholds, bias, stop) : null;
  }
}
