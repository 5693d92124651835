/** GitLab, hosted or one's own, as a tracker of issues. */
export { gitlabRoom } from './compose.ts';
export { openGitlabTracker } from './tracker.ts';
