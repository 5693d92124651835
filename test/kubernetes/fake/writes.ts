import { admitCustom } from './custom.ts';
import type { Seen } from './faults.ts';
import { apiVersionOf, BUILT_IN, type Kind, type Place } from './kinds.ts';
import type { Json, Kept, Meta, Objects } from './objects.ts';
import { applyPatch, jsonPatch, mergePatch, tookOver, type Owners } from './patches.ts';
import { StatusError } from './status-error.ts';
import { checkWebhookPaths } from './webhook-paths.ts';
import { askWebhooks, type Caller } from './webhooks.ts';

/** Written is the answer to a write. */
export interface Written {
  readonly status: number;
  readonly object: Json;
  readonly warnings: readonly string[];
}

const WEBHOOKS = BUILT_IN.find(({ plural }) => plural === 'validatingwebhookconfigurations') as Kind;
const SERVICES = BUILT_IN.find(({ plural }) => plural === 'services') as Kind;
const NAMESPACES = BUILT_IN.find(({ plural }) => plural === 'namespaces') as Kind;

/** Writes is the part of the fake API server that changes objects: admission, field ownership, subresources, preconditions. */
export class Writes {
  /** Schemas of the kinds that CustomResourceDefinitions brought. */
  readonly schemas = new Map<Kind, Json>();
  readonly #objects: Objects;
  readonly #now: () => number;
  readonly #owners = new Map<string, Owners>();

  constructor(objects: Objects, now: () => number) {
    this.#objects = objects;
    this.#now = now;
  }

  async take(place: Place, seen: Seen, contentType: string, caller: Caller): Promise<Written> {
    switch (seen.method) {
      case 'POST':
        return this.#create(place, seen, seen.body as Json, caller);
      case 'PUT':
        return this.#update(place, seen, caller, () => seen.body as Json);
      case 'PATCH':
        return this.#patch(place, seen, contentType, caller);
      case 'DELETE':
        return this.#remove(place, seen, caller);
      default:
        throw new StatusError(405, 'MethodNotAllowed', `no ${seen.method}`);
    }
  }

  async #create(place: Place, seen: Seen, value: Json, caller: Caller): Promise<Written> {
    const { kind, namespace } = place;
    this.#sameKind(kind, value);
    if (kind.namespaced && namespace === null)
      throw new StatusError(400, 'BadRequest', 'an empty namespace may not be set during creation');
    const { status: _, ...whole } = value;
    const fitting = this.#fit(kind, kind.hasStatus ? whole : value, seen);
    const dryRun = seen.query.get('dryRun') === 'All';
    const draft = this.#objects.draft(kind, namespace, fitting);
    const warnings = await this.#ask(place, 'CREATE', draft, null, dryRun, caller);
    if (dryRun) return { status: 201, object: draft, warnings };
    const made = this.#objects.add(kind, namespace, draft);
    const owners = this.#ownersOf(made);
    tookOver({}, made, managerOf(seen), owners);
    return { status: 201, object: this.#withManagers(kind, made, owners), warnings };
  }

