package org.rulemine.amie.search;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import org.rulemine.amie.kg.TripleIndex;
import org.rulemine.amie.rule.Bias;
import org.rulemine.amie.rule.Candidates;
import org.rulemine.amie.rule.Head;
import org.rulemine.amie.rule.Level;
import org.rulemine.amie.rule.RuleRows;
import org.rulemine.amie.rule.Thresholds;

/**
 * The search under one head relation: breadth first, each length in two phases (extend the rules of
 * the length before, then measure the closed ones). A phase is a range of independent items which
 * any number of threads share; the thread that finishes the last item starts the next phase.
 */
final class HeadSearch {
  /** Phases with fewer items than this are not worth a second thread. */
  private static final int SMALL = 8;

  final Head head;
  private final Bias bias;
  private final HeadScheduler scheduler;
  private final int maxBody;

  /** Closed and open rules by number of body atoms. */
  private final Level[] closed;

  private final Level[] open;

  /** The phase: its items, the threads at work on it, and where the next batch starts. */
  private int bodyLength;

  private boolean measuring;

  /** What is done of the search; null: all of it. */
  private Phase only;

  private int[] items = new int[0];
  private int itemCount;
  private int batch;
  private final AtomicInteger cursor = new AtomicInteger();
  private final AtomicInteger active = new AtomicInteger();

  HeadSearch(
      TripleIndex index, int relation, Thresholds thresholds, Bias bias, HeadScheduler scheduler) {
    this.head = new Head(index, relation, thresholds);
    this.bias = bias;
    this.scheduler = scheduler;
    this.maxBody = thresholds.maxAtoms() - 1;
    this.closed = new Level[maxBody + 1];
    this.open = new Level[maxBody + 1];
    for (int n = 1; n <= maxBody; n++) {
      closed[n] = new Level(n);
      open[n] = new Level(n);
    }
  }

  /** Runs phases until none is left for this thread. */
  void begin(Worker worker) {
    bodyLength = 0;
    measuring = false;
    itemCount = 1;
    share(worker);
  }

  /** Runs a phase over the rules that it has. */
  void begin(Worker worker, Phase phase) {
    only = phase;
    phase.restore(closed, open);
    bodyLength = phase.bodyLength();
    measuring = phase.measuring();
    if (measuring) {
      itemCount = closed[bodyLength].map.size();
    } else if (bodyLength == 0) {
      itemCount = 1;
    } else {
      chooseItems();
    }
    share(worker);
  }

  private void share(Worker worker) {
    batch = Math.max(1, itemCount / (scheduler.threads * 16));
    int helpers = itemCount < SMALL ? 0 : scheduler.threads - 1;
    cursor.set(0);
    active.set(helpers + 1);
    for (int i = 0; i < helpers; i++) {
      scheduler.push(this);
    }
    help(worker);
  }

  /** Processes batches of the current phase until none is left. */
  void help(Worker worker) {
    if (measuring) {
      measure(worker);
    } else {
      extend(worker);
    }
    if (active.decrementAndGet() == 0 && !scheduler.stop.requested()) {
      advance(worker);
    }
  }

  private void advance(Worker worker) {
    if (only != null) {
      scheduler.finished(this, worker);
      return;
    }
    if (measuring) {
      if (bodyLength == maxBody) {
        scheduler.finished(this, worker);
        return;
      }
      measuring = false;
      chooseItems();
    } else {
      scheduler.progress(head.subject.length);
      bodyLength++;
      closed[bodyLength].seal();
      measuring = true;
      itemCount = closed[bodyLength].map.size();
    }
    share(worker);
  }

  /** Lists the rules to extend: closed ones unless perfect, by number; open ones as ~number. */
  private void chooseItems() {
    Level rules = closed[bodyLength];
    int opens = open[bodyLength].map.size();
    items = new int[rules.map.size() + opens];
    itemCount = 0;
    for (int i = 0; i < opens; i++) {
      items[itemCount++] = ~i;
    }
    for (int i = 0; i < rules.map.size(); i++) {
      if (rules.pca[i] != 1.0 || !bias.perfectPruning()) {
        items[itemCount++] = i;
      }
    }
  }

  private void measure(Worker worker) {
    boolean last = bodyLength == maxBody;
    Level level = closed[bodyLength];
    for (int from = cursor.getAndAdd(batch); from < itemCount; from = cursor.getAndAdd(batch)) {
      for (int i = from; i < Math.min(itemCount, from + batch) && !scheduler.stop.requested(); i++) {
        worker.evaluator.measure(head, closed, level, i, last);
      }
    }
  }

  private void extend(Worker worker) {
    int n = bodyLength;
    Candidates closings = new Candidates(n + 1);
    Candidates opens = n + 3 <= maxBody ? new Candidates(n + 1) : null;
    Candidates joins = n + 2 <= maxBody ? new Candidates(n + 2) : null;
    for (int from = cursor.getAndAdd(batch); from < itemCount; from = cursor.getAndAdd(batch)) {
      for (int i = from; i < Math.min(itemCount, from + batch) && !scheduler.stop.requested(); i++) {
        if (n == 0) {
          worker.expander.expand(head, items, 0, 0, -1, closings, opens, joins);
        } else if (items[i] < 0) {
          int[] atoms = open[n].map.atoms();
          worker.expander.expand(head, atoms, ~items[i] * n, n, -1, closings, opens, joins);
        } else {
          int[] atoms = closed[n].map.atoms();
          double pca = closed[n].pca[items[i]];
          worker.expander.expand(head, atoms, items[i] * n, n, pca, closings, opens, joins);
        }
      }
    }
    if (scheduler.stop.requested()) {
      return;
    }
    closed[n + 1].merge(closings);
    if (opens != null) {
      open[n + 1].merge(opens);
    }
    if (joins != null) {
      closed[n + 2].merge(joins);
    }
  }

  /** Returns the output rules, one row each, by length and body. */
  long[] rows(int stride, Worker worker) {
    if (only != null) {
      return only.rows(head, closed, open);
    }
    long[] rows = rows(stride);
    return worker.constants == null ? rows : worker.constants.rows(head, closed, rows, stride);
  }

  private long[] rows(int stride) {
    int count = 0;
    for (int n = 1; n <= maxBody; n++) {
      for (long size : closed[n].bodySize) {
        count += size > 0 ? 1 : 0;
      }
    }
    long[] rows = new long[Math.multiplyExact(count, stride)];
    int at = 0;
    for (int n = 1; n <= maxBody; n++) {
      for (int number : sortedOutput(closed[n])) {
        rows[at] = head.relation;
        rows[at + 1] = head.functional;
        rows[at + 2] = closed[n].support[number];
        rows[at + 3] = closed[n].bodySize[number];
        rows[at + 4] = closed[n].pcaSize[number];
        for (int i = 0; i < maxBody; i++) {
          rows[at + RuleRows.MEASURES + i] = i < n ? closed[n].map.atoms()[number * n + i] : -1;
        }
        at += stride;
      }
    }
    return rows;
  }

  private static Integer[] sortedOutput(Level level) {
    int n = level.map.length;
    int[] atoms = level.map.atoms();
    int count = 0;
    Integer[] numbers = new Integer[level.map.size()];
    for (int i = 0; i < numbers.length; i++) {
      if (level.bodySize[i] > 0) {
        numbers[count++] = i;
      }
    }
    numbers = Arrays.copyOf(numbers, count);
    Arrays.sort(
        numbers,
        (x, y) -> Arrays.compare(atoms, x * n, x * n + n, atoms, y * n, y * n + n));
    return numbers;
  }
}
