import type { Command } from 'commander';
import type { Settle } from '../ui/settle.ts';

/** Listed is a command as the help lists it; what it takes is loaded when it is called. */
export interface Listed {
  readonly name: string;
  readonly summary: string;
  readonly group: string;
  load(settle: Settle): Promise<Command>;
}

const POLICIES = 'Policies and decisions:';
const LEDGER = 'What was decided:';
const IMAGES = 'Images and findings:';
const SERVICE = 'The service:';
const ACCOUNTS = 'Accounts:';

/** COMMANDS lists every command in the order of the help. */
export const COMMANDS: readonly Listed[] = [
  {
    name: 'whatif',
    summary: 'what would a draft policy have changed?',
    group: POLICIES,
    load: async (settle) => (await import('./whatif.ts')).whatifCommand(settle),
  },
  {
    name: 'check',
    summary: 'would these images be admitted?',
    group: POLICIES,
    load: async (settle) => (await import('./check.ts')).checkCommand(settle),
  },
  {
    name: 'policy',
    summary: 'check, compare, format, start, apply and read policies',
    group: POLICIES,
    load: async (settle) => (await import('./policy.ts')).policyCommand(settle),
  },
  {
    name: 'ledger',
    summary: 'list, export, verify and prove recorded admissions',
    group: LEDGER,
    load: async (settle) => (await import('./ledger.ts')).ledgerCommand(settle),
  },
  {
    name: 'audit',
    summary: 'who did what?',
    group: LEDGER,
    load: async (settle) => (await import('./audit.ts')).auditCommand(settle),
  },
  {
    name: 'images',
    summary: 'how do the images of the cluster stand?',
    group: IMAGES,
    load: async (settle) => (await import('./images.ts')).imagesCommand(settle),
  },
  {
    name: 'vulns',
    summary: 'which vulnerabilities do the images have?',
    group: IMAGES,
    load: async (settle) => (await import('./vulns.ts')).vulnsCommand(settle),
  },
  {
    name: 'triage',
    summary: 'decide that a CVE does not count on an image until a time',
    group: IMAGES,
    load: async (settle) => (await import('./triage.ts')).triageCommand(settle),
  },
  {
    name: 'scan',
    summary: 'bring scans of images in from where they were made',
    group: IMAGES,
    load: async (settle) => (await import('./scan.ts')).scanCommand(settle),
  },
  {
    name: 'channel',
    summary: 'say where findings are filed and events are told',
    group: IMAGES,
    load: async (settle) => (await import('./channel.ts')).channelCommand(settle),
  },
  {
    name: 'tracker',
    summary: 'test a tracker: one read, nothing written',
    group: IMAGES,
    load: async (settle) => (await import('./tracker.ts')).trackerCommand(settle),
  },
  {
    name: 'tracking',
    summary: 'what was filed with trackers, and what became of it',
    group: IMAGES,
    load: async (settle) => (await import('./tracking.ts')).trackingCommand(settle),
  },
  {
    name: 'cluster',
    summary: 'show the replicas of a cluster, and forget a lost one',
    group: SERVICE,
    load: async (settle) => (await import('./cluster.ts')).clusterCommand(settle),
  },
  {
    name: 'demo',
    summary: 'the service in memory, with the ledger of a made-up shop',
    group: SERVICE,
    load: async (settle) => (await import('./demo.ts')).demoCommand(settle),
  },
  {
    name: 'serve',
    summary: 'run the service on this machine',
    group: SERVICE,
    load: async (settle) => (await import('./serve.ts')).serveCommand(settle),
  },
  {
    name: 'migrate',
    summary: "bring the service's database to this release, or show what that would do",
    group: SERVICE,
    load: async (settle) => (await import('./migrate.ts')).migrateCommand(settle),
  },
  {
    name: 'login',
    summary: 'sign in to a service',
    group: ACCOUNTS,
    load: async (settle) => (await import('./login.ts')).loginCommand(settle),
  },
  {
    name: 'logout',
    summary: 'sign out of a service',
    group: ACCOUNTS,
    load: async (settle) => (await import('./logout.ts')).logoutCommand(settle),
  },
  {
    name: 'whoami',
    summary: 'as whom does this command line call the service?',
    group: ACCOUNTS,
    load: async (settle) => (await import('./whoami.ts')).whoamiCommand(settle),
  },
  {
    name: 'account',
    summary: 'say who may sign in, and as what',
    group: ACCOUNTS,
    load: async (settle) => (await import('./account.ts')).accountCommand(settle),
  },
  {
    name: 'token',
    summary: 'make and revoke API tokens for pipelines',
    group: ACCOUNTS,
    load: async (settle) => (await import('./token.ts')).tokenCommand(settle),
  },
];
