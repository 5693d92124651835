/**
 * What evidence is made of later, kept from when it happens: findings from first report to end, scans, runs of images, the catalogue,
 * and the days of each cluster. The store writes most of it in the transactions that change what it is about.
 * It uses `findings`.
 */
export { AnsweringRecord, type AnsweringDeps } from './answering.service.ts';
export {
  RECORDS,
  type AnsweredMinutes,
  type CatalogueEntry,
  type ClusterDay,
  type DetectorSigns,
  type EndingScan,
  type FindingEpisode,
  type HistoryReader,
  type ImageHistory,
  type ImageRun,
  type PolicyStay,
  type RecordBegan,
  type RecordKind,
  type TriageSpan,
} from './ports.ts';
export { stretchesOf, type Stretch, type StretchEnd } from './stretches.ts';
