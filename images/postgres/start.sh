#!/bin/sh
# Starts PostgreSQL for benchlab as process 1 of its container, in the official
# images as well as in those built from Debian packages.
#
# What the controller puts into the container before it starts:
#   /benchlab/server.conf  the whole configuration of the server
#   /benchlab/secret       line 1: password of the role benchlab (superuser),
#                          line 2: password of the role contender
#   /benchlab/server.crt   with TLS only: the server's certificate and its
#   /benchlab/server.key   private key
#   /prepared              read-only volume that holds a filled database, or
#                          nothing
#   /var/lib/benchlab      volume for the database of this container
#   /run/benchlab          tmpfs for what the server reads of these
#
# The passwords reach the server through a pipe from this shell's own printf:
# they are never an argument, an environment variable or a line of a log.
set -eu
umask 077
export LANG=C.UTF-8 LC_ALL=C.UTF-8

lab=/benchlab
prepared=/prepared/data
volume=/var/lib/benchlab
data=$volume/data
run=/run/benchlab

fail() {
	echo "benchlab: $*" >&2
	exit 1
}

trap 'exit 143' TERM
trap 'exit 130' INT

[ "$(id -u)" = 0 ] || fail "start.sh must begin as root, it drops to postgres itself"
id postgres >/dev/null 2>&1 || fail "there is no user postgres in this image"

bin=
for dir in /usr/local/bin /usr/bin /usr/lib/postgresql/*/bin; do
	if [ -x "$dir/postgres" ]; then bin=$dir; fi
done
[ -n "$bin" ] || fail "there is no postgres program in this image"

if command -v setpriv >/dev/null; then
	drop="setpriv --reuid=postgres --regid=postgres --init-groups --"
elif command -v gosu >/dev/null; then
	drop="gosu postgres"
elif command -v su-exec >/dev/null; then
	drop="su-exec postgres"
else
	fail "there is none of setpriv, gosu and su-exec in this image"
fi

[ -r "$lab/server.conf" ] || fail "$lab/server.conf is missing"
[ -r "$lab/secret" ] || fail "$lab/secret is missing"
{ IFS= read -r admin && IFS= read -r contender; } <"$lab/secret" ||
	fail "$lab/secret must have two lines"
for word in "$admin" "$contender"; do
	case $word in
	"" | *[!A-Za-z0-9_-]*) fail "a password in $lab/secret is empty or has other characters than letters, digits, _ and -" ;;
	esac
done

# A directory that is not yet called data is a start that was interrupted.
fresh=$volume/data.new
first=no
if [ ! -e "$data/PG_VERSION" ]; then
	rm -rf "$fresh" "$data"
	if [ -e "$prepared/PG_VERSION" ]; then
		cp -a --reflink=auto "$prepared" "$fresh"
		chown -R postgres:postgres "$fresh"
	else
		first=yes
		mkdir "$fresh"
		chown postgres:postgres "$fresh"
	fi
fi
chmod 0755 "$volume"
if [ $first = yes ]; then
	# Nobody may log in by initdb's own rules; ours replace them below.
	$drop "$bin/initdb" -D "$fresh" -U benchlab -E UTF8 --locale=C.UTF-8 \
		-A reject --no-sync --no-instructions >/dev/null
fi
if [ -d "$fresh" ]; then mv "$fresh" "$data"; fi
rm -f "$data/postmaster.pid"

# The server takes a key that is its own user's alone. With TLS nobody gets in
# without.
host=host
if [ -r "$lab/server.key" ]; then
	host=hostssl
	cp "$lab/server.crt" "$lab/server.key" "$run/"
	chown postgres:postgres "$run/server.crt" "$run/server.key"
fi

cp "$lab/server.conf" "$data/postgresql.conf"
printf '%s\n' 'local all all reject' "$host all all all scram-sha-256" >"$data/pg_hba.conf"
chown postgres:postgres "$data/postgresql.conf" "$data/pg_hba.conf"

# single runs the statements on its input, one a line, with no server about. The
# small memory settings only make it quick.
single() {
	$drop "$bin/postgres" --single -D "$data" -c exit_on_error=on \
		-c log_min_error_statement=panic -c log_statement=none \
		-c log_min_messages=error -c fsync=off -c shared_buffers=16MB \
		-c huge_pages=off -c max_connections=20 "$1" >/dev/null
}

if [ $first = yes ]; then
	printf '%s\n' 'CREATE ROLE contender LOGIN' 'CREATE DATABASE benchlab' | single postgres
	printf '%s\n' \
		'ALTER DEFAULT PRIVILEGES GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO contender' \
		'ALTER DEFAULT PRIVILEGES GRANT USAGE ON SEQUENCES TO contender' | single benchlab
fi
printf "SET password_encryption = 'scram-sha-256'\nALTER ROLE benchlab PASSWORD '%s'\nALTER ROLE contender PASSWORD '%s'\n" \
	"$admin" "$contender" | single postgres
unset admin contender word

trap - TERM INT
exec $drop "$bin/postgres" -D "$data"
