#!/usr/bin/env bash
# kustomize 5.7.1 and kubernetes-validate 1.37.0 (the schemas of Kubernetes 1.37) into .cache/kubernetes-tools, for the suites that
# render infra/k8s. Nothing of them is used by the product. Does nothing when they are there.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

target=.cache/kubernetes-tools
[ -x "$target/bin/kustomize" ] && [ -x "$target/bin/kubernetes-validate" ] && exit 0
export PATH="$PATH:/usr/local/go/bin"
if ! command -v go >/dev/null; then
  echo 'There is no go here, which kustomize is built with: https://go.dev/doc/install' >&2
  exit 1
fi

mkdir -p .cache
draft=$(mktemp -d .cache/kubernetes-tools.XXXXXX)
trap 'rm -rf "$draft"' EXIT
attempts() { for attempt in 1 2 3; do "$@" && return; [ "$attempt" = 3 ] || sleep 3; done; return 1; }
attempts env GOBIN="$PWD/$draft/bin" go install sigs.k8s.io/kustomize/kustomize/v5@v5.7.1
attempts python3 -m pip install --quiet --disable-pip-version-check --root-user-action=ignore --no-deps --upgrade \
  --target "$draft/python" kubernetes-validate==1.37.0 \
  attrs==26.1.0 importlib_resources==7.1.0 jsonschema==4.26.0 jsonschema-specifications==2025.9.1 packaging==26.4 PyYAML==6.0.4 \
  referencing==0.37.0 rpds-py==2026.9.1 typing_extensions==4.16.0
cat >"$draft/bin/kubernetes-validate" <<'RUN'
#!/bin/sh
PYTHONPATH="$(dirname "$0")/../python" exec python3 -m kubernetes_validate "$@"
RUN
chmod +x "$draft/bin/kubernetes-validate"
rm -rf "$target"
mv "$draft" "$target"
trap - EXIT
