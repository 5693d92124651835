/** GitLab, hosted or one's own, as a tracker of issues. */
export { openGitlabTracker } from './tracker.ts';
