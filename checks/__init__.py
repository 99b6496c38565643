"""What only `make check` and the other long commands run, and the definitions that tests compare with."""
