# Runs a program on a display of its own, whose server takes a free number, and says it once it listens. xvfb-run waits
# for a signal instead: on a busy machine that comes before the waiting begins, which then never ends.
# Arguments: the program and its own.
set -eu
folder=$(mktemp -d "${TMPDIR:-/tmp}/pos-connect-display-XXXXXX")
mkfifo "$folder/number"
# Display and program end with this shell, even if it is killed: no trap would run then.
setpriv --pdeathsig TERM Xvfb -displayfd 3 -screen 0 1280x1024x24 -nolisten tcp \
  3>"$folder/number" >"$folder/log" 2>&1 &
server=$!
trap 'kill "$server" || :; wait "$server" || :' EXIT
read -r number <"$folder/number" || cat "$folder/log" >&2
rm -r "$folder"
DISPLAY=:${number:?it did not start} setpriv --pdeathsig TERM "$@"
