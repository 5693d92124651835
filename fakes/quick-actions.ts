import { splitFences } from './fences.ts';

/** QUICK_ACTIONS are the commands that GitLab runs when a line of an issue or comment begins with them. */
const QUICK_ACTIONS = [
  'add_contacts',
  'add_child',
  'add_email',
  'approve',
  'assign',
  'assign_reviewer',
  'award',
  'blocked_by',
  'blocks',
  'board_move',
  'cc',
  'clear_health_status',
  'clear_weight',
  'clone',
  'close',
  'confidential',
  'convert_to_ticket',
  'copy_metadata',
  'create_merge_request',
  'done',
  'draft',
  'due',
  'duplicate',
  'epic',
  'estimate',
  'estimate_time',
  'health_status',
  'internal',
  'iteration',
  'label',
  'labels',
  'link',
  'lock',
  'merge',
  'milestone',
  'move',
  'page',
  'promote',
  'promote_to',
  'promote_to_incident',
  'publish',
  'react',
  'ready',
  'reassign',
  'rebase',
  'relabel',
  'relate',
  'remove_contacts',
  'remove_due_date',
  'remove_email',
  'remove_epic',
  'remove_estimate',
  'remove_iteration',
  'remove_milestone',
  'remove_parent',
  'remove_time_spent',
  'remove_zoom',
  'reopen',
  'request_review',
  'set_parent',
  'severity',
  'shrug',
  'spend',
  'spend_time',
  'submit_review',
  'subscribe',
  'tableflip',
  'tag',
  'target_branch',
  'timeline',
  'title',
  'todo',
  'type',
  'unapprove',
  'unassign',
  'unassign_reviewer',
  'unlabel',
  'unlink',
  'unlock',
  'unsubscribe',
  'weight',
  'zoom',
] as const;

const NAMES = new Set<string>(QUICK_ACTIONS);

/** isQuickAction tells whether a line, outside code, is a command to GitLab. */
export function isQuickAction(line: string): boolean {
  const name = /^\s{0,3}\/([a-z_]+)(?:\s|$)/i.exec(line)?.[1];
  return name !== undefined && NAMES.has(name.toLowerCase());
}

/** Commands is a body as GitLab takes it: the commands it runs, and the text that remains. */
export interface Commands {
  readonly commands: readonly { readonly name: string; readonly argument: string }[];
  readonly text: string;
}

/** takeCommands takes the quick actions out of a description or note. */
export function takeCommands(body: string): Commands {
  const commands: { name: string; argument: string }[] = [];
  const kept: string[] = [];
  for (const { code, text } of splitFences(body)) {
    if (code) {
      kept.push(text);
      continue;
    }
    for (const line of text.split('\n')) {
      if (isQuickAction(line)) {
        const [name = '', ...rest] = line.trim().slice(1).split(/\s+/);
        commands.push({ name: name.toLowerCase(), argument: rest.join(' ') });
      } else {
        kept.push(line);
      }
    }
  }
  return { commands, text: commands.length === 0 ? body : kept.join('\n').trim() };
}
