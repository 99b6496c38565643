package org.rulemine.amie.count;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.rulemine.amie.kg.TripleIndex;

/**
 * Counts the head triples under which two entities are joined through a third one, for all pairs of codes
 * at once: a table of counters with a stamp each, so that a triple counts once per pair of codes.
 */
public final class Joiner {
  /** When this many cells are cached, the cache is cleared. */
  private static final int KNOWN_LIMIT = 1 << 21;

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
  private int[] stamp = new int[0];

  /** The neighborhood of the marked entity: where the run of each neighbor starts. */
  private final int[] markStamp;

  private final int[] markRun;
  private int mark;
  private int marked;

  /** The cost so far of working without marks at an entity with a large neighborhood. */
  private long unmarkedCost;

  private int unmarked;

  /** The cells that a pair of entities hits, cached for pairs where they are expensive to find. */
  private final Map<Long, int[]> known = new HashMap<>();

  private int knownCells;

  /** The cells of the current pair while they are recorded, and which are recorded already. */
  private boolean recording;

  private int[] hits = new int[16];
  private int hitCount;
  private int[] seen = new int[0];
  private int serial;
  private int[] runNeighbor = new int[16];
  private int[] runPlace = new int[16];
  private int runs;

  private int[] barred = new int[0];
  private int barredCount;
  private boolean mayKeep = true;

