import { type ChildProcess, spawn } from 'node:child_process'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

let killer: Socket | null = null

export function killOnExit(child: ChildProcess): void {
  killer ??= startKiller()
  killer.write(`+${child.pid}\n`)
  child.once('exit', () => killer?.write(`-${child.pid}\n`))
}

function startKiller(): Socket {
  const program = join(import.meta.dirname, 'kill-orphans.mjs')
  // In its own process group, so that Ctrl-C doesn't end it.
  const child = spawn(process.execPath, [program], {
    stdio: ['pipe', 'ignore', 'inherit'],
    detached: true,
    env: {},
  })
  const stdin = child.stdin as Socket
  child.unref()
  stdin.unref()
  return stdin
}

/** If WALL_CLOCK names a file, the first one sets the child's wall clock. The others speed up its start. */
const startOptions = ['--import', new URL('./wall-clock.mjs', import.meta.url).href].concat(
  '--preserve-symlinks --preserve-symlinks-main --single-threaded-gc --min-semi-space-size=16'.split(' '),
)

export function startChild(
  program: string,
  environment: Record<string, string>,
  onLine: (line: string, from: 'stdout' | 'stderr') => void,
): ChildProcess {
  const child = spawn(process.execPath, [...startOptions, program], {
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  killOnExit(child)
  for (const from of ['stdout', 'stderr'] as const)
    createInterface({ input: child[from] }).on('line', (line) => onLine(line, from))
  return child
}
