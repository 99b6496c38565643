package org.rulemine.amie.mine;

import org.rulemine.amie.kg.TripleIndex;

/** What one thread needs to itself: its counters and their scratch arrays. */
final class Worker {
  final Expander expander;
  final Judge judge;

  /** For rules with constants; null when there are none to be found. */
  final ConstantSearch constants;

  Worker(TripleIndex index, Thresholds thresholds, Bias bias, Tuning tuning, Stop stop) {
    this.expander = new Expander(index, bias, tuning, stop);
    this.judge = new Judge(index, thresholds, bias, tuning, stop);
    this.constants =
        bias.constants() ? new ConstantSearch(index, thresholds, bias, stop) : null;
  }
}
