import { isIP } from 'node:net';
import { z } from 'zod';
import { ROLES } from '../../accounts/index.ts';
import { parseDuration } from '../../base/index.ts';
import { backgroundSetting } from './background.ts';
import { backupSettings } from './backup.ts';
import { database } from './database.ts';
import { callSettings } from './calls.ts';
import { clusterSettings } from './cluster.ts';
import { endOfLifeSettings } from './end-of-life.ts';
import { evidenceSettings } from './evidence.ts';
import { integrationSettings, runtimeSettings } from './runtime.ts';
import { kevSettings } from './kev.ts';
import { licenceSettings } from './licence.ts';
import {
  callerSettings,
  certificateSettings,
  excludedNamespacesSetting,
  namespaceSelectorSetting,
  failurePolicySetting,
  nodeSettings,
  reconcileSettings,
} from './operator.ts';
import { outboundSettings } from './outbound.ts';
import { registrySettings } from './registries.ts';
import { scannerSettings } from './scanner.ts';
import { sigstoreSettings } from './sigstore.ts';
import { trackerSettings } from './trackers.ts';
import { vexSettings } from './vex.ts';
import { path, secret, whole } from './parts.ts';

/** Settings of a running service; `settingsSchema` has each with what it means. */
export type Settings = z.output<typeof settingsSchema>;

/** `env` names the variable of the environment where it is not the usual one. */
/** A Go duration between two bounds; milliseconds come out. */
const duration = (min: string, max: string, description: string) =>
  z
    .string()
    .refine((text) => parseDuration(text) !== null, { error: 'must be a duration such as 60s or 2h30m' })
    .refine((text) => within(text, min, max), { error: `must be between ${min} and ${max}` })
    .meta({ description, format: `duration, ${min} to ${max}` })
    .transform((text) => parseDuration(text) ?? 0);

function within(text: string, min: string, max: string): boolean {
  const [value, least, most] = [text, min, max].map(parseDuration);
  return value === null || value === undefined || (value >= (least ?? 0) && value <= (most ?? Infinity));
}

const webAddress = (description: string) =>
  z
    .string()
    .refine((text) => isWebAddress(text), { error: 'must be an address such as https://ipo.example.com' })
    .meta({ description, format: 'address' });

function isWebAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, search, hash } = new URL(text);
  return /^https?:$/.test(protocol) && username === '' && password === '' && search === '' && hash === '';
}

/** LISTEN_FORM says how an address to listen on is written. */
export const LISTEN_FORM = 'HOST:PORT, such as 127.0.0.1:8080 or [::]:8080';

const listen = z
  .string()
  .refine((text) => parseListen(text) !== null, {
    error: `must be ${LISTEN_FORM}`,
  })
  .meta({ description: 'Where the service listens. Port 0 takes a free one', format: 'HOST:PORT' });

/** parseListen reads `HOST:PORT`, an address of IPv6 in brackets; null when it is none. */
export function parseListen(text: string): { readonly host: string; readonly port: number } | null {
  const [, six, four, digits = ''] = /^(?:\[([^\]]+)\]|([^:[\]\s]+)):(\d{1,5})$/.exec(text) ?? [];
  const host = six ?? four;
  const port = Number(digits);
  if (host === undefined || port > 65_535 || (six !== undefined && isIP(six) !== 6)) return null;
  return { host, port };
}

const network = z
  .string()
  .refine((text) => isNetwork(text), { error: 'must be an IP address, or a network such as 10.0.0.0/8' });

function isNetwork(text: string): boolean {
  const [address = '', bits, ...more] = text.split('/');
  const version = isIP(address);
  if (version === 0 || more.length > 0) return false;
  return (
    bits === undefined ||
    (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128) && bits !== '0')
  );
}

/** The origin of a log as C2SP has it: a name without white space or a plus. */
const origin = z
  .string()
  .regex(/^[^\s+]{1,255}$/, { error: 'must have no white space and no +, and at most 255 characters' })
  .meta({
    description:
      'Name of the log in its checkpoints. It cannot be changed once a checkpoint is signed. Unset: `ipo.dev/ledger/` and the id of the installation',
  });

