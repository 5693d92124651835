import type { TrackerDoor } from '../../src/app/index.ts';
import type { Secret } from '../../src/base/index.ts';
import { TrackerError, type JiraPlace } from '../../src/trackers/index.ts';
import type { ChannelSetupOptions } from '../commands/channel-setup.ts';
import type { Interview } from './channel-setup-ask.ts';
import type { Remark } from './channel-setup-check.ts';

/** JiraAnswers are what a Jira channel needs beside its place. */
export interface JiraAnswers {
  readonly place: JiraPlace;
  readonly issueType: string;
  readonly doneTransitionId: string | null;
  readonly remarks: readonly Remark[];
}

/**
 * askJira finds out where a token works and asks for what is chosen from the project. "Classic and scoped cloud tokens look identical. A
 * scoped token authenticates only against the gateway form": where the site refuses it, the gateway is tried under the site's own id.
 */
export async function askJira(
  entered: JiraPlace,
  project: string,
  token: Secret,
  {
    door,
    interview,
    options,
  }: { readonly door: TrackerDoor; readonly interview: Interview; readonly options: ChannelSetupOptions },
): Promise<JiraAnswers> {
  const remarks: Remark[] = [];
  const place = await whereItWorks(entered, token, door, options.gateway, remarks);
  const standard = options.issueType ?? 'Task';
  if (place === null)
    return { place: entered, issueType: standard, doneTransitionId: options.doneTransition ?? null, remarks };
  const types = await readable(remarks, [], () => door.jiraTypes(place, token, project));
  const issueType = await interview.choice(
    '--issue-type',
    options.issueType,
    'Type of the issues',
    types.length === 0
      ? [{ value: standard, name: standard }]
      : types.map(({ name }) => ({ value: name, name })),
    types.some(({ name }) => name === 'Task') ? 'Task' : types[0]?.name,
  );
  const typeId = types.find(({ name }) => name === issueType)?.id;
  const required =
    typeId === undefined
      ? []
      : await readable(remarks, [], () => door.jiraRequired(place, token, project, typeId));
  if (required.length > 0)
    remarks.push({
      wrong: true,
      sentence: `an issue of the type ${issueType} must have ${required.join(', ')}, which the service does not fill in`,
      fix: 'Choose another type, give the fields a default in Jira, or make them optional',
    });
  const doneTransitionId = await askTransition(place, token, { door, interview, options }, remarks);
  const permissions = [
    ...['BROWSE_PROJECTS', 'CREATE_ISSUES', 'ADD_COMMENTS'],
    ...(doneTransitionId === null ? [] : ['TRANSITION_ISSUES']),
  ];
  const lacking = await readable(remarks, [], () => door.jiraLacks(place, token, project, permissions));
  if (lacking.length > 0)
    remarks.push({
      wrong: true,
      sentence: `the account lacks in the project ${project}: ${lacking.join(', ')}`,
      fix: 'Give them to it in the permission scheme of the project, or enter another account',
    });
  return { place, issueType, doneTransitionId, remarks };
}

/** What cannot be read is told, and is no reason to stop: the test that follows says what matters. */
async function readable<T>(remarks: Remark[], otherwise: T, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof TrackerError)) throw error;
    remarks.push({ wrong: false, sentence: error.message, fix: null });
    return otherwise;
  }
}

async function whereItWorks(
  place: JiraPlace,
  token: Secret,
  door: TrackerDoor,
  gateway: string,
  remarks: Remark[],
): Promise<JiraPlace | null> {
  if (await door.jiraTakes(place, token)) return place;
  const onSite = place.email !== null && !new URL(place.apiBaseUrl).pathname.startsWith('/ex/jira/');
  const cloudId = onSite ? await door.cloudId(place.apiBaseUrl) : null;
  if (cloudId === null) return null;
  const through = { ...place, apiBaseUrl: `${gateway.replace(/\/$/, '')}/ex/jira/${cloudId}` };
  if (!(await readable([], false, () => door.jiraTakes(through, token)))) {
    remarks.push({
      wrong: true,
      sentence: 'neither the site nor the gateway takes the token',
      fix: 'Check the e-mail address and the token: one of them is wrong, or the token has expired',
    });
    return null;
  }
  remarks.push({
    wrong: false,
    sentence: `the token is a scoped one, which works with the gateway alone: apiBaseUrl is ${through.apiBaseUrl}`,
    fix: null,
  });
  return through;
}

async function askTransition(
  place: JiraPlace,
  token: Secret,
  {
    door,
    interview,
    options,
  }: { readonly door: TrackerDoor; readonly interview: Interview; readonly options: ChannelSetupOptions },
  remarks: Remark[],
): Promise<string | null> {
  const example = await interview.line(
    '--example-issue',
    options.exampleIssue,
    'Key of any open issue there, to list what can be done with it (Enter: issues are left open when their findings end)',
    '',
  );
  if (example === '') {
    if (options.doneTransition === undefined)
      remarks.push({
        wrong: false,
        sentence: 'without a transition issues are commented on and left open',
        fix: null,
      });
    return options.doneTransition ?? null;
  }
  const offered = await readable(remarks, [], () =>
    door.jiraTransitions(place, token, example.toUpperCase()),
  );
  if (offered.length === 0) {
    remarks.push({
      wrong: true,
      sentence: `the account is offered no transition on ${example}`,
      fix: 'Give it Transition issues in the project, or name an issue that is open',
    });
    return options.doneTransition ?? null;
  }
  const none = { value: '', name: 'none: leave issues open' };
  const chosen = await interview.choice(
    '--done-transition',
    options.doneTransition,
    'Which one closes an issue?',
    [
      ...offered.map(({ id, name, done }) => ({
        value: id,
        name: done ? name : `${name} (not done by it)`,
      })),
      none,
    ],
    '', // never inferred
  );
  const taken = offered.find(({ id }) => id === chosen);
  if (taken !== undefined && taken.needs.length > 0)
    remarks.push({
      wrong: true,
      sentence: `the transition ${taken.name} asks for ${taken.needs.join(', ')}, which the service does not fill in`,
      fix: 'Choose another one, or take the fields off its screen',
    });
  if (taken !== undefined && !taken.done)
    remarks.push({
      wrong: false,
      sentence: `after ${taken.name} an issue does not count as done in Jira`,
      fix: null,
    });
  return chosen === '' ? null : chosen;
}
