"""Locks on open files, so that two processes do not write the same thing."""

__all__ = ["take_lock"]


def take_lock(handle: int) -> bool:
    """Locks an open file until it is closed, whatever ends the process.

    Returns:
        False where another process has it locked. On Windows nothing is locked: all else works without it.
    """
    try:
        import fcntl
    except ImportError:
        return True
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
