import { constants } from 'node:os'
import { describeError, type Log } from './log.ts'

/**
 * Makes the process log any uncaught exception, such as a bug or a port that is already in use, and exit with code 1.
 * The polls and sweeps of the workers complete the work that the process leaves behind.
 */
export function endOnCrash(log: Log): void {
  process.on('uncaughtException', (err) => {
    log.error({ err }, 'process.crashed')
    // If LOG_LEVEL is `silent`, the error is written to stderr, so that the cause of the crash is still visible.
    if (!log.isLevelEnabled('error')) process.stderr.write(`${JSON.stringify(describeError(err))}\n`)
    process.exit(1)
  })
}

/** Closes the process. `leftMs` returns the time that is left until the process exits in any case. */
type Close = (leftMs: () => number) => Promise<void>

/**
 * Handles SIGTERM and SIGINT. Without a handler, Node.js ignores these signals if it runs as process 1 in a container.
 * Returns a function to which the caller passes `close`, the function that closes the process. Until the caller has
 * done so, no work is running, so a signal makes the process exit immediately with code 128 plus the signal's number.
 * From then on, the first signal closes the process. Meanwhile, further SIGTERMs are ignored, because supervisors and
 * process groups often send SIGTERM twice, and a SIGINT, such as a second Ctrl-C, makes the process exit immediately.
 * If `close` takes longer than `timeoutMs`, the process exits with code 0. The open work is in MongoDB, so another
 * process takes it over.
 */
export function stopOnSignals(log: Log): (timeoutMs: number, close: Close) => void {
  let closing: (() => Promise<void>) | null = null
  let stopping = false
  const stop = (signal: NodeJS.Signals) => {
    if (stopping && signal === 'SIGTERM') return
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
  return (timeoutMs, close) => {
    closing = () => {
      const endAt = performance.now() + timeoutMs
      setTimeout(() => {
        log.warn({ timeoutMs }, 'process.cut')
        process.exit(0)
      }, timeoutMs)
      return close(() => Math.max(0, endAt - performance.now()))
    }
  }
}
