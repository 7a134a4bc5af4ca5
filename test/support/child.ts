import { type ChildProcess, spawn } from 'node:child_process'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

let telling: Socket | null = null

/** Has it end with this process, whatever ends that one, also where the child stands still. */
export function killOnExit(child: ChildProcess): void {
  telling ??= openEnding()
  telling.write(`+${child.pid}\n`)
  child.once('exit', () => telling?.write(`-${child.pid}\n`))
}

function openEnding(): Socket {
  const program = join(import.meta.dirname, 'end-orphans.mjs')
  // A group of its own: Ctrl-C is for this process alone, and the other hears of its end.
  const ending = spawn(process.execPath, [program], {
    stdio: ['pipe', 'ignore', 'inherit'],
    detached: true,
    env: {},
  })
  const stdin = ending.stdin as Socket
  ending.unref()
  stdin.unref()
  return stdin
}

/** If WALL_CLOCK names a file, that file sets the wall clock of the child. */
const wallClock = new URL('./wall-clock.mjs', import.meta.url).href

/** Starts a program that ends with this process; `hear` gets each line that it says, on either channel. */
export function startChild(
  program: string,
  environment: Record<string, string>,
  onLine: (line: string) => void,
): ChildProcess {
  const child = spawn(process.execPath, ['--import', wallClock, program], {
    env: { PATH: process.env.PATH ?? '', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  killOnExit(child)
  for (const input of [child.stdout, child.stderr]) createInterface({ input }).on('line', onLine)
  return child
}
