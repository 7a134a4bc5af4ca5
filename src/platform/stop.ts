import { constants } from 'node:os'
import { describeError, type Log } from './log.ts'

/**
 * Logs any uncaught exception, such as a bug or a port already in use, and exits with code 1. The polls of other
 * workers finish what it leaves behind.
 */
export function endOnCrash(log: Log): void {
  process.on('uncaughtException', (err) => {
    log.error({ err }, 'process.crashed')
    // If LOG_LEVEL is `silent`, the cause of the crash goes to stderr.
    if (!log.isLevelEnabled('error')) process.stderr.write(`${JSON.stringify(describeError(err))}\n`)
    process.exit(1)
  })
}

/** `leftMs` returns how much time is left until the process exits in any case. */
type Close = (leftMs: () => number) => Promise<void>

/**
 * Handles SIGTERM and SIGINT, which Node.js would ignore as process 1 in a container. Once there is work to end, pass
 * `close` to the returned function; until then, a signal exits at once with code 128 plus its number. From then on, the
 * first signal calls `close`. Further SIGTERMs are ignored, because supervisors and process groups often send two. A
 * SIGINT, such as a second Ctrl-C, exits at once. If `close` takes longer than `timeoutMs`, the process exits with code
 * 0: the open work is in MongoDB, and another process takes it over.
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
