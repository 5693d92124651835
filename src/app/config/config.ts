import { isIpoError, nearest, parseStrictJson } from '../../base/index.ts';
import { readBounded } from '../../adapters/files/index.ts';
import { ConfigError, type ConfigProblem } from './error.ts';
import { Places, toProblems } from './problems.ts';
import { put, take, valueAt, type Tree } from './tree.ts';
import { parseConfigText, readConfigText, type ConfigFile } from './file.ts';
import { checkTogether } from './rules.ts';
import { listSettings, type Setting } from './list.ts';
import { settingsSchema, type Settings } from './settings.ts';

/** ConfigSources are where settings come from; a flag takes precedence over the environment, which takes precedence over the file. */
export interface ConfigSources {
  /** Its name, or also its text where that was read before; null for none. */
  readonly file: string | { readonly name: string; readonly text: string } | null;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** By the path of the setting; `flag` names it in messages. */
  readonly flags?: readonly { readonly path: string; readonly flag: string; readonly value: string }[];
  /** What holds where nothing else is said, before the defaults of the settings themselves. */
  readonly standards?: readonly { readonly path: string; readonly value: string }[];
}

/** Config is a checked configuration, with what is worth a warning in the log. */
export interface Config {
  readonly settings: Settings;
  readonly warnings: readonly string[];
}

/** What the environment has under our prefix for other programs of ours. */
const OTHERS = new Set([
  'IPO_SERVER',
  'IPO_TOKEN',
  'IPO_CA',
  'IPO_DATABASE',
  'IPO_BACKUP_PASSPHRASE',
  'IPO_BACKUP_FROM',
  'IPO_BACKUP_TO',
]);

/**
 * loadConfig reads and checks the whole configuration. Throws ConfigError with everything that is wrong and where it stands,
 * and FileError for a file that cannot be read. Values are never repeated in messages, since they may be secrets.
 */
export async function loadConfig(sources: ConfigSources): Promise<Config> {
  const list = listSettings();
  const file = sources.file === null ? null : await readFile(sources.file);
  const problems: ConfigProblem[] = [];
  const value = structuredClone(file?.value ?? {}) as Tree;
  for (const { path, value: standard } of sources.standards ?? []) {
    if (valueAt(value, path) === undefined) put(value, path, standard);
  }
  const origins = new Map<string, string>();
  await takeSecretFiles(value, list, file, problems);
  await takeEnvironment(value, list, sources.env, origins, problems);
  for (const { path, flag, value: given } of sources.flags ?? []) {
    put(value, path, given);
    origins.set(path, flag);
  }
  const parsed = settingsSchema.safeParse(value, { reportInput: true });
  const placed = new Places(file, origins);
  if (!parsed.success) problems.push(...parsed.error.issues.flatMap((issue) => toProblems(issue, placed)));
  else
    problems.push(
      ...checkTogether(parsed.data).map((fault) => ({ ...placed.of(fault.path.split('.')), ...fault })),
    );
  const [first, ...rest] = problems;
  if (first !== undefined) throw new ConfigError([first, ...rest]);
  return { settings: parsed.data as Settings, warnings: strangers(sources.env, list) };
}

async function readFile(file: NonNullable<ConfigSources['file']>): Promise<ConfigFile> {
  return typeof file === 'string'
    ? parseConfigText(file, await readConfigText(file))
    : parseConfigText(file.name, file.text);
}

/** A secret may stand in a file of its own: `clientSecretFile: /run/secrets/oidc` in place of `clientSecret`. */
async function takeSecretFiles(
  value: Tree,
  list: readonly Setting[],
  file: ConfigFile | null,
  problems: ConfigProblem[],
): Promise<void> {
  for (const { path } of list.filter(({ isSecret }) => isSecret)) {
    const named = take(value, `${path}File`);
    if (named === undefined) continue;
    const place = {
      file: file?.name ?? 'configuration',
      ...file?.placeOf(`${path}File`.split('.')),
      path: `${path}File`,
    };
    if (valueAt(value, path) !== undefined) {
      problems.push({ ...place, message: `${path} and ${path}File are both set`, hint: 'Keep one of them' });
    } else await putSecret(value, path, named, place, problems);
  }
}

async function takeEnvironment(
  value: Tree,
  list: readonly Setting[],
  env: ConfigSources['env'],
  origins: Map<string, string>,
  problems: ConfigProblem[],
): Promise<void> {
  for (const setting of list) {
    const { env: name, path, isSecret } = setting;
    const text = given(env[name]);
    const inFile = isSecret ? given(env[`${name}_FILE`]) : undefined;
    if (text !== undefined && inFile !== undefined) {
      problems.push({ file: `${name}_FILE`, path, message: `${name} is set too`, hint: 'Keep one of them' });
    } else if (inFile !== undefined) {
      origins.set(path, `${name}_FILE`);
      await putSecret(value, path, inFile, { file: `${name}_FILE`, path }, problems);
    } else if (text !== undefined) {
      origins.set(path, name);
      const read = fromText(setting, text);
      if (read === undefined)
        problems.push({ file: name, path, message: `is not ${SAID[setting.kind]}`, hint: null });
      else put(value, path, read);
    }
  }
}

const SAID = {
  text: 'a text',
  number: 'a number',
  boolean: 'true or false',
  texts: 'a list',
  json: 'valid JSON',
} as const;

const BOOLEANS = new Map([
  ['true', true],
  ['false', false],
]);

function fromText({ kind }: Setting, text: string): unknown {
  if (kind === 'number') return /^-?\d{1,15}(\.\d+)?$/.test(text) ? Number(text) : undefined;
  if (kind === 'boolean') return BOOLEANS.get(text);
  if (kind === 'texts')
    return text
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== '');
  if (kind !== 'json') return text;
  try {
    return parseStrictJson(text);
  } catch {
    return undefined;
  }
}

async function putSecret(
  value: Tree,
  path: string,
  named: unknown,
  place: Pick<ConfigProblem, 'file' | 'line' | 'column' | 'path'>,
  problems: ConfigProblem[],
): Promise<void> {
  try {
    if (typeof named !== 'string' || named === '') throw new TypeError('must be the path of a file');
    const text = (await readBounded(named, 65_536)).replace(/\r?\n$/, '');
    put(value, path, text);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    problems.push({ ...place, message, hint: isIpoError(error) ? (error.hint ?? null) : null });
  }
}

/** An empty variable counts as one that is not set. */
function given(text: string | undefined): string | undefined {
  return text === undefined || text === '' ? undefined : text;
}

/**
 * Variables under our prefix that are close to a setting are most likely mistyped. They are not an error: a cluster sets variables such as
 * IPO_SERVICE_HOST by itself.
 */
function strangers(env: ConfigSources['env'], list: readonly Setting[]): string[] {
  const known = new Set(
    list.flatMap(({ env: name, isSecret }) => (isSecret ? [name, `${name}_FILE`] : [name])),
  );
  return Object.keys(env).flatMap((name) => {
    if (!name.startsWith('IPO_') || known.has(name) || OTHERS.has(name)) return [];
    const meant = nearest(name, known);
    return meant === null ? [] : [`${name} is not a setting; ${meant} is one`];
  });
}
