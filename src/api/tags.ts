/** TAGS groups the operations of the service; each with what it is about. */
export const TAGS: Readonly<Record<string, string>> = {
  accounts: 'Who may sign in, and as what',
  audit: 'What people and pipelines did',
  catalogues: 'What others publish, and findings are judged by',
  channels: 'Where findings are filed and events are told',
  tracking: 'Findings that were filed with a tracker, and what became of them',
  images: 'Images that were reviewed or scanned, and how they stand',
  ledger: 'Decisions that were made, with the proof that none was changed since',
  policies: 'Policies in effect, and all their revisions',
  runtime: 'What running containers did, the rules over it, and which of them are stopped',
  scans: 'Facts of images, imported or asked for',
  session: 'Signing in and out',
  system: 'The service itself',
  tokens: 'Secrets for pipelines',
  triage: 'Findings that somebody has looked at and answers for',
  vulnerabilities: 'Findings of the newest scans',
  whatif: 'What a draft of a policy would have changed',
};
