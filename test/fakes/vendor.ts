import { existsSync, readFileSync } from 'node:fs';
import type { Fake, Seen, FakeKind } from '../../fakes/index.ts';
import { problemsOf, type Schema, type SchemaRules } from './json-schema.ts';

const DATA = new URL('../../../shared/data/tracker-apis/', import.meta.url);

const FILES: Readonly<Record<FakeKind, string>> = {
  github: 'github-rest.cut.json',
  'github-enterprise': 'ghes-3.19.cut.json',
  gitlab: 'gitlab-v4.cut.json',
  'jira-cloud': 'jira-cloud-v3.cut.json',
  'jira-gateway': 'jira-cloud-v3.cut.json',
  'jira-datacenter': 'jira-dc-10.3-v2.cut.json',
};

/** vendorData gives the text of a vendor's document, or null where it is not at hand. */
export function vendorData(file: string): string | null {
  const url = new URL(file, DATA);
  return existsSync(url) ? readFileSync(url, 'utf8') : null;
}

/** noVendorData is why tests against the documents are skipped, or false where the documents are at hand. */
export const noVendorData = existsSync(new URL('adf-full.schema.json', DATA))
  ? false
  : 'the documents of the vendors (shared/data/tracker-apis) are not at hand';

interface Operation {
  readonly parameters?: readonly Schema[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
  readonly responses: Readonly<Record<string, Response>>;
}

interface Response {
  readonly $ref?: string;
  readonly schema?: Schema;
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>;
}

/** Checked is what came of holding the requests of a fake against the vendor's document. */
export interface Checked {
  readonly problems: readonly string[];
  /** `METHOD /path status` of all whose answer the document describes. */
  readonly covered: ReadonlySet<string>;
  /** The same of those it says nothing about. */
  readonly undeclared: ReadonlySet<string>;
}

/** checkByVendor holds every request that a fake answered, and its answer, against the vendor's own document. */
export function checkByVendor(fake: Fake): Checked {
  const document = JSON.parse(vendorData(FILES[fake.kind]) ?? '{}') as Schema;
  const rules = rulesOf(fake.kind, document);
  const problems: string[] = [];
  const covered = new Set<string>();
  const undeclared = new Set<string>();
  for (const seen of fake.requests) {
    const name = (template: string): string => `${seen.method} ${template} ${String(seen.status)}`;
    const operation = operationOf(document, fake.kind, seen);
    // What a fault answered before the tracker did anything is a proxy's word, not the vendor's.
    const foreign = seen.fault !== null && seen.answer === undefined;
    if (operation === null || seen.status === null || foreign) {
      undeclared.add(name(seen.path));
      continue;
    }
    const { template, found } = operation;
    const say = (text: string): number => problems.push(`${name(template)}: ${text}`);
    if (seen.status < 300) requestProblems(found, seen, rules, document).forEach(say);
    const response = found.responses[String(seen.status)];
    if (response === undefined) {
      undeclared.add(name(template));
      continue;
    }
    const schema = schemaOf(response, document);
    if (schema === undefined) {
      undeclared.add(name(template));
      continue;
    }
    covered.add(name(template));
    // GitLab's document gives the item where a list is answered.
    const single = Array.isArray(seen.answer) && follow(schema, document)['type'] === 'object';
    const answers: unknown[] = single ? (seen.answer as unknown[]) : [seen.answer];
    for (const answer of answers) problemsOf(schema, answer, rules).forEach(say);
  }
  return { problems, covered, undeclared };
}

function operationOf(
  document: Schema,
  kind: FakeKind,
  seen: Seen,
): { template: string; found: Operation } | null {
  const path = pathOf(kind, seen.path);
  const paths = document['paths'] as Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  for (const [template, operations] of Object.entries(paths)) {
    const pattern = new RegExp(`^${template.replace(/\{[^}]+\}/g, '[^/]+')}$`);
    const found = operations[seen.method.toLowerCase()];
    if (found !== undefined && pattern.test(path)) return { template, found };
  }
  return null;
}

function pathOf(kind: FakeKind, path: string): string {
  if (kind === 'github-enterprise') return path.replace(/^\/api\/v3/, '');
  if (kind === 'jira-gateway') return path.replace(/^\/ex\/jira\/[^/]+/, '');
  return kind === 'jira-datacenter' ? path.replace(/^\/rest/, '') : path;
}

function requestProblems(operation: Operation, seen: Seen, rules: SchemaRules, document: Schema): string[] {
  const found: string[] = [];
  const parameters = (operation.parameters ?? []).map((one) => follow(one, document));
  const known = new Set(parameters.filter((one) => one['in'] === 'query').map((one) => one['name']));
  // GitLab pages every list; its document says so on one page alone.
  for (const name of ['page', 'per_page', 'activity_filter'])
    if (document['swagger'] !== undefined) known.add(name);
  for (const name of new URLSearchParams(seen.query).keys()) {
    if (!known.has(name.replace(/\[\]$/, ''))) found.push(`the parameter ${name} is not known`);
  }
  const body =
    parameters.find((one) => one['in'] === 'body')?.['schema'] ?? jsonOf(operation.requestBody?.content);
  if (seen.body === '') return found;
  if (body === undefined) return [...found, 'a body where none is known'];
  const schema = follow(body as Schema, document);
  const sent = JSON.parse(seen.body) as Record<string, unknown>;
  // Vendors leave room for members that they do not name; our code has no business there.
  const properties = (schema['properties'] ?? {}) as Schema;
  for (const name of Object.keys(sent))
    if (!(name in properties)) found.push(`the member ${name} is not known`);
  return [...found, ...problemsOf(schema, sent, rules, 'body')];
}

function jsonOf(content: Response['content']): Schema | undefined {
  return content === undefined
    ? undefined
    : (content['application/json'] ?? Object.values(content)[0])?.schema;
}

function schemaOf(response: Response, document: Schema): Schema | undefined {
  const real =
    response.$ref === undefined
      ? response
      : (follow({ $ref: response.$ref }, document) as unknown as Response);
  const schema = real.schema ?? jsonOf(real.content);
  return schema === undefined || Object.keys(schema).length === 0 ? undefined : schema;
}

function follow(schema: Schema, document: Schema): Schema {
  if (typeof schema['$ref'] !== 'string') return schema;
  let found: unknown = document;
  for (const name of schema['$ref'].slice(2).split('/')) found = (found as Record<string, unknown>)[name];
  return found as Schema;
}

/** What is known to be wrong in the documents, or left out of them. */
function rulesOf(kind: FakeKind, root: Schema): SchemaRules {
  if (kind === 'gitlab') {
    return {
      root,
      nulls: true,
      known: (schema, at) => {
        // A text without an example or a format is what the generator writes when it knows no type.
        const unknown = schema['type'] === 'string' && Object.keys(schema).length === 1;
        return (
          unknown ||
          /\.(?:assignees|tag_list|labels|project_access|group_access|task_completion_status)$/.test(at)
        );
      },
    };
  }
  if (kind === 'jira-datacenter') {
    // "fields" is said to hold objects alone, and the list of a createmeta is given as one of its items.
    return {
      root,
      nulls: true,
      known: (_schema, at) => /^(?:\$|body)(?:\.issues\[\d+\])?\.fields\.|\.leadUserType$/.test(at),
    };
  }
  return { root, nulls: kind.startsWith('jira') };
}
