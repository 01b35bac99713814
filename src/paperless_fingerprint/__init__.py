"""Finds duplicates in a Paperless-ngx library and searches it by fingerprint."""

__version__ = "0.1.0"
