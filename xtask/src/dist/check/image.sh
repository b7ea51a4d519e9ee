# Starts a program of an image where it sees only the image's files, which it cannot change, and asks its probes.
# In namespaces of its own for mounts and network. $1 is the root, $2 the port, $3 the user, $4 what the log says sooner
# or later; then come variables, and the command that enters the root.
set -eu
root=$1
port=$2
user=$3
says=$4
shift 4
log=$(mktemp)
program=
trap 'test "$?" = 0 || cat "$log"; test -z "$program" || kill -9 "$program" 2> /dev/null; rm -f "$log"' EXIT

mount --bind "$root" "$root"
mount -o remount,bind,ro "$root"
# The volume.
mount -t tmpfs -o "mode=700,uid=$user,gid=$user" tmpfs "$root/var/lib/pos-connect"
ip link set lo up
setpriv --clear-groups --no-new-privs env -i "$@" > "$log" 2>&1 &
program=$!
# A dead child of ours still takes signals, but has no program. It could call nobody by TLS without the certificates.
deadline=$(($(date +%s) + 120))
alive() {
  readlink "/proc/$program/exe" > /dev/null || return 1
  test "$(date +%s)" -lt "$deadline"
  if grep -q "no certificates" "$log"; then return 1; fi
  sleep 0.2
}
for probe in healthz readyz; do
  until curl -sf "http://127.0.0.1:$port/$probe" > /dev/null; do alive; done
done
until grep -q "$says" "$log"; do alive; done
# On the machine's own root, all of the above could pass.
test "$(readlink "/proc/$program/root")" = "$root"
for line in "Uid:.$user.$user.$user.$user" "Groups:. *" "CapEff:.0000000000000000" "NoNewPrivs:.1"; do
  grep -qx "$line" "/proc/$program/status"
done
kill "$program"
wait "$program"
program=
