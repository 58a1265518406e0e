"""Tests of the client against a WebSocket server of their own: `python -m unittest discover -s sdk/python/tests -t .`"""

import logging

logging.getLogger("sdk").addHandler(logging.NullHandler())
