# A PostgreSQL server in a folder of its own. Prints `ready`, and runs until its standard input ends: so it ends with
# whoever started it.
# Arguments: the folder of PostgreSQL's programs, a port that is free, and `durable` if commits wait for the disk.
set -eu
programs=$1
port=$2
care=$3
folder=$(mktemp -d "${TMPDIR:-/tmp}/pos-connect-postgres-XXXXXX")
cd "$folder"

stop() {
  "$programs/pg_ctl" stop -D data -m immediate -s >/dev/null 2>&1 || :
  cd /
  # The files of hundreds of databases are long in going, and nobody has to wait for that.
  rm -rf "$folder" >/dev/null 2>&1 &
}
trap stop EXIT
# Ctrl-C reaches us too; it ends whatever runs just now, and then comes EXIT.
trap : INT TERM HUP

start() {
  "$programs/initdb" -D data --username=postgres --auth=trust --encoding=UTF8 --locale=C --no-sync || return
  # Each test has a database, and connections of its own.
  cat >>data/postgresql.conf <<SETTINGS || return
listen_addresses = '127.0.0.1'
port = $port
unix_socket_directories = ''
max_connections = 300
SETTINGS
  if [ "$care" != durable ]; then
    # Nothing that these databases hold outlives the tests, so nothing waits for the disk.
    cat >>data/postgresql.conf <<SETTINGS || return
fsync = off
synchronous_commit = off
full_page_writes = off
SETTINGS
  fi
  "$programs/pg_ctl" start -D data -w -s -l server.log
}

if ! start >start.log 2>&1; then
  cat start.log >&2
  [ ! -f server.log ] || cat server.log >&2
  exit 1
fi
# A shell that is killed stops nothing.
(
  trap '' INT TERM HUP
  while kill -0 $$; do sleep 1; done
  stop
) </dev/null >/dev/null 2>&1 &
echo ready
cat >/dev/null
