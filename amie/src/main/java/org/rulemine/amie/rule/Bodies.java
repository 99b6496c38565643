package org.rulemine.amie.rule;

import java.util.Arrays;

/**
 * Rule bodies: at most {@link #MAX_ATOMS} packed atoms, and their canonical form.
 *
 * <p>Two bodies under the same head are the same rule when a renaming of body variables (2 and up;
 * the head's variables stay) makes their sets of atoms equal. The canonical form numbers the body
 * variables 2, 3, … such that the ascending list of atoms is lexicographically least.
 */
public final class Bodies {
  /** The largest number of body atoms. */
  public static final int MAX_ATOMS = 5;

  /** The first variable that is not one of the head's. */
  public static final int FIRST_BODY_VARIABLE = 2;

  /** All renamings of 0 … k-1, by k; each renaming is a row. */
  private static final int[][][] RENAMINGS = renamings(Atoms.VARIABLES - FIRST_BODY_VARIABLE);

  private Bodies() {}

  /** Returns the variables of a body as a bit set. */
  public static int variables(int[] body, int offset, int length) {
    int mask = 0;
    for (int i = offset; i < offset + length; i++) {
      mask |= Atoms.mask(body[i]);
    }
    return mask;
  }

  /**
   * Returns the variables, head included, that occur in exactly one atom, as a bit set.
   *
   * <p>The head counts as an atom: a head variable absent from the body is open.
   */
  public static int openVariables(int[] body, int offset, int length) {
    int once = 0b11;
    int more = 0;
    for (int i = offset; i < offset + length; i++) {
      int mask = Atoms.mask(body[i]);
      more |= once & mask;
      once |= mask;
    }
    return once & ~more;
  }

  /** Brings {@code body[0 .. length - 1]} into canonical form, in place. */
  public static void canonicalize(int[] body, int length) {
    int mask = variables(body, 0, length) & ~0b11;
    int count = Integer.bitCount(mask);
    int[] rank = new int[Atoms.VARIABLES];
    rank[1] = 1;
    int next = 0;
    for (int v = FIRST_BODY_VARIABLE; v < Atoms.VARIABLES; v++) {
      if ((mask >> v & 1) != 0) {
        rank[v] = next++;
      }
    }
    if (count <= 1) {
      rename(body, length, rank, RENAMINGS[count][0], body);
      return;
    }
    int[] best = new int[length];
    int[] trial = new int[length];
    boolean first = true;
    for (int[] renaming : RENAMINGS[count]) {
      rename(body, length, rank, renaming, trial);
      if (first || Arrays.compare(trial, best) < 0) {
        int[] swap = best;
        best = trial;
        trial = swap;
        first = false;
      }
    }
    System.arraycopy(best, 0, body, 0, length);
  }

  private static void rename(int[] body, int length, int[] rank, int[] renaming, int[] out) {
    for (int i = 0; i < length; i++) {
      int atom = body[i];
      int s = Atoms.subject(atom);
      int o = Atoms.object(atom);
      int subject = s < FIRST_BODY_VARIABLE ? s : FIRST_BODY_VARIABLE + renaming[rank[s]];
      int object = o < FIRST_BODY_VARIABLE ? o : FIRST_BODY_VARIABLE + renaming[rank[o]];
      int renamed = Atoms.of(Atoms.relation(atom), subject, object);
      int j = i;
      // Insertion into out[0 .. i - 1]; safe in place, for out[i] is written only after body[i] is read.
      while (j > 0 && out[j - 1] > renamed) {
        out[j] = out[j - 1];
        j--;
      }
      out[j] = renamed;
    }
  }

  /**
   * Returns whether a rule has an even number of atoms, at least four, in which every relation occurs
   * exactly twice. Such rules are never output.
   */
  public static boolean everyRelationTwice(int head, int[] body, int offset, int length) {
    if (length < 3 || length % 2 == 0) {
      return false;
    }
    for (int i = -1; i < length; i++) {
      int relation = i < 0 ? head : Atoms.relation(body[offset + i]);
      if (occurrences(relation, head, body, offset, length) != 2) {
        return false;
      }
    }
    return true;
  }

  /** Counts the atoms of a rule, head included, that have a relation. */
  public static int occurrences(int relation, int head, int[] body, int offset, int length) {
    int count = relation == head ? 1 : 0;
    for (int i = offset; i < offset + length; i++) {
      if (Atoms.relation(body[i]) == relation) {
        count++;
      }
    }
    return count;
  }

  private static int[][][] renamings(int most) {
    int[][][] all = new int[most + 1][][];
    all[0] = new int[][] {{}};
    for (int k = 1; k <= most; k++) {
      int[][] shorter = all[k - 1];
      int[][] rows = new int[shorter.length * k][];
      int n = 0;
      for (int[] row : shorter) {
        for (int at = 0; at < k; at++) {
          int[] longer = new int[k];
          for (int i = 0; i < k; i++) {
            longer[i] = i < at ? row[i] : i == at ? k - 1 : row[i - 1];
          }
          rows[n++] = longer;
        }
      }
      all[k] = rows;
    }
    return all;
  }
}
