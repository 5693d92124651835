import type { z } from 'zod';
import { Secret } from '../../base/index.ts';
import { TrackerError, type JiraPlace, type SetupProbe } from '../../trackers/index.ts';
import { AnswerError, openOnLine, toDocument, unreadable, type Line } from '../transport/index.ts';
import { Fields, IssueTypes, Myself, OwnToken, Permissions, Tenant, Transitions } from './schema.ts';

/** What the service puts into every issue. */
const FILLED = new Set(['project', 'issuetype', 'summary', 'description', 'labels', 'reporter']);
/** Jira gives 50 of a list unless asked for more, and at most this many. */
const PAGE = 'maxResults=200';
const NOBODY = new Secret('nobody');
const KEY = /^[A-Z][A-Z0-9_]{0,254}$/;
const ISSUE = /^[A-Z][A-Z0-9_]{0,254}-[1-9]\d{0,14}$/;

/** openProbe makes the reads of `channel setup` over a line. */
export function openProbe(line: Line): SetupProbe {
  const jira = async <S extends z.ZodType>(place: JiraPlace, token: Secret, path: string, schema: S) =>
    ask(
      line,
      { apiBaseUrl: place.apiBaseUrl, token, headers: { authorization: authorization(place, token) } },
      jiraPath(place, path),
      schema,
    );
  return {
    cloudId: (site) => cloudId(line, site),
    async gitlabToken(apiBaseUrl, token) {
      const caller = { apiBaseUrl, token, headers: { 'private-token': token } };
      const { scopes, expires_at } = await ask(line, caller, '/personal_access_tokens/self', OwnToken);
      return { scopes, expiresAt: expires_at ?? null };
    },
    async jiraTakes(place, token) {
      try {
        await jira(place, token, '/myself', Myself);
        return true;
      } catch (error) {
        if (error instanceof TrackerError && error.fault === 'unauthorized') return false;
        throw error;
      }
    },
    async jiraLacks(place, token, project, permissions) {
      const query = new URLSearchParams({
        projectKey: checked(project, KEY),
        permissions: permissions.join(','),
      });
      const { permissions: given } = await jira(
        place,
        token,
        `/mypermissions?${query.toString()}`,
        Permissions,
      );
      return permissions
        .filter((name) => given[name]?.havePermission !== true)
        .map((name) => given[name]?.name ?? name);
    },
    async jiraTypes(place, token, project) {
      const types = await jira(
        place,
        token,
        `/issue/createmeta/${checked(project, KEY)}/issuetypes?${PAGE}`,
        IssueTypes,
      );
      return types.filter(({ subtask }) => subtask !== true).map(({ id, name }) => ({ id, name }));
    },
    async jiraRequired(place, token, project, typeId) {
      const path = `/issue/createmeta/${checked(project, KEY)}/issuetypes/${checked(typeId, /^\d{1,15}$/)}?${PAGE}`;
      const fields = await jira(place, token, path, Fields);
      return fields
        .filter(
          ({ fieldId, required, hasDefaultValue }) =>
            required && hasDefaultValue !== true && !FILLED.has(fieldId),
        )
        .map(({ name }) => name);
    },
    async jiraTransitions(place, token, issueKey) {
      const path = `/issue/${checked(issueKey, ISSUE)}/transitions?expand=transitions.fields`;
      const { transitions } = await jira(place, token, path, Transitions);
      return transitions.map(({ id, name, to, fields = {} }) => ({
        id,
        name,
        done: to?.statusCategory?.key === 'done',
        needs: Object.entries(fields)
          .filter(([, { required, hasDefaultValue }]) => required && hasDefaultValue !== true)
          .map(([key, field]) => field.name ?? key),
      }));
    },
  };
}

/** The id of a site of Atlassian's cloud; null where the answer names none. */
async function cloudId(line: Line, site: string): Promise<string | null> {
  try {
    const tenant = await ask(
      line,
      { apiBaseUrl: site, token: NOBODY, headers: {} },
      '/_edge/tenant_info',
      Tenant,
    );
    return tenant.cloudId;
  } catch (error) {
    if (!(error instanceof TrackerError)) throw error;
    const answered = error instanceof AnswerError && error.fault !== 'rate_limited';
    if (answered || error.fault === 'unreadable') return null;
    throw error;
  }
}

interface As {
  readonly apiBaseUrl: string;
  readonly token: Secret;
  readonly headers: Readonly<Record<string, Secret>>;
}

async function ask<S extends z.ZodType>(line: Line, as: As, path: string, schema: S): Promise<z.output<S>> {
  const transport = openOnLine(line, {
    apiBaseUrl: as.apiBaseUrl,
    token: as.token,
    credential: as.headers,
    headers: { accept: 'application/json' },
    guard: () => false, // a write is a mistake here, and goes nowhere
    explain: saidIn,
  });
  const { base } = transport;
  const { text } = await transport.send({ method: 'GET', url: `${base.href.replace(/\/$/, '')}${path}` });
  const asked = { host: base.host, write: false };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw unreadable(asked, 'no JSON', error);
  }
  return toDocument(schema, value, asked);
}

function jiraPath({ email }: JiraPlace, path: string): string {
  return `/rest/api/${email === null ? 2 : 3}${path}`;
}

function authorization({ email }: JiraPlace, token: Secret): Secret {
  return new Secret(
    email === null
      ? `Bearer ${token.reveal()}`
      : `Basic ${Buffer.from(`${email}:${token.reveal()}`, 'utf8').toString('base64')}`,
  );
}

/** Nothing odd comes into a path. */
function checked(text: string, form: RegExp): string {
  if (form.test(text)) return text;
  throw new TrackerError('invalid', 'this is not a Jira key', { happened: 'no' });
}

/** The words of an error body, whichever of its forms it has. */
function saidIn(text: string): string {
  try {
    const value = JSON.parse(text) as Readonly<Record<string, unknown>> | null;
    const said = [
      value?.['errorMessages'],
      value?.['message'],
      value?.['error_description'],
      value?.['error'],
    ];
    return said
      .flat()
      .filter((part) => typeof part === 'string' && part !== '')
      .join('; ');
  } catch {
    return text.slice(0, 300);
  }
}
