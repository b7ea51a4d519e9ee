# Runs a program on a display of its own, whose server takes a free number, and says it once it listens. xvfb-run waits
# for a signal instead: on a busy machine that comes before the waiting begins, which then never ends.
# Arguments: the program and its own.
set -eu
folder=$(mktemp -d "${TMPDIR:-/tmp}/pos-connect-display-XXXXXX")
mkfifo "$folder/number"
Xvfb -displayfd 3 -screen 0 1280x1024x24 -nolisten tcp 3>"$folder/number" >"$folder/log" 2>&1 &
server=$!
trap 'kill "$server" || :; wait "$server" || :; rm -r "$folder"' EXIT
if ! read -r number <"$folder/number"; then
  cat "$folder/log" >&2
  exit 1
fi
DISPLAY=:$number "$@"
