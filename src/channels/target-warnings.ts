import { webHost } from './base-url.ts';
import { isTracker, targetOf, type StoredChannel } from './channel.ts';
import { TRACKER_KINDS, trackerOf } from './kinds.ts';
import { isAllowedTarget } from './targets.ts';

/** Hosts where anyone can have a repository. */
const PUBLIC_HOSTS = TRACKER_KINDS.map((kind) => trackerOf(kind).routing?.publicHost);

/**
 * targetWarnings says, a sentence each, what a channel allows that its writer should know. Anyone who builds an image writes the label
 * that routes its issue: on a public host without narrow `allowedTargets` it can lead what is wrong with a private image to a stranger.
 */
export function targetWarnings(channel: StoredChannel): readonly string[] {
  if (!isTracker(channel) || !('allowedTargets' in channel.settings)) return [];
  const nested = trackerOf(channel.kind).routing?.nested === true;
  const host = webHost(channel)?.replace(/\.$/, '') ?? '';
  if (!PUBLIC_HOSTS.includes(host)) return [];
  const { allowedTargets } = channel.settings;
  const open = allowedTargets.filter((glob) => matchesStrangers(glob, nested));
  if (allowedTargets.length > 0 && open.length === 0) return [];
  const target = targetOf(channel);
  const fix = `set allowedTargets: [${target.includes('/') ? `${target.slice(0, target.lastIndexOf('/'))}/*` : 'your-group/**'}]`;
  const label = 'the label of an image can send its issues to';
  return [
    open.length === 0
      ? `${label} any repository of ${host}, since allowedTargets is empty; ${fix}`
      : `${label} repositories of strangers on ${host}, since allowedTargets has ${open.join(', ')}; ${fix}`,
  ];
}

/** Made-up owners, one for each letter and digit that a name can begin with. */
const STRANGERS = [...'abcdefghijklmnopqrstuvwxyz0123456789'].map((first) => `${first}-0${first}`);

/**
 * Tells by what it matches whether a glob leaves the owner open: the shortest path of a repository that it can match is tried with
 * made-up owners. A name with a `*` beside several letters of its own (`acme-*`) names a family of owners, and is taken at its word.
 */
function matchesStrangers(glob: string, nested: boolean): boolean {
  const [first = '', ...rest] = glob.replaceAll(/\*\*(?:\/\*\*)+/g, '**').split('/');
  if (!first.includes('*')) return false;
  const paths = [[], ['x']].map((many) =>
    rest.flatMap((step) => (step === '**' ? many : [step.replaceAll('*', 'x')])),
  );
  const behind = [...paths, ...(first === '**' ? [['x']] : [])].filter((steps) =>
    nested ? steps.length > 0 : steps.length === 1,
  );
  return behind.some((steps) =>
    STRANGERS.some((owner) => isAllowedTarget([glob], [owner, ...steps].join('/'))),
  );
}
