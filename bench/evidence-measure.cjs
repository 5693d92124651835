'use strict';
const { writeSync } = require('node:fs');
const { isMainThread } = require('node:worker_threads');

/**
 * Loaded before a program, and by each of its threads: writes to its descriptor 3, when the program ends, the milliseconds that it ran and
 * the most memory that it took, in MB.
 */
if (isMainThread)
  process.once('exit', () => {
    writeSync(3, JSON.stringify({ ms: performance.now(), rss: process.resourceUsage().maxRSS / 1024 }));
  });
