/**
 * What evidence is made of later, kept from when it happens: findings from first report to end, scans, runs of images, the catalogue,
 * and the days of each cluster. The store writes most of it in the transactions that change what it is about.
 * It uses `findings`.
 */
export { AnsweringRecord } from './answering.service.ts';
export type {
  AnsweredMinutes,
  ClusterDay,
  DetectorSigns,
  FindingEpisode,
  HistoryReader,
  ImageHistory,
  ImageRun,
  RecordKind,
} from './ports.ts';
export { stretchesOf, type Stretch } from './stretches.ts';