  public Joiner(TripleIndex index, Tuning tuning) {
    this.index = index;
    this.tuning = tuning;
    int codes = 2 * index.relations;
    this.fromPlace = new int[codes];
    this.toPlace = new int[codes];
    this.fromCode = new int[codes];
    this.toCode = new int[codes];
    this.markStamp = new int[index.entities];
    this.markRun = new int[index.entities];
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
    marked = -1;
    unmarked = -1;
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

  /** Clears the counters and counts from now on for the first entity's places low .. high - 1. */
  public void begin(int low, int high) {
    this.low = low;
    this.high = high;
    known.clear();
    knownCells = 0;
    int cells = (high - low) * toCodes;
    if (count.length < cells) {
      count = new int[cells];
      stamp = new int[cells];
    } else {
      Arrays.fill(count, 0, cells, 0);
      Arrays.fill(stamp, 0, cells, 0);
    }
  }

  /** Returns the number of triples counted for a pair of places. */
  public int support(int from, int to) {
    return count[(from - low) * toCodes + to];
  }

  /** Counts all paths from one entity through a third one to another. */
  public void connect(int from, int to, int triple) {
    if (marked != to) {
      if (spare(from, to)) {
        connectUnmarked(from, to, triple);
        return;
      }
      markAround(to);
    }
    int degree = index.degree(from);
    boolean search = degree > (long) tuning.searchFactor() * runs;
    boolean keep =
        mayKeep && (search ? (long) tuning.searchFactor() * runs : degree) >= tuning.hubEdges();
    if (keep && recall(from, to, triple)) {
      return;
    }
    if (search) {
      connectRuns(from, triple);
    } else {
      connectEdges(from, triple);
    }
    if (keep) {
      remember(from, to);
    }
  }

  /** Scans the edges of the first entity. */
  private void connectEdges(int from, int triple) {
    int end = index.nearStart[from + 1];
    int[] near = index.nearNeighbor;
    for (int i = index.nearStart[from]; i < end; i++) {
      int middle = near[i];
      if (markStamp[middle] == mark && !isBarred(middle)) {
        hit(fromPlace[index.nearCode[i]], markRun[middle], middle, triple);
      }
    }
  }

  /** Scans the marked neighbors, which are far fewer, and searches each. */
  private void connectRuns(int from, int triple) {
    int end = index.nearStart[from + 1];
    int[] near = index.nearNeighbor;
    for (int run = 0; run < runs; ) {
      int middle = runNeighbor[run];
      boolean open = !isBarred(middle);
      for (int i = open ? index.near(from, middle) : -1; i >= 0 && i < end && near[i] == middle; i++) {
        hit(fromPlace[index.nearCode[i]], run, middle, triple);
      }
      do {
        run++;
      } while (runNeighbor[run] == middle);
    }
  }

  /** Counts the cached cells of a pair of entities; otherwise begins to record them. */
  private boolean recall(int from, int to, int triple) {
    int[] cells = known.get((long) from * index.entities + to);
    if (cells != null) {
      for (int cell : cells) {
        count(cell, triple);
      }
      return true;
    }
    recording = true;
    hitCount = 0;
    if (seen.length < count.length) {
      seen = new int[count.length];
      serial = 0;
    }
    if (++serial == Integer.MAX_VALUE) {
      Arrays.fill(seen, 0);
      serial = 1;
    }
    return false;
  }

  private void remember(int from, int to) {
    recording = false;
    if (knownCells > KNOWN_LIMIT) {
      known.clear();
      knownCells = 0;
    }
    known.put((long) from * index.entities + to, Arrays.copyOf(hits, hitCount));
    knownCells += hitCount + 16;
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

  private void connectUnmarked(int from, int to, int triple) {
    int end = index.nearStart[from + 1];
    int farEnd = index.nearStart[to + 1];
    int[] near = index.nearNeighbor;
    for (int i = index.nearStart[from]; i < end; i++) {
      int place = fromPlace[index.nearCode[i]];
      if (place < low || place >= high || isBarred(near[i])) {
        continue;
      }
      int k = index.near(to, near[i]);
      for (; k >= 0 && k < farEnd && near[k] == near[i]; k++) {
        int other = toPlace[index.nearCode[k]];
        if (other >= 0) {
          count((place - low) * toCodes + other, triple);
        }
      }
    }
  }

  private void count(int cell, int triple) {
    if (recording && seen[cell] != serial) {
      seen[cell] = serial;
      hits = hitCount == hits.length ? Arrays.copyOf(hits, 2 * hitCount) : hits;
      hits[hitCount++] = cell;
    }
    if (stamp[cell] != triple) {
      stamp[cell] = triple;
      count[cell]++;
    }
  }

  private void hit(int place, int run, int middle, int triple) {
    if (place < low || place >= high) {
      return;
    }
    int base = (place - low) * toCodes;
    for (int k = run; runNeighbor[k] == middle; k++) {
      count(base + runPlace[k], triple);
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
      runNeighbor = new int[room];
      runPlace = new int[room];
    }
    runs = 0;
    for (int i = index.nearStart[entity]; i < index.nearStart[entity + 1]; i++) {
      int place = toPlace[index.nearCode[i]];
      if (place >= 0) {
        int neighbor = index.nearNeighbor[i];
        if (markStamp[neighbor] != mark) {
          markStamp[neighbor] = mark;
          markRun[neighbor] = runs;
        }
        runNeighbor[runs] = neighbor;
        runPlace[runs++] = place;
      }
    }
    runNeighbor[runs] = -1;
  }

  /** Counts the pairs of different codes that lead from an entity to the same neighbor. */
  public void loops(int entity, int triple) {
    boolean keep = mayKeep && index.degree(entity) >= tuning.hubEdges();
    if (keep && recall(entity, entity, triple)) {
      return;
    }
    int end = index.nearStart[entity + 1];
    for (int i = index.nearStart[entity]; i < end; i++) {
      int place = fromPlace[index.nearCode[i]];
      if (place < low || place >= high || isBarred(index.nearNeighbor[i])) {
        continue;
      }
      int base = (place - low) * toCodes;
      for (int k = i + 1; k < end && index.nearNeighbor[k] == index.nearNeighbor[i]; k++) {
        int other = toPlace[index.nearCode[k]];
        if (other >= 0) {
          count(base + other, triple);
        }
      }
    }
    if (keep) {
      remember(entity, entity);
    }
  }
}
