"""The service over an index: an HTTP API, and its client. Only `client.py` can be used without the extra `service`."""
