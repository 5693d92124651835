#!/usr/bin/env node
'use strict';
// Old syntax on purpose: a Node that is too old must get as far as the sentence below. CommonJS, since a module takes
// four milliseconds more to load, a sixth of the whole start.
var version = process.versions.node.split('.').map(Number);
if (version[0] < 24 || (version[0] === 24 && version[1] < 15)) {
  process.stderr.write(
    'ipo needs Node.js 24.15 or newer; this is ' +
      process.versions.node +
      ' (' +
      process.execPath +
      '); in a clone, run npm ci: npx ipo then uses its Node.js\n',
  );
  process.exitCode = 3;
} else {
  // Node keeps the compiled form of the bundle itself, which halves the time to the first output.
  require('node:module').enableCompileCache();
  var path = require('node:path');
  var bundle = path.join(__dirname, '../dist/main.cjs');
  // A package contains only the bundle; a checkout that is not built yet runs its sources.
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
        process.stderr.write('ipo cannot start: ' + error.message + '\n');
        process.exitCode = 3;
      },
    );
}
