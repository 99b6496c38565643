package org.rulemine.amie.rule;

/**
 * The thresholds for searching and for output.
 *
 * @param maxAtoms the largest number of atoms of a rule, head included; 2 to 6
 * @param headCoverage smallest support as a share of the head relation's triples, 0 to 1
 * @param stdConfidence smallest standard confidence, 0 to 1
 * @param pcaConfidence smallest PCA confidence, 0 to 1
 * @param initialSupport smallest number of triples of a head relation, at least 1
 */
public record Thresholds(
    int maxAtoms,
    double headCoverage,
    double stdConfidence,
    double pcaConfidence,
    int initialSupport) {

  /** Checks the ranges. */
  public Thresholds {
    if (maxAtoms < 2 || maxAtoms > 6) {
      throw new IllegalArgumentException("maxAtoms is " + maxAtoms + ", not in 2 .. 6");
    }
    share("headCoverage", headCoverage);
    share("stdConfidence", stdConfidence);
    share("pcaConfidence", pcaConfidence);
    if (initialSupport < 1) {
      throw new IllegalArgumentException("initialSupport is " + initialSupport + ", below 1");
    }
  }

  private static void share(String name, double value) {
    if (!(value >= 0 && value <= 1)) {
      throw new IllegalArgumentException(name + " is " + value + ", not in 0 .. 1");
    }
  }

  /** Returns the smallest support of a rule whose head relation has the given number of triples. */
  public int support(int triples) {
    return Math.max(1, (int) Math.ceil(headCoverage * (double) triples));
  }

  /**
   * Returns the largest size with {@code (double) support / size >= confidence}, or
   * {@code Long.MAX_VALUE} when every size has it.
   */
  public static long largestSize(int support, double confidence) {
    if (confidence <= 0) {
      return Long.MAX_VALUE;
    }
    long size = (long) (support / confidence);
    while ((double) support / (size + 1) >= confidence) {
      size++;
    }
    while (size > 0 && (double) support / size < confidence) {
      size--;
    }
    return size;
  }

  /**
   * Returns the largest size with {@code (double) support / size > confidence}, or
   * {@code Long.MAX_VALUE} when every size has it.
   */
  public static long largestSizeAbove(int support, double confidence) {
    return confidence <= 0 ? Long.MAX_VALUE : largestSize(support, Math.nextUp(confidence));
  }
}
