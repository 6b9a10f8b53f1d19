#!/bin/sh
# Starts MySQL or MariaDB for benchlab as process 1 of its container, in the
# official images as well as in those built from Debian packages.
#
# What the controller puts into the container before it starts:
#   /benchlab/server.conf  the whole configuration of the server
#   /benchlab/secret       line 1: password of the user benchlab (all rights),
#                          line 2: password of the user contender
#   /benchlab/server.crt   with TLS only: the server's certificate and its
#   /benchlab/server.key   private key
#   /prepared              read-only volume that holds a filled database, or
#                          nothing
#   /var/lib/benchlab      volume for the database of this container
#   /run/benchlab          tmpfs for the socket and the file of first statements
#
# The passwords reach the server in its init file, which is readable by the
# server only and lies in memory: they are never an argument, an environment
# variable or a line of a log.
set -eu
umask 077

lab=/benchlab
prepared=/prepared/data
volume=/var/lib/benchlab
data=$volume/data
run=/run/benchlab

fail() {
	echo "benchlab: $*" >&2
	exit 1
}

trap 'exit 143' TERM INT

[ "$(id -u)" = 0 ] || fail "start.sh must begin as root, the server drops to mysql itself"
id mysql >/dev/null 2>&1 || fail "there is no user mysql in this image"

server=
product=mysql
for path in /usr/sbin/mysqld /usr/libexec/mysqld /usr/sbin/mariadbd; do
	if [ -x "$path" ]; then server=$path; fi
done
[ -n "$server" ] || fail "there is no mysqld or mariadbd program in this image"
case $server in *mariadbd) product=mariadb ;; esac

[ -r "$lab/server.conf" ] || fail "$lab/server.conf is missing"
[ -r "$lab/secret" ] || fail "$lab/secret is missing"
{ IFS= read -r admin && IFS= read -r contender; } <"$lab/secret" ||
	fail "$lab/secret must have two lines"
for word in "$admin" "$contender"; do
	case $word in
	"" | *[!A-Za-z0-9_-]*) fail "a password in $lab/secret is empty or has other characters than letters, digits, _ and -" ;;
	esac
done

# copy takes over the prepared database into $1, without the spare redo files,
# which are most of its bytes and which the server makes anew in no time.
copy() {
	mkdir "$1"
	for entry in "$prepared"/*; do
		[ "${entry##*/}" = "#innodb_redo" ] || cp -a --reflink=auto -- "$entry" "$1/"
	done
	if [ -d "$prepared/#innodb_redo" ]; then
		mkdir "$1/#innodb_redo"
		for entry in "$prepared/#innodb_redo"/*; do
			case $entry in *_tmp) ;; *) cp -a --reflink=auto -- "$entry" "$1/#innodb_redo/" ;; esac
		done
	fi
	chown -R mysql:mysql "$1"
}

# initialise makes an empty database in $1.
initialise() {
	if [ $product = mariadb ]; then
		mariadb-install-db --defaults-file="$lab/server.conf" --datadir="$1" --user=mysql \
			--auth-root-authentication-method=socket --auth-root-socket-user=root \
			--skip-test-db --skip-name-resolve >/dev/null
	else
		"$server" --defaults-file="$lab/server.conf" --datadir="$1" --user=mysql \
			--initialize-insecure
	fi
}

mkdir -p "$run"
chown mysql:mysql "$run"
chmod 0755 "$run"
# The server takes a key that its own user can read.
if [ -r "$lab/server.key" ]; then
	cp "$lab/server.crt" "$lab/server.key" "$run/"
	chown mysql:mysql "$run/server.crt" "$run/server.key"
fi

# A directory that is not yet called data is a start that was interrupted.
fresh=$volume/data.new
chmod 0755 "$volume"
if [ ! -d "$data/mysql" ]; then
	rm -rf "$fresh" "$data"
	if [ -d "$prepared/mysql" ]; then
		copy "$fresh"
	else
		mkdir "$fresh"
		chown mysql:mysql "$fresh"
		initialise "$fresh"
	fi
	mv "$fresh" "$data"
fi

# One statement a line is what an init file may hold. The nameless-password root
# that initialising leaves behind is locked.
how="IDENTIFIED WITH caching_sha2_password BY"
if [ $product = mariadb ]; then how="IDENTIFIED BY"; fi
rm -f "$run/init.sql"
printf '%s\n' \
	"CREATE DATABASE IF NOT EXISTS benchlab CHARACTER SET utf8mb4;" \
	"CREATE USER IF NOT EXISTS 'benchlab'@'%' $how '$admin';" \
	"ALTER USER 'benchlab'@'%' $how '$admin';" \
	"GRANT ALL PRIVILEGES ON *.* TO 'benchlab'@'%' WITH GRANT OPTION;" \
	"CREATE USER IF NOT EXISTS 'contender'@'%' $how '$contender';" \
	"ALTER USER 'contender'@'%' $how '$contender';" \
	"GRANT SELECT, INSERT, UPDATE, DELETE ON benchlab.* TO 'contender'@'%';" \
	"ALTER USER 'root'@'localhost' ACCOUNT LOCK;" \
	>"$run/init.sql"
chown mysql:mysql "$run/init.sql"
unset admin contender word

trap - TERM INT
exec "$server" --defaults-file="$lab/server.conf" --datadir="$data" --user=mysql \
	--init-file="$run/init.sql" --socket="$run/server.sock" --pid-file="$run/server.pid"
