/** CHANNEL_KINDS lists every kind of channel; all of them stand in one table and follow one set of subscription rules. */
export const CHANNEL_KINDS = ['github', 'gitlab', 'jira', 'email', 'slack', 'teams', 'webhook'] as const;

/** ChannelKind is one kind of channel. */
export type ChannelKind = (typeof CHANNEL_KINDS)[number];

/** TRACKER_KINDS are those that open and close issues: provider A, B and C. */
export const TRACKER_KINDS = ['github', 'gitlab', 'jira'] as const;

/** TrackerKind is one of them. */
export type TrackerKind = (typeof TRACKER_KINDS)[number];

/** isTrackerKind tells the kinds that open issues from those that only tell. */
export function isTrackerKind(kind: string): kind is TrackerKind {
  return (TRACKER_KINDS as readonly string[]).includes(kind);
}

/** CREDENTIAL_FIELDS are "exactly `token` (A, B), `apiToken` and `bearerToken` (C)": what is sealed, and nothing else. */
export const CREDENTIAL_FIELDS = ['token', 'apiToken', 'bearerToken'] as const;

/** CredentialField is one of them. */
export type CredentialField = (typeof CREDENTIAL_FIELDS)[number];

/** SECRET_FIELDS are the fields of the other kinds that are written and never given back; they are stored as they are. */
export const SECRET_FIELDS = ['password', 'webhookUrl'] as const;

/** SecretField is one of them. */
export type SecretField = (typeof SECRET_FIELDS)[number];
