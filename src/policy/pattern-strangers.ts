import { openPattern } from './pattern.ts';
import { acceptsIssuer, type SignerName } from './signer.ts';
import { MadeNames, type MadeName } from './pattern-names.ts';
import { OutOfSteps, type Steps } from './pattern-program.ts';

/** LOOK_STEPS is how many steps the patterns of one policy may take to be looked into; beyond it only usual identities are tried. */
export const LOOK_STEPS = 1_000_000;

/** Stranger is somebody whom a pattern accepts, and nobody named. */
export interface Stranger {
  /** One identity or issuer that the pattern accepts. */
  readonly example: string;
  /** Whom it stands for: any repository of a host, owners whose names begin so or are made by it, any address, any issuer. */
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
  const made = lookForMade(text, steps);
  const publicHosts = Object.entries(PUBLIC_HOSTS).flatMap(([host, issuer]) =>
    acceptsIssuer(signer, issuer) ? [host] : [],
  );
  const hosts = distinct([...publicHosts, ...hostsIn(text)]);
  for (const host of hosts) {
    const need = needAt(host, wordsIn(text), made);
    if (need !== null) return need;
  }
  const example = made((names) => names.address(TOP_DOMAINS), {
    otherwise: TOP_DOMAINS.map((top) => `nobody@${MADE_UP[0]}.${top}`),
  });
  return example === null ? null : { example, need: 'addresses of domains that are not written in it' };
}

/** Whom a pattern accepts at a host beyond the owners that are written in it: as widely as can be said. */
function needAt(host: string, words: readonly string[], made: LookForMade): Stranger | null {
  const prefix = `https://${host}/`;
  const among = (begins: readonly string[]): string | null => {
    for (const name of begins) {
      const example = made((names) => names.owner(prefix, name), {
        usual: behindOwner,
        otherwise: name === '' ? [] : behindOwner(`${prefix}${name}-nobody`),
      });
      if (example !== null) return example;
    }
    return null;
  };
  const any = among(MADE_UP);
  if (any !== null) return { example: any, need: `any repository of ${host}` };
  for (const word of words) {
    const example = among(MADE_UP.flatMap((name) => [`${word}-${name}`, `${word}${name}`]));
    if (example !== null)
      return { example, need: `repositories of any owner at ${host} whose name begins with ${word}` };
  }
  const example = among(['']);
  return example === null
    ? null
    : { example, need: `repositories of owners at ${host} whose names are not written in it` };
}

/** Identities of an owner as they usually are. */
function behindOwner(owner: string): readonly string[] {
  return BEHIND_OWNER.flatMap((rest) => [`${owner}${rest}v1.2.3`, `${owner}${rest}main`]);
}

/** strangerIssuer finds an issuer that a pattern of issuers accepts although anybody can run it; null where none is found. */
export function strangerIssuer(text: string, steps: Steps): Stranger | null {
  const example = lookForMade(text, steps)((names) => names.issuer(TOP_DOMAINS), {
    otherwise: TOP_DOMAINS.map((top) => `https://${MADE_UP[0]}.${top}`),
  });
  return example === null ? null : { example, need: 'issuers of domains that are not written in it' };
}

/** Looks for a text with a name that nobody wrote; `otherwise` is tried where the pattern is too large to look into. */
type LookForMade = (
  find: (names: MadeNames) => MadeName | null,
  more: {
    readonly usual?: (beginning: string) => readonly string[];
    readonly otherwise?: readonly string[];
  },
) => string | null;

function lookForMade(text: string, steps: Steps): LookForMade {
  const pattern = openPattern(text);
  if (pattern === null) return () => null;
  let names: MadeNames | undefined;
  return (find, { usual = () => [], otherwise = [] }) => {
    try {
      const found = find((names ??= new MadeNames(text, steps)));
      if (found === null) return null;
      const texts = [...usual(found.beginning), found.text];
      return texts.find((one) => pattern.matches(one)) ?? null;
    } catch (error) {
      if (error instanceof OutOfSteps) return otherwise.find((one) => pattern.matches(one)) ?? null;
      throw error;
    }
  };
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

function wordsIn(text: string): readonly string[] {
  return distinct([...plain(text).matchAll(/(?<=\/|\(|\|)[a-z0-9][a-z0-9-]*/gi)].map(([word]) => word)).slice(
    0,
    8,
  );
}

function distinct(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}
