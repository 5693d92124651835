import type { TrackerDoor } from '../../../src/app/index.ts';
import type { Secret } from '../../../src/base/index.ts';
import { TrackerError, type JiraPlace, type JiraTransition } from '../../../src/trackers/index.ts';
import type { Interview } from './ask.ts';
import { limitRemarks, type Remark } from './check.ts';
import type { SetupAnswers } from './place.ts';

/** JiraAnswers are what a Jira channel needs beside its project. */
export interface JiraAnswers {
  /** Where its token works. */
  readonly apiBaseUrl: string;
  readonly issueType: string;
  readonly doneTransitionId: string | null;
  readonly remarks: readonly Remark[];
  /** Whether Jira said that the account may do all that is needed. */
  readonly proved: boolean;
}

/** JiraMeans are what the answers are found with. */
export interface JiraMeans {
  readonly door: TrackerDoor;
  readonly interview: Interview;
  readonly answers: SetupAnswers;
  /** Tells a person what was found before the next question. */
  tell(remark: Remark): void;
}

/**
 * askJira finds out where a token works and asks for what is chosen from the project. "Classic and scoped cloud tokens look identical. A
 * scoped token authenticates only against the gateway form": where the site refuses it, the gateway is tried under the site's own id.
 */
export async function askJira(
  entered: JiraPlace,
  project: string,
  token: Secret,
  means: JiraMeans,
): Promise<JiraAnswers> {
  const { door, answers } = means;
  const remarks: Remark[] = [];
  // The test that follows says what is wrong with the place or the token.
  const place = await readable(remarks, null, () => whereItWorks(entered, token, means, remarks), []);
  if (place === null) {
    const { apiBaseUrl } = entered;
    const { issueType = 'Task', doneTransition = null } = answers;
    return { apiBaseUrl, issueType, doneTransitionId: doneTransition, remarks, proved: false };
  }
  const issueType = await askType(place, project, token, means, remarks);
  const doneTransitionId = await askTransition(place, token, means, remarks);
  const permissions = [
    ...['BROWSE_PROJECTS', 'CREATE_ISSUES', 'ADD_COMMENTS'],
    ...(doneTransitionId === null ? [] : ['TRANSITION_ISSUES']),
  ];
  const lacking = await readable(remarks, null, () => door.jiraLacks(place, token, project, permissions));
  if (lacking !== null && lacking.length > 0)
    remarks.push({
      level: 'wrong',
      sentence: `the account lacks in the project ${project}: ${lacking.join(', ')}`,
      fix: 'Grant them in the permission scheme of the project, or enter another account',
    });
  const proved = lacking?.length === 0;
  const may = doneTransitionId === null ? 'open and comment on' : 'open, comment on and close';
  if (proved) remarks.push({ level: 'ok', sentence: `the account may ${may} issues in ${project}` });
  return { apiBaseUrl: place.apiBaseUrl, issueType, doneTransitionId, remarks, proved };
}

/**
 * What cannot be read is reported in `noted` and does not stop the setup: the test that follows finds what matters. A limit is always
 * reported, since it keeps what follows from being known.
 */
async function readable<T>(
  remarks: Remark[],
  otherwise: T,
  read: () => Promise<T>,
  noted: Remark[] = remarks,
): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof TrackerError)) throw error;
    const limit = limitRemarks(error);
    if (limit.length > 0) remarks.push(...limit);
    else noted.push({ level: 'note', sentence: error.message });
    return otherwise;
  }
}

async function whereItWorks(
  place: JiraPlace,
  token: Secret,
  { door, answers: { gateway } }: JiraMeans,
  remarks: Remark[],
): Promise<JiraPlace | null> {
  if (await door.jiraTakes(place, token)) return place;
  const onSite = place.email !== null && !new URL(place.apiBaseUrl).pathname.startsWith('/ex/jira/');
  const cloudId = onSite ? await door.cloudId(place.apiBaseUrl) : null;
  if (cloudId === null) return null;
  const through = { ...place, apiBaseUrl: `${gateway.replace(/\/$/, '')}/ex/jira/${cloudId}` };
  if (!(await readable(remarks, false, () => door.jiraTakes(through, token), []))) {
    if (remarks.every(({ level }) => level !== 'wait'))
      remarks.push({
        level: 'wrong',
        sentence: 'neither the site nor the gateway accepts the token',
        fix: 'Check the e-mail address and the token: one of them is wrong, or the token has expired',
      });
    return null;
  }
  remarks.push({
    level: 'note',
    sentence: `the token is scoped and works only with the gateway: apiBaseUrl is ${through.apiBaseUrl}`,
  });
  return through;
}

