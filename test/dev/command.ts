import { spawn } from 'node:child_process'
import { once } from 'node:events'

export function startCommand(
  [command, ...args]: readonly [string, ...string[]],
  options: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
) {
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    child[name].on('data', (bytes) => void (output[name] += bytes))
  const ended = once(child, 'close').then(([code, signal]) => ({ code, signal }))
  return { output, ended, kill: (signal: NodeJS.Signals) => child.kill(signal) }
}
