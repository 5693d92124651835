import { seconds } from './wire.ts';
import type { FakeComment, FakeIssue, FakeProject, FakeUser } from './state.ts';

/** Addresses are where a fake GitHub lives: its API and its pages. */
export interface Addresses {
  readonly api: string;
  readonly web: string;
}

const node = (kind: string, id: number): string => Buffer.from(`0:${kind}${id}`).toString('base64url');

/** userBody is an account as GitHub shows it beside what it wrote. */
function userBody(user: FakeUser, { api, web }: Addresses): Record<string, unknown> {
  const url = `${api}/users/${user.login}`;
  return {
    login: user.login,
    id: user.id,
    node_id: node('User', user.id),
    avatar_url: `${web}/avatars/u/${user.id}?v=4`,
    gravatar_id: '',
    url,
    html_url: `${web}/${user.login}`,
    followers_url: `${url}/followers`,
    following_url: `${url}/following{/other_user}`,
    gists_url: `${url}/gists{/gist_id}`,
    starred_url: `${url}/starred{/owner}{/repo}`,
    subscriptions_url: `${url}/subscriptions`,
    organizations_url: `${url}/orgs`,
    repos_url: `${url}/repos`,
    events_url: `${url}/events{/privacy}`,
    received_events_url: `${url}/received_events`,
    type: user.bot ? 'Bot' : 'User',
    site_admin: false,
  };
}

/** selfBody is the account that calls, as `GET /user` shows it. */
export function selfBody(user: FakeUser, addresses: Addresses, at: number): Record<string, unknown> {
  return {
    ...userBody(user, addresses),
    user_view_type: 'public',
    name: user.name,
    company: null,
    blog: '',
    location: null,
    email: null,
    hireable: null,
    bio: null,
    public_repos: 0,
    public_gists: 0,
    followers: 0,
    following: 0,
    created_at: seconds(at),
    updated_at: seconds(at),
  };
}

/** issueBody is an issue as GitHub shows it. */
export function issueBody(issue: FakeIssue, addresses: Addresses): Record<string, unknown> {
  const { api, web } = addresses;
  const repository = `${api}/repos/${issue.project.path}`;
  const url = `${repository}/issues/${issue.number}`;
  const kind = issue.pullRequest ? 'pull' : 'issues';
  return {
    url,
    repository_url: repository,
    labels_url: `${url}/labels{/name}`,
    comments_url: `${url}/comments`,
    events_url: `${url}/events`,
    html_url: `${web}/${issue.project.path}/${kind}/${issue.number}`,
    id: issue.id,
    node_id: node('Issue', issue.id),
    number: issue.number,
    title: issue.title,
    user: userBody(issue.author, addresses),
    labels: issue.labels.map((name) => labelBody(issue.project, name, api)),
    state: issue.state,
    locked: issue.locked,
    assignee: null,
    assignees: [],
    milestone: null,
    comments: issue.comments.length,
    created_at: seconds(issue.createdAt),
    updated_at: seconds(issue.updatedAt),
    closed_at: issue.closedAt === null ? null : seconds(issue.closedAt),
    closed_by: issue.closedBy === null ? null : userBody(issue.closedBy, addresses),
    author_association: 'COLLABORATOR',
    active_lock_reason: null,
    ...(issue.pullRequest
      ? { draft: false, pull_request: { url, html_url: url, diff_url: url, patch_url: url, merged_at: null } }
      : {}),
    body: issue.body,
    reactions: reactions(url),
    timeline_url: `${url}/timeline`,
    performed_via_github_app: null,
    state_reason: issue.reason,
  };
}

function labelBody(project: FakeProject, name: string, api: string): Record<string, unknown> {
  const id = [...project.labels].indexOf(name) + project.id * 1000;
  const url = `${api}/repos/${project.path}/labels/${encodeURIComponent(name)}`;
  return { id, node_id: node('Label', id), url, name, color: 'ededed', default: false, description: null };
}

