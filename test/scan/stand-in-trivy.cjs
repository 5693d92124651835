'use strict';
/**
 * Stands in for the program `trivy` in tests: what it does is read anew from a plan with each call, and each call is noted with its
 * arguments and its environment. See stand-in-trivy.ts.
 */
const { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } = require('node:fs');
const { spawn } = require('node:child_process');
const { join } = require('node:path');

exports.main = function main(folder) {
  const plan = JSON.parse(readFileSync(join(folder, 'plan.json'), 'utf8'));
  const args = process.argv.slice(2);
  const config =
    process.env.DOCKER_CONFIG === undefined ? null : join(process.env.DOCKER_CONFIG, 'config.json');
  const docker = config !== null && existsSync(config) ? JSON.parse(readFileSync(config, 'utf8')) : null;
  const call = { args, env: { ...process.env }, docker, cwd: process.cwd(), pid: process.pid };
  appendFileSync(join(folder, 'calls.ndjson'), `${JSON.stringify(call)}\n`);
  const value = (flag) => args[args.indexOf(flag) + 1];
  const metadata = () => join(value('--cache-dir'), 'db', 'metadata.json');

  if (args[0] === 'version') {
    const there = existsSync(metadata()) ? JSON.parse(readFileSync(metadata(), 'utf8')) : undefined;
    return void process.stdout.write(
      JSON.stringify({ Version: plan.version ?? '0.72.0', VulnerabilityDB: there }),
    );
  }
  if (args.includes('--download-db-only') || args.includes('--download-java-db-only')) {
    if (plan.download !== undefined) return fail(plan.download);
    if (args.includes('--download-java-db-only')) return undefined;
    mkdirSync(join(value('--cache-dir'), 'db'), { recursive: true });
    return writeFileSync(
      metadata(),
      JSON.stringify({ Version: 2, UpdatedAt: plan.database ?? '2026-11-20T00:00:00Z' }),
    );
  }
  const image = args.at(-1);
  if (args.includes('--cacert') && !/^0\.(?:6[89]|[7-9]\d)\./.test(plan.version ?? '0.72.0'))
    return fail('unknown flag: --cacert');
  if (plan.fetches) {
    const settings = { args, env: process.env, docker };
    return void require('./stand-in-fetch.cjs')
      .fetchImage(image, settings)
      .then(
        () => process.stdout.write(reportOf(plan, image, 'report')),
        (error) =>
          fail(
            `unable to find the specified image "${image}" in ["remote"]: 1 error occurred: * remote error: ${error.message}`,
          ),
      );
  }
  const mode = plan.images?.[image] ?? plan.images?.[image.split('@')[0]] ?? plan.mode ?? 'report';
  const report = () => reportOf(plan, image, mode);
  switch (mode) {
    case 'hang':
      return void setInterval(() => {}, 1000);
    // Its own child holds the output open, as a wrapper script of a person does.
    case 'family':
      spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], {
        stdio: ['ignore', 'inherit', 'inherit'],
      });
      return void setInterval(() => {}, 1000);
    // It ends well, but what it started goes on.
    case 'orphan':
      spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], {
        stdio: ['ignore', 'inherit', 'inherit'],
      }).unref();
      return process.stdout.write(report(), () => process.exit(0));
    case 'slow':
      return void setTimeout(() => process.stdout.write(report()), plan.delay ?? 300);
    // Until the test says so.
    case 'wait': {
      const look = () =>
        existsSync(join(folder, 'go')) ? process.stdout.write(report()) : setTimeout(look, 20);
      return void look();
    }
    case 'truncate':
      return void process.stdout.write(report().slice(0, -200));
    case 'killed':
      return process.stdout.write(report(), () => process.kill(process.pid, 'SIGKILL'));
    case 'status':
      return process.stdout.write(report(), () => process.exit(1));
    case 'empty':
      return undefined;
    case 'garbage':
      return void process.stdout.write('Usage: trivy [flags]\n');
    case 'flood': {
      const block = Buffer.alloc(1_048_576, ' ');
      const write = () => process.stdout.write(block, write);
      return write();
    }
    case 'fail':
      return fail(plan.saids?.[image.split('@')[0]] ?? plan.said);
    // As Go ends a program that broke down.
    case 'panic':
      process.stderr.write(
        'panic: runtime error: index out of range [3] with length 3\n\ngoroutine 1 [running]:\n',
      );
      process.exitCode = 2;
      return undefined;
    case 'moves':
      // The database changes while it is read.
      writeFileSync(metadata(), JSON.stringify({ Version: 2, UpdatedAt: '2026-11-20T12:00:00Z' }));
      return void process.stdout.write(report());
    default:
      return void process.stdout.write(report());
  }

  function fail(said) {
    process.stderr.write(`2026-11-20T06:00:00Z\tFATAL\tFatal error\t${said}\n`);
    process.exitCode = 1;
  }
};

/** A real report, made to be about the image that was asked for. */
function reportOf(plan, image, mode) {
  const report = JSON.parse(readFileSync(plan.reports?.[image] ?? plan.report, 'utf8'));
  report.ArtifactType = mode === 'files' ? 'filesystem' : 'container_image';
  if (plan.createdAt !== undefined) report.CreatedAt = plan.createdAt;
  if (mode === 'foreign') {
    const other = `${image.split('@')[0]}@sha256:${'f'.repeat(64)}`;
    report.ArtifactName = other;
    report.Metadata = { ...report.Metadata, RepoDigests: [other], RepoTags: [], Reference: other };
  } else {
    report.ArtifactName = image;
    report.Metadata = { ...report.Metadata, RepoDigests: [image], RepoTags: [], Reference: image };
  }
  if (mode === 'incomplete') delete report.Results;
  return JSON.stringify(report, null, 2);
}
