package org.rulemine.amie.rule;

import java.util.Arrays;

/** A growing list of canonical bodies of one length, as one task finds them, repeats included. */
public final class Candidates {
  final int length;
  int size;
  int[] atoms;
  int[] support;

  /** PCA confidence of the closed parent that made the body; -1 when that parent is open. */
  double[] parent;

  public Candidates(int length) {
    this.length = length;
    this.atoms = new int[16 * length];
    this.support = new int[16];
    this.parent = new double[16];
  }

  /** Brings a body, in place, into canonical form and adds it. */
  public void add(int[] body, int count, double parentPca) {
    if (size == support.length) {
      int room = size + (size >> 1);
      atoms = Arrays.copyOf(atoms, room * length);
      support = Arrays.copyOf(support, room);
      parent = Arrays.copyOf(parent, room);
    }
    Bodies.canonicalize(body, length);
    System.arraycopy(body, 0, atoms, size * length, length);
    support[size] = count;
    parent[size++] = parentPca;
  }
}
