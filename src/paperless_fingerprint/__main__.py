"""python -m paperless_fingerprint"""

from paperless_fingerprint.cli import main

if __name__ == "__main__":
    main(prog_name="paperless-fingerprint")
