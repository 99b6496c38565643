package org.rulemine.amie.constants;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.rulemine.amie.rule.Atoms;
import org.rulemine.amie.rule.Bias;
import org.rulemine.amie.rule.Head;
import org.rulemine.amie.rule.RuleRows;
import org.rulemine.amie.rule.Thresholds;

/**
 * Rules with constants under one head relation, as rows of the table, and the tests that they pass.
 *
 * <p>An atom with a constant has {@link #CONSTANT} in its place, and the entity plus one in the upper
 * half of its long; a head with a constant likewise.
 */
final class ConstantRules {
  /** Stands in an atom where the constant is. */
  static final int CONSTANT = Atoms.VARIABLES - 1;

  private final Head head;
  private final Thresholds thresholds;
  private final Bias bias;
  private final int stride;
  private final List<long[]> rows = new ArrayList<>();

  ConstantRules(Head head, Thresholds thresholds, Bias bias, int stride) {
    this.head = head;
    this.thresholds = thresholds;
    this.bias = bias;
    this.stride = stride;
  }

  /** Packs the atom that a code makes between a variable and a constant. */
  static long atom(int code, int variable, int entity) {
    return (entity + 1L) << 32 | Atoms.along(code, variable, CONSTANT);
  }

  /** Returns whether a rule with these counts passes. */
  boolean pass(int support, long pcaSize, long size, double pcaToBeat) {
    double pca = (double) support / pcaSize;
    return pca >= thresholds.pcaConfidence()
        && (double) support / size >= thresholds.stdConfidence()
        && (!bias.skyline() || pca > pcaToBeat);
  }

  /** Returns whether no relation of a rule with this body occurs too often; -1 is no relation. */
  boolean mayOccur(int first, int second) {
    int h = head.relation;
    int firsts = 1 + (first == h ? 1 : 0) + (first == second ? 1 : 0);
    int seconds = 1 + (second == h ? 1 : 0) + (first == second ? 1 : 0);
    return firsts <= bias.maxOccurrences() && (second < 0 || seconds <= bias.maxOccurrences());
  }

  /**
   * Adds a rule.
   *
   * @param constant the entity in the head, or -1
   * @param second the second body atom, or -1
   */
  void add(int constant, int support, long size, long pcaSize, long first, long second) {
    long[] row = new long[stride];
    Arrays.fill(row, RuleRows.MEASURES, stride, -1);
    row[0] = (constant + 1L) << 32 | head.relation;
    row[1] = head.functional;
    row[2] = support;
    row[3] = size;
    row[4] = pcaSize;
    boolean turn = second >= 0 && compareAtoms(first, second) > 0;
    row[RuleRows.MEASURES] = turn ? second : first;
    if (second >= 0) {
      row[RuleRows.MEASURES + 1] = turn ? first : second;
    }
    rows.add(row);
  }

  /** Returns all rules of the head in canonical order, those without constants included. */
  long[] with(long[] plain) {
    for (int at = 0; at < plain.length; at += stride) {
      rows.add(Arrays.copyOfRange(plain, at, at + stride));
    }
    rows.sort(this::compare);
    long[] all = new long[Math.multiplyExact(rows.size(), stride)];
    int at = 0;
    for (long[] row : rows) {
      System.arraycopy(row, 0, all, at, stride);
      at += stride;
    }
    return all;
  }

  private int compare(long[] x, long[] y) {
    int lengths = 0;
    int atoms = 0;
    for (int i = RuleRows.MEASURES; i < stride; i++) {
      lengths += (x[i] >= 0 ? 1 : 0) - (y[i] >= 0 ? 1 : 0);
      if (atoms == 0 && x[i] != y[i] && x[i] >= 0 && y[i] >= 0) {
        atoms = compareAtoms(x[i], y[i]);
      }
    }
    return lengths != 0 ? lengths : atoms != 0 ? atoms : Long.compare(x[0], y[0]);
  }

  /** Orders atoms by relation, subject and object, variables before constants. */
  private static int compareAtoms(long x, long y) {
    int byRelation = Integer.compare(Atoms.relation((int) x), Atoms.relation((int) y));
    if (byRelation != 0) {
      return byRelation;
    }
    int bySubject = Long.compare(
        term(Atoms.subject((int) x), x), term(Atoms.subject((int) y), y));
    return bySubject != 0
        ? bySubject
        : Long.compare(term(Atoms.object((int) x), x), term(Atoms.object((int) y), y));
  }

  private static long term(int variable, long atom) {
    return variable == CONSTANT ? CONSTANT + (atom >>> 32) : variable;
  }
}
