import { constants } from 'node:os'
import { describeError, type Log } from './log.ts'

/** Exiting is safe, because other processes finish this one's work. */
export function exitOnCrash(log: Log): void {
  process.on('uncaughtException', (err) => {
    log.error({ err }, 'process.crashed')
    if (!log.isLevelEnabled('error')) process.stderr.write(`${JSON.stringify(describeError(err))}\n`)
    process.exit(1)
  })
}

type Close = (leftMs: () => number) => Promise<void>

/**
 * As PID 1 in a container, Node.js ignores signals that have no handler. A
 * second SIGTERM is ignored, because supervisors often send two. After
 * `timeoutMs`, the exit code is 0, because other processes take over.
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
