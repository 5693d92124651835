import type { Active } from './active.ts';

/** Access is what an account may do in a project: 'report' opens issues and comments, and 'write' labels and closes too. */
export type Access = 'none' | 'read' | 'report' | 'write';

/** FakeKind names one of the six trackers that are played. */
export type FakeKind = (typeof FAKE_KINDS)[number];

/** FAKE_KINDS are the six forms of tracker that the service speaks to. */
export const FAKE_KINDS = [
  'github',
  'github-enterprise',
  'gitlab',
  'jira-cloud',
  'jira-gateway',
  'jira-datacenter',
] as const;

/** FakeUser is an account of the tracker; `login` is GitHub's login, GitLab's username and Data Center's name. */
export interface FakeUser {
  readonly id: number;
  readonly login: string;
  readonly name: string;
  readonly email: string;
  readonly bot: boolean;
}

/** FakeProject is a repository (`owner/name`), a project with its groups, or a Jira project (its key). */
export interface FakeProject {
  readonly id: number;
  path: string;
  name: string;
  private: boolean;
  archived: boolean;
  issuesEnabled: boolean;
  /** requiredFields of Jira: names of custom fields by id, without which nothing is created. */
  requiredFields: Record<string, string>;
  /** requiredOnDone of Jira: fields that the screen of the closing transition demands. */
  requiredOnDone: string[];
  /** formerPaths still lead here: by a redirect, or by a refusal that names the move. */
  readonly formerPaths: string[];
  /** labels are those that exist; a label that an issue brings is made. */
  readonly labels: Set<string>;
  /** counter is the number of the newest issue. */
  counter: number;
}

/** FakeComment is one comment. `system` marks those that GitLab writes itself. */
export interface FakeComment {
  readonly id: number;
  readonly author: FakeUser;
  readonly body: unknown;
  readonly at: number;
  readonly system: boolean;
  readonly active: readonly Active[];
}

/** FakeIssue is one issue as it stands. `number` is the number within its project, `id` never changes. */
export interface FakeIssue {
  readonly id: number;
  project: FakeProject;
  number: number;
  title: string;
  body: unknown;
  labels: string[];
  readonly author: FakeUser;
  readonly createdAt: number;
  updatedAt: number;
  state: 'open' | 'closed';
  /** reason is GitHub's `state_reason`; null where the tracker knows none. */
  reason: string | null;
  /** status is Jira's: the id of the status. */
  status: string;
  issueType: string;
  closedAt: number | null;
  closedBy: FakeUser | null;
  locked: boolean;
  deleted: boolean;
  readonly pullRequest: boolean;
  /** movedTo is the copy that a move left elsewhere (GitLab). */
  movedTo: FakeIssue | null;
  readonly comments: FakeComment[];
  /** active is what the title and body would have set off: mentions, references, quick actions, macros. */
  readonly active: Active[];
  /** indexed are the states that the search index learns, and when. */
  readonly indexed: IndexEntry[];
}

/** IndexEntry is what the search index holds of an issue from `at` on. */
export interface IndexEntry {
  readonly at: number;
  readonly project: string;
  readonly labels: readonly string[];
  readonly text: string;
  readonly deleted: boolean;
}

/** Act is one line of the history: who did what to which issue, when. */
export interface Act {
  readonly at: number;
  readonly by: string;
  readonly act: 'open' | 'comment' | 'close' | 'reopen' | 'move' | 'delete' | 'edit';
  readonly issue: number;
}

/** NewIssue is an issue that a person or the service opens. */
export interface NewIssue {
  readonly project: string;
  readonly title: string;
  readonly body?: unknown;
  readonly labels?: readonly string[];
  readonly by?: string;
  readonly issueType?: string;
  readonly pullRequest?: boolean;
  /** createdAt is when it was opened first, where it is the copy that a move makes; now unless given. */
  readonly createdAt?: number;
}

/** WorldOptions say how a world begins. `lagMs` is how long the search index takes to learn of a change, and a list of a new issue. */
export interface WorldOptions {
  readonly kind: FakeKind;
  readonly now: () => number;
  readonly lagMs: () => number;
  readonly users: readonly FakeUser[];
  readonly projects: readonly FakeProject[];
}

/** JIRA_STATUSES are the three statuses of the played workflow, by id. */
export const JIRA_STATUSES = {
  '10000': { name: 'To Do', category: 'new' },
  '3': { name: 'In Progress', category: 'indeterminate' },
  '10001': { name: 'Done', category: 'done' },
} as const;
