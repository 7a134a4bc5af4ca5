import mongoose from 'mongoose'
import { type Logger, type LoggerOptions, pino } from 'pino'

export type Log = Logger

/** Called for each line at level warn or error, unless LOG_LEVEL suppresses it. `line` is the event name. */
export type OnWarning = (level: string, line: string) => void

/**
 * Writes one JSON line per unit of work. `error` means that an operator must act, `warn` that the service recovers by
 * itself, and `info` that something happened.
 */
export function createLog(level: string, processType: string, onWarning: OnWarning | null): Log {
  const lines = openStdout()
  const options: LoggerOptions = {
    level,
    base: { process: processType, pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    serializers: { err: describeError },
    hooks: {
      logMethod(args, method, severity) {
        const line = typeof args[0] === 'string' ? args[0] : args[1]
        if (severity >= warnLevel) onWarning?.(pino.levels.labels[severity] ?? '', String(line))
        method.apply(this, args)
        if (severity >= warnLevel) lines.flush()
      },
    },
  }
  return pino(options, lines)
}

interface Lines {
  write(line: string): void
  flush(): void
}

let stdout: Lines | undefined

/**
 * Lines of one event-loop iteration are written together, because separate writes would be 5 % of the cost of creating
 * an intent. A warning or an error is written at once, along with all lines before it. A SIGKILL can lose the info
 * lines of one iteration.
 */
function openStdout(): Lines {
  if (stdout !== undefined) return stdout
  const destination = pino.destination({ fd: 1, sync: true })
  let waiting = ''
  const flush = (): void => {
    const text = waiting
    waiting = ''
    if (text !== '') destination.write(text)
  }
  process.on('exit', flush)
  stdout = {
    write(line) {
      if (waiting === '') setImmediate(flush)
      waiting += line
    },
    flush,
  }
  return stdout
}

const warnLevel = pino.levels.values.warn as number

/** MongoDB's messages quote stored values such as payment codes, so they are left out. */
export function describeError(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { message: 'something that is not an Error was thrown' }
  const { code, codeName } = error as { code?: unknown; codeName?: unknown }
  const isQuoting = quotesValues(error)
  return {
    name: error.name,
    ...(code === undefined ? {} : { code }),
    ...(codeName === undefined ? {} : { codeName }),
    ...(isQuoting ? {} : { message: error.message }),
    stack: isQuoting ? framesOf(error.stack) : error.stack,
  }
}

/** Messages from MongoDB, its driver, BSON and mongoose may quote stored values. */
const quotesValues = (error: Error): boolean =>
  error instanceof mongoose.mongo.MongoError ||
  error instanceof mongoose.MongooseError ||
  error.name.startsWith('BSON')

/** Returns the stack without the message before it, which may span several lines. */
function framesOf(stack: string | undefined): string {
  const lines = (stack ?? '').split('\n')
  const isFrame = (line: string) => /^\s+at .+(:\d+:\d+|<anonymous>|native|index \d+)\)?$/.test(line)
  return lines
    .slice(lines.findLastIndex((line) => !isFrame(line)) + 1)
    .join('\n')
    .trim()
}

/** Limits a line that can occur thousands of times. Each line reports how many were suppressed before it. */
export function throttled(everyMs: number, write: (fields: object) => void): (fields: object) => void {
  let nextAt = 0
  let suppressed = 0
  return (fields) => {
    const now = performance.now()
    if (now < nextAt) {
      suppressed += 1
      return
    }
    write({ ...fields, suppressed })
    nextAt = now + everyMs
    suppressed = 0
  }
}
