#: Of every file that is made: texts of documents stand in most of them.
OWNER_ONLY = 0o600
