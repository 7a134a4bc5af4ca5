import { readFile, rm } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { type Supervised, supervise } from '../servers/supervise.ts'

export interface Process {
  name: string
  /** The path of the log, relative to the project. */
  log: string
  pid: number | undefined
  /** The reason why the process has ended. Undefined while it runs. */
  ending(): Promise<string | undefined>
  stop(): Promise<void>
}

/** Starts a process of the Procfile from the sources. It ends with this process. */
export async function startProcess(name: string, source: string, folder: string): Promise<Process> {
  const log = join(folder, `${name}.log`)
  await rm(log, { force: true })
  const supervised = supervise({
    binary: process.execPath,
    args: [source],
    log,
    endSignal: 'SIGTERM',
  })
  await supervised.start()
  return {
    name,
    log: relative('.', log),
    pid: supervised.state.pid,
    ending: () => ending(name, supervised, log),
    stop: supervised.end,
  }
}

async function ending(name: string, { state }: Supervised, log: string): Promise<string | undefined> {
  if (state.pid !== undefined) return undefined
  const text = await readFile(log, 'utf8').catch(() => '')
  const lastLines = text.trim().split('\n').slice(-8).join('\n')
  return `${name} has ended (${state.ended || 'with its supervisor'}). The end of ${relative('.', log)}:\n${lastLines}`
}
