import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** A command as a person starts it, with all that it says. */
export function startCommand(
  [command, ...args]: readonly [string, ...string[]],
  options: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
) {
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
  const said = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].on('data', (bytes) => {
      said[name] += bytes
    })
  }
  const ended = once(child, 'close').then(([code, signal]) => ({ code, signal }))
  return { said, ended, kill: (signal: NodeJS.Signals) => child.kill(signal) }
}

/** npm itself, also where it is not on the PATH. */
export function npm(...args: string[]): [string, ...string[]] {
  const script = process.env.npm_execpath
  return script ? [process.execPath, script, ...args] : ['npm', ...args]
}

export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
