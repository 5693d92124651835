import type { Secret } from '../base/index.ts';
import type { JiraSettings } from '../channels/index.ts';

/** JiraPlace is where a Jira is, and as whom it is called; `email` null is Data Center. */
export type JiraPlace = Pick<JiraSettings, 'apiBaseUrl' | 'email'>;

/** TokenScopes is what GitLab says of a token. */
export interface TokenScopes {
  readonly scopes: readonly string[];
  /** `YYYY-MM-DD`, or null. */
  readonly expiresAt: string | null;
}

/** JiraTransition is a step that an issue can take. */
export interface JiraTransition {
  readonly id: string;
  readonly name: string;
  /** Whether the issue counts as done after it. */
  readonly done: boolean;
  /** Fields that its screen asks for; the service fills in none, so that it would fail. */
  readonly needs: readonly string[];
}

/** SetupProbe makes the reads that only `channel setup` needs. It writes nothing. Throws TrackerError for what cannot be read. */
export interface SetupProbe {
  /** Asks a site, as nobody, for the id under which the gateway knows it; null where it is not a site of Jira Cloud. */
  cloudId(site: string): Promise<string | null>;
  gitlabToken(apiBaseUrl: string, token: Secret): Promise<TokenScopes>;
  /** Whether Jira takes the credential at this address. */
  jiraTakes(place: JiraPlace, token: Secret): Promise<boolean>;
  /** Names of the permissions that the account lacks in a project. */
  jiraLacks(
    place: JiraPlace,
    token: Secret,
    project: string,
    permissions: readonly string[],
  ): Promise<readonly string[]>;
  /** Issue types of a project. */
  jiraTypes(
    place: JiraPlace,
    token: Secret,
    project: string,
  ): Promise<readonly { readonly id: string; readonly name: string }[]>;
  /** Names of the fields that a new issue must have beside those that the service fills in. */
  jiraRequired(place: JiraPlace, token: Secret, project: string, typeId: string): Promise<readonly string[]>;
  /** The steps that an issue can take now. */
  jiraTransitions(place: JiraPlace, token: Secret, issueKey: string): Promise<readonly JiraTransition[]>;
}
