import { activeIn } from './active-in.ts';
import { FakeError } from './fake-error.ts';
import {
  JIRA_STATUSES,
  type Act,
  type FakeComment,
  type FakeIssue,
  type FakeProject,
  type FakeUser,
  type IndexEntry,
  type NewIssue,
  type FakeKind,
  type WorldOptions,
} from './state.ts';

/**
 * World is what one tracker holds: accounts, projects, issues, comments. The servers act on it for their callers; a test acts on it as a
 * person does, by the same methods.
 */
export class World {
  readonly kind: FakeKind;
  readonly now: () => number;
  readonly users: readonly FakeUser[];
  readonly projects: FakeProject[];
  readonly issues: FakeIssue[] = [];
  readonly history: Act[] = [];
  readonly #lagMs: () => number;
  readonly #former = new Map<string, FakeIssue>();
  #ids = 1000;

  constructor(options: WorldOptions) {
    this.kind = options.kind;
    this.now = options.now;
    this.users = options.users;
    this.projects = [...options.projects];
    this.#lagMs = options.lagMs;
  }

  /** user finds an account by its login. */
  user(login: string): FakeUser {
    const found = this.users.find((user) => user.login === login);
    if (found === undefined) throw new FakeError('unknown_user', `there is no account ${login}`);
    return found;
  }

  /** project finds a project by its present path, and throws where there is none. */
  project(path: string): FakeProject {
    const found = this.projects.find((project) => project.path.toLowerCase() === path.toLowerCase());
    if (found === undefined) throw new FakeError('unknown_project', `there is no project ${path}`);
    return found;
  }

  /** movedProject finds the project that once had this path. */
  movedProject(path: string): FakeProject | undefined {
    return this.projects.find((project) =>
      project.formerPaths.some((former) => former.toLowerCase() === path.toLowerCase()),
    );
  }

  /** issue finds an issue by project and number as they stand now; a deleted one is found too. */
  issue(path: string, number: number): FakeIssue | undefined {
    const lower = path.toLowerCase();
    return this.issues.find((one) => one.number === number && one.project.path.toLowerCase() === lower);
  }

  /** movedIssue finds the issue that once had this number in this project. */
  movedIssue(project: FakeProject, number: number): FakeIssue | undefined {
    return this.#former.get(`${project.id}#${number}`);
  }

  /** open makes an issue. Labels that the project does not know come to be. */
  open(issue: NewIssue): FakeIssue {
    const project = this.project(issue.project);
    const author = this.user(issue.by ?? 'alice');
    const at = this.now();
    project.counter += 1;
    const labels = [...new Set(issue.labels ?? [])];
    for (const label of labels) project.labels.add(label);
    const made: FakeIssue = {
      id: this.nextId(),
      project,
      number: project.counter,
      title: issue.title,
      body: issue.body ?? null,
      labels,
      author,
      createdAt: issue.createdAt ?? at,
      updatedAt: at,
      state: 'open',
      reason: null,
      status: '10000',
      issueType: issue.issueType ?? 'Task',
      closedAt: null,
      closedBy: null,
      locked: false,
      deleted: false,
      pullRequest: issue.pullRequest ?? false,
      movedTo: null,
      comments: [],
      active: [...activeIn(this.kind, 'title', issue.title), ...activeIn(this.kind, 'body', issue.body)],
      indexed: [],
    };
    this.issues.push(made);
    this.#changed(made, author, 'open');
    return made;
  }

  /** comment adds a comment. */
  comment(issue: FakeIssue, body: unknown, by = 'alice', system = false): FakeComment {
    const author = this.user(by);
    const active = system ? [] : activeIn(this.kind, 'body', body);
    const comment = { id: this.nextId(), author, body, at: this.now(), system, active };
    issue.comments.push(comment);
    if (!system) this.#changed(issue, author, 'comment');
    return comment;
  }

  /** close closes an issue, or moves it to the status Done. An issue that is closed stays as it was. */
  close(issue: FakeIssue, by = 'alice', reason: string | null = 'completed'): void {
    if (issue.state === 'closed') return;
    const user = this.user(by);
    issue.state = 'closed';
    issue.status = '10001';
    issue.reason = this.kind.startsWith('github') ? reason : null;
    issue.closedAt = this.now();
    issue.closedBy = user;
    if (this.kind === 'gitlab') this.comment(issue, 'closed', by, true);
    this.#changed(issue, user, 'close');
  }

