"""How both programs connect. The two libraries then offer the same cursors."""

import os

# PyMySQL asks who runs it before it is told whom to log in as, and the user of
# a container needs no name.
os.environ.setdefault("USER", "contender")


def connect(target):
    """Opens a connection in which each statement is a transaction of its own:
    to begin and end one would cost two more round trips."""
    login = {name: target[name] for name in ("host", "port", "user", "password")}
    if target["server"] == "postgres":
        import psycopg2

        connection = psycopg2.connect(dbname=target["database"], sslmode="disable", **login)
        connection.autocommit = True
        return connection
    import pymysql

    return pymysql.connect(database=target["database"], charset="utf8mb4", autocommit=True, **login)
