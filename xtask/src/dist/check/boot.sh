# Boots the system that this runs on as a container, with /srv/dist, and no network. It writes into memory: nothing
# stays. In a mount namespace of its own; $1 is the folder with the packages.
set -eu
mount -t tmpfs tmpfs /run
mkdir -p /run/box/upper /run/box/work /run/box/system
mount -t overlay overlay -o lowerdir=/,upperdir=/run/box/upper,workdir=/run/box/work /run/box/system
# Where a container's packages must not start services, this file says so.
rm -f /run/box/system/usr/sbin/policy-rc.d
exec systemd-nspawn --quiet --directory=/run/box/system --machine=pos-connect --private-network \
  --bind-ro="$1:/srv/dist" --register=no --keep-unit --console=pipe --boot