/** settingsSchema is every setting of the service, strict: what it does not know is refused. */
export const settingsSchema = z.strictObject({
  data: path(
    'Directory of the service: the database unless `database.url` names one, the key of the ledger and the spool. Made if it is not there',
  ).optional(),
  database,
  listen: listen.default('127.0.0.1:8080'),
  publicUrl: webAddress(
    'Address by which people and programs reach the service. Needed behind a proxy, for single sign-on and for browsers; unset: where it listens',
  ).optional(),
  tls: z
    .strictObject({
      certFile: path(
        'PEM file with the certificate and those between it and the authority. Read again when it changes',
      ),
      keyFile: path('PEM file with the private key. Read again when it changes'),
    })
    .optional(),
  trustedProxies: z
    .array(network)
    .max(100)
    .default([])
    .meta({ description: 'Proxies whose X-Forwarded-For is believed, as addresses and networks' }),
  clusterName: z
    .string()
    .min(1)
    .max(253)
    .meta({ description: 'Name of the cluster, as rows and exports of the ledger carry it' })
    .optional(),
  webhook: z
    .strictObject({
      listen: listen
        .meta({
          description: 'Where the webhook listens, by HTTPS; unset: there is none',
          format: 'HOST:PORT',
        })
        .optional(),
      failurePolicy: failurePolicySetting,
      excludedNamespaces: excludedNamespacesSetting,
      namespaceSelector: namespaceSelectorSetting,
      certificates: certificateSettings,
      callers: callerSettings,
      coldImagePolicy: z.enum(['AllowAndScan', 'DenyUntilScanned']).default('AllowAndScan').meta({
        description: 'Decision on images without a scan record, for policies without `admissionTiming`',
      }),
    })
    .prefault({}),
  backgroundPriority: backgroundSetting,
  ledger: z
    .strictObject({
      origin: origin.optional(),
      keyFile: path(
        'PEM file with the Ed25519 key that signs checkpoints, mode 0600. Unset: `ledger-key.pem` in `data`. Made with the first start; one that is missing later is an error',
      ).optional(),
      checkpointInterval: duration(
        '1s',
        '1h',
        'How often a ledger that has grown gets a checkpoint',
      ).prefault('60s'),
      anchors: z
        .array(
          z.discriminatedUnion('kind', [
            z.strictObject({
              kind: z.literal('file'),
              path: z.string().min(1).max(4096),
              keep: z.enum(['all', 'newest']).default('all'),
            }),
            z
              .strictObject({
                kind: z.literal('http'),
                url: webAddress('Where it is sent'),
                token: secret('Sent as bearer').optional(),
                tokenFile: z.string().min(1).max(4096).optional(),
                caFile: z.string().min(1).max(4096).optional(),
              })
              .refine(({ token, tokenFile }) => token === undefined || tokenFile === undefined, {
                error: 'token and tokenFile are both set; keep one of them',
              }),
            z.strictObject({
              kind: z.literal('configMap'),
              name: z.string().min(1).max(253),
              namespace: z.string().min(1).max(63).optional(),
            }),
          ]),
        )
        .max(10)
        .default([])
        .meta({
          description:
            'Where checkpoints are stored outside the database: `{kind: file, path}` appends each to a file (`keep: newest` keeps only the newest); `{kind: http, url, token or tokenFile, caFile}` sends each with POST; `{kind: configMap, name, namespace}` stores the newest in a ConfigMap of the cluster that the service runs in',
        }),
      spool: z
        .strictObject({
          directory: path(
            'Directory that takes rows while the database does not. Unset: `spool` in `data`',
          ).optional(),
          maxRows: whole(1, 10_000, 'Rows that it takes at most').default(10_000),
          maxBytes: whole(65_536, 67_108_864, 'Bytes that it takes at most').default(67_108_864),
        })
        .prefault({}),
    })
    .prefault({}),
  oidc: z
    .strictObject({
      issuer: webAddress('Address of the identity provider'),
      clientId: z.string().min(1).max(255).meta({ description: 'Name of this service at the provider' }),
      clientSecret: secret('Secret of this service at the provider').optional(),
      scopes: z
        .array(z.string().regex(/^[!#-[\]-~]{1,100}$/))
        .max(20)
        .default(['openid', 'email', 'profile'])
        .meta({ description: 'What is asked of the provider' }),
      trustEmail: z
        .boolean()
        .default(false)
        .meta({ description: 'Takes e-mail addresses as verified although the provider does not say so' }),
      roles: z
        .strictObject({
          claim: z
            .string()
            .min(1)
            .max(255)
            .meta({ description: 'Claim that decides the role, such as `groups`; a dot goes into objects' })
            .optional(),
          values: z.record(z.string().max(255), z.enum(ROLES)).default({}).meta({
            description:
              'Role by value of the claim, such as `{"platform-admins": "administrator"}`; the highest counts',
          }),
          standard: z
            .enum(ROLES)
            .meta({ description: 'Default role when no claim value matches; unset: they may not sign in' })
            .optional(),
        })
        .prefault({}),
    })
    .optional(),
  admin: z
    .strictObject({
      email: z.string().min(3).max(254).meta({ description: 'E-mail address of the first administrator' }),
      password: secret(
        'Password of the first administrator, from 12 characters; used when no administrator can sign in',
      ),
    })
    .optional(),
  dataKey: secret(
    'Key of the installation, base64 of 32 random bytes (`openssl rand -base64 32`), under which credentials of trackers are sealed. Without it no tracker channel can be saved, and no issue is opened or closed',
    'DATA_KEY',
  ).optional(),
  outbound: outboundSettings,
  trackers: trackerSettings,
  cluster: clusterSettings.optional(),
  reconcile: reconcileSettings,
  nodes: nodeSettings,
  licence: licenceSettings,
  calls: callSettings,
  evidence: evidenceSettings,
  runtime: runtimeSettings,
  integrations: integrationSettings,
  backup: backupSettings,
  kev: kevSettings,
  endOfLife: endOfLifeSettings,
  scanner: scannerSettings,
  registries: registrySettings,
  sigstore: sigstoreSettings,
  vex: vexSettings,
  whatif: z
    .strictObject({
      timeLimit: duration(
        '1s',
        '4m',
        'How long the answer of one replay may take, waiting included',
      ).prefault('120s'),
      memory: whole(128, 65_536, 'MiB that the process of the replays may take').default(512),
    })
    .prefault({}),
  log: z
    .strictObject({
      level: z.enum(['debug', 'info', 'warn', 'error']).default('info').meta({
        description:
          'Minimum log level. With `debug`, errors from outside (network, files, database) have a stack trace as well',
      }),
      format: z
        .enum(['json', 'pretty'])
        .default('json')
        .meta({ description: '`pretty` is for a person at a terminal' }),
    })
    .prefault({}),
});
