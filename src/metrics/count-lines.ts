import type { Hear } from '../process/log.ts'
import type { Metrics } from './metrics.ts'

/** What a log is made with so that its lines at warn and error are counted. */
export const countLines =
  ({ logLines }: Pick<Metrics, 'logLines'>): Hear =>
  (level, line) =>
    logLines.inc({ level, line })
