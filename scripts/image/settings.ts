import { USER } from './base.ts';

/** How a container of the image runs, as the `config` of an OCI image configuration. */
export const SETTINGS = {
  User: `${USER}:${USER}`,
  WorkingDir: '/app',
  // SQLite sorts in TMPDIR what is too large for memory; the rest of the file system may be read-only.
  Env: [
    'PATH=/usr/local/bin:/usr/bin',
    'NODE_ENV=production',
    'IPO_DATA=/var/lib/ipo',
    'IPO_LISTEN=0.0.0.0:8080',
    // A container has its processors' turns for itself.
    'IPO_BACKGROUND_PRIORITY=idle',
    'TMPDIR=/var/lib/ipo',
    'SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt',
  ],
  // V8 otherwise takes 100 MB and more under load, for nothing: its young generation, and garbage that it lets grow.
  Entrypoint: [
    '/usr/local/bin/node',
    '--max-semi-space-size=16',
    '--heap-growing-percent=40',
    '/app/daemon/ipod.cjs',
  ],
  ExposedPorts: { '8080/tcp': {}, '8443/tcp': {} },
  Volumes: { '/var/lib/ipo': {} },
  StopSignal: 'SIGTERM',
} as const;
