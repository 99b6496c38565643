package org.rulemine.amie.search;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.LongAdder;
import org.rulemine.amie.count.Stop;
import org.rulemine.amie.count.Tuning;
import org.rulemine.amie.kg.TripleIndex;
import org.rulemine.amie.rule.Bias;
import org.rulemine.amie.rule.Head;
import org.rulemine.amie.rule.RuleRows;
import org.rulemine.amie.rule.Thresholds;

/**
 * Schedules the head relations of one mining run over threads: largest first, and a thread helps the
 * searches in progress before it begins a new one.
 */
public final class HeadScheduler {
  final int threads;
  final Stop stop;
  private final TripleIndex index;
  private final Thresholds thresholds;
  private final Bias bias;
  private final Tuning tuning;
  private final Phase only;
  private final ArrayDeque<HeadSearch> waiting = new ArrayDeque<>();
  private final int[] heads;
  private int nextHead;
  private int unfinished;
  private final long[][] rows;
  private final Queue<Integer> finished = new ConcurrentLinkedQueue<>();
  private final LongAdder done = new LongAdder();
  private final long total;

  /**
   * Plans the work.
   *
   * @param threads how many threads will call {@link #work}; at least 1
   * @param only what is done of the search of each head; null: all of it
   */
  public HeadScheduler(
      TripleIndex index, Thresholds thresholds, Bias bias, int threads, Tuning tuning, Stop stop,
      Phase only) {
    this.index = index;
    this.thresholds = thresholds;
    this.bias = bias;
    this.threads = threads;
    this.tuning = tuning;
    this.stop = stop;
    this.only = only;
    this.rows = new long[index.relations][];
    List<int[]> eligible = new ArrayList<>();
    long triples = 0;
    for (int r = 0; r < index.relations; r++) {
      int size = Head.triples(index, r);
      if (size >= thresholds.initialSupport() && bias.allowsHead(r)) {
        eligible.add(new int[] {r, size});
        triples += size;
      }
    }
    eligible.sort(Comparator.<int[]>comparingInt(e -> -e[1]).thenComparingInt(e -> e[0]));
    this.heads = eligible.stream().mapToInt(e -> e[0]).toArray();
    this.unfinished = heads.length;
    this.total = triples * (thresholds.maxAtoms() - 1);
  }

  /** Returns how much of {@link #total} is done, in triples of head relations times lengths. */
  public long done() {
    return done.sum();
  }

  /** Returns the size of the whole work. */
  public long total() {
    return total;
  }

  /** Works until nothing is left or a stop is requested. */
  public void work() {
    Worker worker = new Worker(index, thresholds, bias, tuning, stop);
    while (true) {
      HeadSearch search = null;
      int head = -1;
      synchronized (this) {
        while (waiting.isEmpty() && nextHead == heads.length && unfinished > 0 && !stop.requested()) {
          try {
            wait(100);
          } catch (InterruptedException e) {
            stop.request();
          }
        }
        if (stop.requested() || (waiting.isEmpty() && unfinished == 0)) {
          return;
        }
        search = waiting.poll();
        if (search == null) {
          head = heads[nextHead++];
        }
      }
      if (search != null) {
        search.help(worker);
        continue;
      }
      search = new HeadSearch(index, head, thresholds, bias, this);
      if (only == null) {
        search.begin(worker);
      } else {
        search.begin(worker, only);
      }
    }
  }

  synchronized void push(HeadSearch search) {
    waiting.push(search);
    notifyAll();
  }

  void progress(long triples) {
    done.add(triples);
  }

  void finished(HeadSearch search, Worker worker) {
    long[] found = search.rows(RuleRows.stride(thresholds.maxAtoms()), worker);
    if (stop.requested()) {
      return; // the rows may be incomplete
    }
    synchronized (this) {
      rows[search.head.relation] = found;
      finished.add(search.head.relation);
      unfinished--;
      notifyAll();
    }
  }

  /** Returns a head relation that has been finished and was not returned before, or -1. */
  public int takeFinished() {
    Integer head = finished.poll();
    return head == null ? -1 : head;
  }

  /** Returns the rows of a finished head relation, once. */
  public synchronized long[] takeRows(int head) {
    long[] found = rows[head];
    rows[head] = null;
    return found;
  }
}
