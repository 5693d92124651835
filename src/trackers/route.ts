import { isAllowedTarget, targetOf, trackerOf, webHost, type TrackerChannel } from '../channels/index.ts';

/** RouteRefusal is why an image's label does not say where an issue goes. */
export type RouteRefusal = 'not_a_repository' | 'other_host' | 'not_allowed';

/** Routed says where an issue goes. */
export interface Routed {
  /** `owner/name`, a project's path or number, or a project's key. */
  readonly target: string;
  /** What decided: the label, or the channel's own repository or project. */
  readonly by: 'label' | 'default';
  /** Why a label that is there did not decide; null when it did, or when there is none. */
  readonly refused: RouteRefusal | null;
}

/** Where a label points, read as strictly as it can be. */
interface Pointed {
  /** Lower-case ASCII, with a port where one was written that is not the scheme's own. */
  readonly host: string;
  readonly overSsh: boolean;
  readonly steps: readonly string[];
}

const MAX_LABEL = 1000;

/**
 * routeIssue says where the issue of an image goes. "If the image's OCI config carries the label `org.opencontainers.image.source` and it
 * points to a repository on the channel's own host, the issue goes there. Otherwise it goes to the channel's default repository or
 * project." The builder of the image wrote that label, so anything odd in it counts as none, and `allowedTargets` narrows where it may
 * lead.
 */
export function routeIssue(channel: TrackerChannel, source: string | null): Routed {
  const { settings } = channel;
  const { routing } = trackerOf(channel.kind);
  const otherwise = (refused: RouteRefusal | null): Routed => ({
    target: targetOf(channel),
    by: 'default',
    refused,
  });
  if (routing === null || !('allowedTargets' in settings)) return otherwise(null);
  if (source === null || source.trim() === '') return otherwise(null);
  const pointed = readLabel(source.trim());
  if (pointed === null) return otherwise('not_a_repository');
  const own = webHost(channel);
  if (own === null || pointed.host !== (pointed.overSsh ? own.replace(/:\d+$/, '') : own))
    return otherwise('other_host');
  const steps = pointed.overSsh ? pointed.steps : belowRoot(pointed.steps, settings.apiBaseUrl);
  if (steps === null) return otherwise('other_host');
  const target = routing.toTarget(steps);
  if (target === null) return otherwise('not_a_repository');
  return isAllowedTarget(settings.allowedTargets, target)
    ? { target, by: 'label', refused: null }
    : otherwise('not_allowed');
}

/** An instance below a root of its own has its repositories there too. Null for a page beside it. */
function belowRoot(steps: readonly string[], apiBaseUrl: string): readonly string[] | null {
  const root = new URL(apiBaseUrl).pathname
    .replace(/\/api\/v[34]$/, '')
    .split('/')
    .filter((step) => step !== '');
  return root.every((step, at) => steps[at] === step) ? steps.slice(root.length) : null;
}

/** Reads a label; null where it names no repository, or does so in a way that another reader could take for another one. */
function readLabel(label: string): Pointed | null {
  if (label.length > MAX_LABEL || /[\s\\%\p{C}]/u.test(label)) return null;
  const [, ssh] = /^git@([^@:/]+:(?!\/).*)$/.exec(label) ?? [];
  if (ssh !== undefined) return toPointed(`ssh://git@${ssh.replace(':', '/')}`, label);
  return toPointed(label.replace(/^git\+(?=https?:|ssh:)/i, ''), label);
}

function toPointed(address: string, label: string): Pointed | null {
  const [, scheme = '', authority = '', behind = ''] =
    /^(https?|ssh):\/\/([^/?#]+)(\/[^?#]*)/i.exec(address) ?? [];
  const overSsh = scheme.toLowerCase() === 'ssh';
  // Letters beyond ASCII may occur only in the name of a host, where IDNA says which host is meant.
  if (scheme === '' || /[^!-~]/.test(label.replace(authority, ''))) return null;
  const written = overSsh ? authority.replace(/^git@/, '') : authority;
  if (written.includes('@') || written === '') return null;
  const host = toHost(written, overSsh ? null : scheme);
  const path = behind.replace(/^\/|\/$/g, '').split('/');
  return host === null || path.includes('') ? null : { host, overSsh, steps: path };
}

/** `scheme` is null for ssh, whose port of its own would be another server. */
function toHost(written: string, scheme: string | null): string | null {
  const text = `${scheme ?? 'https'}://${scheme === null ? written.replace(/:22$/, '') : written}`;
  if (!URL.canParse(text)) return null;
  const { host, hostname, port } = new URL(text);
  if (scheme === null && port !== '') return null;
  // A number in another base, or with parts left out, is some address and nobody's name for it.
  return /^[\d.]+$/.test(hostname) && !written.startsWith(hostname) ? null : host;
}
