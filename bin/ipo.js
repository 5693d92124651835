#!/usr/bin/env node
// Old syntax on purpose: a Node that is too old must get as far as the sentence below.
var version = process.versions.node.split('.').map(Number);
if (version[0] < 24 || (version[0] === 24 && version[1] < 15)) {
  process.stderr.write('ipo needs Node.js 24.15 or newer; this is ' + process.versions.node + ' (' + process.execPath + ')\n');
  process.exitCode = 3;
} else {
  import('./start.js').catch(function (error) {
    process.stderr.write('ipo cannot start: ' + error.message + '\n');
    process.exitCode = 3;
  });
}
