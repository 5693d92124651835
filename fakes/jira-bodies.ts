import { JIRA_STATUSES, type FakeComment, type FakeIssue, type FakeProject, type FakeUser } from './state.ts';

/** JiraAddresses: `api` is the address that answers carry in `self` (with the gateway's path), `site` the one of pages. */
export interface JiraAddresses {
  readonly api: string;
  readonly site: string;
  readonly cloud: boolean;
}

/** STATUS_CATEGORIES are Jira's own, by key. */
const STATUS_CATEGORIES = {
  new: { id: 2, colorName: 'blue-gray', name: 'To Do' },
  indeterminate: { id: 4, colorName: 'yellow', name: 'In Progress' },
  done: { id: 3, colorName: 'green', name: 'Done' },
} as const;

/** ISSUE_TYPES are the types that every project has. */
export const ISSUE_TYPES = [
  { id: '10001', name: 'Task', subtask: false },
  { id: '10002', name: 'Bug', subtask: false },
  { id: '10003', name: 'Sub-task', subtask: true },
] as const;

/** TRANSITIONS are those of the workflow; each is offered where its status is not the present one. */
export const TRANSITIONS = [
  { id: '11', name: 'To Do', to: '10000' },
  { id: '21', name: 'In Progress', to: '3' },
  { id: '31', name: 'Done', to: '10001' },
] as const;

const rest = ({ api, cloud }: JiraAddresses): string => `${api}/rest/api/${cloud ? 3 : 2}`;

/** jiraTime writes a time as Jira does: with milliseconds and an offset that has no colon. */
export function jiraTime(at: number): string {
  return `${new Date(at).toISOString().slice(0, -1)}+0000`;
}

/** accountId is the id of an account in the cloud. */
function accountId(user: FakeUser): string {
  return `5b10ac8d82e05b22cc7d${String(user.id).padStart(4, '0')}`;
}

function avatars(site: string): Record<string, string> {
  const sizes = ['16x16', '24x24', '32x32', '48x48'];
  return Object.fromEntries(sizes.map((size) => [size, `${site}/avatar?size=${size}`]));
}

/** userBody is an account as Jira shows it; its address only to itself. */
export function userBody(user: FakeUser, at: JiraAddresses, self = false): Record<string, unknown> {
  const common = { active: true, displayName: user.name, avatarUrls: avatars(at.site), timeZone: 'Etc/UTC' };
  const email = self || !at.cloud ? { emailAddress: user.email } : {};
  if (!at.cloud) {
    const link = `${rest(at)}/user?username=${user.login}`;
    return { self: link, key: `JIRAUSER${user.id}`, name: user.login, ...email, ...common };
  }
  const id = accountId(user);
  const type = user.bot ? 'app' : 'atlassian';
  return { self: `${rest(at)}/user?accountId=${id}`, accountId: id, accountType: type, ...email, ...common };
}

/** statusBody is a status with its category. */
function statusBody(id: string, at: JiraAddresses): Record<string, unknown> {
  const status = JIRA_STATUSES[id as keyof typeof JIRA_STATUSES];
  const category = STATUS_CATEGORIES[status.category];
  return {
    self: `${rest(at)}/status/${id}`,
    description: '',
    iconUrl: `${at.site}/images/icons/status_generic.gif`,
    name: status.name,
    id,
    statusCategory: { self: `${rest(at)}/statuscategory/${category.id}`, key: status.category, ...category },
  };
}

/** issueTypeBody is a type of issue. */
export function issueTypeBody(
  type: (typeof ISSUE_TYPES)[number],
  at: JiraAddresses,
): Record<string, unknown> {
  const icon = `${at.site}/images/icons/issuetypes/${type.id}.png`;
  return {
    self: `${rest(at)}/issuetype/${type.id}`,
    description: '',
    iconUrl: icon,
    avatarId: 10318,
    ...type,
  };
}

/** keyOf is the key of an issue as it stands. */
export function keyOf(issue: FakeIssue): string {
  return `${issue.project.path}-${issue.number}`;
}

