package org.rulemine.amie.rule;

/**
 * The rules found under one head relation, as rows of longs in canonical order: by number of body
 * atoms, and body.
 *
 * <p>A row holds the head relation, the functional variable (0 or 1), support, body size, PCA body
 * size, then the packed atoms of the canonical body, padded with -1.
 */
public final class RuleRows {
  /** The number of columns before the atoms. */
  public static final int MEASURES = 5;

  private RuleRows() {}

  /** Returns the number of longs in a row. */
  public static int stride(int maxAtoms) {
    return MEASURES + maxAtoms - 1;
  }
}
