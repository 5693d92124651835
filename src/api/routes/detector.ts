import type { AuditLog } from '../../accounts/index.ts';
import { formatTime } from '../../base/index.ts';
import { bundleSchema, detectorSchema } from '../contract/detector.ts';
import { problemSchema } from '../contract/problem.ts';
import { openRecording } from '../recording.ts';
import { route, type Route } from '../route.ts';

/** DetectorStanding is how the listener of the runtime detector stands; times in milliseconds. */
export interface DetectorStanding {
  readonly enabled: boolean;
  readonly port: number | null;
  readonly fault: string | null;
  readonly lastAt: number | null;
  readonly certificate: {
    readonly endsAt: number;
    readonly renewsAt: number;
    readonly previousEndsAt: number | null;
    readonly message: string | null;
  } | null;
}

/** DetectorBundle are the files by which the detector is accepted, as PEM texts. */
export interface DetectorBundle {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
  readonly endsAt: number;
}

/** DetectorParts are what the routes of the detector act through. */
export interface DetectorParts {
  readonly detector: {
    standing(): DetectorStanding;
    /** Throws `conflict` where it is off, `unavailable` before there are certificates. */
    bundle(): DetectorBundle;
  };
  readonly audit: AuditLog;
}

const PROBLEM = { schema: problemSchema, type: 'application/problem+json' } as const;

/** detectorRoutes say how the listener of the runtime detector stands, and give the files by which the detector is accepted. */
export function detectorRoutes({ detector, audit }: DetectorParts): Route[] {
  const record = openRecording(audit);
  return [
    route({
      key: 'GET /integrations/detector',
      id: 'showDetector',
      tag: 'runtime',
      summary: 'Show how the listener of the runtime detector stands',
      answers: { 200: { description: 'How it stands', schema: detectorSchema } },
      handle: () => {
        const { enabled, port, fault, lastAt, certificate } = detector.standing();
        return {
          body: {
            enabled,
            port,
            fault,
            last_event_at: lastAt === null ? null : formatTime(lastAt),
            certificate:
              certificate === null
                ? null
                : {
                    ends_at: formatTime(certificate.endsAt),
                    renews_at: formatTime(certificate.renewsAt),
                    previous_ends_at:
                      certificate.previousEndsAt === null ? null : formatTime(certificate.previousEndsAt),
                    message: certificate.message,
                  },
          },
        };
      },
    }),
    route({
      key: 'GET /integrations/detector/bundle',
      id: 'downloadDetectorBundle',
      tag: 'runtime',
      summary: 'Download the three files by which the runtime detector is accepted',
      description: 'The newest certificate of the detector. Anyone who has its key can send events.',
      answers: {
        200: { description: 'The files', schema: bundleSchema },
        409: { ...PROBLEM, description: 'The listener is off' },
      },
      handle: async (call) => {
        const { ca, cert, key, endsAt } = detector.bundle();
        const ends = formatTime(endsAt);
        await record(call, 'detector_bundle_download', 'detector', { ends_at: ends });
        return {
          body: { 'ca.crt': ca, 'client.crt': cert, 'client.key': key, ends_at: ends },
          headers: { 'cache-control': 'no-store' },
        };
      },
    }),
  ];
}
