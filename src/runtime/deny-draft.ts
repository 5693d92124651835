import { parseReference } from '../image/index.ts';

/** DenyDraft is an ImagePolicy document that denies one repository in one namespace, as a draft for a person. */
export interface DenyDraft {
  readonly apiVersion: 'ipo.dev/v1';
  readonly kind: 'ImagePolicy';
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly targetNamespaces: readonly string[];
    readonly enforcement: 'Audit';
    readonly severityThreshold: 'NONE';
    readonly allowedRegistries: readonly string[];
  };
}

/** Repositories that a draft names; a namespace with more runs them from few registries, which are named then. */
const MOST = 50;
/** Stands for no registry at all: by RFC 2606 nothing has this name. */
const NOTHING = 'nothing.invalid';

/**
 * denyDraft makes a policy that denies an image in a namespace and allows what else runs there: policies name what is allowed. `running` are
 * references of what runs in the namespace now. Null for an image that is not a reference.
 */
export function denyDraft(
  { namespace, image }: { readonly namespace: string; readonly image: string },
  running: readonly string[],
): DenyDraft | null {
  const denied = repositoryOf(image);
  if (denied === null) return null;
  const others = running.flatMap((one) => repositoryOf(one) ?? []).filter((one) => !covers(one, denied));
  const named = [...new Set(others)].toSorted();
  const hosts = [...new Set(named.map((one) => one.split('/', 1)[0] ?? one))];
  const allowed = named.length > MOST && hosts.every((one) => !covers(one, denied)) ? hosts : named;
  return {
    apiVersion: 'ipo.dev/v1',
    kind: 'ImagePolicy',
    metadata: { name: `deny-${lastOf(denied)}` },
    spec: {
      targetNamespaces: [namespace],
      enforcement: 'Audit',
      severityThreshold: 'NONE',
      allowedRegistries: allowed.length === 0 ? [NOTHING] : allowed.slice(0, 4 * MOST),
    },
  };
}

/** draftEffect says what a replay found that such a draft would have changed. */
export function draftEffect(
  { evaluated, wouldDeny }: { readonly evaluated: number; readonly wouldDeny: number },
  days: number,
): string {
  const admissions = evaluated === 1 ? '1 admission' : `${evaluated} admissions`;
  return `Of ${admissions} of the last ${days} days, it would deny ${wouldDeny} that were allowed.`;
}

function repositoryOf(image: string): string | null {
  const read = parseReference(image);
  return 'fault' in read ? null : read.name;
}

/** An entry of a list allows everything below it. */
function covers(entry: string, repository: string): boolean {
  return repository === entry || repository.startsWith(`${entry}/`);
}

function lastOf(repository: string): string {
  const name = (repository.split('/').at(-1) ?? '').replaceAll(/[^a-z0-9-]+/g, '-').slice(0, 50);
  return name.replaceAll(/^-+|-+$/g, '') || 'image';
}
