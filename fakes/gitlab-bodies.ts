import { millis } from './wire.ts';
import type { FakeToken } from './tokens.ts';
import type { FakeComment, FakeIssue, FakeProject, FakeUser } from './state.ts';

/** userBody is an account as GitLab shows it beside what it wrote. */
export function userBody(user: FakeUser, web: string): Record<string, unknown> {
  return {
    id: user.id,
    username: user.login,
    public_email: null,
    name: user.name,
    state: 'active',
    locked: false,
    avatar_url: null,
    web_url: `${web}/${user.login}`,
  };
}

/** projectBody is a project as GitLab shows it to one whose role has this number; null for a stranger. */
export function projectBody(
  project: FakeProject,
  web: string,
  at: number,
  level: number | null,
  openIssues: number,
): Record<string, unknown> {
  const names = project.path.split('/');
  const path = names.at(-1) ?? '';
  const group = names.slice(0, -1).join('/');
  const api = `${web}/api/v4/projects/${project.id}`;
  const access = project.issuesEnabled ? 'enabled' : 'disabled';
  return {
    id: project.id,
    description: project.name,
    name: path,
    name_with_namespace: names.join(' / '),
    path,
    path_with_namespace: project.path,
    created_at: millis(at),
    default_branch: 'main',
    tag_list: [],
    topics: [],
    ssh_url_to_repo: `git@${new URL(web).host}:${project.path}.git`,
    http_url_to_repo: `${web}/${project.path}.git`,
    web_url: `${web}/${project.path}`,
    readme_url: null,
    forks_count: 0,
    avatar_url: null,
    star_count: 0,
    last_activity_at: millis(at),
    visibility: project.private ? 'private' : 'public',
    namespace: {
      id: 700 + project.id,
      name: names.at(-2) ?? '',
      path: names.at(-2) ?? '',
      kind: 'group',
      full_path: group,
      parent_id: null,
      avatar_url: null,
      web_url: `${web}/groups/${group}`,
    },
    _links: { self: api, issues: `${api}/issues`, labels: `${api}/labels`, members: `${api}/members` },
    empty_repo: false,
    archived: project.archived,
    issues_enabled: project.issuesEnabled,
    issues_access_level: access,
    merge_requests_enabled: true,
    wiki_enabled: true,
    creator_id: 1,
    open_issues_count: openIssues,
    permissions: {
      project_access: level === null ? null : { access_level: level, notification_level: 3 },
      group_access: null,
    },
  };
}

/** issueBody is an issue as GitLab shows it. */
export function issueBody(issue: FakeIssue, web: string): Record<string, unknown> {
  const page = `${web}/${issue.project.path}/-/issues/${issue.number}`;
  const api = `${web}/api/v4/projects/${issue.project.id}`;
  const full = `${issue.project.path}#${issue.number}`;
  return {
    id: issue.id,
    iid: issue.number,
    project_id: issue.project.id,
    title: issue.title,
    description: issue.body,
    state: issue.state === 'open' ? 'opened' : 'closed',
    created_at: millis(issue.createdAt),
    updated_at: millis(issue.updatedAt),
    closed_at: issue.closedAt === null ? null : millis(issue.closedAt),
    closed_by: issue.closedBy === null ? null : userBody(issue.closedBy, web),
    labels: issue.labels,
    milestone: null,
    assignees: [],
    author: userBody(issue.author, web),
    type: 'ISSUE',
    assignee: null,
    user_notes_count: issue.comments.filter(({ system }) => !system).length,
    merge_requests_count: 0,
    upvotes: 0,
    downvotes: 0,
    due_date: null,
    confidential: false,
    discussion_locked: issue.locked ? true : null,
    issue_type: 'issue',
    web_url: page,
    time_stats: {
      time_estimate: 0,
      total_time_spent: 0,
      human_time_estimate: null,
      human_total_time_spent: null,
    },
    task_completion_status: { count: 0, completed_count: 0 },
    blocking_issues_count: 0,
    has_tasks: false,
    _links: {
      self: `${api}/issues/${issue.number}`,
      notes: `${api}/issues/${issue.number}/notes`,
      award_emoji: `${api}/issues/${issue.number}/award_emoji`,
      project: api,
      closed_as_duplicate_of: null,
    },
    references: { short: `#${issue.number}`, relative: `#${issue.number}`, full },
    severity: 'UNKNOWN',
    subscribed: false,
    moved_to_id: issue.movedTo?.id ?? null,
    imported: false,
    imported_from: 'none',
    service_desk_reply_to: null,
  };
}

/** noteBody is a comment as GitLab shows it. */
export function noteBody(issue: FakeIssue, note: FakeComment, web: string): Record<string, unknown> {
  return {
    id: note.id,
    type: null,
    body: note.body,
    author: userBody(note.author, web),
    created_at: millis(note.at),
    updated_at: millis(note.at),
    system: note.system,
    noteable_id: issue.id,
    noteable_type: 'Issue',
    project_id: issue.project.id,
    noteable_iid: issue.number,
    resolvable: false,
    confidential: false,
    internal: false,
    imported: false,
    imported_from: 'none',
    commands_changes: {},
  };
}

/** tokenBody is the credential as it sees itself. */
export function tokenBody(token: FakeToken, now: number): Record<string, unknown> {
  return {
    id: 1876,
    name: token.name,
    revoked: token.state === 'revoked',
    created_at: millis(now - 86_400_000),
    description: null,
    scopes: token.scopes,
    user_id: token.user.id,
    last_used_at: millis(now),
    active: token.state === 'active',
    expires_at: new Date(now + 90 * 86_400_000).toISOString().slice(0, 10),
  };
}
