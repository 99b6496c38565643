package org.rulemine.amie.mine;

import java.util.Arrays;
import org.rulemine.amie.kg.TripleIndex;

/**
 * Counts the head facts under which two entities are joined over a third one, for all pairs of codes
 * at once: a table of counters with a stamp each, so that a fact counts once per pair of codes.
 */
final class Joiner {
  private final TripleIndex index;

  /** The place of a code among the selected ones, or -1. */
  private final int[] fromPlace;

  private final int[] toPlace;
  private final int[] fromCode;
  private final int[] toCode;
  private int fromCodes;
  private int toCodes;
  private int low;
  private int high;
  private int[] count = new int[0];
  private int[] stamp = new int[0];

  /** The neighbourhood of the marked entity: where the run of each neighbour starts. */
  private final int[] markStamp;

  private final int[] markRun;
  private int mark;
  private int marked;
  private int[] runNeighbour = new int[16];
  private int[] runPlace = new int[16];
  private int runs;

  Joiner(TripleIndex index) {
    this.index = index;
    int codes = 2 * index.relations;
    this.fromPlace = new int[codes];
    this.toPlace = new int[codes];
    this.fromCode = new int[codes];
    this.toCode = new int[codes];
    this.markStamp = new int[index.entities];
    this.markRun = new int[index.entities];
  }

  /** Selects the codes with enough support at the first entity; returns how many. */
  int selectFrom(int[] support, int base, int least) {
    fromCodes = select(support, base, least, fromPlace, fromCode);
    return fromCodes;
  }

  /** Selects the codes with enough support at the second entity; returns how many. */
  int selectTo(int[] support, int base, int least) {
    toCodes = select(support, base, least, toPlace, toCode);
    marked = -1;
    return toCodes;
  }

  private static int select(int[] support, int base, int least, int[] place, int[] code) {
    int n = 0;
    for (int c = 0; c < place.length; c++) {
      place[c] = -1;
      if (support[base + c] >= least) {
        place[c] = n;
        code[n++] = c;
      }
    }
    return n;
  }

  /** Returns the code at a place among those selected for the first entity. */
  int fromCode(int place) {
    return fromCode[place];
  }

  /** Returns the code at a place among those selected for the second entity. */
  int toCode(int place) {
    return toCode[place];
  }

  /** Clears the counters and counts from now on for the first entity's places low .. high - 1. */
  void begin(int low, int high) {
    this.low = low;
    this.high = high;
    int cells = (high - low) * toCodes;
    if (count.length < cells) {
      count = new int[cells];
      stamp = new int[cells];
    } else {
      Arrays.fill(count, 0, cells, 0);
      Arrays.fill(stamp, 0, cells, 0);
    }
  }

  /** Returns the number of facts counted for a pair of places. */
  int support(int from, int to) {
    return count[(from - low) * toCodes + to];
  }

  /** Counts all ways from one entity over any third one to another. */
  void connect(int from, int to, int fact) {
    if (marked != to) {
      markAround(to);
    }
    int start = index.nearStart[from];
    int end = index.nearStart[from + 1];
    int[] near = index.nearNeighbour;
    if (end - start > 16L * runs) {
      for (int run = 0; run < runs; ) {
        int middle = runNeighbour[run];
        int i = index.near(from, middle);
        if (i >= 0) {
          for (; i < end && near[i] == middle; i++) {
            hit(fromPlace[index.nearCode[i]], run, middle, fact);
          }
        }
        do {
          run++;
        } while (runNeighbour[run] == middle);
      }
      return;
    }
    for (int i = start; i < end; i++) {
      int middle = near[i];
      if (markStamp[middle] == mark) {
        hit(fromPlace[index.nearCode[i]], markRun[middle], middle, fact);
      }
    }
  }

  private void hit(int place, int run, int middle, int fact) {
    if (place < low || place >= high) {
      return;
    }
    int base = (place - low) * toCodes;
    for (int k = run; runNeighbour[k] == middle; k++) {
      int cell = base + runPlace[k];
      if (stamp[cell] != fact) {
        stamp[cell] = fact;
        count[cell]++;
      }
    }
  }

  private void markAround(int entity) {
    marked = entity;
    if (++mark == Integer.MAX_VALUE) {
      Arrays.fill(markStamp, 0);
      mark = 1;
    }
    int room = index.degree(entity) + 1;
    if (runPlace.length < room) {
      runNeighbour = new int[room];
      runPlace = new int[room];
    }
    runs = 0;
    for (int i = index.nearStart[entity]; i < index.nearStart[entity + 1]; i++) {
      int place = toPlace[index.nearCode[i]];
      if (place >= 0) {
        int neighbour = index.nearNeighbour[i];
        if (markStamp[neighbour] != mark) {
          markStamp[neighbour] = mark;
          markRun[neighbour] = runs;
        }
        runNeighbour[runs] = neighbour;
        runPlace[runs++] = place;
      }
    }
    runNeighbour[runs] = -1;
  }

  /** Counts the pairs of different codes that lead from an entity to the same neighbour. */
  void loops(int entity, int fact) {
    int end = index.nearStart[entity + 1];
    for (int i = index.nearStart[entity]; i < end; i++) {
      int place = fromPlace[index.nearCode[i]];
      if (place < low || place >= high) {
        continue;
      }
      int base = (place - low) * toCodes;
      for (int k = i + 1; k < end && index.nearNeighbour[k] == index.nearNeighbour[i]; k++) {
        int other = toPlace[index.nearCode[k]];
        if (other >= 0) {
          int cell = base + other;
          if (stamp[cell] != fact) {
            stamp[cell] = fact;
            count[cell]++;
          }
        }
      }
    }
  }
}