/** commentBody is a comment as GitHub shows it. */
export function commentBody(
  issue: FakeIssue,
  comment: FakeComment,
  addresses: Addresses,
): Record<string, unknown> {
  const { api, web } = addresses;
  const url = `${api}/repos/${issue.project.path}/issues/comments/${comment.id}`;
  const page = `${web}/${issue.project.path}/issues/${issue.number}`;
  return {
    url,
    html_url: `${page}#issuecomment-${comment.id}`,
    issue_url: `${api}/repos/${issue.project.path}/issues/${issue.number}`,
    id: comment.id,
    node_id: node('IssueComment', comment.id),
    user: userBody(comment.author, addresses),
    created_at: seconds(comment.at),
    updated_at: seconds(comment.at),
    author_association: 'COLLABORATOR',
    body: comment.body,
    reactions: reactions(url),
    performed_via_github_app: null,
  };
}

function reactions(url: string): Record<string, unknown> {
  const none = { '+1': 0, '-1': 0, laugh: 0, hooray: 0, confused: 0, heart: 0, rocket: 0, eyes: 0 };
  return { url: `${url}/reactions`, total_count: 0, ...none };
}

/** The addresses of a repository that follow from its own, by the name of the member without `_url`. */
const REPOSITORY_URLS: Readonly<Record<string, string>> = {
  forks: '/forks',
  keys: '/keys{/key_id}',
  collaborators: '/collaborators{/collaborator}',
  teams: '/teams',
  hooks: '/hooks',
  issue_events: '/issues/events{/number}',
  events: '/events',
  assignees: '/assignees{/user}',
  branches: '/branches{/branch}',
  tags: '/tags',
  blobs: '/git/blobs{/sha}',
  git_tags: '/git/tags{/sha}',
  git_refs: '/git/refs{/sha}',
  trees: '/git/trees{/sha}',
  statuses: '/statuses/{sha}',
  languages: '/languages',
  stargazers: '/stargazers',
  contributors: '/contributors',
  subscribers: '/subscribers',
  subscription: '/subscription',
  commits: '/commits{/sha}',
  git_commits: '/git/commits{/sha}',
  comments: '/comments{/number}',
  issue_comment: '/issues/comments{/number}',
  contents: '/contents/{+path}',
  compare: '/compare/{base}...{head}',
  merges: '/merges',
  archive: '/{archive_format}{/ref}',
  downloads: '/downloads',
  issues: '/issues{/number}',
  pulls: '/pulls{/number}',
  milestones: '/milestones{/number}',
  notifications: '/notifications{?since,all,participating}',
  labels: '/labels{/name}',
  releases: '/releases{/id}',
  deployments: '/deployments',
};

/** repositoryBody is a repository as GitHub shows it. `push` says whether the caller may write. */
export function repositoryBody(
  project: FakeProject,
  addresses: Addresses,
  at: number,
  push: boolean,
  openIssues: number,
): Record<string, unknown> {
  const { api, web } = addresses;
  const url = `${api}/repos/${project.path}`;
  const page = `${web}/${project.path}`;
  const [owner = '', name = ''] = project.path.split('/');
  const account: FakeUser = { id: 500 + project.id, login: owner, name: owner, email: '', bot: false };
  return {
    id: project.id,
    node_id: node('Repository', project.id),
    name,
    full_name: project.path,
    private: project.private,
    owner: { ...userBody(account, addresses), type: 'Organization' },
    html_url: page,
    description: project.name,
    fork: false,
    url,
    ...Object.fromEntries(
      Object.entries(REPOSITORY_URLS).map(([key, rest]) => [`${key}_url`, `${url}${rest}`]),
    ),
    created_at: seconds(at),
    updated_at: seconds(at),
    pushed_at: seconds(at),
    git_url: `git:${page.replace(/^https?:\/\//, '')}.git`,
    ssh_url: `git@${new URL(web).host}:${project.path}.git`,
    clone_url: `${page}.git`,
    svn_url: page,
    homepage: null,
    size: 1,
    stargazers_count: 0,
    watchers_count: 0,
    language: null,
    has_issues: project.issuesEnabled,
    has_projects: true,
    has_downloads: true,
    has_wiki: true,
    has_pages: false,
    has_discussions: false,
    forks_count: 0,
    mirror_url: null,
    archived: project.archived,
    disabled: false,
    open_issues_count: openIssues,
    license: null,
    allow_forking: true,
    is_template: false,
    topics: [],
    visibility: project.private ? 'private' : 'public',
    forks: 0,
    open_issues: openIssues,
    watchers: 0,
    default_branch: 'main',
    permissions: { admin: false, maintain: false, push, triage: push, pull: true },
    network_count: 0,
    subscribers_count: 0,
  };
}
