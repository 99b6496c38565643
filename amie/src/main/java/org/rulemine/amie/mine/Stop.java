package org.rulemine.amie.mine;

/** A flag by which one thread asks all others to stop; asked often, set once. */
public final class Stop {
  private volatile boolean requested;

  /** Asks for the end of the work. */
  public void request() {
    requested = true;
  }

  /** Tells whether the work shall end. */
  public boolean requested() {
    return requested;
  }
}
