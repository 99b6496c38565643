package org.rulemine.amie.count;

/**
 * Break-even points between strategies. No value changes a rule; tests set them low, so that small
 * graphs take every branch.
 *
 * @param hubEdges an entity with at least this many edges is a hub: what it leads to is cached
 * @param searchFactor one binary search costs about as much as a scan of this many edges
 * @param width codes of a join's second entity that are counted in one pass, at most 64
 */
public record Tuning(int hubEdges, int searchFactor, int width) {
  /** The values for real graphs. */
  public static final Tuning DEFAULT = new Tuning(512, 16, 64);
}
