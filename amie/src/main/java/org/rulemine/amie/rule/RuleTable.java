package org.rulemine.amie.rule;

import java.nio.LongBuffer;
import java.util.List;

/**
 * The rules found, as rows of longs in canonical order: by head relation, number of body atoms, and
 * body.
 *
 * <p>A row holds the head relation, the functional variable (0 or 1), support, body size, PCA body
 * size, then the packed atoms of the canonical body, padded with -1.
 */
public final class RuleTable {
  /** The number of columns before the atoms. */
  public static final int MEASURES = 5;

  /** The number of longs in a row. */
  public final int stride;

  private final List<long[]> parts;

  public RuleTable(int stride, List<long[]> parts) {
    this.stride = stride;
    this.parts = parts;
  }

  /** Returns the number of rules. */
  public long size() {
    long longs = 0;
    for (long[] part : parts) {
      longs += part.length;
    }
    return longs / stride;
  }

  /** Copies all rows into a buffer with room for {@code size() * stride} longs. */
  public void copyTo(LongBuffer out) {
    for (long[] part : parts) {
      out.put(part);
    }
  }
}
