import type { z } from 'zod';
import { fieldSentence, nearest } from '../../base/index.ts';
import type { ConfigProblem } from './error.ts';
import type { ConfigFile } from './file.ts';
import { listSettings } from './list.ts';

/** Places tells where a setting was given: a place in the file, else the variable or flag that said it. */
export class Places {
  readonly #file: ConfigFile | null;
  readonly #origins: ReadonlyMap<string, string>;

  constructor(file: ConfigFile | null, origins: ReadonlyMap<string, string>) {
    this.#file = file;
    this.#origins = origins;
  }

  of(steps: readonly PropertyKey[]): Pick<ConfigProblem, 'file' | 'line' | 'column'> {
    for (let length = steps.length; length > 0; length -= 1) {
      const origin = this.#origins.get(steps.slice(0, length).join('.'));
      if (origin !== undefined) return { file: origin };
    }
    return { file: this.#file?.name ?? 'configuration', ...this.#file?.placeOf(steps) };
  }
}

/** toProblems says in our words what the schema found wrong, and where it stands. No value is repeated. */
export function toProblems(issue: z.core.$ZodIssue, places: Places): ConfigProblem[] {
  const path = issue.path.join('.');
  if (issue.code === 'unrecognized_keys') {
    const known = namesUnder(path);
    return issue.keys.map((key) => {
      const whole = path === '' ? key : `${path}.${key}`;
      const meant = nearest(key, known);
      return {
        ...places.of([...issue.path, key]),
        path: whole,
        message: `unknown setting ${JSON.stringify(whole)}`,
        hint: meant === null ? null : `Did you mean ${path === '' ? meant : `${path}.${meant}`}?`,
      };
    });
  }
  const message = issue.input === undefined && issue.code === 'invalid_type' ? 'is needed' : said(issue);
  const place = places.of(issue.path);
  // A flag has the name of its setting, which need not be said twice.
  const sentence = place.file === `--${path}` ? message : fieldSentence({ path, message });
  return [{ ...place, path, message: sentence, hint: null }];
}

function said(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type')
    return `must be ${SAID_TYPES[issue.expected] ?? `of the type ${issue.expected}`}`;
  if (issue.code === 'invalid_value') return `must be one of ${issue.values.map(String).join(', ')}`;
  if (issue.code === 'invalid_union' && 'options' in issue && Array.isArray(issue.options))
    return `must be one of ${issue.options.map(String).join(', ')}`;
  if (issue.code === 'too_small' && issue.origin === 'string') return 'must not be empty';
  return issue.message;
}

const SAID_TYPES: Readonly<Record<string, string>> = {
  string: 'a text (put it in quotes)',
  object: 'a list of settings below it',
  array: 'a list',
  boolean: 'true or false',
  record: 'names with their values',
};

/** Names of the settings directly under a path. */
function namesUnder(path: string): string[] {
  const prefix = path === '' ? '' : `${path}.`;
  const under = listSettings().filter((setting) => setting.path.startsWith(prefix));
  return [...new Set(under.map((setting) => setting.path.slice(prefix.length).split('.')[0] ?? ''))];
}
