import { Readable } from 'node:stream';
import type { AccountNames, AuditLog, Principal } from '../../accounts/index.ts';
import { formatTime } from '../../base/index.ts';
import type { KeptPackage, KeyRecords, Packages } from '../../evidence/index.ts';
import {
  evidenceBody,
  keysQuery,
  keysSchema,
  onePackageSchema,
  packagePath,
  packagesSchema,
  type OnePackageBody,
  type PackageBody,
} from '../contract/evidence.ts';
import { pageSchema } from '../contract/paging.ts';
import { problemSchema } from '../contract/problem.ts';
import { openRecording } from '../recording.ts';
import { route, type Answered, type Route } from '../route.ts';

/** EvidenceParts are what the routes of evidence packages act through. */
export interface EvidenceParts {
  readonly packages: Packages;
  readonly keys: Pick<KeyRecords, 'list'>;
  readonly audit: AuditLog;
  readonly names: AccountNames;
  /** Runs an act whose writes commit together or not at all. */
  together<T>(act: () => Promise<T>): Promise<T>;
}

const PROBLEM = { schema: problemSchema, type: 'application/problem+json' } as const;
const ENDED: Answered = { ...PROBLEM, description: 'The package does not stand so that this could be done' };

/** evidenceRoutes ask for evidence packages, and give them out. A write and its audit entry are durable together before its answer. */
export function evidenceRoutes(parts: EvidenceParts): Route[] {
  return [
    create(parts),
    list(parts),
    publicKey(parts),
    show(parts),
    download(parts),
    cancel(parts),
    remove(parts),
  ];
}

async function bodyOf(kept: KeptPackage, { packages, names }: EvidenceParts): Promise<OnePackageBody> {
  return {
    ...toBody(kept, packages, await names([kept.accountId])),
    summary: kept.summary as OnePackageBody['summary'],
  };
}

function create(parts: EvidenceParts): Route {
  const { packages, audit, together } = parts;
  const record = openRecording(audit);
  return route({
    key: 'POST /evidence',
    id: 'createEvidence',
    tag: 'evidence',
    summary: 'Ask for an evidence package of a period',
    description:
      'The package is made in a process of its own, by any replica. `GET /evidence/{id}` tells how far it has come. A period has at most 400 days.',
    body: evidenceBody,
    answers: {
      202: {
        description: 'The package waits to be made',
        schema: onePackageSchema,
        headers: { Location: 'Path of the package' },
      },
      429: {
        ...PROBLEM,
        description: 'Too many packages are waiting',
        headers: { 'Retry-After': 'Seconds to wait' },
      },
    },
    handle: async (call) => {
      const { include_runtime_raw: includeRuntimeRaw, ...wish } = call.body;
      const asked = await together(async () => {
        const kept = await packages.ask(
          { ...wish, includeRuntimeRaw },
          (call.principal as Principal).accountId,
        );
        await record(call, 'evidence_create', kept.id, { ...requestOf(kept) });
        return kept;
      });
      return {
        status: 202,
        body: await bodyOf(asked, parts),
        headers: { location: `/api/v1/evidence/${asked.id}` },
      };
    },
  });
}

function list({ packages, names }: EvidenceParts): Route {
  return route({
    key: 'GET /evidence',
    id: 'listEvidence',
    tag: 'evidence',
    summary: 'List the evidence packages, newest first',
    query: pageSchema,
    answers: { 200: { description: 'The packages', schema: packagesSchema } },
    work: 'read',
    handle: async ({ query: { limit, offset } }) => {
      const { items, total } = await packages.list({ limit: limit ?? null, offset: offset ?? 0 });
      const shown = await names(items.map(({ accountId }) => accountId));
      return { body: { items: items.map((kept) => toBody(kept, packages, shown)), total } };
    },
  });
}

function publicKey({ keys }: EvidenceParts): Route {
  return route({
    key: 'GET /evidence/public-key',
    id: 'showEvidenceKeys',
    tag: 'evidence',
    summary: 'Show the public keys that have signed evidence packages',
    description: 'Packages print this address. Compare the key in a package with the ones here.',
    query: keysQuery,
    answers: {
      200: {
        description: 'The keys, the current one first',
        schema: keysSchema,
        otherTypes: ['application/x-pem-file'],
      },
    },
    handle: async ({ query }) => {
      const all = await keys.list();
      const current = all.find(({ until }) => until === null);
      if (query.format === 'pem') return { body: current?.pem ?? '', type: 'application/x-pem-file' };
      const listed = [...(current === undefined ? [] : [current]), ...all.filter((one) => one !== current)];
      return {
        body: {
          keys: listed.map(({ id, pem, from, until }) => ({
            id,
            pem,
            from: formatTime(from),
            to: until === null ? null : formatTime(until),
          })),
        },
      };
    },
  });
}

