package org.rulemine.amie.count;

/** A flag that asks all threads to stop; set once, polled often. */
public final class Stop {
  private volatile boolean requested;

  /** Requests a stop. */
  public void request() {
    requested = true;
  }

  /** Returns whether a stop was requested. */
  public boolean requested() {
    return requested;
  }
}
