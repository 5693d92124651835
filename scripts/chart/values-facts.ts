import { z } from 'zod';
import { about, choice, duration, flag, group, name, text, whole } from './parts.ts';

/** factsValues are the values of what brings the facts of images in: scans, registries, signatures and statements. */
export const factsValues = {
  endOfLife: group('When the support of operating systems ends, where the scanner does not say it', {
    source: text(
      '`https://…`, a mirror in `existingConfigMap` as `file:///etc/end-of-life/<key>` (gzip allowed), or `off`',
      'https://endoflife.date/api/v1/products/full',
    ),
    existingConfigMap: name('ConfigMap with a mirror of it, mounted at /etc/end-of-life'),
  }),
  scanner: group(
    'Images without a scan are scanned, and those in use again when the vulnerability database moves',
    {
      kind: choice(['trivy', 'off'], 'trivy', '`off` takes only imported reports'),
      server: text(
        'Server of Trivy (`http://trivy.security.svc:4954`). Empty: each replica looks packages up itself, with a database on its volume',
      ),
      serverToken: group('The token for that server', {
        existingSecret: name('Secret with the key `token`; empty: none'),
      }),
      atOnce: whole(1, 16, 2, 'Scans that one replica makes at once'),
      timeout: duration('5m', 'How long one scan may take'),
      platform: text(
        'Platform of the images that are scanned of an index where no nodes are known; else those of the nodes count',
        'linux/amd64',
      ),
      memory: whole(128, 65_536, 512, 'MiB that one scan should keep within, within `resources`'),
      rescanAfter: duration('6h', 'How old a scan must be before a newer database has it made again'),
      databaseRepository: text(
        'Mirror of Trivy’s vulnerability database (`registry.example.com/trivy-db:2`); empty is Trivy’s own',
      ),
      javaDatabaseRepository: text('Mirror of Trivy’s index of Java archives, likewise'),
      update: flag('Downloads the databases every 6 hours', true),
      sizeLimit: text(
        'Size of the empty directory that the scanner works in: its databases, and layers while they are scanned',
        '10Gi',
      ),
      trivyOperator: flag(
        'Records the VulnerabilityReports of trivy-operator too, as they come and change',
        false,
      ),
    },
  ),
  registries: group('Registries are asked what tags stand for, and what is attached to images', {
    tags: choice(['resolve', 'ignore'], 'resolve', 'Whether the webhook asks what tags stand for'),
    proofs: choice(
      ['collect', 'ignore'],
      'collect',
      'Whether signatures, attestations, provenance and statements are read and verified',
    ),
    existingSecret: name('Secret of type kubernetes.io/dockerconfigjson with the credentials of the service'),
    podSecrets: flag(
      'Uses the pull secrets of pods too: the role then has `get` on Secrets, ServiceAccounts and pods of every namespace',
      false,
    ),
    caConfigMap: name(
      'ConfigMap with the key `ca.crt`: authorities of registries beside those of the system',
    ),
    hosts: z
      .array(
        z.strictObject({
          host: z.string().min(1),
          plainHttp: z.boolean().optional(),
          mirrors: z.array(z.string().min(1)).optional(),
          mirrorsOnly: z.boolean().optional(),
          tokenHosts: z.array(z.string().min(1)).optional(),
        }),
      )
      .default([])
      .meta(
        about(
          'Registries that are reached otherwise than by https: `host`, `plainHttp`, `mirrors`, `mirrorsOnly`, `tokenHosts`, as the setting `registries.hosts`',
        ),
      ),
  }),
  sigstore: group('The root by which keyless signatures are verified', {
    trustRoot: text(
      'A TUF repository as `https://…`, a `trusted_root.json` in `existingConfigMap` as `file:///etc/sigstore/<key>`, or `off`',
      'https://tuf-repo-cdn.sigstore.dev',
    ),
    existingConfigMap: name('ConfigMap with a trust root, mounted at /etc/sigstore'),
    keyedLog: choice(
      ['optional', 'required'],
      'optional',
      'Whether a signature by a key counts only where a transparency log has it too',
    ),
  }),
  vex: group('VEX documents beside those attached to images', {
    sources: z
      .array(z.strictObject({ document: z.string().min(1), bundle: z.string().min(1).optional() }))
      .default([])
      .meta(
        about(
          '`document` and the `bundle` that signs it, as `https://…` or `file:///etc/vex/<key>`; the bundle is `<document>.sigstore.json` unless said',
        ),
      ),
    existingConfigMap: name('ConfigMap with documents and bundles, mounted at /etc/vex'),
  }),
};
