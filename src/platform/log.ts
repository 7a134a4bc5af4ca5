import cluster from 'node:cluster'
import mongoose from 'mongoose'
import { type Logger, type LoggerOptions, pino } from 'pino'

export type Log = Logger

type OnWarning = (level: string, line: string) => void

/** `error` means that an operator must act, `warn` that we recover. */
export function createLog(level: string, processType: string, onWarning: OnWarning | null): Log {
  const lines = (stdout ??= openStdout())
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

let stdout: ReturnType<typeof openStdout> | undefined

/**
 * Writes all lines of an event loop iteration together, which costs less. Only
 * info lines can be lost, because warnings are flushed at once.
 */
function openStdout() {
  const destination = pino.destination({ fd: 1, sync: true })
  let waiting = ''
  const flush = (): void => {
    const text = waiting
    waiting = ''
    for (const piece of cluster.isWorker ? piecesOf(text) : [text]) if (piece !== '') destination.write(piece)
  }
  process.on('exit', flush)
  const write = (line: string): void => {
    if (waiting === '') setImmediate(flush)
    waiting += line
  }
  return { write, flush }
}

/** Larger writes of several processes to one pipe can get mixed up. */
const atomicBytes = 4096

function piecesOf(text: string): string[] {
  const pieces = ['']
  for (const line of text.match(/.*\n/g) ?? []) {
    const joined = `${pieces.at(-1)}${line}`
    if (Buffer.byteLength(joined) <= atomicBytes) pieces[pieces.length - 1] = joined
    else pieces.push(line)
  }
  return pieces
}

const warnLevel = pino.levels.values.warn as number

/** Omits messages that may quote stored values, such as payment codes. */
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

const quotesValues = (error: Error): boolean =>
  error instanceof mongoose.mongo.MongoError ||
  error instanceof mongoose.MongooseError ||
  error.name.startsWith('BSON')

function framesOf(stack: string | undefined): string {
  const lines = (stack ?? '').split('\n')
  const isFrame = (line: string) => /^\s+at .+(:\d+:\d+|<anonymous>|native|index \d+)\)?$/.test(line)
  return lines
    .slice(lines.findLastIndex((line) => !isFrame(line)) + 1)
    .join('\n')
    .trim()
}

export function throttleLog(everyMs: number, write: (fields: object) => void): (fields: object) => void {
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
