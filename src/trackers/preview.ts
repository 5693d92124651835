import type { TrackerChannel } from '../channels/index.ts';
import { filesSummary } from './candidates.ts';
import type { Block, Line } from '../text/index.ts';

/** toPlainText writes a text for a terminal, in no tracker's markup. */
export function toPlainText(blocks: readonly Block[]): string {
  return blocks
    .map(blockText)
    .filter((text) => text !== '')
    .join('\n\n');
}

function blockText(block: Block): string {
  switch (block.kind) {
    case 'heading':
      return `${lineText(block.content)}\n${'-'.repeat(Math.min(lineText(block.content).length, 60))}`;
    case 'rest':
      return '';
    case 'paragraph':
      return lineText(block.content);
    case 'list':
      return block.items.map((item) => `- ${lineText(item)}`).join('\n');
    case 'table': {
      const rows = [block.header, ...block.rows].map((cells) => cells.map(lineText));
      const widths = block.header.map((_, at) =>
        Math.max(...rows.slice(0, 1000).map((row) => row[at]?.length ?? 0)),
      );
      return rows
        .map((row) =>
          row
            .map((cell, at) => cell.padEnd(widths[at] ?? 0))
            .join('  ')
            .trimEnd(),
        )
        .join('\n');
    }
    case 'code':
      return block.text
        .split('\n')
        .map((row) => `    ${row}`)
        .join('\n');
  }
}

function lineText(content: Line): string {
  return content.map((inline) => inline.text).join('');
}

/** DrainPlan says what a channel would file of what waits, and for how long. */
export interface DrainPlan {
  /** Findings that this channel would claim in its next run, and the issues that it would open for them. */
  readonly findings: number;
  readonly issues: number;
  /** Whether that is one summary issue of a first run. */
  readonly summary: boolean;
  /** Findings that no channel has room for then. */
  readonly waiting: number;
  /** Days of 24 hours, from now, until nothing waits any more: 0 when one run takes all. */
  readonly days: number;
  /** All issues that this channel would have opened by then. */
  readonly issuesInAll: number;
}

/**
 * planDrain works out what becomes of this many candidates when nothing new is found. `channels` are those that file, in order of creation;
 * `room` is how many issues each may open now. The channel `id` must be among them.
 */
export function planDrain(
  candidates: number,
  channels: readonly TrackerChannel[],
  room: ReadonlyMap<string, number>,
  id: string,
): DrainPlan {
  const began = new Set<string>();
  let left = candidates;
  let days = 0;
  const own = { findings: 0, issues: 0, summary: false, waiting: 0, issuesInAll: 0 };
  for (let day = 0; day === 0 || left > 0; day += 1) {
    days = day;
    for (const channel of channels) {
      if (left === 0) break;
      const free = day === 0 ? Math.max(0, room.get(channel.id) ?? 0) : channel.settings.dailyCap;
      const first = began.has(channel.id) ? { ...channel, firstRunAt: 0 } : channel;
      const summary = free > 0 && filesSummary(first, left);
      const taken = summary ? left : Math.min(left, free);
      if (taken > 0) began.add(channel.id);
      left -= taken;
      if (channel.id !== id) continue;
      const issues = summary ? 1 : taken;
      own.issuesInAll += issues;
      if (day === 0) Object.assign(own, { findings: taken, issues, summary });
    }
    if (day === 0) own.waiting = left;
  }
  return { ...own, days };
}
