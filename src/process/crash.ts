import { describeError, type Log } from './log.ts'

/**
 * A port that is taken, or a bug that nobody caught: the process cannot go on. It says so in a line of its log, as all it says, and ends
 * with 1. What was under way is found by whoever comes after.
 */
export function endOnCrash(log: Log): void {
  process.on('uncaughtException', (err) => {
    log.error({ err }, 'process.crashed')
    // A log that is off must not keep back the last word.
    if (!log.isLevelEnabled('error')) process.stderr.write(`${JSON.stringify(describeError(err))}\n`)
    process.exit(1)
  })
}
