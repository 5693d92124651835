import { openPattern, type Pattern } from './pattern.ts';
import { acceptsIssuer, type SignerName } from './signer.ts';
import { completionOf, openProgram, OutOfSteps, type Program, type Steps } from './pattern-program.ts';

/** LOOK_STEPS is how many steps the patterns of one policy may take to be looked into; beyond it only usual identities are tried. */
export const LOOK_STEPS = 1_000_000;

/** Stranger is somebody whom a pattern accepts, and nobody named. */
export interface Stranger {
  /** One identity or issuer that the pattern accepts. */
  readonly example: string;
  /** Whom it stands for: any repository of a host, owners whose names begin so, any address, any issuer. */
  readonly need: string;
}

/** Hosts where anybody can make an owner and a repository, with the issuer of their identities. */
const PUBLIC_HOSTS: Readonly<Record<string, string>> = {
  'github.com': 'https://token.actions.githubusercontent.com',
  'gitlab.com': 'https://gitlab.com',
};

/** How names begin that nobody who writes a policy has in mind, of small and great letters and digits. */
const MADE_UP = ['qz', 'q7', 'QZ', '77'];
/** Where anybody can have a domain. */
const TOP_DOMAINS = ['example', 'com', 'io', 'net', 'org', 'dev'];

/** What stands behind an owner in the identities that build services give, up to the name of a branch or tag. */
const BEHIND_OWNER = [
  '/app/.github/workflows/release.yml@refs/tags/',
  '/app/.github/workflows/release.yml@refs/heads/',
  '/app//.gitlab-ci.yml@refs/heads/',
];

/**
 * strangerAmong finds an identity that a signer's pattern accepts although a stranger can have it; null where none is found. Repositories
 * of a public host count where the signer accepts the issuer of their identities.
 */
export function strangerAmong(signer: SignerName, steps: Steps): Stranger | null {
  const { identityRegExp: text = '' } = signer;
  const look = lookerOf(text, steps);
  const publicHosts = Object.entries(PUBLIC_HOSTS).flatMap(([host, issuer]) =>
    acceptsIssuer(signer, issuer) ? [host] : [],
  );
  const hosts = distinct([...publicHosts, ...hostsIn(text)]);
  for (const host of hosts) {
    const example = look(MADE_UP.flatMap((name) => repositories(host, name)));
    if (example !== null) return { example, need: `any repository of ${host}` };
  }
  for (const host of hosts)
    for (const word of wordsIn(text)) {
      const owners = MADE_UP.flatMap((name) => [`${word}-${name}`, `${word}${name}`]);
      const example = look(owners.flatMap((owner) => repositories(host, owner)));
      if (example !== null)
        return { example, need: `repositories of any owner at ${host} whose name begins with ${word}` };
    }
  const domains = ['', ...domainsIn(text).map((domain) => `${domain}.`)];
  const addresses = domains.flatMap((domain) =>
    MADE_UP.flatMap((name) => [`nobody@${domain}${name}`, `${name}@${domain}${name}`]),
  );
  const example = look(
    addresses.flatMap((address): Beginning[] => [
      [`${address}.example`, 'rest'],
      [address, 'rest'],
    ]),
  );
  return example === null ? null : { example, need: 'addresses of any domain' };
}

/** strangerIssuer finds an issuer that a pattern of issuers accepts although anybody can run it; null where none is found. */
export function strangerIssuer(text: string, steps: Steps): Stranger | null {
  const hosts = MADE_UP.flatMap((name) => [name, ...domainsIn(text).map((domain) => `${domain}.${name}`)]);
  const example = lookerOf(
    text,
    steps,
  )(TOP_DOMAINS.flatMap((top) => hosts.map((host): Beginning => [`https://${host}.${top}`, 'rest'])));
  return example === null ? null : { example, need: 'issuers of any domain' };
}

/** How a text begins, and whether that ends inside a name. */
type Beginning = readonly [text: string, within: 'name' | 'rest'];

/** The identities of an owner whose name begins so: as they usually are, else any that are under the owner. */
function repositories(host: string, owner: string): Beginning[] {
  return [
    ...BEHIND_OWNER.map((rest): Beginning => [`https://${host}/${owner}-nobody${rest}`, 'rest']),
    [`https://${host}/${owner}`, 'name'],
  ];
}

/** Looks for a text with one of some beginnings that matches. */
type Look = (beginnings: readonly Beginning[]) => string | null;

function lookerOf(text: string, steps: Steps): Look {
  const pattern = openPattern(text);
  if (pattern === null) return () => null;
  let program: Program | null | undefined;
  return (beginnings) => {
    const found = beginnings.flatMap(usually).find((one) => pattern.matches(one));
    if (found !== undefined) return found;
    try {
      program ??= openProgram(pattern, steps);
      return program === null ? null : firstCompletion(pattern, program, beginnings);
    } catch (error) {
      if (error instanceof OutOfSteps) return null;
      throw error;
    }
  };
}

/** How a text with this beginning usually ends: with a branch or tag, or as it stands. */
function usually([beginning, within]: Beginning): readonly string[] {
  if (within === 'name') return [];
  return beginning.endsWith('/') ? [`${beginning}v1.2.3`, `${beginning}main`] : [beginning];
}

function firstCompletion(
  pattern: Pattern,
  program: Program,
  beginnings: readonly Beginning[],
): string | null {
  for (const [beginning, within] of beginnings) {
    const text = completionOf(program, beginning, within);
    // What asserts more than is followed is asked again.
    if (text !== null && pattern.matches(text)) return text;
  }
  return null;
}

/** The pattern without what escapes characters that mean something to RE2, to find the names in it. */
function plain(text: string): string {
  return text.replaceAll(/\\([./:@-])/g, '$1');
}

function hostsIn(text: string): readonly string[] {
  return [...plain(text).matchAll(/https?:\/\/([a-z0-9-]+(?:\.[a-z0-9-]+)+(?::[0-9]+)?)\//gi)].map(
    ([, host = '']) => host,
  );
}

function domainsIn(text: string): readonly string[] {
  return distinct([...plain(text).matchAll(/[a-z0-9-]+(?:\.[a-z0-9-]+)+/gi)].map(([domain]) => domain)).slice(
    0,
    8,
  );
}

function wordsIn(text: string): readonly string[] {
  return distinct([...plain(text).matchAll(/(?<=\/|\(|\|)[a-z0-9][a-z0-9-]*/gi)].map(([word]) => word)).slice(
    0,
    8,
  );
}

function distinct(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}
