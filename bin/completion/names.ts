import { knowsService, withService } from '../service/client.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** Names that a service knows, by the command and the argument or flag that takes one. */
export type Names = ReadonlyMap<string, readonly string[]>;

/** Where names come from: a list of the service, and the field of its items that is the name. */
const LISTS = {
  policies: ['GET /policies', 'name'],
  runtimeRules: ['GET /runtime/rules', 'name'],
  runtimePolicies: ['GET /runtime/policies', 'name'],
  channels: ['GET /channels', 'name'],
  images: ['GET /images', 'image'],
  runs: ['GET /policies/whatif/runs', 'id'],
} as const;

/** What takes such a name. */
const TAKES: Readonly<Record<string, keyof typeof LISTS>> = {
  'policy get name': 'policies',
  'policy delete name': 'policies',
  'policy revisions name': 'policies',
  'policy whatif name': 'policies',
  'whatif --source': 'policies',
  'whatif list --policy': 'policies',
  'ledger list --policy': 'policies',
  'runtime rule show name': 'runtimeRules',
  'runtime rule edit name': 'runtimeRules',
  'runtime rule move name': 'runtimeRules',
  'runtime rule delete name': 'runtimeRules',
  'runtime rule add --before': 'runtimeRules',
  'runtime rule add --after': 'runtimeRules',
  'runtime rule move --before': 'runtimeRules',
  'runtime rule move --after': 'runtimeRules',
  'runtime events --rule': 'runtimeRules',
  'runtime policy show name': 'runtimePolicies',
  'runtime policy delete name': 'runtimePolicies',
  'tracking list --channel': 'channels',
  'tracker test channel': 'channels',
  'images show image': 'images',
  'images scan image': 'images',
  'triage add image': 'images',
  'whatif show run': 'runs',
  'whatif download run': 'runs',
};

/** How long a key press waits for a service, in milliseconds. */
const PATIENCE = 2000;
/** More than a person reads. */
const MOST = 200;

/**
 * namesFor asks the service that the user is signed in to for the names that could stand at the cursor. It asks for nothing where no name
 * could; a service that does not answer gives none.
 */
export async function namesFor(typed: readonly string[], terminal: Terminal): Promise<Names> {
  const taken = Object.entries(TAKES).filter(([place]) => mayTake(place, typed));
  const channel = typed[0] === 'channel' && typed.length > 2;
  const lists = new Set(taken.map(([, list]) => list));
  if (channel) lists.add('channels');
  if (lists.size === 0 || !knowsService(terminal)) return new Map();
  try {
    const known = new Map<string, readonly string[]>();
    for (const list of lists) known.set(list, await ask(list, terminal));
    const names = new Map(taken.map(([place, list]) => [place, known.get(list) ?? []]));
    // Every command of a channel takes one.
    if (channel) names.set(`channel ${typed[1]} channel`, known.get('channels') ?? []);
    return names;
  } catch {
    return new Map();
  }
}

function mayTake(place: string, typed: readonly string[]): boolean {
  const words = place.split(' ').slice(0, -1);
  return typed.length > words.length && words.every((word, at) => typed[at] === word);
}

async function ask(list: keyof typeof LISTS, terminal: Terminal): Promise<string[]> {
  const [route, field] = LISTS[list];
  const asked = withService(terminal, {}, (service) =>
    service.json<{ items: Record<string, unknown>[] }>(route),
  );
  const { body } = await Promise.race([
    asked,
    new Promise<never>((_, reject) => {
      setTimeout(() => reject(new Error('the service takes too long')), PATIENCE).unref();
    }),
  ]);
  return body.items
    .map((item) => item[field])
    .filter((name): name is string => typeof name === 'string' && /^[^\s\p{C}]+$/u.test(name))
    .slice(0, MOST);
}
