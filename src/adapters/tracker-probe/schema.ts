import { z } from 'zod';

/** Tenant is what a site of Jira Cloud says of itself to anybody. */
export const Tenant = z.object({ cloudId: z.string().regex(/^[A-Za-z0-9-]{8,64}$/) });

/** Myself is the own account, of which nothing is used. */
export const Myself = z.looseObject({});

/** OwnToken is a token of GitLab as it sees itself. */
export const OwnToken = z.object({
  scopes: z.array(z.string()),
  expires_at: z.string().nullish(),
});

/** Permissions are those of an account in a project. */
export const Permissions = z.object({
  permissions: z.record(z.string(), z.object({ name: z.string().optional(), havePermission: z.boolean() })),
});

const type = z.object({ id: z.string(), name: z.string(), subtask: z.boolean().optional() });

/** IssueTypes are those of a project; the cloud and Data Center name the list differently. */
export const IssueTypes = z
  .object({ issueTypes: z.array(type).optional(), values: z.array(type).optional() })
  .transform(({ issueTypes, values }) => issueTypes ?? values ?? []);

const field = z.object({
  fieldId: z.string(),
  name: z.string(),
  required: z.boolean(),
  hasDefaultValue: z.boolean().optional(),
});

/** Fields are what a new issue of a type can hold. */
export const Fields = z
  .object({ fields: z.array(field).optional(), values: z.array(field).optional() })
  .transform(({ fields, values }) => fields ?? values ?? []);

/** Transitions are the steps that an issue can take. */
export const Transitions = z.object({
  transitions: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      to: z.object({ statusCategory: z.object({ key: z.string() }).optional() }).optional(),
      fields: z
        .record(
          z.string(),
          z.object({
            name: z.string().optional(),
            required: z.boolean(),
            hasDefaultValue: z.boolean().optional(),
          }),
        )
        .optional(),
    }),
  ),
});
