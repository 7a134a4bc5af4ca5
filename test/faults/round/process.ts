import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { startChild } from '../../support/child.ts'
import type { Fault } from '../evidence/evidence.ts'

export const processNames = ['web-1', 'web-2', 'worker-1', 'worker-2'] as const
export type ProcessName = (typeof processNames)[number]
export type ProcessType = 'web' | 'worker'
export const typeOf = (name: string): ProcessType => (name.startsWith('web') ? 'web' : 'worker')
const programs = { web: 'src/server.js', worker: 'workers/main.js' } as const
const startLimitMs = 120_000
const endLimitMs = 20_000
const reviveAfterMs = 300

interface Life {
  name: ProcessName
  build: string
  environment: Record<string, string>
  logFile: string
  reportEnd(message: string): void
  /** Called if the process reaches a point too late. It is then started or thawed at once. */
  reportStray(fault: Fault): void
}

type Reached = { point: string; deed: string; began: number }
export type ServiceProcess = ReturnType<typeof openProcess>

export function openProcess({ name, build, environment, logFile, reportEnd, reportStray }: Life) {
  const type = typeOf(name)
  const log = createWriteStream(logFile, { flags: 'a' })
  let child: ChildProcess | undefined
  let started = Promise.withResolvers<void>()
  let hasStarted = false
  let isClosed = false
  let isDying = false
  let isFrozen = false
  let diedAt: Reached | null = null
  let onPoint: ((reached: Reached) => void) | null = null
  const isServing = (): boolean => hasStarted && !isFrozen
  function read(line: string): void {
    log.write(`${line}\n`)
    if (line.includes('"msg":"fault.point"')) onReached(JSON.parse(line) as Reached)
    if (hasStarted || !line.includes(`"msg":"${type}.started"`)) return
    hasStarted = true
    started.resolve()
  }
  function stopServing(): boolean {
    if (!hasStarted) return false
    hasStarted = false
    started = Promise.withResolvers()
    return true
  }
  function onReached(reached: Reached): void {
    if (reached.deed === 'stop') {
      isFrozen = true
      notify(reached)
    } else {
      stopServing()
      isDying = true
      diedAt = reached
    }
  }
  function notify(reached: Reached): void {
    if (onPoint === null) void resume(reached).catch(({ message }) => reportEnd(message))
    else onPoint(reached)
    onPoint = null
  }
  async function resume({ point, deed, began }: Reached): Promise<void> {
    if (isClosed) return
    await start()
    reportStray({ began, ended: Date.now(), what: 'process.point', target: `${name} ${point} ${deed}` })
  }
  function spawn(): void {
    isDying = false
    isFrozen = false
    child = startChild(join(build, programs[type]), environment, read)
    child.once('close', (code, signal) => void onExit(code, signal))
  }
  async function onExit(code: number | null, signal: NodeJS.Signals | null): Promise<void> {
    const [hadServed, reached] = [stopServing(), diedAt]
    child = undefined
    diedAt = null
    if (reached !== null) return notify(reached)
    if (isDying) return
    reportEnd(`the process ended with ${signal ?? code}${hadServed ? '' : ' before it served'}`)
    await pause(reviveAfterMs)
    if (!isClosed) spawn()
  }
  async function endBy(signal: NodeJS.Signals): Promise<number | null> {
    stopServing()
    isDying = true
    if (child === undefined) return null
    const ended = once(child, 'close')
    child.kill(signal)
    const [code] = (await ended) as [number | null]
    return code
  }
  function thaw(): void {
    isFrozen = false
    child?.kill('SIGCONT')
  }
  async function start(): Promise<void> {
    thaw()
    if (isServing()) return
    if (child === undefined) spawn()
    const isLate = pause(startLimitMs, 'late', { ref: false })
    if ((await Promise.race([started.promise, isLate])) === 'late') throw new Error(`${name} does not start`)
  }
  return {
    isServing,
    start,
    thaw,
    async kill(): Promise<boolean> {
      const wasAlive = child !== undefined
      await endBy('SIGKILL')
      return wasAlive
    },
    freeze(): boolean {
      isFrozen = child?.kill('SIGSTOP') ?? false
      return isFrozen
    },
    async reachesPoint(withinMs: number): Promise<Reached | null> {
      const coming = new Promise<Reached>((resolve) => (onPoint = resolve))
      const reached = await Promise.race([coming, pause(withinMs, null)])
      if (reached === null) onPoint = null
      return reached
    },
    async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
      isClosed = true
      const deadline = setTimeout(() => child?.kill('SIGKILL'), endLimitMs)
      const wasAlive = child !== undefined
      const code = await endBy(signal)
      clearTimeout(deadline)
      if (signal === 'SIGTERM' && wasAlive && code !== 0)
        reportEnd(`after SIGTERM, the process ended with ${code ?? 'SIGKILL'}`)
      await new Promise<void>((resolve) => log.end(() => resolve()))
    },
  }
}
