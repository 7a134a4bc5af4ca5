import { constants } from 'node:os'
import type { Log } from './log.ts'

/**
 * Hears SIGTERM and SIGINT from the call on: as process 1 of a container Node would not heed them otherwise. Until the answer was told how
 * to close, a signal ends the process at once, with 128 and its number: nothing is under way yet. Then the first lets what is under way
 * end, and the second ends the process at once.
 */
export function stopOnSignals(log: Log): (close: () => Promise<void>) => void {
  let closing: (() => Promise<void>) | null = null
  let stopping = false
  const stop = (signal: NodeJS.Signals) => {
    if (stopping) process.exit(1)
    stopping = true
    log.info({ signal }, 'process.stopping')
    if (closing === null) process.exit(128 + constants.signals[signal])
    closing().then(
      () => {
        log.info({}, 'process.stopped')
        process.exit(0)
      },
      (err) => {
        log.error({ err }, 'process.stop-failed')
        process.exit(1)
      },
    )
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
  return (close) => {
    closing = close
  }
}
