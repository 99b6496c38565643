package org.rulemine.amie.search;

import java.util.Arrays;
import org.rulemine.amie.rule.Head;
import org.rulemine.amie.rule.Level;
import org.rulemine.amie.rule.RuleRows;

/**
 * One phase of the search under one head, over some of its rules: so that several processes share a
 * head. Whoever hands out the phases merges what they return, each body once with the least value.
 *
 * @param bodyLength the number of body atoms of the rules to extend or to measure; 0 extends the head
 * @param measuring whether they are measured; else they are extended
 * @param rules these rules, and with {@code measuring} the shorter output rules
 *
 * <p>A row of rules is that of {@link RuleRows} and two columns more: a value as the bits of a double,
 * and 1 for an open rule. The value is the PCA confidence of a rule that has been measured, and else
 * the lowest of the parents that close into it. Sizes are 0 in rules that are not output.
 */
public record Phase(int bodyLength, boolean measuring, long[] rules) {
  private static final int MORE = 2;

  /** Puts the rules in the empty levels of a search. */
  void restore(Level[] closed, Level[] open) {
    int stride = RuleRows.stride(closed.length) + MORE;
    int[] body = new int[closed.length];
    for (int at = 0; at < rules.length; at += stride) {
      int n = body(at, body);
      Level level = rules[at + stride - 1] != 0 ? open[n] : closed[n];
      level.add(body, 0, (int) rules[at + 2], Double.longBitsToDouble(rules[at + stride - 2]));
    }
    for (int n = 1; n <= bodyLength; n++) {
      closed[n].seal();
    }
    for (int at = 0; at < rules.length; at += stride) {
      int n = body(at, body);
      if (rules[at + stride - 1] == 0 && !(measuring && n == bodyLength)) {
        int number = closed[n].map.find(body, 0);
        closed[n].pca[number] = closed[n].parentPca[number];
        closed[n].bodySize[number] = rules[at + 3];
      }
    }
  }

  private int body(int at, int[] body) {
    int n = 0;
    for (; n < body.length - 1 && rules[at + RuleRows.MEASURES + n] >= 0; n++) {
      body[n] = (int) rules[at + RuleRows.MEASURES + n];
    }
    return n;
  }

  /** Returns the rules that were measured, or that were made by extending. */
  long[] rows(Head head, Level[] closed, Level[] open) {
    int stride = RuleRows.stride(closed.length) + MORE;
    int first = measuring ? bodyLength : bodyLength + 1;
    int last = measuring ? bodyLength : closed.length - 1;
    int count = 0;
    for (int n = first; n <= last; n++) {
      count += closed[n].map.size() + (measuring ? 0 : open[n].map.size());
    }
    long[] rows = new long[Math.multiplyExact(count, stride)];
    int at = 0;
    for (int n = first; n <= last; n++) {
      for (Level level : measuring ? new Level[] {closed[n]} : new Level[] {closed[n], open[n]}) {
        for (int i = 0; i < level.map.size(); i++, at += stride) {
          Arrays.fill(rows, at + RuleRows.MEASURES, at + stride - MORE, -1);
          for (int k = 0; k < n; k++) {
            rows[at + RuleRows.MEASURES + k] = level.map.atoms()[i * n + k];
          }
          rows[at] = head.relation;
          rows[at + 1] = head.functional;
          rows[at + 2] = level.support[i];
          rows[at + 3] = measuring ? level.bodySize[i] : 0;
          rows[at + 4] = measuring ? level.pcaSize[i] : 0;
          double value = measuring ? level.pca[i] : level.parentPca[i];
          rows[at + stride - 2] = Double.doubleToLongBits(value);
          rows[at + stride - 1] = level == open[n] ? 1 : 0;
        }
      }
    }
    return rows;
  }
}
