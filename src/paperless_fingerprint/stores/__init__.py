"""Where the library is kept: one protocol (base.py) and its implementations."""
