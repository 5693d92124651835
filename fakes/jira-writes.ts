import { adfProblem } from './adf.ts';
import { commentBody, ISSUE_TYPES, keyOf, TRANSITIONS } from './jira-bodies.ts';
import type { JiraPlace } from './jira-place.ts';
import { isRecord, textOf } from './json.ts';
import type { Call, Route, WireReply } from './wire.ts';

const SUMMARY_MAX = 255;
const TEXT_MAX = 32_767;
const LABEL_MAX = 255;
const UPDATE_FIELDS = ['fields', 'update', 'transition', 'properties', 'historyMetadata'];
const COMMENT_FIELDS = ['body', 'visibility', 'properties'];

/** JiraWrites answers the calls that change something: issues, comments, transitions. */
export class JiraWrites {
  readonly #place: JiraPlace;

  constructor(place: JiraPlace) {
    this.#place = place;
  }

  /** routes are the endpoints. */
  routes(): Route[] {
    const at = (path: string): RegExp => this.#place.at(path);
    const comment = at('/issue/([^/]+)/comment');
    const transition = at('/issue/([^/]+)/transitions');
    return [
      {
        act: 'create',
        method: 'POST',
        path: at('/issue'),
        query: ['updateHistory'],
        fields: UPDATE_FIELDS,
        answer: (call) => this.#create(call),
      },
      {
        act: 'comment',
        method: 'POST',
        path: comment,
        query: ['expand'],
        fields: COMMENT_FIELDS,
        answer: (call) => this.#comment(call),
      },
      {
        act: 'close',
        method: 'POST',
        path: transition,
        fields: UPDATE_FIELDS,
        answer: (call) => this.#transition(call),
      },
    ];
  }

  #create(call: Call): WireReply {
    const { fields } = call.body;
    if (!isRecord(fields)) return this.#place.refuse(400, ["Field 'project' is required"]);
    const reference = fields['project'];
    const key = isRecord(reference) ? textOf(reference['key'] ?? reference['id']) : '';
    const at = this.#place.project(encodeURIComponent(key), call.token);
    if (at === null) return this.#place.refuse(400, [], { project: 'valid project is required' });
    if (at.access === 'read' || at.project.archived) {
      return this.#place.refuse(400, [], {
        project: 'You do not have permission to create issues in this project.',
      });
    }
    const errors: Record<string, string> = {};
    const type = fields['issuetype'];
    const named = ISSUE_TYPES.find(
      (one) => isRecord(type) && (type['id'] === one.id || type['name'] === one.name),
    );
    if (named === undefined) errors['issuetype'] = 'Specify a valid issue type';
    const known = [
      'project',
      'issuetype',
      'summary',
      'description',
      'labels',
      ...Object.keys(at.project.requiredFields),
    ];
    for (const name of Object.keys(fields)) {
      if (known.includes(name)) continue;
      call.violation(`unknown field ${name}`);
      errors[name] = `Field '${name}' cannot be set. It is not on the appropriate screen, or unknown.`;
    }
    for (const [id, name] of Object.entries(at.project.requiredFields)) {
      if (fields[id] === undefined || fields[id] === null) errors[id] = `${name} is required.`;
    }
    const summary = fields['summary'];
    if (typeof summary !== 'string' || summary.trim() === '')
      errors['summary'] = 'You must specify a summary of the issue.';
    else if (/[\r\n]/.test(summary))
      errors['summary'] = 'The summary is invalid because it contains newline characters.';
    else if (summary.length > SUMMARY_MAX)
      errors['summary'] = `Summary can't exceed ${SUMMARY_MAX} characters.`;
    const { description, labels = [] } = fields;
    const wrong =
      description === undefined || description === null ? null : wrongBody(this.#place, call, description);
    if (wrong !== null) errors['description'] = wrong;
    const bad = Array.isArray(labels)
      ? labels.find(
          (label: unknown) => typeof label !== 'string' || /\s/.test(label) || label.length > LABEL_MAX,
        )
      : labels;
    if (bad !== undefined) errors['labels'] = `The label '${String(bad)}' contains spaces which is invalid.`;
    if (Object.keys(errors).length > 0) return this.#place.refuse(400, [], errors);
    const issue = this.#place.world.open({
      project: at.project.path,
      title: String(summary),
      body: description ?? null,
      labels: labels as string[],
      by: call.token.user.login,
      issueType: named?.name ?? 'Task',
    });
    const self = `${this.#place.addresses.api}/rest/api/${this.#place.addresses.cloud ? 3 : 2}/issue/${issue.id}`;
    return { status: 201, body: { id: String(issue.id), key: keyOf(issue), self } };
  }

  #comment(call: Call): WireReply {
    const at = this.#place.issue(call);
    if ('status' in at) return at;
    if (at.access === 'read' || (at.issue.locked && at.access !== 'write')) {
      return this.#place.refuse(400, [], { comment: 'You do not have permission to comment on this issue.' });
    }
    const { body } = call.body;
    if (body === undefined || body === null || body === '')
      return this.#place.refuse(400, [], { comment: 'Comment body can not be empty!' });
    const wrong = wrongBody(this.#place, call, body);
    if (wrong !== null) return this.#place.refuse(400, [], { comment: wrong });
    const comment = this.#place.world.comment(at.issue, body, call.token.user.login);
    return { status: 201, body: commentBody(at.issue, comment, this.#place.addresses) };
  }

  #transition(call: Call): WireReply {
    const at = this.#place.issue(call);
    if ('status' in at) return at;
    const { transition } = call.body;
    const id = isRecord(transition) ? transition['id'] : undefined;
    if (typeof id !== 'string') {
      call.violation('transition.id is not a text');
      return this.#place.refuse(400, ["Missing 'transition' identifier"]);
    }
    const offered = TRANSITIONS.find((one) => one.id === id && one.to !== at.issue.status);
    if (offered === undefined || at.access !== 'write') {
      const name = TRANSITIONS.find((one) => one.id === id)?.name ?? id;
      const text = `It seems that you have tried to perform a workflow operation (${name}) that is not valid for the current state of this issue (${keyOf(at.issue)}). The likely cause is that somebody has changed the issue recently, please look at the issue history for details.`;
      return this.#place.refuse(400, [text]);
    }
    const given = isRecord(call.body['fields']) ? call.body['fields'] : {};
    const missing =
      offered.to === '10001' ? at.issue.project.requiredOnDone.find((name) => !(name in given)) : undefined;
    if (missing !== undefined) return this.#place.refuse(400, [], { [missing]: `${missing} is required.` });
    this.#place.world.status(at.issue, offered.to, call.token.user.login);
    return { status: 204 };
  }
}

/** What is wrong with a description or comment: a document in the cloud, a text in the data centre. */
function wrongBody(place: JiraPlace, call: Call, body: unknown): string | null {
  const size = typeof body === 'string' ? body.length : JSON.stringify(body).length;
  if (!place.addresses.cloud) {
    if (typeof body !== 'string') return 'Operation value must be a string';
    return size > TEXT_MAX
      ? `The entered text is too long. It exceeds the allowed limit of ${TEXT_MAX} characters.`
      : null;
  }
  if (typeof body === 'string')
    return 'Operation value must be an Atlassian Document (see the Atlassian Document Format)';
  const problem = adfProblem(body);
  if (problem !== null) {
    call.violation(`ADF: ${problem}`);
    return 'INVALID_INPUT';
  }
  return size > TEXT_MAX ? 'CONTENT_LIMIT_EXCEEDED' : null;
}
