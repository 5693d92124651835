import { z } from 'zod';

/** Numbers come as bigint where they are beyond what a number holds exactly. */
const Id = z.union([z.int().positive(), z.bigint().positive()]).transform(String);

const Account = z.object({ id: Id, login: z.string().min(1).max(200) });

/** OwnAccount is the account of the token. */
export const OwnAccount = Account;

/** Issue is what is used of an issue. */
export const Issue = z.object({
  id: Id,
  number: z.int().positive(),
  html_url: z.string().max(2000),
  state: z.enum(['open', 'closed']),
  title: z.string().default(''),
  body: z.string().nullish(),
  user: Account.nullish(),
  created_at: z.iso.datetime({ offset: true }),
  pull_request: z.unknown().optional(),
});

/** Issues is a page of them. */
export const Issues = z.array(Issue);

/** Comments is a page of comments. */
export const Comments = z.array(z.object({ id: Id, body: z.string().nullish(), user: Account.nullish() }));

/** Comment is what is used of a new comment. */
export const Comment = z.object({ id: Id });

/** Repository is what is used of a repository. */
export const Repository = z.object({
  full_name: z.string().max(400),
  private: z.boolean().optional(),
  archived: z.boolean().optional(),
  disabled: z.boolean().optional(),
  has_issues: z.boolean().optional(),
  permissions: z.record(z.string(), z.boolean()).nullish(),
});

const Problem = z.object({
  message: z.string(),
  errors: z
    .array(
      z.union([
        z.string(),
        z.object({
          resource: z.string().optional(),
          field: z.string().optional(),
          code: z.string().optional(),
          message: z.string().nullish(),
        }),
      ]),
    )
    .optional()
    .catch(undefined),
});

/** explain takes what went wrong out of an error body: its message, and each field with its code. */
export function explain(text: string): string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return text.slice(0, 300);
  }
  const read = Problem.safeParse(value);
  if (!read.success) return '';
  const { message, errors = [] } = read.data;
  const fields = errors.map((one) =>
    typeof one === 'string' ? one : (one.message ?? [one.field, one.code].filter(Boolean).join(' ')),
  );
  return fields.length === 0 ? message : `${message}: ${fields.join('; ')}`;
}