function show(parts: EvidenceParts): Route {
  const { packages } = parts;
  return route({
    key: 'GET /evidence/{id}',
    id: 'showEvidence',
    tag: 'evidence',
    summary: 'Show an evidence package: how far it has come, and what it comes to',
    params: packagePath,
    answers: { 200: { description: 'The package', schema: onePackageSchema } },
    handle: async ({ params }) => ({ body: await bodyOf(await packages.get(params.id), parts) }),
  });
}

function download({ packages, audit }: EvidenceParts): Route {
  const record = openRecording(audit);
  return route({
    key: 'GET /evidence/{id}/download',
    id: 'downloadEvidence',
    tag: 'evidence',
    summary: 'Download an evidence package',
    description: 'Each download is in the audit log.',
    params: packagePath,
    answers: {
      200: {
        description: 'The archive',
        type: 'application/zip',
        headers: {
          'Content-Disposition': 'Name of the file',
          'Repr-Digest': 'SHA-256 of the archive (RFC 9530)',
        },
      },
      409: ENDED,
    },
    work: 'export',
    handle: async (call) => {
      const { id, bytes, sha256, request } = await packages.done(call.params.id);
      await record(call, 'evidence_download', id, { bytes, sha256 });
      const name = `evidence-${dayOf(request.from)}-${dayOf(request.to)}-${id.slice(0, 6)}.zip`;
      return {
        stream: Readable.from(packages.pieces(id), { objectMode: false }),
        type: 'application/zip',
        headers: {
          'content-disposition': `attachment; filename="${name}"`,
          'repr-digest': `sha-256=:${Buffer.from(sha256, 'hex').toString('base64')}:`,
        },
      };
    },
  });
}

function cancel(parts: EvidenceParts): Route {
  const { packages, audit, together } = parts;
  const record = openRecording(audit);
  return route({
    key: 'POST /evidence/{id}/cancel',
    id: 'cancelEvidence',
    tag: 'evidence',
    summary: 'Cancel an evidence package that waits or is made',
    params: packagePath,
    answers: {
      200: { description: 'The package, which failed now', schema: onePackageSchema },
      409: ENDED,
    },
    handle: async (call) => {
      const { id } = call.params;
      await together(async () => {
        await packages.cancel(id);
        await record(call, 'evidence_cancel', id, {});
      });
      return { body: await bodyOf(await packages.get(id), parts) };
    },
  });
}

function remove({ packages, audit, together }: EvidenceParts): Route {
  const record = openRecording(audit);
  return route({
    key: 'DELETE /evidence/{id}',
    id: 'deleteEvidence',
    tag: 'evidence',
    summary: 'Delete an evidence package',
    params: packagePath,
    answers: { 204: { description: 'The package is gone' } },
    handle: async (call) => {
      await together(async () => {
        const { id, state, sha256 } = await packages.remove(call.params.id);
        await record(call, 'evidence_delete', id, { state, sha256 });
      });
      return { status: 204 };
    },
  });
}

function dayOf(at: number): string {
  return formatTime(at).slice(0, 10);
}

function requestOf({ request }: KeptPackage): PackageBody['request'] {
  const { from, to, frameworks, clusters, namespaces, includeRuntimeRaw } = request;
  return {
    from: formatTime(from),
    to: formatTime(to),
    frameworks: [...frameworks],
    clusters: [...clusters],
    namespaces: [...namespaces],
    include_runtime_raw: includeRuntimeRaw,
  };
}

function toBody(kept: KeptPackage, packages: Packages, names: ReadonlyMap<string, string>): PackageBody {
  const { id, state, progress, accountId, createdAt, startedAt, endedAt, error, bytes, sha256, summary } =
    kept;
  const until = packages.keptUntil(kept);
  return {
    id,
    state,
    progress,
    error,
    bytes,
    sha256,
    request: requestOf(kept),
    requested_by: `user:${accountId}`,
    requested_by_name: names.get(accountId) ?? null,
    created_at: formatTime(createdAt),
    started_at: startedAt === null ? null : formatTime(startedAt),
    ended_at: endedAt === null ? null : formatTime(endedAt),
    states: summary?.states ?? null,
    kept_until: until === null ? null : formatTime(until),
  };
}
