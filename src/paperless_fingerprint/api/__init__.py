"""What `import paperless_fingerprint` offers to Python, and what the command line is written on."""
