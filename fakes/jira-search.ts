import type { FakeIssue } from './state.ts';
import type { World } from './world.ts';

/** Query is a search that was understood: which issues, and in which order. */
export interface Query {
  readonly matches: (issue: FakeIssue) => boolean;
  readonly newestFirst: boolean;
}

const CLAUSE =
  /^\s*([a-z]+)\s*(!=|>=|<=|=|~|>|<|\bin\b)\s*("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\([^)]*\)|[^\s()"']+(?:\(\))?)\s*/i;

/**
 * parseJql understands the part of JQL that looking up an issue needs: clauses joined by AND over project, labels, text,
 * summary, reporter, issuetype, created, updated, key and id. What the index holds decides, not what the issue is now.
 * The text of the refusal is returned where it is not understood.
 */
export function parseJql(jql: string, world: World, self: number): Query | string {
  const [where = '', order = ''] = jql.split(/\border\s+by\b/i);
  const clauses: ((issue: FakeIssue) => boolean)[] = [];
  let rest = where.trim();
  while (rest !== '') {
    const match = CLAUSE.exec(rest);
    if (match === null) return `Error in the JQL Query: cannot read '${rest.slice(0, 40)}'.`;
    const clause = readClause(match[1] ?? '', match[2] ?? '', values(match[3] ?? ''), world, self);
    if (typeof clause === 'string') return clause;
    clauses.push(clause);
    rest = rest.slice(match[0].length);
    const and = /^and\b/i.exec(rest);
    if (rest !== '' && and === null)
      return `Error in the JQL Query: expecting AND but got '${rest.slice(0, 20)}'.`;
    rest = and === null ? rest : rest.slice(3).trim();
    if (and !== null && rest === '') return 'Error in the JQL Query: something is missing after AND.';
  }
  if (clauses.length === 0) {
    return 'Unbounded JQL queries are not allowed here. Please add a search restriction to your query.';
  }
  return {
    matches: (issue) => clauses.every((clause) => clause(issue)),
    newestFirst: !/\basc\b/i.test(order),
  };
}

function values(text: string): string[] {
  if (text.startsWith('('))
    return text
      .slice(1, -1)
      .split(',')
      .flatMap((one) => values(one.trim()));
  if (/^["']/.test(text)) return [text.slice(1, -1).replace(/\\(.)/g, '$1')];
  return [text];
}

type Clause = (issue: FakeIssue) => boolean;

function readClause(
  field: string,
  operator: string,
  given: string[],
  world: World,
  self: number,
): Clause | string {
  const name = field.toLowerCase();
  const [value = ''] = given;
  const equal = operator === '=' || operator.toLowerCase() === 'in';
  const index = (issue: FakeIssue): NonNullable<ReturnType<World['seenBySearch']>> | undefined =>
    world.seenBySearch(issue);
  if (name === 'project' && equal) {
    const known = world.projects.filter((one) =>
      given.some((key) => [one.path, one.name, String(one.id)].includes(key)),
    );
    if (known.length === 0) return `The value '${value}' does not exist for the field 'project'.`;
    return (issue) => known.some(({ path }) => path === index(issue)?.project);
  }
  if (name === 'labels' && equal)
    return (issue) => given.some((label) => index(issue)?.labels.includes(label) === true);
  if ((name === 'text' || name === 'summary' || name === 'description') && operator === '~') {
    return (issue) =>
      index(issue)?.text.toLowerCase().includes(value.replaceAll('"', '').toLowerCase()) === true;
  }
  if ((name === 'reporter' || name === 'creator') && equal && value === 'currentUser()') {
    return (issue) => issue.author.id === self;
  }
  if (name === 'issuetype' && equal) return (issue) => given.includes(issue.issueType);
  if ((name === 'key' || name === 'issuekey' || name === 'id') && equal) {
    return (issue) =>
      given.includes(`${index(issue)?.project}-${issue.number}`) || given.includes(String(issue.id));
  }
  if (name === 'created' || name === 'updated') {
    const bound = time(value, world.now());
    if (Number.isNaN(bound))
      return `Date value '${value}' for field '${name}' is invalid. Valid formats include: 'yyyy/MM/dd HH:mm', 'yyyy-MM-dd HH:mm', 'yyyy/MM/dd', 'yyyy-MM-dd', or a period format e.g. '-5d', '4w 2d'.`;
    const of = (issue: FakeIssue): number => (name === 'created' ? issue.createdAt : issue.updatedAt);
    if (operator === '>=' || operator === '>') return (issue) => of(issue) >= bound;
    if (operator === '<=' || operator === '<') return (issue) => of(issue) <= bound;
  }
  return `Field '${field}' does not exist or you do not have permission to view it, or the operator '${operator}' is not supported.`;
}

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

function time(value: string, now: number): number {
  const relative = /^-(\d+)([mhdw])$/.exec(value);
  if (relative !== null) return now - Number(relative[1]) * (UNITS[relative[2] ?? ''] ?? NaN);
  const match = /^(\d{4})[-/](\d{2})[-/](\d{2})(?: (\d{2}):(\d{2}))?$/.exec(value);
  if (match === null) return NaN;
  const [, year, month, day, hour = '0', minute = '0'] = match;
  return Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute));
}
