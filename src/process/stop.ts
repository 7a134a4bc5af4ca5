import { constants } from 'node:os'
import type { Log } from './log.ts'

/**
 * Handles SIGTERM and SIGINT, which Node ignores without a handler when it is process 1 of a container. Returns a
 * function that sets how to close. Before it is called, no work is running and a signal exits immediately, with 128
 * plus the signal's number. After that, the first signal closes the process, and a second one exits immediately.
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
