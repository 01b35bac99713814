"""A real Elasticsearch node on this machine, from Python packages alone.

For trying the Elasticsearch store out, and for the tests. Nothing of this is meant for a library
that matters: no security, no native libraries, one machine.

    packages.py    fetches the jars once and keeps them, checked, in a cache folder
    node.py        starts a node inside the JVM of this process
    __main__.py    the program: python tools/elasticsearch_local
"""
