"""What makes files of this repository; not part of the package."""