  async #patch(place: Place, seen: Seen, contentType: string, caller: Caller): Promise<Written> {
    const { kind, namespace, name } = place;
    const patch = seen.body as Json;
    if (contentType.startsWith('application/apply-patch')) {
      if (!seen.query.has('fieldManager'))
        throw new StatusError(400, 'BadRequest', 'fieldManager is required for apply patch');
      this.#sameKind(kind, patch);
      const found = this.#objects.find(kind, namespace, name ?? '');
      if (found === null) {
        if (place.subresource !== null)
          throw new StatusError(404, 'NotFound', `${kind.plural} "${name}" not found`);
        const { resourceVersion, uid } = (patch['metadata'] ?? {}) as Partial<Meta>;
        if (resourceVersion !== undefined || uid !== undefined)
          throw new StatusError(
            409,
            'Conflict',
            `Operation cannot be fulfilled on ${kind.plural} "${name}": it is not there`,
          );
        return this.#create(
          place,
          seen,
          { ...patch, metadata: { ...(patch['metadata'] as Json), name } },
          caller,
        );
      }
      const fitting =
        place.subresource === 'status'
          ? { ...this.#fit(kind, { ...found, status: patch['status'] }, seen), metadata: patch['metadata'] }
          : this.#fit(kind, patch, seen);
      const part = place.subresource === 'status' ? { status: fitting['status'] } : fitting;
      const before = new Map([...this.#ownersOf(found)].map(([key, paths]) => [key, new Set(paths)]));
      const applied = applyPatch(found, part, managerOf(seen), seen.query.get('force') === 'true', before);
      const { resourceVersion = found.metadata.resourceVersion, uid = found.metadata.uid } = (patch[
        'metadata'
      ] ?? {}) as Partial<Meta>;
      const wanted = { ...applied, metadata: { ...(applied['metadata'] as Json), resourceVersion, uid } };
      return this.#update(place, seen, caller, () => wanted, before);
    }
    return this.#update(place, seen, caller, (before) => {
      if (contentType.startsWith('application/json-patch')) return jsonPatch(before, seen.body as Json[]);
      return mergePatch(before, patch) as Json;
    });
  }

  async #update(
    place: Place,
    seen: Seen,
    caller: Caller,
    change: (before: Kept) => Json,
    owners?: Owners,
  ): Promise<Written> {
    const { kind, namespace, name, subresource } = place;
    const before = this.#objects.get(kind, namespace, name ?? '');
    const asked = change(before);
    this.#sameKind(kind, asked);
    const whole = this.#part(kind, subresource, before, asked);
    const after = this.#fit(kind, whole, seen) as Kept;
    const dryRun = seen.query.get('dryRun') === 'All';
    const warnings =
      subresource === 'status' ? [] : await this.#ask(place, 'UPDATE', after, before, dryRun, caller);
    if (dryRun) return { status: 200, object: after, warnings };
    const kept = this.#objects.replace(kind, this.#objects.get(kind, namespace, name ?? ''), after);
    const held = owners ?? this.#ownersOf(before);
    if (owners === undefined) tookOver(before, kept, managerOf(seen), held);
    this.#owners.set(kept.metadata.uid, held);
    return { status: 200, object: this.#withManagers(kind, kept, held), warnings };
  }

  /** What a subresource lets through of a write. */
  #part(kind: Kind, subresource: string | null, before: Kept, asked: Json): Json {
    const meta = { ...(asked['metadata'] as Json) };
    if (subresource === 'status')
      return {
        ...before,
        metadata: { ...before.metadata, resourceVersion: meta['resourceVersion'], uid: meta['uid'] },
        status: asked['status'],
      };
    if (subresource === 'ephemeralcontainers') {
      const { ephemeralContainers } = asked['spec'] as Json;
      return { ...before, spec: { ...(before['spec'] as Json), ephemeralContainers } };
    }
    if (subresource !== null) throw new StatusError(404, 'NotFound', `no subresource ${subresource}`);
    if (!kind.hasStatus) return asked;
    const { status: _, ...rest } = asked;
    return before['status'] === undefined ? rest : { ...rest, status: before['status'] };
  }

  async #remove(place: Place, seen: Seen, caller: Caller): Promise<Written> {
    const { kind, namespace, name } = place;
    const object = this.#objects.get(kind, namespace, name ?? '');
    const { uid, resourceVersion } = ((seen.body as Json | null)?.['preconditions'] ?? {}) as Partial<Meta>;
    if (
      (uid !== undefined && uid !== object.metadata.uid) ||
      (resourceVersion !== undefined && resourceVersion !== object.metadata.resourceVersion)
    )
      throw new StatusError(409, 'Conflict', `Precondition failed on ${kind.plural} "${name}"`);
    await this.#ask(place, 'DELETE', null, object, false, caller);
    return { status: 200, object: this.#objects.remove(kind, object), warnings: [] };
  }

  #ask(
    place: Place,
    operation: 'CREATE' | 'UPDATE' | 'DELETE',
    object: Kept | null,
    before: Kept | null,
    dryRun: boolean,
    caller: Caller,
  ): Promise<string[]> {
    const labels = {
      'kubernetes.io/metadata.name': place.namespace ?? '',
      ...this.#objects.find(NAMESPACES, null, place.namespace ?? '')?.metadata.labels,
    };
    return askWebhooks(
      this.#objects.list(WEBHOOKS, null),
      { place, operation, object, before, dryRun, caller },
      labels,
      (namespace, name) => {
        const { externalName } = (this.#objects.find(SERVICES, namespace, name)?.['spec'] ?? {}) as {
          externalName?: string;
        };
        return externalName ?? null;
      },
    );
  }

  /** Holds an object to what the API server asks of its kind, a custom one to its schema; strict where the caller asks for that. */
  #fit(kind: Kind, value: Json, { query }: Seen): Json {
    if (kind === WEBHOOKS) checkWebhookPaths(value);
    const schema = this.schemas.get(kind);
    if (schema === undefined) return value;
    const { pruned, unknown } = admitCustom(value, schema, kind);
    if (unknown.length > 0 && query.get('fieldValidation') === 'Strict')
      throw new StatusError(
        400,
        'BadRequest',
        `${kind.kind} in version "${kind.version}" cannot be handled as a ${kind.kind}: strict decoding error: ${unknown.map((path) => `unknown field "${path}"`).join(', ')}`,
      );
    return pruned;
  }

  #sameKind(kind: Kind, { apiVersion, kind: name }: Json): void {
    if (apiVersion !== apiVersionOf(kind) || name !== kind.kind)
      throw new StatusError(
        400,
        'BadRequest',
        `the object is ${String(apiVersion)} ${String(name)}, the path names ${apiVersionOf(kind)} ${kind.kind}`,
      );
  }

  #ownersOf({ metadata }: Kept): Owners {
    let owners = this.#owners.get(metadata.uid);
    if (owners === undefined) this.#owners.set(metadata.uid, (owners = new Map()));
    return owners;
  }

  #withManagers(kind: Kind, object: Kept, owners: Owners): Kept {
    const time = new Date(this.#now()).toISOString().replace(/\.\d+Z$/, 'Z');
    const managedFields = [...owners].map(([manager, paths]) => ({
      manager,
      apiVersion: apiVersionOf(kind),
      time,
      fieldsType: 'FieldsV1',
      ...(manager.endsWith('-status') && { subresource: 'status' }),
      fieldsV1: Object.fromEntries([...paths].map((path) => [`f:${path.replaceAll('\u0000', '.')}`, {}])),
    }));
    return { ...object, metadata: { ...object.metadata, managedFields } };
  }
}

function managerOf({ query, agent }: Seen): string {
  return query.get('fieldManager') ?? agent?.split('/')[0] ?? 'unknown';
}