/** issueBody is an issue as Jira shows it, with the fields that were asked for; null for all. */
export function issueBody(
  issue: FakeIssue,
  at: JiraAddresses,
  wanted: ReadonlySet<string> | null,
): Record<string, unknown> {
  const type = ISSUE_TYPES.find(({ name }) => name === issue.issueType) ?? ISSUE_TYPES[0];
  const done = issue.status === '10001';
  const fields: Record<string, unknown> = {
    summary: issue.title,
    description: issue.body,
    labels: issue.labels,
    issuetype: issueTypeBody(type, at),
    project: projectRef(issue.project, at),
    status: statusBody(issue.status, at),
    resolution: done ? { self: `${rest(at)}/resolution/10000`, id: '10000', name: 'Done' } : null,
    resolutiondate: issue.closedAt === null ? null : jiraTime(issue.closedAt),
    created: jiraTime(issue.createdAt),
    updated: jiraTime(issue.updatedAt),
    creator: userBody(issue.author, at),
    reporter: userBody(issue.author, at),
    assignee: null,
  };
  const shown = Object.entries(fields).filter(([name]) => wanted === null || wanted.has(name));
  return {
    expand: 'renderedFields,names,schema,operations,editmeta,changelog',
    id: String(issue.id),
    self: `${rest(at)}/issue/${issue.id}`,
    key: keyOf(issue),
    fields: Object.fromEntries(shown),
  };
}

function projectRef(project: FakeProject, at: JiraAddresses): Record<string, unknown> {
  const id = String(project.id);
  return {
    self: `${rest(at)}/project/${id}`,
    id,
    key: project.path,
    name: project.name,
    avatarUrls: avatars(at.site),
  };
}

/** projectBody is a project as Jira shows it. */
export function projectBody(
  project: FakeProject,
  at: JiraAddresses,
  lead: FakeUser,
): Record<string, unknown> {
  return {
    expand: 'description,lead,issueTypes,url,projectKeys,permissions,insight',
    ...projectRef(project, at),
    description: '',
    lead: userBody(lead, at),
    components: [],
    issueTypes: ISSUE_TYPES.map((type) => issueTypeBody(type, at)),
    assigneeType: 'UNASSIGNED',
    versions: [],
    roles: {},
    projectTypeKey: 'software',
    archived: project.archived,
    ...(at.cloud ? { simplified: false, style: 'classic', isPrivate: project.private, properties: {} } : {}),
  };
}

/** commentBody is a comment as Jira shows it. */
export function commentBody(
  issue: FakeIssue,
  comment: FakeComment,
  at: JiraAddresses,
): Record<string, unknown> {
  const author = userBody(comment.author, at);
  return {
    self: `${rest(at)}/issue/${issue.id}/comment/${comment.id}`,
    id: String(comment.id),
    author,
    body: comment.body,
    updateAuthor: author,
    created: jiraTime(comment.at),
    updated: jiraTime(comment.at),
    ...(at.cloud ? { jsdPublic: true } : {}),
  };
}

/** transitionsOf lists the transitions that are offered now; with `fields` what their screens ask for. */
export function transitionsOf(
  issue: FakeIssue,
  at: JiraAddresses,
  fields: boolean,
): Record<string, unknown>[] {
  return TRANSITIONS.filter(({ to }) => to !== issue.status).map(({ id, name, to }) => {
    const screen = to === '10001' ? issue.project.requiredOnDone : [];
    const flags = { hasScreen: screen.length > 0, isGlobal: true, isInitial: false, isConditional: false };
    return {
      id,
      name,
      to: statusBody(to, at),
      ...(at.cloud ? { ...flags, isAvailable: true, looped: false } : {}),
      ...(fields
        ? { fields: Object.fromEntries(screen.map((field) => [field, fieldBody(field, field, true)])) }
        : {}),
    };
  });
}

/** fieldBody says what a field of a screen is. */
export function fieldBody(id: string, name: string, required: boolean): Record<string, unknown> {
  const schema = {
    type: 'string',
    ...(id.startsWith('custom') ? { custom: 'textfield', customId: 1 } : { system: id }),
  };
  return { required, schema, name, key: id, hasDefaultValue: false, operations: ['set'] };
}

/** tokenMay says what the permissions of a project are to a token. */
export function permissionBody(key: string, have: boolean, number: number): Record<string, unknown> {
  return {
    id: String(number),
    key,
    name: key.toLowerCase().replaceAll('_', ' '),
    type: 'PROJECT',
    description: '',
    havePermission: have,
  };
}
