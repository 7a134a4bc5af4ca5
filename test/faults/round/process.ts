import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Fault } from '../evidence/evidence.ts'
import { type ProcessName, typeOf } from '../plan/fault.ts'
import { startChild } from './child.ts'

const programs = { web: 'src/server.js', worker: 'workers/main.js' } as const

/** One that waits for its database waits as long as that is away. */
const START_LIMIT_MS = 120_000
/** An attempt at a receiver may take 2 s here, a trip to a frozen MongoDB 5 s. */
const END_LIMIT_MS = 20_000
/** Between the end of one that nobody ended, and its next life. */
const REVIVE_AFTER_MS = 300

/** A process of the service over all its lives: it has one name, port and log. */
export interface ServiceProcess {
  /** Not while it stands still, and not once it is to die. */
  isServing(): boolean
  /** Resolves when it serves; it may have died and been started again meanwhile. */
  start(): Promise<void>
  /** Resolves when it is dead; false where it was dead before. */
  kill(): Promise<boolean>
  /** Whether it stands still now; false where it is dead. */
  freeze(): boolean
  thaw(): void
  /** The point it came to, of those that it was told of; it is dead, or stands still, by then. null: it came to none within so long. */
  comesToPoint(withinMs: number): Promise<Reached | null>
  /** Ends it in order, for good. */
  end(): Promise<void>
  /** Kills it for good, where it still lives. */
  close(): Promise<void>
}

export interface Life {
  name: ProcessName
  /** Made by `buildWith`. */
  build: string
  environment: Record<string, string>
  logFile: string
  /** An end that nobody asked for, in one sentence. */
  tellUnwanted(says: string): void
  /** It came to a point when nobody waited for that any more, and was helped on at once. */
  tellStray(fault: Fault): void
}

/** A point at which it was told to die or to stand still. */
interface Reached {
  point: string
  deed: string
  /** By its own word, as it came there: what died with it ended later, and was heard of sooner than its end. */
  began: number
}

export function openProcess(life: Life): ServiceProcess {
  const { name, build, environment, logFile, tellUnwanted } = life
  const type = typeOf(name)
  const log = createWriteStream(logFile, { flags: 'a' })
  let child: ChildProcess | undefined
  let hasStarted = false
  let isOver = false
  let isDying = false
  let isFrozen = false
  let diedAt: Reached | null = null
  let isAwaitedAtPoint: ((reached: Reached) => void) | null = null
  const toServe = new Set<() => void>()
  const isServing = (): boolean => hasStarted && !isDying && !isFrozen

  function hear(line: string): void {
    log.write(`${line}\n`)
    if (line.includes('"msg":"fault.point"')) comeTo(JSON.parse(line) as Reached)
    if (!hasStarted && line.includes(`"msg":"${type}.started"`)) {
      hasStarted = true
      for (const resolve of toServe) resolve()
      toServe.clear()
    }
  }

  function comeTo(reached: Reached): void {
    if (reached.deed === 'kill') {
      // Its end comes in a moment.
      isDying = true
      diedAt = reached
      return
    }
    isFrozen = true
    standAt(reached)
  }

  /** It is dead, or stands still, where it was told to. */
  function standAt(reached: Reached): void {
    if (isAwaitedAtPoint === null) return void helpOn(reached).catch(({ message }) => tellUnwanted(message))
    isAwaitedAtPoint(reached)
    isAwaitedAtPoint = null
  }

  async function helpOn({ point, deed, began }: Reached): Promise<void> {
    if (isOver) return
    if (deed === 'kill') await start()
    else thaw()
    life.tellStray({ began, ended: Date.now(), what: 'process.point', target: `${name} ${point} ${deed}` })
  }

  function live(): void {
    isDying = false
    isFrozen = false
    child = startChild(join(build, programs[type]), environment, hear)
    // By then all that it said has been heard.
    child.once('close', (code, signal) => void outlive(code, signal))
  }

  async function outlive(code: number | null, signal: NodeJS.Signals | null): Promise<void> {
    const hadServed = hasStarted
    child = undefined
    hasStarted = false
    if (diedAt !== null) {
      const reached = diedAt
      diedAt = null
      return standAt(reached)
    }
    if (isDying) return
    tellUnwanted(`it ended with ${signal ?? code}${hadServed ? '' : ' before it served'}`)
    await pause(REVIVE_AFTER_MS)
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
    const isLate = pause(START_LIMIT_MS, 'late', { ref: false })
    if ((await Promise.race([served, isLate])) === 'late') throw new Error(`${name} does not start`)
  }

  const closeLog = (): Promise<void> => new Promise((resolve) => log.end(() => resolve()))

  function thaw(): void {
    isFrozen = false
    child?.kill('SIGCONT')
  }

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
      const coming = new Promise<Reached>((resolve) => {
        isAwaitedAtPoint = resolve
      })
      const reached = await Promise.race([coming, pause(withinMs, null)])
      if (reached === null) isAwaitedAtPoint = null
      return reached
    },
    async end() {
      isOver = true
      const impatience = setTimeout(() => child?.kill('SIGKILL'), END_LIMIT_MS)
      const wasAlive = child !== undefined
      const code = await endBy('SIGTERM')
      clearTimeout(impatience)
      if (wasAlive && code !== 0) tellUnwanted(`told to end, it ended with ${code ?? 'SIGKILL'}`)
      await closeLog()
    },
    async close() {
      isOver = true
      await endBy('SIGKILL')
      await closeLog()
    },
  }
}
