import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { startChild } from '../../support/child.ts'
import type { Fault } from '../evidence/evidence.ts'
import { type ProcessName, typeOf } from '../plan/fault.ts'

const programs = { web: 'src/server.js', worker: 'workers/main.js' } as const
/** Long, because a process waits for its database at its start. */
const startLimitMs = 120_000
/** An attempt may take 2 s here, and a command to a frozen MongoDB 5 s. */
const endLimitMs = 20_000
const reviveAfterMs = 300

/** A process of the service that keeps its name, port and log when it restarts. */
export interface ServiceProcess {
  isServing(): boolean
  /** Resolves when the process serves. */
  start(): Promise<void>
  /** Resolves when the process is dead. Returns false if it already was. */
  kill(): Promise<boolean>
  /** Returns false if the process is dead. */
  freeze(): boolean
  thaw(): void
  /** Returns the point at which the process dies or stops, or null if that does not happen in time. */
  reachesPoint(withinMs: number): Promise<Reached | null>
  /** Ends the process with SIGTERM. It does not start again. */
  end(): Promise<void>
  /** Kills the process. It does not start again. */
  close(): Promise<void>
}

interface Life {
  name: ProcessName
  build: string
  environment: Record<string, string>
  logFile: string
  /** Called if the process ends by itself or with an unexpected exit code. */
  reportEnd(message: string): void
  /** Called if the process reaches a point too late. It is then started or thawed at once. */
  reportStray(fault: Fault): void
}

/** A point at which the process was ordered to die or to stop, and when it reached that point. */
type Reached = { point: string; deed: string; began: number }

export function openProcess(life: Life): ServiceProcess {
  const { name, build, environment, reportEnd, reportStray } = life
  const type = typeOf(name)
  const log = createWriteStream(life.logFile, { flags: 'a' })
  let child: ChildProcess | undefined
  let hasStarted = false
  let isClosed = false
  let isDying = false
  let isFrozen = false
  let diedAt: Reached | null = null
  let onPoint: ((reached: Reached) => void) | null = null
  const waiting = new Set<() => void>()
  const isServing = (): boolean => hasStarted && !isDying && !isFrozen

  function read(line: string): void {
    log.write(`${line}\n`)
    if (line.includes('"msg":"fault.point"')) onReached(JSON.parse(line) as Reached)
    if (hasStarted || !line.includes(`"msg":"${type}.started"`)) return
    hasStarted = true
    for (const resolve of waiting) resolve()
    waiting.clear()
  }

  function onReached(reached: Reached): void {
    if (reached.deed === 'kill') {
      isDying = true
      diedAt = reached
      return
    }
    isFrozen = true
    notify(reached)
  }

  function notify(reached: Reached): void {
    if (onPoint === null) return void resume(reached).catch(({ message }) => reportEnd(message))
    onPoint(reached)
    onPoint = null
  }

  async function resume({ point, deed, began }: Reached): Promise<void> {
    if (isClosed) return
    if (deed === 'kill') await start()
    else thaw()
    reportStray({ began, ended: Date.now(), what: 'process.point', target: `${name} ${point} ${deed}` })
  }

  function spawn(): void {
    isDying = false
    isFrozen = false
    child = startChild(join(build, programs[type]), environment, read)
    // At `close`, every line has been read.
    child.once('close', (code, signal) => void onExit(code, signal))
  }

  async function onExit(code: number | null, signal: NodeJS.Signals | null): Promise<void> {
    const hadServed = hasStarted
    child = undefined
    hasStarted = false
    const reached = diedAt
    diedAt = null
    if (reached !== null) return notify(reached)
    if (isDying) return
    reportEnd(`the process ended with ${signal ?? code}${hadServed ? '' : ' before it served'}`)
    await pause(reviveAfterMs)
    if (!isClosed) spawn()
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
    const served = new Promise<void>((resolve) => waiting.add(resolve))
    if (child === undefined) spawn()
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
    async reachesPoint(withinMs) {
      const coming = new Promise<Reached>((resolve) => (onPoint = resolve))
      const reached = await Promise.race([coming, pause(withinMs, null)])
      if (reached === null) onPoint = null
      return reached
    },
    async end() {
      isClosed = true
      const deadline = setTimeout(() => child?.kill('SIGKILL'), endLimitMs)
      const wasAlive = child !== undefined
      const code = await endBy('SIGTERM')
      clearTimeout(deadline)
      if (wasAlive && code !== 0) reportEnd(`after SIGTERM, the process ended with ${code ?? 'SIGKILL'}`)
      await closeLog()
    },
    async close() {
      isClosed = true
      await endBy('SIGKILL')
      await closeLog()
    },
  }
}