/** A type whose issues need more than the service fills in is said to, and a person may choose another. */
async function askType(
  place: JiraPlace,
  project: string,
  token: Secret,
  { door, interview, answers, tell }: JiraMeans,
  remarks: Remark[],
): Promise<string> {
  const types = await readable(remarks, [], () => door.jiraTypes(place, token, project));
  const standard = types.some(({ name }) => name === 'Task') ? 'Task' : (types[0]?.name ?? 'Task');
  const needs = new Map<string, string>();
  for (;;) {
    const given = needs.size === 0 ? answers.issueType : undefined;
    const chosen = await interview.choice(
      '--issue-type',
      // Without a list, the type is taken at its word.
      types.length === 0 ? undefined : given,
      'Type of the issues',
      types.length === 0
        ? [{ value: given ?? standard, name: given ?? standard }]
        : types.map(({ name }) => ({
            value: name,
            name: needs.has(name) ? `${name} (must have ${needs.get(name)})` : name,
          })),
      types.length === 0 ? (given ?? standard) : standard,
    );
    const typeId = types.find(({ name }) => name === chosen)?.id;
    const required =
      typeId === undefined
        ? []
        : await readable(remarks, [], () => door.jiraRequired(place, token, project, typeId));
    if (required.length === 0) return chosen;
    const wrong: Remark = {
      level: 'wrong',
      sentence: `an issue of the type ${chosen} must have ${required.join(', ')}, which the service does not fill in`,
      fix: 'Choose another type, give the fields a default in Jira, or make them optional',
    };
    // Who chooses it all the same, or has no other, knows.
    const others = types.filter(({ name }) => name !== chosen && !needs.has(name));
    if (!interview.person || needs.has(chosen) || others.length === 0) {
      remarks.push(wrong);
      return chosen;
    }
    tell(wrong);
    needs.set(chosen, required.join(', '));
  }
}

async function askTransition(
  place: JiraPlace,
  token: Secret,
  { door, interview, answers, tell }: JiraMeans,
  remarks: Remark[],
): Promise<string | null> {
  const { doneTransition, exampleIssue } = answers;
  for (let first = true; ; first = false) {
    const example =
      doneTransition !== undefined && exampleIssue === undefined
        ? ''
        : await interview.line({
            flag: '--example-issue',
            given: first ? exampleIssue : undefined,
            text: 'Key of any open issue there, to list the transitions that close one (Enter: leave issues open)',
            standard: '',
            check: (key) =>
              /^[A-Za-z]\w*-\d+$/.test(key) ? null : 'this is not a valid issue key, such as SEC-12',
          });
    if (example === '') {
      if (doneTransition === undefined)
        remarks.push({
          level: 'note',
          sentence: 'without a transition issues are commented on and left open',
        });
      return doneTransition ?? null;
    }
    const unread: Remark[] = [];
    const offered = await readable(unread, [], () =>
      door.jiraTransitions(place, token, example.toUpperCase()),
    );
    if (offered.length > 0) return chosenOf(offered, interview, doneTransition, remarks);
    const [reason] = unread;
    const wrong: Remark =
      reason?.level === 'wait'
        ? reason
        : {
            level: 'wrong',
            sentence:
              reason === undefined
                ? `the account has no transition on ${example}`
                : `the transitions of ${example} cannot be read: ${reason.sentence}`,
            fix: 'Grant the account Transition issues in the project, or name an existing open issue',
          };
    if (!interview.person) {
      remarks.push(wrong);
      return doneTransition ?? null;
    }
    tell(wrong);
  }
}

async function chosenOf(
  offered: readonly JiraTransition[],
  interview: Interview,
  given: string | undefined,
  remarks: Remark[],
): Promise<string | null> {
  const chosen = await interview.choice(
    '--done-transition',
    given,
    'Which one closes an issue?',
    [
      ...offered.map(({ id, name, done, needs }) => ({
        value: id,
        name: given === undefined ? described(name, done, needs) : name,
      })),
      { value: '', name: 'none: leave issues open' },
    ],
    '', // never inferred
  );
  const taken = offered.find(({ id }) => id === chosen);
  if (taken === undefined) {
    remarks.push({ level: 'note', sentence: 'without a transition issues are commented on and left open' });
    return null;
  }
  if (taken.needs.length > 0)
    remarks.push({
      level: 'wrong',
      sentence: `the transition ${taken.name} asks for ${taken.needs.join(', ')}, which the service does not fill in`,
      fix: 'Choose another one, or remove the fields from its screen',
    });
  if (!taken.done)
    remarks.push({ level: 'note', sentence: `after ${taken.name} an issue does not count as done in Jira` });
  return taken.id;
}

function described(name: string, done: boolean, needs: readonly string[]): string {
  const facts = [
    ...(done ? [] : ['not done after it']),
    ...(needs.length === 0 ? [] : [`asks for ${needs.join(', ')}`]),
  ];
  return facts.length === 0 ? name : `${name} (${facts.join('; ')})`;
}
