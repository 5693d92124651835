import { z } from 'zod';

const Id = z.int().positive();
const Time = z.iso.datetime({ offset: true });
const Author = z.object({ id: Id });

/** OwnAccount is the account of the token; a project's token has a bot of its own. */
export const OwnAccount = z.object({ id: Id });

/** Issue is what is used of an issue. */
export const Issue = z.object({
  id: Id,
  iid: Id,
  web_url: z.string().max(2000),
  state: z.enum(['opened', 'closed']),
  title: z.string().default(''),
  description: z.string().nullish(),
  author: Author.nullish(),
  created_at: Time,
  moved_to_id: Id.nullish(),
  project_id: Id.optional(),
});

/** Issues is a page of them. */
export const Issues = z.array(Issue);

/** Note is what is used of a new comment. */
export const Note = z.object({ id: Id });

/** Notes is a page of comments. */
export const Notes = z.array(
  z.object({
    id: Id,
    body: z.string().nullish(),
    author: Author.nullish(),
    system: z.boolean().optional(),
    created_at: Time,
  }),
);

const Access = z.object({ access_level: z.int() }).nullish();

/** Project is what is used of a project. */
export const Project = z.object({
  path_with_namespace: z.string().max(1000),
  archived: z.boolean().optional(),
  issues_enabled: z.boolean().optional(),
  issues_access_level: z.string().optional(),
  permissions: z.object({ project_access: Access, group_access: Access }).nullish(),
});

/**
 * explain takes what went wrong out of an error body. `message` is a text, lists by field, or objects in objects; `error` can stand in its
 * place; a body that is not JSON is plain text, such as `Retry later`.
 */
export function explain(text: string): string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return text.slice(0, 300);
  }
  if (typeof value !== 'object' || value === null) return '';
  const { message, error, error_description: more } = value as Readonly<Record<string, unknown>>;
  return [error, more, message].flatMap((part) => wordsOf(part, 4)).join(': ');
}

function wordsOf(part: unknown, depth: number): string[] {
  if (typeof part === 'string') return part === '' ? [] : [part];
  if (depth === 0 || typeof part !== 'object' || part === null) return [];
  if (Array.isArray(part)) return part.slice(0, 20).flatMap((one) => wordsOf(one, depth - 1));
  return Object.entries(part)
    .slice(0, 20)
    .map(([name, one]) => `${name} ${wordsOf(one, depth - 1).join(', ')}`.trim());
}
