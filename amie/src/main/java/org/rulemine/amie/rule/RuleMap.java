package org.rulemine.amie.rule;

import java.util.Arrays;

/**
 * A set of canonical bodies of one length, numbered in order of insertion; open addressing over
 * primitive arrays. Not safe for use by several threads while bodies are added.
 */
public final class RuleMap {
  /** Atoms per body. */
  public final int length;

  private int[] atoms;
  private int[] slots;
  private int size;

  /** Makes an empty set of bodies with {@code length} atoms each. */
  public RuleMap(int length) {
    this.length = length;
    this.atoms = new int[16 * length];
    this.slots = new int[32];
  }

  /** Returns the number of bodies. */
  public int size() {
    return size;
  }

  /** Returns the array that holds body {@code i} at {@code i * length}; read only. */
  public int[] atoms() {
    return atoms;
  }

  /** Returns the number of a canonical body at an offset of an array, or -1. */
  public int find(int[] body, int offset) {
    int mask = slots.length - 1;
    int slot = hash(body, offset) & mask;
    while (slots[slot] != 0) {
      int at = (slots[slot] - 1) * length;
      if (Arrays.equals(atoms, at, at + length, body, offset, offset + length)) {
        return slots[slot] - 1;
      }
      slot = slot + 1 & mask;
    }
    return -1;
  }

  /** Adds a canonical body and returns its number; {@code number == size() - 1} when it is new. */
  public int add(int[] body, int offset) {
    int found = find(body, offset);
    if (found >= 0) {
      return found;
    }
    if ((size + 1) * length > atoms.length) {
      atoms = Arrays.copyOf(atoms, Math.max(atoms.length * 2, (size + 1) * length));
    }
    System.arraycopy(body, offset, atoms, size * length, length);
    size++;
    if (size * 2 > slots.length) {
      slots = new int[slots.length * 2];
      for (int i = 0; i < size; i++) {
        place(i);
      }
    } else {
      place(size - 1);
    }
    return size - 1;
  }

  private void place(int number) {
    int mask = slots.length - 1;
    int slot = hash(atoms, number * length) & mask;
    while (slots[slot] != 0) {
      slot = slot + 1 & mask;
    }
    slots[slot] = number + 1;
  }

  private int hash(int[] body, int offset) {
    int h = 0;
    for (int i = offset; i < offset + length; i++) {
      h = (h ^ body[i]) * 0x9E3779B1;
      h ^= h >>> 15;
    }
    return h;
  }
}
