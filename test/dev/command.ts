import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** Starts a command and collects its output. */
export function startCommand(
  [command, ...args]: readonly [string, ...string[]],
  options: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
) {
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].on('data', (bytes) => {
      output[name] += bytes
    })
  }
  const ended = once(child, 'close').then(([code, signal]) => ({ code, signal }))
  return { output, ended, kill: (signal: NodeJS.Signals) => child.kill(signal) }
}

/** The command line of npm, even if npm is not on the PATH. */
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
