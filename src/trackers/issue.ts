/** CLOSE_REASONS are the reasons a finding's row is closed with; "the three reasons are never merged". Ties go to the first. */
export const CLOSE_REASONS = ['fixed', 'triaged', 'image_retired'] as const;

/** CloseReason is why a finding ended. */
export type CloseReason = (typeof CLOSE_REASONS)[number];

/**
 * END_REASONS are these, and those that only the row of a runtime alert is closed with: `released` only on rows of before 1.3.1. Neither counts
 * as a fix.
 */
export const END_REASONS = [...CLOSE_REASONS, 'quiet', 'released'] as const;

/** EndReason is why a row was closed. */
export type EndReason = (typeof END_REASONS)[number];

/**
 * IssueRef names an issue for good. `key` is what people read, and enough to address it: `owner/name#12`, `group/sub/project#12` (the
 * `iid`; or `1234#12` where the project is configured by number), `SEC-12`. `url` is for browsers. `id` is the provider's own
 * number, which stays when an issue moves.
 */
export interface IssueRef {
  readonly key: string;
  readonly url: string;
  readonly id: string;
}
