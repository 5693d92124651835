/** Entry is a variable or a file, what it is, and the flags of the commands that it matters to; none is every command. */
interface Entry {
  readonly name: string;
  readonly text: string;
  readonly flags: readonly string[];
}

/** `--registry` itself is also the address of a chart, which no command calls. */
const REGISTRIES = ['--registry-timeout', '--by-name'];
const NET = ['--server', '--token-stdin', ...REGISTRIES];

/** ENVIRONMENT lists the variables that commands read. */
const ENVIRONMENT: readonly Entry[] = [
  {
    name: 'IPO_SERVER',
    text: 'Address of the service. `--server` takes precedence.',
    flags: ['--server'],
  },
  {
    name: 'IPO_TOKEN',
    text: 'API token for the service. It takes precedence over the one that `ipo login` keeps.',
    flags: ['--server'],
  },
  {
    name: 'IPO_CA',
    text: "PEM file of the authority that signed the service's certificate. `--ca` takes precedence.",
    flags: ['--ca'],
  },
  {
    name: 'KUBECONFIG',
    text: 'Kubeconfig of the cluster to read. `--kubeconfig` takes precedence. If neither is set, `~/.kube/config` is read.',
    flags: ['--kubeconfig'],
  },
  {
    name: 'IPO_DATABASE',
    text: 'Address of the database: sqlite:PATH or postgres://USER@HOST:5432/NAME. Used by commands that always read a database, and if `--database` is given without an address.',
    flags: ['--database'],
  },
  {
    name: 'IPO_DATABASE_URL',
    text: 'Address of the database, in the variable that the service reads too. Used if `IPO_DATABASE` is not set.',
    flags: ['--database'],
  },
  {
    name: 'IPO_BACKUP_FROM',
    text: 'Address of the database that `ipo backup move` reads; it may contain a password.',
    flags: ['--lost-rows'],
  },
  {
    name: 'IPO_BACKUP_TO',
    text: 'Address of the empty database that `ipo backup move` writes; it may contain a password.',
    flags: ['--lost-rows'],
  },
  {
    name: 'IPO_BACKUP_PASSPHRASE',
    text: 'Passphrase of the keys in a backup.',
    flags: ['--with-keys', '--keys-to'],
  },
  {
    name: 'DATA_KEY',
    text: 'Key that encrypts the credentials of trackers. `ipo backup create --with-keys` includes it in the backup. `ipo backup verify` checks that it decrypts the credentials.',
    flags: ['--with-keys'],
  },
  {
    name: 'PGPASSWORD',
    text: 'Password of the PostgreSQL user, if the address has none.',
    flags: ['--database'],
  },
  {
    name: 'HTTPS_PROXY, HTTP_PROXY, NO_PROXY, https_proxy, http_proxy, no_proxy',
    text: 'Proxies, and the hosts that are called without one.',
    flags: NET,
  },
  {
    name: 'XDG_CONFIG_HOME, HOME',
    text: 'Directory of the session file; see FILES.',
    flags: ['--server'],
  },
  {
    name: 'IPO_TRACKERS_TEST_LOOPBACK',
    text: 'Set it to true to let the command reach a test tracker on this machine.',
    flags: ['--credential-stdin'],
  },
  {
    name: 'IPO_OUTBOUND_PROXY, IPO_OUTBOUND_NO_PROXY, IPO_OUTBOUND_CA_FILE',
    text: 'For tests of a connection to a tracker or mail server: the proxy, the hosts called without it, and a PEM file of additional certificate authorities.',
    flags: ['--credential-stdin'],
  },
  {
    name: 'DOCKER_CONFIG, REGISTRY_AUTH_FILE, XDG_RUNTIME_DIR',
    text: 'Files with the credentials for registries: *$DOCKER_CONFIG/config.json*, the file that `REGISTRY_AUTH_FILE` names, and *$XDG_RUNTIME_DIR/containers/auth.json*.',
    flags: REGISTRIES,
  },
  {
    name: 'XDG_CACHE_HOME',
    text: 'Cache directory (default: ~/.cache). The keys of Sigstore are in its subdirectory ipo/sigstore.',
    flags: REGISTRIES,
  },
  {
    name: 'XDG_DATA_HOME',
    text: 'Data directory (default: ~/.local/share). Without `--data`, `ipo serve` keeps the data of the service in its subdirectory ipo.',
    flags: ['--listen'],
  },
  {
    name: 'GITHUB_WORKSPACE, CI_PROJECT_DIR',
    text: 'Root of the checkout: paths in SARIF and annotations are relative to it.',
    flags: ['--fail-on', '--manifest'],
  },
  {
    name: 'NO_COLOR, TERM',
    text: 'Print without colour if `NO_COLOR` is not empty, or if `TERM` is dumb.',
    flags: [],
  },
  {
    name: 'NODE_OPTIONS',
    text: 'Options of Node.js. The standalone program adds memory limits to them while it makes, verifies, restores or moves a backup.',
    flags: ['--with-keys', '--lost-rows'],
  },
];

/** FILES lists the files that commands keep or read without being told. */
const FILES: readonly Entry[] = [
  {
    name: '$XDG_CONFIG_HOME/ipo/config.json',
    text: 'Sessions and tokens of `ipo login`, readable only by you. If XDG_CONFIG_HOME is not set: ~/.config/ipo/config.json.',
    flags: ['--server'],
  },
  {
    name: '$XDG_DATA_HOME/ipo/',
    text: 'The data of `ipo serve`, if `--data` is not given: the database, the spool and the key of the ledger. If XDG_DATA_HOME is not set: ~/.local/share/ipo.',
    flags: ['--listen'],
  },
  {
    name: '$DOCKER_CONFIG/config.json, ~/.docker/config.json',
    text: 'Credentials for registries, as docker login writes them.',
    flags: REGISTRIES,
  },
  {
    name: '$XDG_CACHE_HOME/ipo/sigstore/',
    text: 'Cached keys of Sigstore. It can be deleted at any time.',
    flags: REGISTRIES,
  },
];

/** environmentOf gives the variables that matter to commands with these flags. */
export function environmentOf(flags: ReadonlySet<string>): readonly (readonly [string, string])[] {
  return chosen(ENVIRONMENT, flags);
}

/** filesOf gives the files that matter to commands with these flags. */
export function filesOf(flags: ReadonlySet<string>): readonly (readonly [string, string])[] {
  return chosen(FILES, flags);
}

/** everyVariable gives all variables, for the page of the program itself. */
export function everyVariable(): readonly (readonly [string, string])[] {
  return ENVIRONMENT.map(({ name, text }) => [name, text]);
}

/** everyFile gives all files, for the page of the program itself. */
export function everyFile(): readonly (readonly [string, string])[] {
  return FILES.map(({ name, text }) => [name, text]);
}

function chosen(entries: readonly Entry[], flags: ReadonlySet<string>) {
  return entries
    .filter((entry) => entry.flags.length === 0 || entry.flags.some((flag) => flags.has(flag)))
    .map(({ name, text }) => [name, text] as const);
}