  /** reopen opens a closed issue again. */
  reopen(issue: FakeIssue, by = 'alice'): void {
    if (issue.state === 'open') return;
    const user = this.user(by);
    issue.state = 'open';
    issue.status = '10000';
    issue.reason = this.kind.startsWith('github') ? 'reopened' : null;
    issue.closedAt = null;
    issue.closedBy = null;
    if (this.kind === 'gitlab') this.comment(issue, 'reopened', by, true);
    this.#changed(issue, user, 'reopen');
  }

  /** status moves a Jira issue to another status, closing or reopening it with that. */
  status(issue: FakeIssue, status: keyof typeof JIRA_STATUSES, by = 'alice'): void {
    const done = JIRA_STATUSES[status].category === 'done';
    if (done) this.close(issue, by);
    else this.reopen(issue, by);
    issue.status = status;
    this.#changed(issue, this.user(by), 'edit');
  }

  /** edit changes the title, body or labels of an issue, as a person does. */
  edit(
    issue: FakeIssue,
    change: { readonly title?: string; readonly body?: unknown; readonly labels?: readonly string[] },
    by = 'alice',
  ): void {
    if (change.title !== undefined) issue.title = change.title;
    if ('body' in change) issue.body = change.body;
    if (change.labels !== undefined) issue.labels = [...new Set(change.labels)];
    for (const label of issue.labels) issue.project.labels.add(label);
    this.#changed(issue, this.user(by), 'edit');
  }

  /** lock holds an issue against comments of those who may not write. */
  lock(issue: FakeIssue, locked = true): void {
    issue.locked = locked;
  }

  /** remove deletes an issue for good. */
  remove(issue: FakeIssue, by = 'alice'): void {
    issue.deleted = true;
    this.#changed(issue, this.user(by), 'delete');
  }

  /**
   * move takes an issue to another project as the tracker does: GitHub and Jira give it a new number there and lead the
   * old one on, GitLab closes it and leaves a copy in the other project. The issue in the other project is returned.
   */
  move(issue: FakeIssue, path: string, by = 'alice'): FakeIssue {
    const target = this.project(path);
    const user = this.user(by);
    if (this.kind === 'gitlab') {
      const copy = this.open({
        project: path,
        title: issue.title,
        body: issue.body,
        labels: issue.labels,
        by: issue.author.login,
        createdAt: issue.createdAt,
      });
      issue.movedTo = copy;
      this.close(issue, by);
      this.#changed(issue, user, 'move');
      return copy;
    }
    this.#former.set(`${issue.project.id}#${issue.number}`, issue);
    target.counter += 1;
    issue.project = target;
    issue.number = target.counter;
    this.#changed(issue, user, 'move');
    return issue;
  }

  /** rename gives a project another path; the former one leads on as the tracker has it. */
  rename(path: string, to: string): void {
    const project = this.project(path);
    project.formerPaths.push(project.path);
    project.path = to;
  }

  /** seenBySearch is what the search index holds of an issue at this moment, or undefined while it holds nothing. */
  seenBySearch(issue: FakeIssue): IndexEntry | undefined {
    const now = this.now();
    return issue.indexed.findLast(({ at }) => at <= now);
  }

  /** isListed tells whether lists of issues show an issue at this moment. */
  isListed(issue: FakeIssue): boolean {
    return this.seenBySearch(issue) !== undefined;
  }

  /** nextId gives ids of issues, comments and whatever else has one. */
  nextId(): number {
    this.#ids += 1;
    return this.#ids;
  }

  #changed(issue: FakeIssue, by: FakeUser, act: Act['act']): void {
    const at = this.now();
    issue.updatedAt = Math.max(issue.updatedAt, at);
    this.history.push({ at, by: by.login, act, issue: issue.id });
    issue.indexed.push({
      at: at + this.#lagMs(),
      project: issue.project.path,
      labels: [...issue.labels],
      text: `${issue.title}\n${JSON.stringify(issue.body)}`,
      deleted: issue.deleted,
    });
  }
}
