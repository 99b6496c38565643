package org.rulemine.amie.count;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.rulemine.amie.kg.TripleIndex;
import org.rulemine.amie.rule.Atoms;

/**
 * Counts the head triples under which two entities are joined through a third one, for all pairs of codes
 * at once, up to 64 codes of the second entity in a pass: a set of bits for each code of the first entity
 * gathers what it meets under one head triple, so that the triple counts once per pair of codes.
 *
 * <pre>
 * joiner.begin(low, high);
 * for each triple { for each binding { joiner.connect(…) or joiner.loops(…) } joiner.endTriple(); }
 * … joiner.support(from, to) …
 * </pre>
 */
public final class Joiner {
  /** When this many cells are cached, the cache is cleared. */
  private static final int KNOWN_LIMIT = 1 << 20;

  private final TripleIndex index;
  private final Tuning tuning;

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

  /** By place of the first entity's code: the second entity's places met under the current triple. */
  private long[] met = new long[0];

  private boolean dirty;

  /** By entity: the places by which the marked entity leads there; 0 nearly everywhere. */
  private final long[] bits;

  private int[] around = new int[16];
  private int arounds;
  private int marked = -1;

  /** All places by which the marked entity leads anywhere. */
  private long full;

  /** The cost so far of working without marks at an entity with a large neighborhood. */
  private long unmarkedCost;

  private int unmarked;

  /** What a pair of entities meets, cached for pairs where it is expensive to find. */
  private final Map<Long, long[]> known = new HashMap<>();

  private int knownCells;

  private int[] barred = new int[0];
  private int barredCount;
  private final long[] barredBits;
  private boolean mayKeep = true;

  public Joiner(TripleIndex index, Tuning tuning) {
    this.index = index;
    this.tuning = tuning;
    int codes = 2 * index.relations;
    this.fromPlace = new int[codes];
    this.toPlace = new int[codes];
    this.fromCode = new int[codes];
    this.toCode = new int[codes];
    this.bits = new long[index.entities];
    this.barredBits = new long[Atoms.VARIABLES];
  }

  /**
   * Bars entities from being the third one.
   *
   * @param entities the first {@code count} are barred; the array is read later, not copied
   * @param keep whether the barred entities follow from the two that are joined
   */
  public void bar(int[] entities, int count, boolean keep) {
    barred = entities;
    barredCount = count;
    mayKeep = keep;
  }

  private boolean isBarred(int middle) {
    for (int i = 0; i < barredCount; i++) {
      if (barred[i] == middle) {
        return true;
      }
    }
    return false;
  }

  /** Selects the codes with enough support at the first entity; returns how many. */
  public int selectFrom(int[] support, int base, int least) {
    fromCodes = select(support, base, least, fromPlace, fromCode);
    return fromCodes;
  }

