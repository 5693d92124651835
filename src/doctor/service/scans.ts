import { refreshCall } from '../../base/index.ts';
import { ageOf, DAY, HOUR } from '../ages.ts';
import { fail, ok, warn, type Check } from '../check.ts';
import type { FeedFacts, ServiceFacts } from './facts.ts';

/** Feeds are fetched every 6 hours; a day without is reported. */
const STALE = DAY;

/** SCAN_CHECKS are those of what findings come from. */
export const SCAN_CHECKS: readonly Check<ServiceFacts>[] = [
  {
    id: 'scanner.there',
    judge({ scanner, scannerOff }) {
      if (scanner !== null) return ok(`${scanner.name} scans images`);
      if (scannerOff) return null;
      return warn(
        'this service has no scanner, so it only knows scans that are imported',
        'Install Trivy beside it and set scanner.kind, or use ipo scan import',
      );
    },
  },
  {
    id: 'scanner.works',
    judge: ({ scanner }) => {
      if (scanner === null) return null;
      return scanner.fault === null
        ? ok(`${scanner.name} works`)
        : fail(
            `${scanner.name} fails: ${scanner.fault}`,
            'Run the scanner by hand with the same image, and look at ipo images failures',
          );
    },
  },
  feed('catalogue.vulnerabilities', 'the vulnerability database', (facts) => facts.vulnerabilityDatabase),
  feed(
    'catalogue.known-exploited',
    'the catalogue of known exploited vulnerabilities',
    (facts) => facts.knownExploited,
  ),
  feed('catalogue.end-of-life', 'the release data of operating systems', (facts) => facts.endOfLife),
  {
    id: 'scans.failing',
    judge: ({ unscannable }) =>
      unscannable === 0
        ? ok('every image could be scanned')
        : warn(`${unscannable} images cannot be scanned`, 'See why with ipo images failures'),
  },
  {
    id: 'registries.answer',
    judge: ({ registries }, at) => {
      if (registries.length === 0) return ok('every registry answers');
      return registries.map(({ host, since }) =>
        fail(
          `the registry ${host} has not answered for ${ageOf(at - since)}`,
          'Check its address, the network, outbound.proxy and outbound.caFile',
        ),
      );
    },
  },
];

function feed(id: string, name: string, of: (facts: ServiceFacts) => FeedFacts): Check<ServiceFacts> {
  const hint = `Check the network, outbound.proxy and its source in the settings, and fetch it now: ${refreshCall()}`;
  return {
    id,
    judge: (facts, at) => {
      const { off, freshAt, lastError } = of(facts);
      if (off) return null;
      const why = lastError === null ? '' : `: ${lastError}`;
      if (freshAt === null)
        return at - facts.startedAt < HOUR && lastError === null
          ? ok(`${name} is being fetched for the first time`)
          : fail(`${name} was never fetched${why}`, hint);
      const age = at - freshAt;
      if (age > STALE) return fail(`${name} was last brought up to date ${ageOf(age)} ago${why}`, hint);
      return ok(`${name} was brought up to date ${ageOf(age)} ago`);
    },
  };
}
