"""The backend for teams and many writers: an index in a schema of a PostgreSQL database."""
