import { constants } from 'node:os'
import { describeError, type Log } from './log.ts'

/** Exiting is safe: other processes poll MongoDB and finish the work that this one leaves behind. */
export function exitOnCrash(log: Log): void {
  process.on('uncaughtException', (err) => {
    log.error({ err }, 'process.crashed')
    // If LOG_LEVEL is `silent`, the cause of the crash goes to stderr.
    if (!log.isLevelEnabled('error')) process.stderr.write(`${JSON.stringify(describeError(err))}\n`)
    process.exit(1)
  })
}

type Close = (leftMs: () => number) => Promise<void>

/**
 * Without handlers, Node.js ignores signals as process 1 in a container. The first signal calls `close`, if
 * you've passed it. Supervisors often send a second SIGTERM, which is ignored; a second SIGINT exits at once.
 * After `timeoutMs`, the process exits with code 0, because another one takes over the work in MongoDB.
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
