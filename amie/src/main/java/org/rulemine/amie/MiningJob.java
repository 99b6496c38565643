package org.rulemine.amie;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.IntBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.rulemine.amie.count.Stop;
import org.rulemine.amie.count.Tuning;
import org.rulemine.amie.kg.TripleIndex;
import org.rulemine.amie.rule.Bias;
import org.rulemine.amie.rule.RuleRows;
import org.rulemine.amie.rule.Thresholds;
import org.rulemine.amie.search.HeadScheduler;
import org.rulemine.amie.search.Phase;

/**
 * One mining run on its own threads, observed and cancelled from outside.
 *
 * <p>The caller starts it, polls it, may cancel it, and takes the rules of each head
 * relation once that is finished, so that the job holds few. No exception escapes its threads: running out of memory is a state of the job.
 */
public final class MiningJob {
  /** The job is running. */
  public static final int RUNNING = 0;

  /** The rules are complete. */
  public static final int DONE = 1;

  /** The job ended because it was cancelled. */
  public static final int CANCELLED = 2;

  /** The heap was too small. */
  public static final int OUT_OF_MEMORY = 3;

  /** The job failed; {@link #message} says how. */
  public static final int FAILED = 4;

  private final IntBuffer[] triples;
  private final int entities;
  private final int relations;
  private final Thresholds thresholds;
  private final Bias bias;
  private final int threads;
  private final Tuning tuning;
  private final Stop stop = new Stop();
  private volatile TripleIndex index;
  private volatile Phase only;
  private volatile HeadScheduler scheduler;
  private volatile int state = RUNNING;
  private volatile boolean cancelled;
  private Throwable failure;

  MiningJob(
      ByteBuffer[] triples,
      int entities,
      int relations,
      Thresholds thresholds,
      Bias bias,
      int threads,
      Tuning tuning) {
    if (threads < 1) {
      throw new IllegalArgumentException("threads is " + threads + ", below 1");
    }
    this.triples = new IntBuffer[triples.length];
    for (int i = 0; i < triples.length; i++) {
      this.triples[i] = triples[i].duplicate().order(ByteOrder.nativeOrder()).asIntBuffer();
    }
    this.entities = entities;
    this.relations = relations;
    this.thresholds = thresholds;
    this.bias = bias;
    this.threads = threads;
    this.tuning = tuning;
  }

  /** Takes the index of another job over the same triples, if that has made it; before the start. */
  public void takeIndexOf(MiningJob other) {
    index = other.index;
  }

  /**
   * Restricts the job to one phase of the search; before the start. The rows of a head are then those
   * of {@link Phase}, as are its parameters.
   */
  public void only(int bodyLength, boolean measuring, long[] rules) {
    only = new Phase(bodyLength, measuring, rules);
  }

  /** Starts the threads and returns at once. */
  public void start() {
    thread(this::run, "rulemine").start();
  }

  private static Thread thread(Runnable work, String name) {
    Thread thread = new Thread(work, name);
    thread.setDaemon(true);
    return thread;
  }

  private void run() {
    guard(this::mine);
    synchronized (this) {
      if (failure instanceof OutOfMemoryError) {
        state = OUT_OF_MEMORY;
      } else if (failure != null) {
        state = FAILED;
      } else {
        state = cancelled ? CANCELLED : DONE;
      }
      notifyAll();
    }
  }

  private void mine() {
    if (index == null) {
      index = new TripleIndex(entities, relations, triples);
    }
    Arrays.fill(triples, null); // the caller may let go of its memory
    HeadScheduler work = new HeadScheduler(index, thresholds, bias, threads, tuning, stop, only);
    scheduler = work;
    List<Thread> others = new ArrayList<>();
    for (int i = 1; i < threads; i++) {
      Thread other = thread(() -> guard(work::work), "rulemine-" + i);
      others.add(other);
      other.start();
    }
    guard(work::work);
    for (Thread other : others) {
      while (other.isAlive()) {
        try {
          other.join();
        } catch (InterruptedException e) {
          stop.request();
        }
      }
    }
  }

  /** Runs a part of the work; an exception is recorded and stops the other parts. */
  private void guard(Runnable part) {
    try {
      part.run();
    } catch (Throwable thrown) {
      stop.request();
      synchronized (this) {
        if (failure == null || thrown instanceof OutOfMemoryError) {
          failure = thrown;
        }
      }
    }
  }

  /**
   * Waits until the job ends, or for the given number of milliseconds.
   *
   * @return the state
   * @throws InterruptedException when the waiting thread is interrupted
   */
  public synchronized int awaitEnd(long millis) throws InterruptedException {
    if (state == RUNNING) {
      wait(Math.max(1, millis));
    }
    return state;
  }

  /** Requests that the job end soon. */
  public void cancel() {
    cancelled = true;
    stop.request();
  }

  /** Returns how much of {@link #total} is done. */
  public long done() {
    HeadScheduler work = scheduler;
    return work == null ? 0 : work.done();
  }

  /** Returns the size of the work, 0 while it is not known yet. */
  public long total() {
    HeadScheduler work = scheduler;
    return work == null ? 0 : work.total();
  }

  /** Returns what went wrong, in one line; empty when nothing did. */
  public synchronized String message() {
    if (failure == null) {
      return "";
    }
    StackTraceElement[] trace = failure.getStackTrace();
    return failure + (trace.length > 0 ? " at " + trace[0] : "");
  }

  /** Returns a head relation that has been finished and was not returned before, or -1. */
  public int takeFinished() {
    HeadScheduler work = scheduler;
    return work == null ? -1 : work.takeFinished();
  }

  /** Hands over the rules of a finished head relation, as {@link RuleRows}; the job forgets them. */
  public long[] takeRows(int head) {
    return scheduler.takeRows(head);
  }
}
