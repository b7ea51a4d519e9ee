# The packages under a running systemd, as docs/operating.md has the steps. The first command that fails ends it.
set -eu
export DEBIAN_FRONTEND=noninteractive LC_ALL=C PATH=/usr/sbin:/usr/bin:/sbin:/bin
step=begin
trap 'test "$?" = 0 || { echo "failed while: $step"; journalctl --no-pager --lines 30 --unit "pos-connect-*"; }' EXIT

say() { step=$1; echo "dist: under systemd: $step"; }
# The script itself is what stands on the standard input.
quiet() { "$@" > /run/quiet 2>&1 < /dev/null || { cat /run/quiet; return 1; }; }
install_all() { quiet apt-get -qq -y --allow-downgrades -o Dpkg::Options::=--force-confold install "$@"; }
# `! command` never ends a script.
not() { if "$@"; then echo "should not be so: $*"; return 1; fi; }
ready() { curl -sf --retry 40 --retry-delay 1 --retry-connrefused "http://127.0.0.1:$1/readyz" > /run/quiet; }
as() { user=$1; shift; setpriv --reuid "$user" --regid "$user" --clear-groups "$user" "$@" --json; }
member() { sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p" "$2"; }
process() { systemctl show --property MainPID --value "$1"; }
creates() {
  curl -sf -X POST -H "Authorization: Bearer $key" -o /run/quiet \
    "http://127.0.0.1:8090/v1/auth/integration?client_id=$client_id"
}
# Systemd refuses a sixth start within ten seconds, unless it is told to forget the others.
restart_service() {
  quiet systemctl daemon-reload
  quiet systemctl reset-failed pos-connect-service
  quiet systemctl restart pos-connect-service
  ready 8080
}
# Each line by itself: below `if`, the first command that fails ends nothing.
hardened() {
  id=$(process "$1")
  for line in "CapEff:.0000000000000000" "CapBnd:.0000000000000000" "NoNewPrivs:.1" "Seccomp:.2"; do
    grep -q "^$line$" "/proc/$id/status" || return 1
  done
  grep -q "^Max core file size  *0  *0 " "/proc/$id/limits" || return 1
  test "$(stat -c %U "/proc/$id")" = "$1" || return 1
  for place in /etc /usr /var/lib /root; do
    not nsenter --target "$id" --mount touch $place/pos-connect-check 2> /run/quiet || return 1
  done
  nsenter --target "$id" --mount sh -c "touch /var/lib/$1/check && rm /var/lib/$1/check" || return 1
  # 1.2 when this was written; 0 is the best, 10 the worst. Last: what is above is to be seen by itself.
  quiet systemd-analyze security --no-pager --threshold=15 "$1"
}
serve() { quiet systemctl enable --now "$1"; ready "$2"; }
# Each call has a connection of its own.
calls() {
  while test -e /run/calling; do
    result=failed
    if curl -sf "http://127.0.0.1:$1/readyz" > "/run/call-$1"; then result=answered-$1; fi
    echo "$1" >> /run/$result
  done
}

say "install"
install_all /srv/dist/*.deb
for name in pos-connect-service pos-connect-relay; do
  # Nobody has said yet how it is to be reached.
  not systemctl --quiet is-active $name $name-listen.socket
done

say "start, and connect a till"
serve pos-connect-service 8080
as pos-connect-service vendor add --name Kept --config /etc/pos-connect/service.toml > /run/vendor
client_id=$(member clientId /run/vendor)
sed -i "s|^#upstream = .*|upstream = \"http://127.0.0.1:8080\"|; s|^#client-id = .*|client-id = \"$client_id\"|" \
  /etc/pos-connect/relay.toml
install -m 600 /dev/null /etc/default/pos-connect-relay
echo "POS_CONNECT_CLIENT_SECRET=$(member clientSecret /run/vendor)" > /etc/default/pos-connect-relay
serve pos-connect-relay 8090
as pos-connect-relay till add --merchant bakery --name Counter --config /etc/pos-connect/relay.toml > /run/till
key=$(member key /run/till)
creates
until journalctl --unit pos-connect-relay --no-pager | grep -q "takes the client secret"; do sleep 0.2; done

say "look for the files of the manual"
for name in pos-connect-service pos-connect-relay; do
  for page in $name $name-serve; do
    zcat /usr/share/man/man1/$page.1.gz | sed -n 's/^\\fI\(\/.*\)\\fR$/\1/p' | tr -d '\\' > /run/files
    test "$(wc -l < /run/files)" = 4
    # The service has no secret yet.
    grep -v /etc/default/pos-connect-service /run/files | xargs ls > /run/quiet
  done
done

say "look at what the units take away"
for name in pos-connect-service pos-connect-relay; do
  quiet systemd-analyze verify --man=no $name.service $name-listen.socket
  hardened $name
done

say "weaken the service's unit, and see that each change is seen"
override=/run/systemd/system/pos-connect-service.service.d
mkdir -p $override
for setting in CapabilityBoundingSet=CAP_CHOWN LimitCORE=infinity ProtectSystem=no; do
  printf '[Service]\n%s\n' $setting > $override/weak.conf
  restart_service
  not hardened pos-connect-service > /run/weak 2>&1 || { cat /run/weak; echo "not seen: $setting"; exit 1; }
done
rm -r $override
restart_service
hardened pos-connect-service

say "kill both, and wait until systemd has started them again"
for name in pos-connect-service pos-connect-relay; do
  before=$(process $name)
  kill -9 "$before"
  while id=$(process $name); test "$id" = "$before" || test "$id" = 0; do sleep 0.2; done
done
ready 8080
ready 8090
creates

say "upgrade: the running programs are new ones, the settings the operator's, and no call fails"
before="$(process pos-connect-service) $(process pos-connect-relay)"
settings=$(cksum /etc/pos-connect/*.toml)
touch /run/calling
calls 8080 &
calls 8090 &
until test -e /run/answered-8080 && test -e /run/answered-8090; do sleep 0.2; done
install_all /srv/dist/upgrade/*.deb
ready 8080
ready 8090
rm /run/calling
wait
not test -e /run/failed
for id in $before; do not test -d "/proc/$id"; done
test "$(cksum /etc/pos-connect/*.toml)" = "$settings"
creates

say "remove: nothing runs, the data stays"
quiet apt-get -qq -y remove pos-connect-service pos-connect-relay
for name in pos-connect-service pos-connect-relay; do
  not systemctl --quiet is-active $name $name-listen.socket
  not test -e /usr/bin/$name
  test -e /var/lib/$name
done
install_all /srv/dist/*.deb
serve pos-connect-service 8080
serve pos-connect-relay 8090
creates

say "purge: nothing stays"
quiet apt-get -qq -y purge pos-connect-service pos-connect-relay
for name in pos-connect-service pos-connect-relay; do
  not systemctl --quiet is-active $name
  for path in /usr/bin/$name /var/lib/$name /etc/default/$name /etc/pos-connect \
    /etc/systemd/system/multi-user.target.wants/$name.service; do
    not test -e $path
    not test -L $path
  done
done
