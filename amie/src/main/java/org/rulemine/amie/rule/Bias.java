package org.rulemine.amie.rule;

/**
 * Which rules are searched and which of them are output.
 *
 * @param heads by relation, whether it may be a head; null when all may
 * @param bodies by relation, whether it may occur in bodies; null when all may
 * @param maxOccurrences the number of atoms of one relation, head included, that a rule may have
 * @param skyline whether a rule must be better than the rules it contains and its parents
 * @param perfectPruning whether rules with a PCA confidence of 1 are left unextended
 * @param constants whether constants may stand in atoms; at most three atoms then
 * @param injective whether distinct variables must stand for distinct entities, in every count
 */
public record Bias(
    boolean[] heads,
    boolean[] bodies,
    int maxOccurrences,
    boolean skyline,
    boolean perfectPruning,
    boolean constants,
    boolean injective) {

  /** The defaults of AMIE. */
  public static final Bias DEFAULT = new Bias(null, null, 3, true, true, false, false);

  /** Checks the ranges. */
  public Bias {
    if (maxOccurrences < 1) {
      throw new IllegalArgumentException("maxOccurrences is " + maxOccurrences + ", below 1");
    }
  }

  public boolean allowsHead(int relation) {
    return heads == null || heads[relation];
  }

  public boolean allowsBody(int relation) {
    return bodies == null || bodies[relation];
  }
}
