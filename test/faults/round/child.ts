import { type ChildProcess, spawn } from 'node:child_process'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'

const preload = resolve('bench/end-with-parent.mjs')

const living = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of living) child.kill('SIGKILL')
})

/** Has it end with this process, also where it stands still. */
export function endWithUs(child: ChildProcess): void {
  living.add(child)
  child.once('exit', () => living.delete(child))
}

/** Starts a program that ends with this process; `hear` gets each line that it says, on either channel. */
export function startChild(
  program: string,
  environment: Record<string, string>,
  hear: (line: string) => void,
): ChildProcess {
  const child = spawn(process.execPath, ['--import', preload, program], {
    env: { PATH: process.env.PATH ?? '', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  endWithUs(child)
  for (const input of [child.stdout, child.stderr]) createInterface({ input }).on('line', hear)
  return child
}
