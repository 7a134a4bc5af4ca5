import { constants } from 'node:os'
import { describeError, type Log } from './log.ts'

/**
 * Logs an uncaught exception – a bug, or a port in use – and exits with 1. Other workers' polls finish what is left.
 */
export function endOnCrash(log: Log): void {
  process.on('uncaughtException', (err) => {
    log.error({ err }, 'process.crashed')
    // With LOG_LEVEL `silent`, the cause goes to stderr.
    if (!log.isLevelEnabled('error')) process.stderr.write(`${JSON.stringify(describeError(err))}\n`)
    process.exit(1)
  })
}

/** `leftMs` returns the time until the process exits in any case. */
type Close = (leftMs: () => number) => Promise<void>

/**
 * Handles SIGTERM and SIGINT, which Node ignores as process 1 of a container without handlers. Pass `close` to the
 * returned function once there is work to end; before that, a signal exits at once with 128 plus its number. Then the
 * first signal closes. Further SIGTERMs are ignored, because supervisors and process groups often send two; a SIGINT,
 * e.g. a second Ctrl-C, exits at once. After `timeoutMs` the process exits with 0: open work is in MongoDB, and another
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