  /** Selects the codes with enough support at the second entity; returns how many. */
  public int selectTo(int[] support, int base, int least) {
    toCodes = select(support, base, least, toPlace, toCode);
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
  public int fromCode(int place) {
    return fromCode[place];
  }

  /** Returns the code at a place among those selected for the second entity. */
  public int toCode(int place) {
    return toCode[place];
  }

  /** Clears the counters and counts from now on for the second entity's places low .. high - 1. */
  public void begin(int low, int high) {
    this.low = low;
    this.high = high;
    known.clear();
    knownCells = 0;
    unmark();
    unmarked = -1;
    int cells = fromCodes * (high - low);
    if (count.length < cells) {
      count = new int[cells];
    } else {
      Arrays.fill(count, 0, cells, 0);
    }
    if (met.length < fromCodes) {
      met = new long[fromCodes];
    }
  }

  /** Counts what the current triple has met, and begins the next triple. */
  public void endTriple() {
    if (!dirty) {
      return;
    }
    dirty = false;
    for (int p = 0; p < fromCodes; p++) {
      int base = p * (high - low);
      for (long left = met[p]; left != 0; left &= left - 1) {
        count[base + Long.numberOfTrailingZeros(left)]++;
      }
      met[p] = 0;
    }
  }

  /** Returns the number of triples counted for a pair of places. */
  public int support(int from, int to) {
    return count[from * (high - low) + to - low];
  }

  /** The bit of a code of the second entity; 0 unless its place is counted in this pass. */
  private long bit(int code) {
    int place = toPlace[code];
    return place >= low && place < high ? 1L << place - low : 0;
  }

  /** Meets all paths from one entity through a third one to another. */
  public void connect(int from, int to) {
    dirty = true;
    if (marked != to) {
      if (spare(from, to)) {
        connectUnmarked(from, to);
        return;
      }
      mark(to);
    }
    int degree = index.degree(from);
    long searching = (long) tuning.searchFactor() * arounds;
    if (mayKeep && Math.min(degree, searching) >= tuning.hubEdges()) {
      meet(from, to, false);
    } else if (searching < degree) {
      searchMarked(from, met);
    } else {
      scan(from, met);
    }
  }

  /** Meets what a pair of entities is known to meet; it is found at the first time. */
  private void meet(int from, int to, boolean loops) {
    long key = (long) from * index.entities + to;
    long[] cells = known.get(key);
    if (cells == null) {
      if (knownCells > KNOWN_LIMIT) {
        known.clear();
        knownCells = 0;
      }
      cells = new long[fromCodes];
      knownCells += fromCodes + 16;
      known.put(key, cells);
      if (loops) {
        turn(from, cells);
      } else if ((long) tuning.searchFactor() * arounds < index.degree(from)) {
        searchMarked(from, cells);
      } else {
        scan(from, cells);
      }
    }
    for (int p = 0; p < fromCodes; p++) {
      met[p] |= cells[p];
    }
  }

  /** Scans the edges of the first entity, but for codes that have met all they can. */
  private void scan(int from, long[] into) {
    for (int i = 0; i < barredCount; i++) {
      barredBits[i] = bits[barred[i]];
      bits[barred[i]] = 0;
    }
    int[] neighbor = index.neighbor;
    int groups = index.groupStart[from + 1];
    for (int g = index.groupStart[from]; g < groups; g++) {
      int place = fromPlace[index.groupCode[g]];
      if (place < 0 || (into[place] & full) == full) {
        continue;
      }
      long found = into[place];
      int end = index.edgeStart[g + 1];
      for (int i = index.edgeStart[g]; i < end; i++) {
        found |= bits[neighbor[i]];
      }
      into[place] = found;
    }
    for (int i = barredCount - 1; i >= 0; i--) {
      bits[barred[i]] = barredBits[i];
    }
  }

  /** Searches each of the marked neighbors, which are far fewer, among those of the first entity. */
  private void searchMarked(int from, long[] into) {
    int end = index.nearStart[from + 1];
    int[] near = index.nearNeighbor;
    for (int k = 0; k < arounds; k++) {
      int middle = around[k];
      int i = isBarred(middle) ? -1 : index.near(from, middle);
      for (; i >= 0 && i < end && near[i] == middle; i++) {
        int place = fromPlace[index.nearCode[i]];
        if (place >= 0) {
          into[place] |= bits[middle];
        }
      }
    }
  }

  /** Returns whether marks around an entity are not worth their cost yet. */
  private boolean spare(int from, int to) {
    if (unmarked != to) {
      unmarked = to;
      unmarkedCost = 0;
    }
    unmarkedCost += (long) tuning.searchFactor() * index.degree(from);
    return unmarkedCost < index.degree(to);
  }

  private void connectUnmarked(int from, int to) {
    int end = index.nearStart[from + 1];
    int farEnd = index.nearStart[to + 1];
    int[] near = index.nearNeighbor;
    for (int i = index.nearStart[from]; i < end; i++) {
      int place = fromPlace[index.nearCode[i]];
      if (place >= 0 && !isBarred(near[i])) {
        for (int k = index.near(to, near[i]); k >= 0 && k < farEnd && near[k] == near[i]; k++) {
          met[place] |= bit(index.nearCode[k]);
        }
      }
    }
  }

  private void mark(int entity) {
    unmark();
    marked = entity;
    if (around.length < index.degree(entity)) {
      around = new int[index.degree(entity)];
    }
    for (int i = index.nearStart[entity]; i < index.nearStart[entity + 1]; i++) {
      long bit = bit(index.nearCode[i]);
      if (bit != 0) {
        int neighbor = index.nearNeighbor[i];
        if (bits[neighbor] == 0) {
          around[arounds++] = neighbor;
        }
        bits[neighbor] |= bit;
        full |= bit;
      }
    }
  }

  private void unmark() {
    while (arounds > 0) {
      bits[around[--arounds]] = 0;
    }
    marked = -1;
    full = 0;
  }

  /** Meets the pairs of different codes, in ascending order, that lead from an entity to one neighbor. */
  public void loops(int entity) {
    dirty = true;
    if (mayKeep && index.degree(entity) >= tuning.hubEdges()) {
      meet(entity, entity, true);
    } else {
      turn(entity, met);
    }
  }

  private void turn(int entity, long[] into) {
    int end = index.nearStart[entity + 1];
    int[] near = index.nearNeighbor;
    for (int i = end - 1, k = i; i >= index.nearStart[entity]; i = k) {
      long bits = 0;
      for (; k >= index.nearStart[entity] && near[k] == near[i]; k--) {
        int place = isBarred(near[i]) ? -1 : fromPlace[index.nearCode[k]];
        if (place >= 0) {
          into[place] |= bits;
        }
        bits |= bit(index.nearCode[k]);
      }
    }
  }
}
