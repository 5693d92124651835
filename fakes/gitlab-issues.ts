import { issueBody, noteBody } from './gitlab-bodies.ts';
import type { GitlabPlace } from './gitlab-place.ts';
import { textOf } from './json.ts';
import { takeCommands, type Commands } from './quick-actions.ts';
import type { FakeIssue } from './state.ts';
import type { Call, Route, WireReply } from './wire.ts';

const TITLE_MAX = 255;
const DESCRIPTION_MAX = 1_048_576;
const NOTE_MAX = 1_000_000;
const ISSUE_FIELDS = [
  'title',
  'description',
  'labels',
  'confidential',
  'issue_type',
  'assignee_ids',
  'due_date',
];
const UPDATE_FIELDS = [...ISSUE_FIELDS, 'state_event', 'add_labels', 'remove_labels'];

/** GitlabIssues answers the calls that make, read and change issues, and runs the quick actions in their texts. */
export class GitlabIssues {
  readonly #place: GitlabPlace;

  constructor(place: GitlabPlace) {
    this.#place = place;
  }

  /** routes are the endpoints. */
  routes(): Route[] {
    const at = (rest: string): RegExp => new RegExp(`^/projects/([^/]+)/issues${rest}$`);
    const one = at(String.raw`/(\d+)`);
    const notes = at(String.raw`/(\d+)/notes`);
    const note = ['body', 'internal', 'created_at'];
    return [
      {
        act: 'create',
        method: 'POST',
        path: at(''),
        fields: ISSUE_FIELDS,
        answer: (call) => this.#create(call),
      },
      { act: 'read', method: 'GET', path: one, answer: (call) => this.#read(call) },
      { act: 'close', method: 'PUT', path: one, fields: UPDATE_FIELDS, answer: (call) => this.#update(call) },
      { act: 'comment', method: 'POST', path: notes, fields: note, answer: (call) => this.#note(call) },
    ];
  }

  #create(call: Call): WireReply {
    const at = this.#place.project(call, true);
    if ('status' in at) return at;
    if (!at.project.issuesEnabled) return { status: 403, body: { message: '403 Forbidden' } };
    const { title, description, labels } = call.body;
    if (title === undefined || title === null) return { status: 400, body: { error: 'title is missing' } };
    const wrong = wrongTexts(title, description);
    if (wrong !== null) return wrong;
    const { commands, text } = takeCommands(typeof description === 'string' ? description : '');
    const issue = this.#place.world.open({
      project: at.project.path,
      title: textOf(title),
      body: description === undefined || description === null ? null : text,
      labels: at.access === 'write' ? labelNames(labels) : [],
      by: call.token.user.login,
    });
    // What stood in the body before the commands were taken out is what counts as active.
    if (commands.length > 0)
      for (const { name, argument } of commands)
        issue.active.push({ kind: 'quick_action', text: `/${name} ${argument}` });
    this.#run(issue, commands, call);
    return { status: 201, body: issueBody(issue, this.#place.web) };
  }

  /** Runs quick actions with the rights of their author, as GitLab does. */
  #run(issue: FakeIssue, commands: Commands['commands'], call: Call): void {
    const by = call.token.user.login;
    for (const { name, argument } of commands) {
      const labels = [...argument.matchAll(/~(?:"([^"]+)"|(\S+))/g)].map(
        (match) => match[1] ?? match[2] ?? '',
      );
      if (name === 'close' || name === 'done') this.#place.world.close(issue, by);
      else if (name === 'reopen') this.#place.world.reopen(issue, by);
      else if (name === 'title') this.#place.world.edit(issue, { title: argument }, by);
      else if (name === 'label' || name === 'labels')
        this.#place.world.edit(issue, { labels: [...issue.labels, ...labels] }, by);
      else if (name === 'lock') this.#place.world.lock(issue);
    }
  }

  #read(call: Call): WireReply {
    const at = this.#place.issue(call, false);
    return 'status' in at ? at : { status: 200, body: issueBody(at.issue, this.#place.web) };
  }

  #update(call: Call): WireReply {
    const at = this.#place.issue(call, true);
    if ('status' in at) return at;
    const { issue, access } = at;
    if (access !== 'write' && issue.author.id !== call.token.user.id) {
      return { status: 403, body: { message: '403 Forbidden' } };
    }
    const { state_event: event, title, description, labels } = call.body;
    if (event !== undefined && event !== 'close' && event !== 'reopen') {
      return { status: 400, body: { error: 'state_event does not have a valid value' } };
    }
    const known = Object.keys(call.body).some((name) =>
      [...ISSUE_FIELDS, 'state_event', 'add_labels', 'remove_labels'].includes(name),
    );
    if (!known)
      return {
        status: 400,
        body: {
          error: 'title, description, state_event are missing, at least one parameter must be provided',
        },
      };
    const wrong = wrongTexts(title ?? 'kept', description);
    if (wrong !== null) return wrong;
    const by = call.token.user.login;
    if (title !== undefined || description !== undefined || labels !== undefined) {
      const change = {
        ...(title === undefined ? {} : { title: textOf(title) }),
        ...(description === undefined ? {} : { body: description }),
        ...(labels === undefined ? {} : { labels: labelNames(labels) }),
      };
      this.#place.world.edit(issue, change, by);
    }
    if (event === 'close') this.#place.world.close(issue, by);
    if (event === 'reopen') this.#place.world.reopen(issue, by);
    return { status: 200, body: issueBody(issue, this.#place.web) };
  }

  #note(call: Call): WireReply {
    const at = this.#place.issue(call, true);
    if ('status' in at) return at;
    if (at.issue.locked && at.access !== 'write') return { status: 403, body: { message: '403 Forbidden' } };
    const { body } = call.body;
    if (body === undefined) return { status: 400, body: { error: 'body is missing' } };
    if (typeof body !== 'string' || body.trim() === '') {
      return { status: 400, body: { message: "400 Bad request - Note can't be blank" } };
    }
    if (body.length > NOTE_MAX)
      return {
        status: 400,
        body: { message: { note: [`is too long (maximum is ${NOTE_MAX} characters)`] } },
      };
    const { commands, text } = takeCommands(body);
    this.#run(at.issue, commands, call);
    for (const { name, argument } of commands)
      at.issue.active.push({ kind: 'quick_action', text: `/${name} ${argument}` });
    if (text === '') {
      const changes = Object.fromEntries(commands.map(({ name }) => [name, true]));
      return { status: 202, body: { commands_changes: changes, summary: ['Commands applied'] } };
    }
    const note = this.#place.world.comment(at.issue, text, call.token.user.login);
    return { status: 201, body: noteBody(at.issue, note, this.#place.web) };
  }
}

function wrongTexts(title: unknown, description: unknown): WireReply | null {
  const message: Record<string, string[]> = {};
  if (typeof title !== 'string' || title.trim() === '') message['title'] = ["can't be blank"];
  else if ([...title].length > TITLE_MAX)
    message['title'] = [`is too long (maximum is ${TITLE_MAX} characters)`];
  if (typeof description === 'string' && description.length > DESCRIPTION_MAX) {
    message['description'] = [`is too long (maximum is ${DESCRIPTION_MAX} characters)`];
  }
  if (description !== undefined && description !== null && typeof description !== 'string') {
    return { status: 400, body: { error: 'description is invalid' } };
  }
  return Object.keys(message).length === 0 ? null : { status: 400, body: { message } };
}

function labelNames(labels: unknown): string[] {
  const named = Array.isArray(labels) ? labels.map(String) : [];
  const list = typeof labels === 'string' ? labels.split(',') : named;
  return list.map((label) => label.trim()).filter((label) => label !== '');
}
