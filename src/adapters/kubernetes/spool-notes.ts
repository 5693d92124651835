import type { Note, SpoolNotes } from '../../replicas/index.ts';
import type { KubernetesApi } from './api.ts';
import { pathOf, RESOURCES, type KubeObject } from './resources.ts';

/** Begins the key of each replica's annotation; its name follows. */
const PREFIX = 'ipo.dev/spool-';
/** Milliseconds: a replica that spools has other things to do. */
const TIMEOUT = 2_000;
/** 9999-12-31T23:59:59Z: a note whose time cannot be read counts as newer than anything. */
const LAST_MS = 253_402_300_799_000;

interface Annotated extends KubeObject {
  readonly metadata?: KubeObject['metadata'] & { readonly annotations?: Readonly<Record<string, string>> };
}

/**
 * spoolNotes keeps, on the Lease of a cluster, which replicas spool: an annotation for each. A merge patch touches that one key, so that
 * neither other replicas nor the leader, which replaces the Lease against the version that it saw, can lose it.
 */
export function spoolNotes(api: KubernetesApi, namespace: string, lease: string): SpoolNotes {
  const path = pathOf(RESOURCES.leases, { namespace, name: lease });
  const what = `the Lease ${namespace}/${lease}`;
  return {
    async write(name, since) {
      const value = since === null ? null : new Date(since).toISOString();
      const body = { metadata: { annotations: { [PREFIX + name]: value } } };
      const call = { method: 'PATCH', patch: 'merge', path, body, what, timeoutMs: TIMEOUT } as const;
      // Without a Lease there is no note either.
      await (since === null ? api.find(call) : api.call(call));
    },
    async read() {
      const found = await api.find<Annotated>({ method: 'GET', path, what, timeoutMs: TIMEOUT });
      return Object.entries(found?.metadata?.annotations ?? {}).flatMap(([key, value]): Note[] => {
        if (!key.startsWith(PREFIX)) return [];
        const since = Date.parse(value);
        return [{ name: key.slice(PREFIX.length), since: Number.isNaN(since) ? LAST_MS : since }];
      });
    },
  };
}
