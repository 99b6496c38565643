package org.rulemine.amie.rule;

/**
 * Atoms as single ints: relation, subject variable and object variable, in that order of
 * significance, so that ints compare as (relation, subject, object) triples do.
 *
 * <p>Variables 0 and 1 are the head's subject and object; body variables are 2 and up.
 */
public final class Atoms {
  /** The number of distinct variables an atom can name. */
  public static final int VARIABLES = 8;

  /** The number of distinct relations an atom can name. */
  public static final int RELATIONS = 1 << 25;

  private Atoms() {}

  /** Packs an atom. */
  public static int of(int relation, int subject, int object) {
    return relation << 6 | subject << 3 | object;
  }

  /** Packs the atom that the edge {@code code} makes between two variables. */
  public static int along(int code, int from, int to) {
    return (code & 1) == 0 ? of(code >> 1, from, to) : of(code >> 1, to, from);
  }

  /** Returns the relation of an atom. */
  public static int relation(int atom) {
    return atom >>> 6;
  }

  /** Returns the subject variable of an atom. */
  public static int subject(int atom) {
    return atom >>> 3 & 7;
  }

  /** Returns the object variable of an atom. */
  public static int object(int atom) {
    return atom & 7;
  }

  /** Returns the code (relation and direction) of an atom as seen from one of its variables. */
  public static int code(int atom, int from) {
    return relation(atom) << 1 | (subject(atom) == from ? 0 : 1);
  }

  /** Returns the variables of an atom as a bit set. */
  public static int mask(int atom) {
    return 1 << subject(atom) | 1 << object(atom);
  }
}
