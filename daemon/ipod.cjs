#!/usr/bin/env node
'use strict';
// The daemon. Old syntax, as in ipo.cjs: a Node that is too old must get as far as the sentence below.
var version = process.versions.node.split('.').map(Number);
if (version[0] < 24 || (version[0] === 24 && version[1] < 15)) {
  process.stderr.write(
    'ipod needs Node.js 24.15 or newer; this is ' + process.versions.node + ' (' + process.execPath + ')\n',
  );
  process.exitCode = 3;
} else {
  var path = require('node:path');
  var bundle = path.join(__dirname, '../dist/ipod.cjs');
  // A package contains only the bundle; a checkout that was not built yet runs its sources.
  var loaded = require('node:fs').existsSync(bundle) ? Promise.resolve(require(bundle)) : import('./main.ts');
  loaded
    .then(function (main) {
      return main.run(process.argv.slice(2));
    })
    .then(
      function (code) {
        process.exitCode = code;
      },
      function (error) {
        process.stderr.write('ipod cannot start: ' + error.message + '\n');
        process.exitCode = 3;
      },
    );
}
