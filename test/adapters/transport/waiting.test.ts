import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toWait } from '../../../src/adapters/transport/index.ts';

const NOW = Date.UTC(2026, 9, 1, 12, 0, 0);
const epoch = (seconds: number): string => String(NOW / 1000 + seconds);
const DAY = 24 * 3_600_000;

interface Case {
  readonly name: string;
  readonly headers: Record<string, string>;
  readonly limited?: boolean;
  readonly wait: number | null;
}

const CASES: readonly Case[] = [
  { name: 'seconds', headers: { 'retry-after': '30' }, wait: 30_000 },
  { name: 'seconds with blanks around', headers: { 'retry-after': ' 7 ' }, wait: 7000 },
  { name: 'parts of a second, rounded up', headers: { 'retry-after': '1.2' }, wait: 1200 },
  { name: 'no time at all becomes a second', headers: { 'retry-after': '0' }, wait: 1000 },
  { name: 'a date', headers: { 'retry-after': 'Thu, 01 Oct 2026 12:02:00 GMT' }, wait: 120_000 },
  { name: 'a date that has passed', headers: { 'retry-after': 'Thu, 01 Oct 2026 11:00:00 GMT' }, wait: 1000 },
  { name: 'a time far beyond any limit is a day', headers: { 'retry-after': '99999999999' }, wait: DAY },
  {
    name: 'a date in the next century is a day',
    headers: { 'retry-after': 'Fri, 01 Oct 2126 12:00:00 GMT' },
    wait: DAY,
  },
  { name: 'a negative number says nothing', headers: { 'retry-after': '-5' }, wait: null },
  {
    name: 'a negative number of one who limits',
    headers: { 'retry-after': '-5' },
    limited: true,
    wait: 60_000,
  },
  { name: 'words say nothing', headers: { 'retry-after': 'soon' }, limited: true, wait: 60_000 },
  { name: 'nothing said, and no limit', headers: {}, wait: null },
  { name: 'nothing said by one who limits', headers: {}, limited: true, wait: 60_000 },
  {
    name: "GitHub's reset in seconds since 1970",
    headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': epoch(90) },
    limited: true,
    wait: 90_000,
  },
  {
    name: "GitLab's reset",
    headers: { 'ratelimit-remaining': '0', 'ratelimit-reset': epoch(45) },
    limited: true,
    wait: 45_000,
  },
  {
    name: "Jira's reset, which is a date",
    headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '2026-10-01T12:01Z' },
    limited: true,
    wait: 60_000,
  },
  {
    name: "Jira's reset with seconds and an offset",
    headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '2026-10-01T14:00:10.000+0200' },
    limited: true,
    wait: 10_000,
  },
  {
    name: 'a reset with calls left is of another limit',
    headers: { 'x-ratelimit-remaining': '12', 'x-ratelimit-reset': epoch(3000) },
    limited: true,
    wait: 60_000,
  },
  {
    name: 'a reset in the past',
    headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': epoch(-5) },
    limited: true,
    wait: 1000,
  },
  {
    name: 'Retry-After goes before the reset',
    headers: { 'retry-after': '5', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': epoch(3000) },
    limited: true,
    wait: 5000,
  },
  {
    name: 'a reset that is none',
    headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': 'NaN' },
    limited: true,
    wait: 60_000,
  },
];

for (const { name, headers, limited = false, wait } of CASES) {
  test(`the wait that a provider asks for: ${name}`, () => {
    assert.equal(toWait(headers, limited, NOW), wait);
  });
}
