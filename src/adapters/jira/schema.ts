import { z } from 'zod';

const Text = z.string().max(500);

/** Account is a person or service in Jira: by `accountId` in the cloud, by `key` in Data Center. */
const Account = z
  .object({ accountId: Text.optional(), key: Text.optional(), name: Text.optional() })
  .transform(({ accountId, key, name }) => accountId ?? key ?? name ?? '');

/** OwnAccount is the account of the credential. */
export const OwnAccount = Account.refine((id) => id !== '', 'no account');

/** Key is how people name an issue. */
export const Key = z.string().regex(/^[A-Z][A-Z0-9_]{1,254}-[1-9]\d{0,14}$/);

const Id = z.string().regex(/^\d{1,20}$/);

/** Created is a new issue. */
export const Created = z.object({ id: Id, key: Key });

/** Issue is what is used of an issue. */
export const Issue = z.object({
  id: Id,
  key: Key,
  fields: z.object({
    status: z.object({ statusCategory: z.object({ key: Text }) }),
  }),
});

/** Found is a page of a search. */
export const Found = z.object({
  issues: z.array(
    z.object({
      id: Id,
      key: Key,
      fields: z.object({ creator: Account.nullish(), labels: z.array(z.string()).nullish() }),
    }),
  ),
});

/** Jira writes the offset without a colon. */
const Time = z
  .string()
  .max(40)
  .transform((text) => Date.parse(text.replace(/([+-]\d{2})(\d{2})$/, '$1:$2')))
  .refine((at) => !Number.isNaN(at), 'no time');

/** FoundTexts is a page of a search with what the issues say; `description` is as in a comment. */
export const FoundTexts = z.object({
  issues: z.array(
    z.object({
      id: Id,
      key: Key,
      fields: z.object({
        creator: Account.nullish(),
        labels: z.array(z.string()).nullish(),
        summary: z.string().nullish(),
        description: z.unknown(),
        created: Time,
      }),
    }),
  ),
  nextPageToken: z.string().max(5000).optional(),
  total: z.int().nonnegative().optional(),
});

/** Comments is a page of comments; `body` is a document in the cloud and text in Data Center. */
export const Comments = z.object({
  total: z.int().nonnegative().optional(),
  comments: z.array(z.object({ id: Id, author: Account.nullish(), body: z.unknown(), created: Time })),
});

/** Comment is what is used of a new comment. */
export const Comment = z.object({ id: Id });

/** Project is what is used of a project. */
export const Project = z.object({
  key: Text,
  name: z.string().max(1000).optional(),
  archived: z.boolean().optional(),
  issueTypes: z
    .array(z.object({ id: Text.optional(), name: z.string().max(1000), subtask: z.boolean().optional() }))
    .optional(),
});

/** ServerInfo tells the address of the site, which a gateway hides. */
export const ServerInfo = z.object({ baseUrl: z.string().max(1000) });

const Problem = z.object({
  errorMessages: z.array(z.string()).optional().catch(undefined),
  errors: z.record(z.string(), z.unknown()).nullish().catch(undefined),
  message: z.string().optional().catch(undefined),
});

/** explain takes what went wrong out of an error body: sentences, faults by field, and the shorter form of the gateway. */
export function explain(text: string): string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return text.slice(0, 300);
  }
  const read = Problem.safeParse(value);
  if (!read.success) return '';
  const { errorMessages = [], errors, message } = read.data;
  const fields = Object.entries(errors ?? {})
    .slice(0, 20)
    .map(([name, fault]) => `${name}: ${typeof fault === 'string' ? fault : JSON.stringify(fault)}`);
  return [...errorMessages, ...fields, ...(message === undefined ? [] : [message])].join('; ');
}
