import type { ChannelOf, ChannelTest } from '../../channels/index.ts';
import { TrackerError } from '../../trackers/index.ts';
import { AnswerError } from '../transport/index.ts';
import type { JiraApi } from './api.ts';
import { isGateway, toProjectKey } from './place.ts';
import { Project } from './schema.ts';

type Settings = ChannelOf<'jira'>['settings'];

/**
 * testJira makes one read of a project and tells whether the credential works, and what is missing. `serverInfo` would answer anybody,
 * so that it tells nothing of a credential.
 */
export async function testJira(api: JiraApi, settings: Settings, cloud: boolean): Promise<ChannelTest> {
  const { projectKey, issueType } = settings;
  try {
    const key = toProjectKey(projectKey);
    const { document, headers } = await api.head(Project, {
      cloud: async (jira) => jira.projects.getProject({ projectIdOrKey: key }),
      dataCenter: { url: `/rest/api/2/project/${key}` },
    });
    if (/^anonymous$/i.test(headers['x-ausername'] ?? ''))
      return failed('Jira took the call for one of nobody: the credential is not accepted', wrong(cloud));
    if (document.archived === true)
      return failed(`the project ${key} is archived, so that no issue can be created in it`, [
        'Choose another project',
      ]);
    const types = document.issueTypes?.filter(({ subtask }) => subtask !== true).map(({ name }) => name);
    if (types !== undefined && types.length > 0 && !types.includes(issueType)) {
      return failed(`the project ${key} has no issue type ${issueType}`, [
        `Set the issue type to one of ${types.slice(0, 20).join(', ')}`,
      ]);
    }
    return { works: true, sentence: `the account reads the project ${key}`, hints: [permissions(settings)] };
  } catch (error) {
    if (error instanceof TrackerError) return explained(error, api, settings, cloud);
    throw error;
  }
}

function explained(error: TrackerError, api: JiraApi, settings: Settings, cloud: boolean): ChannelTest {
  if (error.fault === 'rate_limited')
    return { ...failed(error.message, []), limitedMs: error.quietMs ?? 60_000 };
  const headers = error instanceof AnswerError ? error.headers : {};
  const reason = headers['x-seraph-loginreason'] ?? '';
  const said = error instanceof AnswerError ? error.said : '';
  if (/CAPTCHA_CHALLENGE/.test(headers['x-authentication-denied-reason'] ?? '')) {
    return failed('Jira asks for a captcha after too many failed sign-ins', [
      'Sign in once in a browser with this account, then test again',
    ]);
  }
  if (error.fault === 'unauthorized') {
    if (/scope does not match/i.test(said))
      return failed(error.message, ['Give the token the scopes read:jira-work and write:jira-work']);
    if (cloud && !isGateway(api.transport.base)) {
      const marked = /AUTHENTICATED_FAILED/.test(reason) ? ' (AUTHENTICATED_FAILED)' : '';
      return failed(`${error.message}${marked}`, [
        'A scoped token works only with the gateway address: change apiBaseUrl to https://api.atlassian.com/ex/jira/<cloudId>; the cloudId is in <site>/_edge/tenant_info',
        'With a classic token, check the email and the token',
      ]);
    }
    return failed(error.message, wrong(cloud));
  }
  const hints: Partial<Record<TrackerError['fault'], readonly string[]>> = {
    forbidden: [permissions(settings)],
    not_found: [
      `Check the project key ${settings.projectKey}: Jira says not found also where the account may not look`,
      permissions(settings),
    ],
  };
  const wanted = hints[error.fault] ?? [];
  return failed(error.message, wanted.length > 0 || error.hint === undefined ? wanted : [error.hint]);
}

function wrong(cloud: boolean): readonly string[] {
  return [
    cloud
      ? 'Check the email and the API token; one of them is wrong, or the token has expired'
      : 'Enter another personal access token; this one is wrong, expired or revoked',
  ];
}

/** The account needs Create issues and Add comments on the target project, and Transition issues when `doneTransitionId` is set. */
function permissions({ doneTransitionId }: Settings): string {
  const transition = doneTransitionId === null ? '' : ', Transition issues';
  return `The account needs Browse projects, Create issues, Add comments${transition} in the project; this test writes nothing, so it cannot tell`;
}

function failed(sentence: string, hints: readonly string[]): ChannelTest {
  return { works: false, sentence, hints };
}
