import type { OnWarning } from '../process/log.ts'
import type { Metrics } from './metrics.ts'

/** Counts log lines at the levels warn and error. */
export const countLines =
  ({ logLines }: Pick<Metrics, 'logLines'>): OnWarning =>
  (level, line) =>
    logLines.inc({ level, line })
