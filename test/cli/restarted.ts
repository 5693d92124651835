import { text } from 'node:stream/consumers';
import { restart } from '../../bin/terminal/restart.ts';

/** A process of the tests that restarts with flags of the engine, and then tells what it knows. */
process.stderr.write(`${process.pid}\n`);
restart(['--max-semi-space-size=4', '--max-old-space-size=512']);
const { execArgv, argv, env } = process;
const told = { execArgv, args: argv.slice(2), told: env['TOLD'], stdin: await text(process.stdin) };
process.stdout.write(JSON.stringify(told));
process.exitCode = 4;
