import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { startChild } from '../../support/child.ts'
import { waitFor } from '../../support/wait-for.ts'

export type State = { name: string; held: number; strange: string[] }

export type Attacked = Awaited<ReturnType<typeof startAttacked>>
const preload = new URL('../preload.mjs', import.meta.url).href
const startLimitMs = 30_000

export async function startAttacked(
  name: 'web' | 'worker',
  program: string,
  folder: string,
  environment: Record<string, string>,
) {
  const record = join(folder, `${name}.ndjson`)
  const own = { ATTACK_RECORD: record, NODE_OPTIONS: `--import ${preload}` }
  const lines: string[] = []
  const child = startChild(program, { ...environment, ...own }, (line) => void lines.push(line))
  let end: string | null = null
  let isStopping = false
  const ended = new Promise((resolve) => child.once('close', resolve))
  child.once('exit', (code, signal) => {
    if (!isStopping) end = `${name} ended with ${signal ?? code}`
  })
  const hasBegun = () => end !== null || lines.some((line) => line.includes(`"${name}.started"`))
  await waitFor(`${name} to start`, hasBegun, startLimitMs)
  if (end !== null) throw new Error(`${String(end)}: ${lines.join('\n')}`)
  const recorded = <Line extends object>(what: string): Line[] =>
    existsSync(record) ? linesOf<Line>(record, what) : []
  return {
    name,
    connections: () => {
      const connects = recorded<{ address: string; port: number }>('connect')
      return [...new Set(connects.map(({ address, port }) => `${address}:${port}`))]
    },
    async state(): Promise<State> {
      const before = recorded('state').length
      child.kill('SIGUSR2')
      const look = () => recorded<State>('state')[before]
      const state = await waitFor(`the state of ${name}`, look, startLimitMs)
      return { ...state, name }
    },
    log: lines as readonly string[],
    endedAs: (): string | null => end,
    async stop(): Promise<void> {
      isStopping = true
      child.kill('SIGKILL')
      await ended
    },
  }
}

const linesOf = <Line>(file: string, what: string): Line[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line & { what: string })
    .filter((line) => line.what === what)
