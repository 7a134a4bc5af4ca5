import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { startChild } from '../../support/child.ts'
import type { Fault } from '../evidence/evidence.ts'
import { type ProcessName, typeOf } from '../plan/fault.ts'

const programs = { web: 'src/server.js', worker: 'workers/main.js' } as const
/** A process that waits for its database waits until it is back. */
const startLimitMs = 120_000
/** An attempt may take 2 s here, and a command to a frozen MongoDB 5 s. */
const endLimitMs = 20_000
const reviveAfterMs = 300

/** A process of the service over all its lives: it has one name, port and log. */
export interface ServiceProcess {
  isServing(): boolean
  /** Resolves when it serves. */
  start(): Promise<void>
  /** Resolves when it is dead; false if it was. */
  kill(): Promise<boolean>
  /** False if it is dead. */
  freeze(): boolean
  thaw(): void
  /** The point at which it died or stopped; null if it came to none in time. */
  comesToPoint(withinMs: number): Promise<Reached | null>
  /** Ends it in order, for good. */
  end(): Promise<void>
  /** Kills it, for good. */
  close(): Promise<void>
}

interface Life {
  name: ProcessName
  build: string
  environment: Record<string, string>
  logFile: string
  /** It ended by itself, or not as it was told to. */
  reportEnd(message: string): void
  /** It came to a point after the time, and was started or thawed at once. */
  reportStray(fault: Fault): void
}

/** A point at which it was told to die or to stop. `began`: when it came there, by its own word. */
interface Reached {
  point: string
  deed: string
  began: number
}

export function openProcess({
  name,
  build,
  environment,
  logFile,
  reportEnd,
  reportStray,
}: Life): ServiceProcess {
  const type = typeOf(name)
  const log = createWriteStream(logFile, { flags: 'a' })
  let child: ChildProcess | undefined
  let hasStarted = false
  let isOver = false
  let isDying = false
  let isFrozen = false
  let diedAt: Reached | null = null
  let onPoint: ((reached: Reached) => void) | null = null
  const toServe = new Set<() => void>()
  const isServing = (): boolean => hasStarted && !isDying && !isFrozen

  function read(line: string): void {
    log.write(`${line}\n`)
    if (line.includes('"msg":"fault.point"')) comeTo(JSON.parse(line) as Reached)
    if (hasStarted || !line.includes(`"msg":"${type}.started"`)) return
    hasStarted = true
    for (const resolve of toServe) resolve()
    toServe.clear()
  }

  function comeTo(reached: Reached): void {
    if (reached.deed === 'kill') {
      isDying = true
      diedAt = reached
      return
    }
    isFrozen = true
    standAt(reached)
  }

  function standAt(reached: Reached): void {
    if (onPoint === null) return void goOn(reached).catch(({ message }) => reportEnd(message))
    onPoint(reached)
    onPoint = null
  }

  async function goOn({ point, deed, began }: Reached): Promise<void> {
    if (isOver) return
    if (deed === 'kill') await start()
    else thaw()
    reportStray({ began, ended: Date.now(), what: 'process.point', target: `${name} ${point} ${deed}` })
  }

  function live(): void {
    isDying = false
    isFrozen = false
    child = startChild(join(build, programs[type]), environment, read)
    // After `close` every line has been read.
    child.once('close', (code, signal) => void outlive(code, signal))
  }

  async function outlive(code: number | null, signal: NodeJS.Signals | null): Promise<void> {
    const hadServed = hasStarted
    child = undefined
    hasStarted = false
    const reached = diedAt
    diedAt = null
    if (reached !== null) return standAt(reached)
    if (isDying) return
    reportEnd(`it ended with ${signal ?? code}${hadServed ? '' : ' before it served'}`)
    await pause(reviveAfterMs)
    if (!isOver) live()
  }

  async function endBy(signal: NodeJS.Signals): Promise<number | null> {
    isDying = true
    if (child === undefined) return null
    const ended = once(child, 'close')
    child.kill(signal)
    const [code] = (await ended) as [number | null]
    return code
  }

  async function start(): Promise<void> {
    thaw()
    if (isServing()) return
    const served = new Promise<void>((resolve) => toServe.add(resolve))
    if (child === undefined) live()
    const isLate = pause(startLimitMs, 'late', { ref: false })
    if ((await Promise.race([served, isLate])) === 'late') throw new Error(`${name} does not start`)
  }

  function thaw(): void {
    isFrozen = false
    child?.kill('SIGCONT')
  }

  const closeLog = (): Promise<void> => new Promise((resolve) => log.end(() => resolve()))

  return {
    isServing,
    start,
    async kill() {
      const wasAlive = child !== undefined
      await endBy('SIGKILL')
      return wasAlive
    },
    freeze() {
      isFrozen = child?.kill('SIGSTOP') ?? false
      return isFrozen
    },
    thaw,
    async comesToPoint(withinMs) {
      const coming = new Promise<Reached>((resolve) => (onPoint = resolve))
      const reached = await Promise.race([coming, pause(withinMs, null)])
      if (reached === null) onPoint = null
      return reached
    },
    async end() {
      isOver = true
      const deadline = setTimeout(() => child?.kill('SIGKILL'), endLimitMs)
      const wasAlive = child !== undefined
      const code = await endBy('SIGTERM')
      clearTimeout(deadline)
      if (wasAlive && code !== 0) reportEnd(`told to end, it ended with ${code ?? 'SIGKILL'}`)
      await closeLog()
    },
    async close() {
      isOver = true
      await endBy('SIGKILL')
      await closeLog()
    },
  }
}
