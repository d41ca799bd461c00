"""The routes of the service, one file per resource. A route checks a request and calls one method of the index."""
