package org.rulemine.amie.mine;

/**
 * Where one way of doing a thing begins to pay over another. No value changes a rule; tests set them
 * low, so that small graphs go every way.
 *
 * @param hubEdges from so many edges on, what a walk through an entity finds is remembered
 * @param searchFactor searching one edge among many costs about as much as going over so many
 * @param cells counters per pass over a joining; more pairs of codes take several passes
 */
public record Tuning(int hubEdges, int searchFactor, int cells) {
  /** The values for real graphs. */
  public static final Tuning DEFAULT = new Tuning(512, 16, 1 << 22);
}
